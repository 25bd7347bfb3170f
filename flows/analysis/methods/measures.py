"""Which columns of numbers an analysis is about: those that were named, else all that measure."""

from __future__ import annotations

from flows.analysis.methods.about import LISTED
from flows.analysis.methods.columns import group_left
from flows.analysis.methods.method import MOST_COLUMNS, Request, no_numbers
from flows.analysis.methods.specification import Study
from flows.analysis.reading.read import Unread


def of_numbers(request: Request, kind: str, method: str = "") -> Study | Unread:
    """Studies of numbers: of those that were named, else of all measures of the table."""
    columns, group = group_left(request, 1)
    if wrong := no_numbers(columns, _WHAT.get(kind, kind)):
        return wrong
    named = [c.name for c in columns]
    if not named:
        measures = [name for name in request.measures if name != group]
        named = measures[: LISTED if group else MOST_COLUMNS]
    if not named:
        table = request.draft.schema.table.name
        return Unread(f"{table} has no column of measured numbers")
    number = int(request.settings.get("number", 0) or 0)
    return request.study(kind, named, group=group, method=method, number=number)


_WHAT = {"box": "box plot", "normality": "a test of normality"}


def of_measures(request: Request, kind: str, least: int, number: int = 0) -> Study | Unread:
    columns = list(request.columns)
    if request.group:
        columns.append(request.of(request.group))
    if wrong := no_numbers(columns, kind):
        return wrong
    named = tuple(c.name for c in columns) or request.measures
    if len(named) < least:
        table = request.draft.schema.table.name
        return Unread(
            f"{kind} needs {least} columns of numbers, and {table} has {len(named)} to use"
        )
    return request.study(kind, named[:MOST_COLUMNS], number=number)
