"""A target and what explains it: what regressions and models have in common."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.method import MOST_COLUMNS, MOST_GROUPS, Request, plots, words
from flows.analysis.methods.specification import Study
from flows.analysis.reading.read import Unread
from flows.data.tables import Column

EXPLAINING = words(
    """predict predicts predicted predicting prediction predictions predictive explain explains
    explained explaining determine determines determining influence influences effect affect affects
    estimate expect expected drives driving target dependent outcome response independent
    predictors covariates features given what how all other others rest everything else"""
)


def explaining(request: Request, kind: str, at: Sequence[str] = ()) -> Study | Unread:
    """A target and what explains it: the named columns, else all that can."""
    if not request.target:
        return Unread("it does not say which column is to be explained")
    target, table = request.of(request.target), request.draft.schema.table
    classes = not plots(target) or (kind != "regression" and _is_class(target))
    if classes and target.distinct > MOST_GROUPS:
        return Unread(f"{target.name} has {target.distinct} values, too many to tell apart")
    named = [c for c in request.columns if c.name != target.name]
    used = (
        [request.of(name) for name in at]
        or named
        or [c for c in table.columns if c.name != target.name and may_explain(c)]
    )
    if request.group and request.group != target.name:
        used.append(request.of(request.group))
    unfit = [c.name for c in used if not plots(c) and c.distinct > MOST_GROUPS]
    if unfit:
        return Unread(f"{' and '.join(unfit)} has too many values to explain anything by")
    if not used:
        return Unread(f"{table.name} has no other column that could explain {target.name}")
    if not named and not at:
        request.draft.note("by all columns that can")
    columns = tuple(dict.fromkeys(c.name for c in used))[:MOST_COLUMNS]
    return request.study(
        kind, columns, target=target.name, method="classes" if classes else "numbers"
    )


def _is_class(column: Column) -> bool:
    """Whether whole numbers are names of a few classes and not amounts."""
    return (column.type == "integer" and column.distinct <= 10 and column.role != "measure") or (
        column.type == "integer" and column.distinct <= 3
    )


def may_explain(column: Column) -> bool:
    """Whether a column can stand on the explaining side of a model."""
    if column.role == "id":
        return False
    return plots(column) or (column.role in ("category", "boolean") and column.distinct <= 20)
