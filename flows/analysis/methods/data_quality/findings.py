"""What is wrong with a table: a sentence for each fault."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flows.analysis.methods.breakdown.findings import amount
from flows.analysis.methods.findings import ResultStatement, Statements
from flows.analysis.methods.sheet import Sheet
from flows.analysis.telling.cells import CitedCell

_NEEDED = ("table", "check", "column", "value", "rows", "of", "other", "other_value", "low", "high")


@dataclass(frozen=True, kw_only=True)
class DataFault:
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
    found = [DataFault(**{name: sheet.cell(at, name) for name in _NEEDED})
             for at in range(len(sheet.rows))]  # fmt: skip
    return Statements(tuple(statements_of(found)))


def statements_of(faults: Sequence[DataFault]) -> Iterator[ResultStatement]:
    """A sentence for each fault, what spoils figures most first."""
    for each in faults:
        text, weight = _told(each)
        yield ResultStatement(text, weight, (str(each.column.value),) if each.column.value else ())


def _told(fault: DataFault) -> tuple[str, float]:
    """What a fault is, and how much it spoils."""
    rows, of = fault.rows.text(","), f"{fault.of.text(',')} rows of {fault.table.text()}"
    name = f"{fault.column.text()} of {fault.table.text()}"
    many = "row" if fault.is_one else "rows"
    between = f"all others lie between {amount(fault.low)} and {amount(fault.high)}"
    match fault.check.value:
        case "repeated":
            again = "stands there again, identical" if fault.is_one else "stand there again"
            return f"{rows} of the {of} are duplicates: they {again} and are counted twice", 9.5
        case "key":
            return f"{name} should tell rows apart, and {rows} {many} repeat one", 9.0
        case "alike":
            text = f"{rows} {many} of the {of} are duplicates of another in all but their "
            return f"{text}{fault.column.text()}: they may be recorded twice", 9.0
        case "marker":
            stands = "which stands for no value"
            return f"{name} is {fault.value.text()} in {rows} {many}, {stands}: {between}", 9.2
        case "spelling":
            spelt = f"{fault.low.text('.0f')} spellings of {fault.high.text('.0f')} values"
            text = f"{name} is written in several ways: {spelt}, such as {fault.value.text()}"
            return f"{text}, differ only in case, blanks or signs", 8.8
        case "far":
            where = "one row" if fault.is_one else f"{rows} rows"
            return f"{name} has an outlier: {fault.value.text()} in {where}, where {between}", 8.9
        case "negative":
            least = f"down to {fault.value.text()}"
            return f"{name} is below zero in {rows} {many} ({least}), which can hardly be", 8.9
        case "early":
            return f"{name} is before {fault.other.text()} in {rows} {many}, which cannot be", 8.9
        case "gap":
            return _gap(fault, rows, of)
    none = "no duplicates, no gaps, no values far away from all others"
    return f"no fault was found in the {of}: {none}", 3.0


def _gap(fault: DataFault, rows: str, of: str) -> tuple[str, float]:
    shown = f" (written {fault.value.text()})" if fault.value.value else ""
    many = "has" if fault.is_one else "have"
    text = f"{rows} of the {of} {many} no {fault.column.text()}{shown}"
    if fault.other.value:
        why = f"{fault.other.text()} is {fault.other_value.text()}"
        return f"{text}: these are the rows whose {why}", 8.0
    return f"{text}: it is missing", 8.4
