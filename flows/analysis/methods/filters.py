"""The conditions of a plan as pandas expressions; every value is written as a literal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from flows.analysis.plan import AnyOf, Comparison, Condition, Field, Plan
from flows.data.tables import Table
from flows.semantics.calendar import days_of, today_of
from flows.semantics.model import Calendar
from flows.semantics.query import Comparison as Test
from flows.semantics.query import Constant, Predicate

CALENDAR = Calendar()
_COMPARED = {"=": "==", "!=": "!=", ">": ">", ">=": ">=", "<": "<", "<=": "<="}
_TEXTS = {"contains": "str.contains", "starts": "str.lower().str.startswith",
          "ends": "str.lower().str.endswith"}  # fmt: skip


def filter_lines(
    filters: Sequence[AnyOf], table: Table, calendar: Calendar = CALENDAR
) -> list[str]:
    """Statements that keep of the frame `data` the rows for which all filters hold."""
    return [f"data = data[{either_text(each, table, calendar)}]" for each in filters]


def field_text(field: Field, table: Table, frame: str = "data") -> str:
    """A column of the frame, or the part of it that is meant."""
    column = f"{frame}[{field.column!r}]"
    if field.part == "number":
        return f'pd.to_numeric({column}, errors="coerce")'
    if field.part in ("year", "month"):
        return f"pd.to_datetime({column}).dt.{field.part}"
    kind = next(each.type for each in table.columns if each.name == field.column)
    return f"pd.to_datetime({column})" if kind in ("date", "timestamp") else column


def either_text(any_of: AnyOf, table: Table, calendar: Calendar = CALENDAR) -> str:
    """A condition of which one part must hold, for each row of the frame `data`."""
    return " | ".join(f"({_condition(each, table, calendar)})" for each in any_of.conditions)


def _condition(condition: Condition, table: Table, calendar: Calendar) -> str:
    test, column = condition.comparison, field_text(condition.field, table)
    if test in ("missing", "present"):
        return f"{column}.{'isna' if test == 'missing' else 'notna'}()"
    if test.startswith("not "):
        inner = Condition(condition.field, _PLAIN[test], condition.values)
        return f"~({_condition(inner, table, calendar)}) & {column}.notna()"
    if test == "during":
        return _during(cast(Predicate, condition.values[0]), column, table, calendar)
    if test == "between":
        return f"{column}.between({_literal(condition.values[0])}, {_literal(condition.values[1])})"
    if test == "in":
        return f"{column}.isin([{', '.join(map(_literal, condition.values))}])"
    if test in _COMPARED:
        extra = f" & {column}.notna()" if test == "!=" else ""
        compared = f"{column} {_COMPARED[test]} {_literal(condition.values[0])}"
        return f"({compared}){extra}" if extra else compared
    return _text(test, column, str(condition.values[0]))


_PLAIN: dict[str, Comparison] = {
    "not between": "between", "not in": "in", "not contains": "contains", "not starts": "starts",
    "not during": "during",
    "not ends": "ends",
}  # fmt: skip


def _during(period: Predicate, column: str, table: Table, calendar: Calendar) -> str:
    """That a time lies in a period of the calendar."""
    days = days_of(period, today_of(calendar, [table]), calendar.fiscal_start)
    if days is None:
        assert isinstance(period, Test)
        assert isinstance(period.right, Constant)
        return f"{column}.dt.dayofweek + 1 {_COMPARED[period.operator]} {period.right.value}"
    low, high = days
    ends = [f'{column} >= "{low}"'] if low else []
    ends += [f'{column} < "{high}"'] if high else []
    return " & ".join(f"({each})" for each in ends)


def _text(test: str, column: str, value: str) -> str:
    method, text = _TEXTS[test], f'{column}.astype("str")'
    if test == "contains":
        return f"{text}.{method}({value!r}, case=False, regex=False)"
    return f"{text}.{method}({value.casefold()!r})"


def _literal(value: object) -> str:
    if isinstance(value, Field | Plan):
        raise TypeError("a study compares with values only, not with another question's result")
    return repr(value)
