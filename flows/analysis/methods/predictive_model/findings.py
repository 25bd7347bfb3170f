"""What a predictive model is found to be: how good it is on rows that it has not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flows.analysis.methods.findings import Metrics
from flows.analysis.methods.sheet import Sheet
from flows.analysis.telling.cells import CitedCell

# What a metric may be called, by the name that it has here.
_CALLED: Final = {
    "r2": ("r2", "r squared", "r-squared", "r²", "r2 score", "r squared score"),
    "accuracy": ("accuracy",),
    "mae": ("mae", "mean absolute error"),
    "": ("rmse", "mse", "f1", "auc", "precision", "recall", "mape", "root mean squared error",
         "mean squared error"),
}  # fmt: skip
_NAMES: Final = {called: name for name, several in _CALLED.items() for called in several}
_VALUES: Final = ("held_out", "test", "value", "score", "cross_validated")


@dataclass(frozen=True, kw_only=True)
class Quality:
    """A metric of the model, beside that of a guess."""

    metric: CitedCell
    held_out: CitedCell
    cross_validated: CitedCell
    baseline: CitedCell
    model: CitedCell
    columns: CitedCell
    learned_rows: CitedCell
    held_out_rows: CitedCell


def read_metrics(sheet: Sheet) -> Metrics | None:
    """The metrics that a result lists; None for one of another kind."""
    label, value = sheet.called("metric", "measure"), sheet.called(*_VALUES)
    if not label:
        return None
    names = [str(each).casefold().replace("_", " ") for each in sheet.values(label)]
    if not set(names) & set(_NAMES) or not value:
        return None
    rows = {name: at for at, each in enumerate(names) if (name := _NAMES.get(each))}
    target = sheet.called("target")
    of_what = str(sheet.value(0, target)) if target else ""
    return Metrics(rows, value, sheet.called("cross_validated"), sheet.called("baseline"), of_what)
