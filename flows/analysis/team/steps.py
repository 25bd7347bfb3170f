"""The plan of a study in words: what its code really does, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.analysis.methods.about import rows_words
from flows.analysis.methods.specification import Study
from flows.data.tables import Column, Table

_LISTED: Final = 12
_COMPUTED: Final = {
    "correlation": "Compute the correlation coefficient of each pair with its p-value, and adjust "
    "the p-values where many pairs are tested.",
    "scatter": "Set the two columns beside each other, with the straight line through the points.",
    "regression": "Fit a regression by least squares, with the error and p-value of each "
    "coefficient.",
    "importance": "Learn a random forest and measure how much worse it gets when a column is "
    "shuffled, on rows that it has not seen.",
    "model": "Hold rows out, choose between a linear model and a random forest by "
    "cross-validation, and judge the better one on the rows held out.",
    "compare": "Compare the groups: mean, median and spread of each, and a test of whether they "
    "differ.",
    "outliers": "Mark values that lie far outside of the others, by the usual fences.",
    "histogram": "Count the values in bins, with mean, median and skew.",
    "summary": "Compute number, mean, median, spread and quantiles of each column.",
    "box": "Compute the quartiles and fences of each group.",
    "forecast": "Fit the course over time and continue it, with an interval around it.",
    "trend": "Fit the course over time: its slope, and whether it is more than chance.",
    "growth": "Compute the change from the first to the last time, and for each step.",
    "changes": "Compute the change from each time to the next, in percent.",
    "moving": "Average each value with those before it.",
    "cumulative": "Add the values up in the order of time.",
    "clusters": "Scale the columns and group the rows that are near to each other.",
    "components": "Find the directions in which the columns vary most.",
    "missing": "Count the missing values of each column.",
    "normality": "Test whether the values are distributed normally.",
    "ranking": "Order the groups by the value.",
    "chart": "Group the rows and compute the measure of each group.",
}


def steps_of(study: Study) -> list[str]:
    """What the code of the study does."""
    if study.kind == "drivers":
        return _of_model(study)
    used = [name for name in (*study.columns, study.target, study.group, study.time) if name]
    return [
        _taking(study, list(dict.fromkeys(used))),
        *_missing(study.table, used),
        _COMPUTED.get(study.kind, f"Compute the {study.kind} of {_listed(study.columns)}."),
        "Put it into the data frame `result`, what matters most first, and print what to beware "
        "of: few rows, skew, values left out.",
    ]


def _of_model(study: Study) -> list[str]:
    classes = study.method == "classes"
    kind = "classification" if classes else "regression"
    simple, named = f"{'logistic' if classes else 'linear'} regression", study.setting("model")
    tried = f"a {named}" if named else f"a {simple} and an ensemble of trees"
    return [
        _taking(study, [study.target, *study.columns]),
        *_missing(study.table, [study.target, *study.columns]),
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


def steps_of_query(what: str) -> list[str]:
    """What code does that runs one query over data frames."""
    return [
        f"Read the task as a question: {what}.",
        "Run it as one query over the data frames.",
        "Put all rows that it gives into the data frame `result`.",
    ]


def _taking(study: Study, used: Sequence[str]) -> str:
    rows = rows_words(study)
    of = f"the rows{rows}" if rows else f"all {study.table.rows:,} rows"
    return f"Take {_listed(used)} of {of} of {study.table.name}."


def _missing(table: Table, used: Sequence[str]) -> list[str]:
    sparse = [c for c in table.columns if c.name in used and c.missing]
    if not sparse:
        return []
    named = ", ".join(_gap(each) for each in sparse[:6])
    return [f"Leave out rows without a value and say how many: {named}."]


def _gap(column: Column) -> str:
    return f"{column.name} lacks {column.missing:,} of {column.rows:,}"


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:_LISTED])
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"{', '.join(shown)}{more}" if shown else "the rows"
