"""Linear and logistic regressions: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import LISTED, about, more, names
from flows.analysis.methods.drivers import read_drivers
from flows.analysis.methods.method import Call, FollowUp, Method, repeats, words
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.regression.arguments import Regression
from flows.analysis.methods.regression.cue import CUE
from flows.analysis.methods.regression.findings import (
    LinearTerm,
    LogisticTerm,
    Prediction,
    Probability,
    RegressionTerm,
)
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


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
        f"The linear regression of {names([study.target])}{about(study)} explains "
        f"{first.r2.text()} of its variance (R², {first.over}). {_terms(found, total)}"
    )


def _say_logistic(
    study: Specification[Regression], found: Sequence[LogisticTerm], total: int
) -> str:
    first = found[0]
    return (
        f"The logistic regression of {names([study.target])} (the odds of "
        f"{first.positive.text()}){about(study)} gets {first.accuracy.text()} of the rows right, "
        f"AUC {first.auc.text()} ({first.over}). {_terms(found, total)}"
    )


def _terms(found: Sequence[RegressionTerm], total: int) -> str:
    """The coefficients, that of the intercept last."""
    terms = [each for each in found if each.term.value != "intercept"]
    said = [each.words for each in terms[:LISTED]]
    said += [f"intercept: {e.coefficient.text()}" for e in found if e.term.value == "intercept"]
    rest = more(terms, total - 1, LISTED, "terms, the strongest first")
    return f"Coefficients{rest}: {'; '.join(said)}."


def _say_prediction(
    study: Specification[Regression], found: Sequence[Prediction], _total: int
) -> str:
    made = found[0]
    return (
        f"With {_given(study, made)} a {names([study.target])} of {made.predicted.text()} is to be "
        f"expected{about(study)}, for a single one nearly always (in ninety-five percent) between "
        f"{made.lower.text()} and {made.upper.text()} (linear regression, R² {made.r2.text()}, "
        f"{made.over})."
    )


def _say_probability(
    study: Specification[Regression], found: Sequence[Probability], _total: int
) -> str:
    made = found[0]
    return (
        f"With {_given(study, made)} the probability that {names([study.target])} is "
        f"{made.positive.text()}{about(study)} is {made.probability.text()} (logistic regression, "
        f"{made.over})."
    )


def _given(study: Specification[Regression], made: Prediction | Probability) -> str:
    named = zip(study.arguments.at, made.given, strict=True)
    return " and ".join(f"{names([name])} {cell.text()}" for (name, _), cell in named)


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
    cautions=words("""
        collinear extrapolation imbalance leakage missing_left_out repeated small_sample
        """),
    reader=read_drivers,
    answers=frozenset({"drivers", "effect"}),
    follow_ups=_follow_ups,
)
