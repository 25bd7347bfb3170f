"""Which columns of numbers an analysis is about: those that were named, else all that measure."""

from __future__ import annotations

from collections.abc import Mapping

from flows.analysis.methods.arguments import MOST_COLUMNS, A
from flows.analysis.methods.columns import group_left
from flows.analysis.methods.method import MethodRequest
from flows.analysis.methods.subject import LISTED
from flows.analysis.reading.reader import Unread


def of_numbers(request: MethodRequest, model: type[A], given: Mapping[str, object]) -> A | Unread:
    """The arguments of a method for columns of numbers, which may be compared by a group."""
    columns, group = group_left(request, 1)
    named = [c.name for c in columns]
    if not named:
        measures = [name for name in request.measures if name != group]
        named = measures[: LISTED if group else MOST_COLUMNS]
    if not named:
        return Unread(f"{request.table.name} has no column of measured numbers")
    return request.make(model, {"fields": tuple(named), "group": group, **given})


def of_measures(
    request: MethodRequest, model: type[A], least: int, given: Mapping[str, object]
) -> A | Unread:
    """The arguments of a method for all its columns of numbers together, `least` of them."""
    columns = [c.name for c in request.columns]
    if request.group:
        columns.append(request.group)
    named = tuple(columns) or request.measures
    if len(named) < least:
        return Unread(f"{model.label()} needs {least} columns of numbers, and "
                      f"{request.table.name} has {len(named)} to use")  # fmt: skip
    return request.make(model, {"fields": named[:MOST_COLUMNS], **given})
