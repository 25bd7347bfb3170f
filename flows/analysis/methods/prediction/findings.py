"""How good predictions are by validation, as it stands beside each of them."""

from __future__ import annotations

from typing import Final

from flows.analysis.methods.findings import ResultStatement, Statements
from flows.analysis.methods.sheet import Sheet
from flows.analysis.telling.cells import foreign

PREDICTED: Final = "predicted_"
_NEEDED: Final = ("metric", "validated", "baseline", "untuned_boosting", "learner", "learned_rows")


def read_validation(sheet: Sheet) -> Statements | None:
    """What a table of predictions says of their quality; None for another table."""
    predicted = next((each for each in sheet.columns if each.startswith(PREDICTED)), "")
    if not predicted or not sheet.rows or not set(_NEEDED) <= set(sheet.columns):
        return None
    metric, validated, baseline, untuned, learner, learned = (
        sheet.cell(0, name) for name in _NEEDED
    )
    target = foreign(predicted.removeprefix(PREDICTED))
    count = sheet.whole_column("count", predicted)
    rows = f"{count} rows" if count else "the rows that lack it"
    text = (
        f"{target} was predicted for {rows} by {learner}, learned from {learned} rows: "
        f"{metric} {validated} in validation, where one answer for all rows comes to "
        f"{baseline} and untuned boosting to {untuned}"
    )
    about = (predicted.removeprefix(PREDICTED), predicted)
    return Statements((ResultStatement(text, 9.8, about),), partial=True)
