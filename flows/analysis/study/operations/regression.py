"""Straight lines and odds: coefficients, and what they predict for given values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.plan import AnyOf
from flows.analysis.reading.draft import is_time
from flows.analysis.reading.read import Unread
from flows.analysis.study.about import LISTED, about, more, names, over, text
from flows.analysis.study.operation import (
    Call,
    Operation,
    Request,
    Row,
    plots,
    repeats,
    setting,
    words,
)
from flows.analysis.study.operations.explaining import EXPLAINING, explaining
from flows.analysis.study.plan import Study
from flows.core.observation import Cell


def read_regression(request: Request) -> Study | Unread:
    at = _take_values(request) if _predicts(request) else {}
    if request.target in at:
        return Unread(f"{request.target} is both to be predicted and given")
    logistic = request.settings.get("method") == "logistic"
    study = explaining(request, "regression", tuple(at))
    if isinstance(study, Unread):
        return study
    target = request.of(study.target)
    if study.method == "classes" and target.distinct != 2:
        why = "" if plots(target) else " and holds no numbers"
        return Unread(
            f"{target.name} has {target.distinct} values{why}, and a linear regression needs "
            f"numbers, "
            "a logistic one two values"
        )
    if logistic and target.distinct != 2:
        return Unread(f"{target.name} has {target.distinct} values, and a logistic regression is "
                      "about two")  # fmt: skip
    return request.study(
        "regression", study.columns, target=study.target, at=tuple(at.items()),
        method="classes" if logistic else study.method,
    )  # fmt: skip


def _predicts(request: Request) -> bool:
    return bool(re.search(r"predict|expect|estimate|would|will|how likely|probability|chance|what",
                          request.text, re.IGNORECASE))  # fmt: skip


def _take_values(request: Request) -> dict[str, Cell]:
    """`for a total bill of 40`: the values at which something is predicted, which are no filters;
    a time chooses rows."""
    at: dict[str, Cell] = {}
    kept: list[AnyOf] = []
    for any_of in request.draft.filters:
        [test, *others] = any_of.conditions
        column = request.of(test.field.column)
        given = test.comparison == "=" and not others and plots(column) and not is_time(column)
        value = test.values[0] if test.values else None
        if given and test.field.part == "value" and isinstance(value, int | float):
            at[column.name] = value
        else:
            kept.append(any_of)
    request.draft.filters = kept
    return at


def _regression_calls(study: Study, _title: str) -> list[Call]:
    classes = study.method == "classes"
    if study.at:
        return [Call("result", "predict", (study.target, dict(study.at), classes))]
    made = Call("result", "logistic" if classes else "regress",
                (study.target, list(study.columns)))  # fmt: skip
    return [made, *repeats(study)]


def _say_regression(study: Study, rows: Sequence[Row], total: int) -> str:
    if study.at:
        return _say_prediction(study, rows[0])
    first, where, target = rows[0], about(study), names([study.target])
    terms = [row for row in rows if row["term"].value != "intercept"]
    said = [_term(row) for row in terms[:LISTED]]
    said += [f"intercept: {text(r, 'coefficient')}" for r in rows if r["term"].value == "intercept"]
    rest = more(terms, total - 1, LISTED, "terms, the strongest first")
    if study.method == "classes":
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


def _say_prediction(study: Study, row: Row) -> str:
    given = " and ".join(f"{names([name])} {text(row, name)}" for name, _ in study.at)
    target, where = names([study.target]), about(study)
    if study.method == "classes":
        return (f"With {given} the probability that {target} is {text(row, 'positive')}{where} is "
                f"{text(row, 'probability')} (logistic regression, {over(row)}).")  # fmt: skip
    return (
        f"With {given} a {target} of {text(row, 'predicted')} is to be expected{where}, for a "
        f"single "
        f"one nearly always (in ninety-five percent) between {text(row, 'lower')} and "
        f"{text(row, 'upper')} (linear regression, "
        f"R² {text(row, 'r2')}, {over(row)})."
    )


REGRESSION = Operation(
    kind="regression",
    read=read_regression,
    calls=_regression_calls,
    say=_say_regression,
    needs=("rows",),
    words=(
        r"(?:(?:multiple|simple|multivariate|ordinary|logistic|ols|a|the|fit|use|run) )*(?:linear |"
        r"least[- ]squares )?regress(?:ions?|ed|ing)?(?: (?:model|line|analysis|coefficients?))?|"
        r"linear (?:model|fit)|least squares(?: fit)?|ols|logit|"
        r"(?:fit|draw) a (?:straight )?line|predict(?:s|ed|ing)?|prediction|r[- ]squared|"
        r"how likely (?:is|are)(?: (?:a|an|the))? \w+ to be(?: a| an)?|"
        r"(?:would|should|do|can) (?:you|we|i|one) expect"
    ),
    cue=r"(?:estimate|expect)(?:ed)? .*(?:when|for|with|if|at)\b.*\d|explained by|would .* be "
        r"(?:for|with|if|when|at)\b",
    noun=r"regressions?|regress",
    includes=words("correlation summary chart"),
    otherwise="model",
    settings=(
        setting("method", r"\blogistic\b(?= regression| model)|\blogit\b", "logistic",
                leave="regression"),
        setting("r2", r"\(?\br[- ]?(?:squared|2|²)\b\)?"),
        # A comma keeps `tip for a total bill` from being linked as one name.
        setting("given", r"\b(?:for|with|given|when|if|at|where)(?: (?:a|an|"
                         r"the))?\b(?=(?:(?!\b(?:for|with|"
                r"given|when|if|at)\b).)*\d)", leave=", where",
                only=r"predict|expect|estimate|would|likely|probab|what|give"),
        setting("unit", r"\bhow does\b.*?\b(?:change|rise|move) (?:when|if|as)\b.*?(?:[.?!]|$)",
                only=r"(?<=[.?!] )\w+"),
        setting("ask", r",? *\b(?:which|what) coefficients are significant\??"),
        setting("scope", r"\b(?:on|by|from|using|with|against) (?:all|every)(?: of)?(?: the| its)? "
                r"(?:others?|remaining|rest)(?: (?:variables|columns|features|ones|predictors))?"),
    ),
    around=EXPLAINING | words(
        """variance explain coefficients significant much line straight linear likely customer
        probability when if dollar dollars use model would relationship bill goes expects you"""
    ) - words("bill customer"),
    explains=True,
)  # fmt: skip
