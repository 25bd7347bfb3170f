"""Predictions of rows that lack a target: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from flows.analysis.methods.method import OTHER, Call, Method
from flows.analysis.methods.narration import InColumn, Narration
from flows.analysis.methods.prediction.arguments import Prediction, learned_from
from flows.analysis.methods.prediction.cue import CUE
from flows.analysis.methods.prediction.findings import PREDICTED, read_validation
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.subject import LISTED, about, capital, more, names
from flows.analysis.telling.cells import CitedCell, foreign

# The variables that the code hands over.
MADE: Final = "result, metrics, predictions"
# What rows are called that nothing names.
ROW: Final = "row"


def _named(study: Specification[Prediction]) -> str:
    return study.arguments.identifier or ROW


def _predicted(study: Specification[Prediction]) -> str:
    return f"{PREDICTED}{study.target}"


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """What is predicted for a row, and how good the model is by validation: beside one answer for
    all rows, and beside boosting that nobody has tuned."""

    row: Annotated[CitedCell, InColumn(_named)]
    value: Annotated[CitedCell, InColumn(_predicted)]
    probability: CitedCell | None = None
    metric: CitedCell
    validated: CitedCell
    baseline: CitedCell
    untuned_boosting: CitedCell
    learner: CitedCell
    learned_rows: CitedCell


def _calls(study: Specification[Prediction], _title: str) -> list[Call]:
    given = study.arguments
    told = (
        study.target, list(_columns(study)), given.identifier, _time(study), given.classes,
        "submission.csv" if given.file else "", given.seed,
    )  # fmt: skip
    return [Call(MADE, "predict_rows", told, f"data, {OTHER if given.rows else None}")]


def _columns(study: Specification[Prediction]) -> Sequence[str]:
    """The columns that are learned from: those that were named, or all that both tables have."""
    given = study.arguments
    if given.fields:
        return given.fields
    able = [each for each in learned_from(study.table, study.target) if each != given.identifier]
    other = study.model.dataset(given.rows) if given.rows else None
    if other is None:
        return able
    known = {each.name for each in other.fields}
    return [each for each in able if each in known]


def _time(study: Specification[Prediction]) -> str:
    """The column that says when a row is of, among those that are learned from."""
    used = set(_columns(study))
    return next((c.name for c in study.table.columns if c.role == "time" and c.name in used), "")


def _say(study: Specification[Prediction], found: Sequence[Predicted], total: int) -> str:
    first, given = found[0], study.arguments
    rows = f"the rows of {foreign(given.rows)}" if given.rows else "the rows that lack it"
    sure = [f" ({each.probability})" if each.probability else "" for each in found]
    said = [
        f"{each.row}: {each.value}{share}"
        for each, share in zip(found[:LISTED], sure, strict=False)
    ]
    file = " The file submission.csv has all of them." if given.file else ""
    return capital(
        f"{names([study.target])}{about(study)} was predicted for {rows} by {first.learner}, "
        f"learned from {first.learned_rows} rows: {first.metric} {first.validated} in "
        f"validation, where one answer for all rows comes to {first.baseline} and untuned boosting "
        f"to {first.untuned_boosting}. Predicted{more(found, total, LISTED, 'rows')}: "
        f"{'; '.join(said)}.{file}"
    )


def _steps(study: Specification[Prediction]) -> list[str]:
    given = study.arguments
    rows = f"the rows of {given.rows}" if given.rows else f"the rows that lack {study.target}"
    kind = "classification by accuracy" if given.classes else "regression by RMSE"
    steps = [
        f"Learn {study.target} ({kind}) from {', '.join(_columns(study)[:12])} of the rows of "
        f"{study.table.name} that have it, with a fixed seed.",
        "Part them into folds; validate by time where what is predicted is later.",
        "Score two yardsticks: one answer for all rows, and boosting that nobody has tuned.",
        "Fit a linear model, gradient boosting and extremely random trees, of each at most four "
        "settings, and blend them where that scores better by validation.",
        f"Predict {rows} by the best; put them into `result` with what names the row, and hand "
        "over `metrics` and `predictions` out of fold.",
    ]
    return [*steps, "Write them to submission.csv."] if given.file else steps


METHOD = Method(
    arguments=Prediction,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Predicted, _say),),
    steps=_steps,
    reader=read_validation,
)
