"""Which results gave a call its arguments."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.filters import plain_value, scalars_of
from flows.analysis.functions.records import data_of, fields_of, lists_of


def result_values(result: CallResult) -> frozenset[str]:
    """The plain texts of all values of a result."""
    data = data_of(result)
    found = {plain_value(each.value) for each in fields_of(data)}
    for records in lists_of(data):
        found |= {plain_value(value) for row in records.rows for value in row.values()}
    return frozenset(found)


def argument_values(result: CallResult) -> frozenset[str]:
    """The plain texts of all values that a call was given."""
    return frozenset(plain_value(each) for each in scalars_of(result.arguments))


def sources_of(
    result: CallResult, results: Sequence[CallResult], said: str
) -> tuple[CallResult, ...]:
    """The results whose values a call was given, and those whose values these were given, the
    latest first. What stands in the text `said` came from there."""
    found: dict[int, CallResult] = {}
    open_ = [result]
    while open_:
        call = open_.pop()
        for value in argument_values(call):
            if value in ("true", "false") or value in said:
                continue
            source = next(
                (e for e in results
                 if e.kind == "ok" and e.number < call.number and value in result_values(e)), None,
            )  # fmt: skip
            if source is not None and source.number not in found:
                found[source.number] = source
                open_.append(source)
    return tuple(found[number] for number in sorted(found, reverse=True))
