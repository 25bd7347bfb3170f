"""What is wrong with a table: a sentence for each fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flows.analysis.methods.breakdown.findings import amount
from flows.analysis.methods.findings import Statement, Statements
from flows.analysis.methods.sheet import Sheet
from flows.analysis.telling.cells import CitedCell

_NEEDED = ("table", "check", "column", "value", "rows", "of", "other", "other_value", "low", "high")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One thing that is wrong: what, where, in how many rows."""

    table: CitedCell
    check: CitedCell
    column: CitedCell
    value: CitedCell
    rows: CitedCell
    of: CitedCell
    other: CitedCell
    other_value: CitedCell
    low: CitedCell
    high: CitedCell

    @property
    def is_one(self) -> bool:
        return self.rows.number == 1


def read_quality(sheet: Sheet) -> Statements | None:
    """The faults of a result as statements; None for a result of another kind."""
    if not set(_NEEDED) <= set(sheet.columns) or not sheet.rows:
        return None
    found = [Fault(**{name: sheet.cell(at, name) for name in _NEEDED})
             for at in range(len(sheet.rows))]  # fmt: skip
    return Statements(tuple(statements_of(found)))


def statements_of(faults: Sequence[Fault]) -> Iterator[Statement]:
    """A sentence for each fault, what spoils figures most first."""
    for each in faults:
        text, weight = _told(each)
        yield Statement(text, weight, (str(each.column.value),) if each.column.value else ())


def _told(fault: Fault) -> tuple[str, float]:
    table = fault.table.text()
    rows, of = fault.rows.text(","), f"{fault.of.text(',')} rows of {table}"
    name = fault.column.text() if fault.column.value else ""
    many = "row" if fault.is_one else "rows"
    stand = "stands" if fault.is_one else "stand"
    match fault.check.value:
        case "repeated":
            return (f"{rows} of the {of} are duplicates: they {stand} there again, identical in "
                    "every column, and are counted twice"), 9.5  # fmt: skip
        case "key":
            return f"{name} should tell the rows of {table} apart, and {rows} {many} repeat one", 9.0
        case "alike":
            return (f"{rows} {many} are duplicates of another in all but {name}: they may be "
                    "recorded twice"), 9.0  # fmt: skip
        case "marker":
            low, high = amount(fault.low), amount(fault.high)
            return (f"{name} of {table} is {fault.value.text()} in {rows} {many}, which stands for no value: "
                    f"all others lie between {low} and {high}"), 9.2  # fmt: skip
        case "spelling":
            return (f"{name} of {table} is written in several ways: {fault.low.text('.0f')} spellings of "
                    f"{fault.high.text('.0f')} values, such as {fault.value.text()}, differ only "
                    "in case, blanks or signs"), 8.8  # fmt: skip
        case "far":
            low, high = amount(fault.low), amount(fault.high)
            where = "one row" if fault.is_one else f"{rows} rows"
            return (f"{name} of {table} has an outlier: {fault.value.text()} in {where}, where all others lie "
                    f"between {low} and {high}"), 8.9  # fmt: skip
        case "negative":
            return (f"{name} is below zero in {rows} {many} (down to {fault.value.text()}), which "
                    "can hardly be"), 8.9  # fmt: skip
        case "early":
            return (f"{name} is before {fault.other.text()} in {rows} {many}, which cannot "
                    "be"), 8.9  # fmt: skip
        case "gap":
            return _gap(fault, rows, of, name)
    none = "no duplicates, no gaps, no values far away from all others"
    return f"no fault was found in the {of}: {none}", 3.0


def _gap(fault: Fault, rows: str, of: str, name: str) -> tuple[str, float]:
    shown = f" (written {fault.value.text()})" if fault.value.value else ""
    many = "has" if fault.is_one else "have"
    text = f"{rows} of the {of} {many} no {name}{shown}"
    if fault.other.value:
        why = f"{fault.other.text()} is {fault.other_value.text()}"
        return f"{text}: these are the rows whose {why}", 8.0
    return f"{text}: it is missing", 8.4
