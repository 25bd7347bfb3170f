"""Linear and logistic regressions: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import LISTED, about, more, names, over, text
from flows.analysis.methods.drivers import read_drivers
from flows.analysis.methods.method import Call, FollowUp, Method, Row, repeats, words
from flows.analysis.methods.regression.arguments import Regression
from flows.analysis.methods.regression.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing


def _calls(study: Specification[Regression], _title: str) -> list[Call]:
    classes = study.arguments.variant == "logistic"
    if study.arguments.at:
        return [Call("result", "predict", (study.target, dict(study.arguments.at), classes))]
    made = Call("result", "logistic" if classes else "regress",
                (study.target, list(study.columns)))  # fmt: skip
    return [made, *repeats(study)]


def _say(study: Specification[Regression], rows: Sequence[Row], total: int) -> str:
    if study.arguments.at:
        return _say_prediction(study, rows[0])
    first, where, target = rows[0], about(study), names([study.target])
    terms = [row for row in rows if row["term"].value != "intercept"]
    said = [_term(row) for row in terms[:LISTED]]
    said += [f"intercept: {text(r, 'coefficient')}" for r in rows if r["term"].value == "intercept"]
    rest = more(terms, total - 1, LISTED, "terms, the strongest first")
    if study.arguments.variant == "logistic":
        return (
            f"The logistic regression of {target} (the odds of {text(first, 'positive')}){where} "
            f"gets {text(first, 'accuracy')} of the rows right, AUC {text(first, 'auc')} "
            f"({over(first)}). Coefficients{rest}: {'; '.join(said)}."
        )
    return (
        f"The linear regression of {target}{where} explains {text(first, 'r2')} of its "
        f"variance (R², {over(first)}). Coefficients{rest}: {'; '.join(said)}."
    )


def _term(row: Row) -> str:
    p = row.get("p_value")
    chance = f" (p = {p.text()})" if p and p.value is not None else ""
    return f"{text(row, 'term')}: {text(row, 'coefficient')}{chance}"


def _say_prediction(study: Specification[Regression], row: Row) -> str:
    given = " and ".join(f"{names([name])} {text(row, name)}" for name, _ in study.arguments.at)
    target, where = names([study.target]), about(study)
    if study.arguments.variant == "logistic":
        return (f"With {given} the probability that {target} is {text(row, 'positive')}{where} is "
                f"{text(row, 'probability')} (logistic regression, {over(row)}).")  # fmt: skip
    return (
        f"With {given} a {target} of {text(row, 'predicted')} is to be expected{where}, for a "
        f"single "
        f"one nearly always (in ninety-five percent) between {text(row, 'lower')} and "
        f"{text(row, 'upper')} (linear regression, "
        f"R² {text(row, 'r2')}, {over(row)})."
    )


def _follow_ups(study: Specification[Regression]) -> list[FollowUp]:
    if len(study.columns) < 2:
        return []
    return [FollowUp("feature_importance", dict(study.arguments.explained))]


METHOD = Method(
    arguments=Regression,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("rows",),
    steps=computing(
        "Fit a regression by least squares, with the error and p-value of each coefficient."
    ),
    picture="the values over those that the model gives",
    cautions=words("""
        collinear extrapolation imbalance leakage missing_left_out repeated small_sample
        """),
    findings=read_drivers,
    answers=frozenset({"drivers", "effect"}),
    follow_ups=_follow_ups,
)
