"""Linear and logistic regressions: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.methods.drivers import read_drivers
from flows.analysis.methods.method import Call, FollowUp, Method, repeats
from flows.analysis.methods.narration import InColumn, Narration, OfRows
from flows.analysis.methods.regression.arguments import Regression
from flows.analysis.methods.regression.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import LISTED, about, more, names
from flows.analysis.telling.cells import CitedCell

_Given = Annotated[
    tuple[CitedCell, ...], InColumn(lambda study: [name for name, _ in study.arguments.at])
]


@dataclass(frozen=True, kw_only=True)
class RegressionTerm(OfRows):
    """A term of a regression and its coefficient."""

    term: CitedCell
    coefficient: CitedCell
    p_value: CitedCell | None = None

    @property
    def words(self) -> str:
        p = self.p_value
        chance = f" (p = {p})" if p and p.value is not None else ""
        return f"{self.term}: {self.coefficient}{chance}"


@dataclass(frozen=True, kw_only=True)
class LinearTerm(RegressionTerm):
    """A term of a linear regression, which explains `r2` of the variance."""

    r2: CitedCell


@dataclass(frozen=True, kw_only=True)
class LogisticTerm(RegressionTerm):
    """A term of a logistic regression of the odds of `positive`."""

    positive: CitedCell
    accuracy: CitedCell
    auc: CitedCell


@dataclass(frozen=True, kw_only=True)
class Prediction(OfRows):
    """What a linear regression expects where columns have the given values."""

    given: _Given
    predicted: CitedCell
    lower: CitedCell
    upper: CitedCell
    r2: CitedCell


@dataclass(frozen=True, kw_only=True)
class Probability(OfRows):
    """How likely a logistic regression takes `positive` to be where columns have given values."""

    given: _Given
    positive: CitedCell
    probability: CitedCell


def _calls(study: Specification[Regression], _title: str) -> list[Call]:
    classes = study.arguments.variant == "logistic"
    if study.arguments.at:
        return [Call("result", "predict", (study.target, dict(study.arguments.at), classes))]
    made = Call("result", "logistic" if classes else "regress",
                (study.target, list(study.columns)))  # fmt: skip
    return [made, *repeats(study)]


def _say_linear(study: Specification[Regression], found: Sequence[LinearTerm], total: int) -> str:
    first = found[0]
    return (
        f"The linear regression of {names([study.target])}{about(study)} explains {first.r2} of "
        f"its variance (R², {first.over}). {_terms(found, total)}"
    )


def _say_logistic(
    study: Specification[Regression], found: Sequence[LogisticTerm], total: int
) -> str:
    first = found[0]
    return (
        f"The logistic regression of {names([study.target])} (the odds of "
        f"{first.positive}){about(study)} gets {first.accuracy} of the rows right, AUC {first.auc} "
        f"({first.over}). {_terms(found, total)}"
    )


def _terms(found: Sequence[RegressionTerm], total: int) -> str:
    """The coefficients, that of the intercept last."""
    terms = [each for each in found if each.term.value != "intercept"]
    said = [each.words for each in terms[:LISTED]]
    said += [f"intercept: {e.coefficient}" for e in found if e.term.value == "intercept"]
    rest = more(terms, total - 1, LISTED, "terms, the strongest first")
    return f"Coefficients{rest}: {'; '.join(said)}."


def _say_prediction(
    study: Specification[Regression], found: Sequence[Prediction], _total: int
) -> str:
    made = found[0]
    return (
        f"With {_given(study, made)} a {names([study.target])} of {made.predicted} is to be "
        f"expected{about(study)}, for a single one nearly always (in ninety-five percent) between "
        f"{made.lower} and {made.upper} (linear regression, R² {made.r2}, {made.over})."
    )


def _say_probability(
    study: Specification[Regression], found: Sequence[Probability], _total: int
) -> str:
    made = found[0]
    return (
        f"With {_given(study, made)} the probability that {names([study.target])} is "
        f"{made.positive}{about(study)} is {made.probability} (logistic regression, {made.over})."
    )


def _given(study: Specification[Regression], made: Prediction | Probability) -> str:
    named = zip(study.arguments.at, made.given, strict=True)
    return " and ".join(f"{names([name])} {cell}" for (name, _), cell in named)


def _follow_ups(study: Specification[Regression]) -> list[FollowUp]:
    if len(study.columns) < 2:
        return []
    return [FollowUp("feature_importance", study.arguments.explained)]


METHOD = Method(
    arguments=Regression,
    cue=CUE,
    calls=_calls,
    narrations=(
        Narration(LinearTerm, _say_linear),
        Narration(LogisticTerm, _say_logistic),
        Narration(Prediction, _say_prediction),
        Narration(Probability, _say_probability),
    ),
    steps=computing(
        "Fit a regression by least squares, with the error and p-value of each coefficient."
    ),
    picture="the values over those that the model gives",
    reader=read_drivers,
    answers=frozenset({"drivers", "effect"}),
    follow_ups=_follow_ups,
)
