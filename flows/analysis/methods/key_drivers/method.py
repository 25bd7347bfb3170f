"""What drives a column: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.methods.drivers import read_drivers
from flows.analysis.methods.key_drivers.arguments import KeyDrivers
from flows.analysis.methods.key_drivers.cue import CUE
from flows.analysis.methods.method import Call, Method, repeats, then
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import leaving_out, taking
from flows.analysis.methods.subject import LISTED, about, more, names
from flows.analysis.telling.cells import CitedCell

# The variables that the code hands over.
MADE = "result, metrics, predictions, model"


@dataclass(frozen=True, kw_only=True)
class KeyDriver:
    """How much worse a model gets without a column, and what more of it goes with."""

    feature: CitedCell
    importance: CitedCell
    effect: CitedCell


def _calls(study: Specification[KeyDrivers], _title: str) -> list[Call]:
    given = study.arguments
    told = (study.target, list(study.columns), given.classes, given.model, list(given.kin))
    return [Call(MADE, "drivers", told), *repeats(study)]


def _say(study: Specification[KeyDrivers], found: Sequence[KeyDriver], total: int) -> str:
    said = [f"{each.feature}: {each.importance}" for each in found[:LISTED]]
    return (
        f"What counts for {names([study.target])}{about(study)}, by how much worse a model gets "
        f"without it{more(found, total, LISTED, 'columns')}: {'; '.join(said)}."
    )


def _steps(study: Specification[KeyDrivers]) -> list[str]:
    classes, named = study.arguments.classes, study.arguments.model
    kind = "classification" if classes else "regression"
    simple = f"{'logistic' if classes else 'linear'} regression"
    tried = f"a {named}" if named else f"a {simple} and an ensemble of trees"
    return [
        taking(study, [study.target, *study.columns]),
        *leaving_out(study.table, [study.target, *study.columns]),
        f"Learn {study.target} ({kind}); leave out columns with one value, and of columns that go "
        "together at more than 0.99 all but one, and say which; warn of a column that gives the "
        "target away. Above 50,000 rows take a random sample.",
        "Hold a quarter of the rows out, with a fixed seed.",
        f"Try {tried} by cross-validation over the other rows; a more complex one has to be "
        "clearly better.",
        f"Judge it on the rows held out by {'accuracy, F1 and AUC' if classes else 'R², MAE, RMSE'}"
        ", beside a guess.",
        "Measure each column's importance by shuffling it on rows that were not learned from, and "
        "its effect: by how much the target changes with one standard deviation of it.",
        "Put the columns into `result`, the most important first; hand over `metrics`, "
        "`predictions` and the fitted `model`.",
    ]


METHOD = Method(
    arguments=KeyDrivers,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(KeyDriver, _say),),
    steps=_steps,
    reader=read_drivers,
    answers=frozenset({"drivers"}),
    follow_ups=then("predictive_model", "target", "fields", "classes"),
)
