"""What drives a column: a model that is chosen, judged and handed over whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flows.analysis.reading.draft import is_numeric
from flows.analysis.reading.read import Unread
from flows.analysis.study.about import LISTED, about, more, names, text
from flows.analysis.study.operation import Call, Operation, Request, Row, repeats, words
from flows.analysis.study.operations.explaining import EXPLAINING, explaining
from flows.analysis.study.plan import Study

# The variables that the code hands over.
MADE = "result, metrics, predictions, model"


def _read(request: Request) -> Study | Unread:
    study = explaining(request, "drivers")
    if isinstance(study, Unread):
        return study
    numeric = request.says(r"\bnumer\w+ (?:\w+ )?(?:columns|variables|features|fields|attributes)")
    named = {each.name for each in request.columns}
    used = [c for c in study.columns if not numeric or c in named or is_numeric(request.of(c))]
    # A model of a column is not learned from what only says when.
    plain = [c for c in used if c in named or request.of(c).role != "time"] or used
    if not plain:
        return Unread(f"there is no other column of numbers that could explain {study.target}")
    return replace(study, columns=tuple(plain))


def _calls(study: Study, _title: str) -> list[Call]:
    told = (study.target, list(study.columns), study.method == "classes", study.setting("model"))
    return [Call(MADE, "drivers", told), *repeats(study)]


def _say(study: Study, rows: Sequence[Row], total: int) -> str:
    said = [f"{text(row, 'feature')}: {text(row, 'importance')}" for row in rows[:LISTED]]
    return (
        f"What counts for {names([study.target])}{about(study)}, by how much worse a model gets "
        f"without it{more(rows, total, LISTED, 'columns')}: {'; '.join(said)}."
    )


DRIVERS = Operation(
    kind="drivers",
    read=_read,
    calls=_calls,
    say=_say,
    needs=("feature", "importance", "effect"),
    around=EXPLAINING | words(
        """train model models modelling modeling build fit classifier classification regression
        regressor linear logistic random forest gradient boosting machine learning predictive
        predictor importance importances important most key main driver drivers driving drive
        feature features variables variable factors as with using from and the target columns
        accuracy metrics performance evaluate well good identify rank determine learn based
        strongest potential numerical numeric supervised"""
    ),
    explains=True,
)  # fmt: skip
