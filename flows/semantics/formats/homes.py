"""The dataset whose rows a metric is made of, where a file does not say it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pydantic import BaseModel

from flows.semantics.formats.sql_text import Unsayable
from flows.semantics.model import Metric, Relationship
from flows.semantics.query import Aggregate, Expression, FieldRef, MetricRef
from flows.semantics.tree import changed, parts

# Figures that do not change when a row is counted several times.
_STEADY = ("count distinct", "minimum", "maximum")


def at_home(
    expression: Expression,
    relationships: Sequence[Relationship],
    metrics: Sequence[Metric],
    datasets: Sequence[str] = (),
) -> tuple[str, Expression]:
    """The dataset of a metric's rows, and its expression as it is over those rows. `datasets` are
    looked at before those that it names.

    A figure of the rows of another dataset is said to be one where it would count rows twice.
    Raises Unsayable where no dataset has a way to all that the expression names.
    """
    figures = [each for each in parts(expression) if isinstance(each, Aggregate)]
    owners = [_owner(each, relationships) for each in figures]
    names = {each.name: each.dataset for each in metrics}
    used = [each.metric for each in parts(expression) if isinstance(each, MetricRef)]
    refs = [names[each] for each in used if each in names]
    homes = list(dict.fromkeys([*datasets, *(each for each in owners if each), *refs]))
    if not figures and not used:
        raise Unsayable("a metric without a figure such as SUM or COUNT")
    if not homes:
        raise Unsayable("a metric that names no field: it could be of any dataset")
    for home in homes:
        other = {
            figure: moved
            for figure, owner in zip(figures, owners, strict=True)
            if (moved := _moved(figure, owner or home, home, relationships)) != figure
        }
        if None not in other.values():
            return home, changed(expression, partial(_instead, other))
    raise Unsayable(f"a metric of {' and '.join(homes)}, which no relationship connects")


def reachable(start: str, relationships: Sequence[Relationship]) -> set[str]:
    """The datasets of which a row of `start` has at most one, `start` among them."""
    found, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        for each in relationships:
            ends = [(each.dataset, each.to)] + ([(each.to, each.dataset)] if each.single else [])
            for near, far in ends:
                if near == here and far not in found:
                    found.add(far)
                    waiting.append(far)
    return found


def _owner(figure: Aggregate, relationships: Sequence[Relationship]) -> str:
    """The dataset whose rows a figure is made of; empty where it names no field."""
    named = [each.dataset for each in parts(figure) if isinstance(each, FieldRef)]
    if not named:
        return ""
    for each in dict.fromkeys(named):
        if reachable(each, relationships).issuperset(named):
            return each
    raise Unsayable(f"a figure of {' and '.join(dict.fromkeys(named))}, which are not connected")


def _moved(
    figure: Aggregate, owner: str, home: str, relationships: Sequence[Relationship]
) -> Aggregate | None:
    """The figure over the rows of `home`; None where there is no way."""
    if owner == home:
        return figure
    if owner in reachable(home, relationships) and figure.function in _STEADY:
        return figure
    if home in reachable(owner, relationships):
        return figure.model_copy(update={"dataset": owner})
    return None


def _instead(other: dict[Aggregate, Aggregate | None], node: BaseModel) -> BaseModel:
    return (other.get(node) or node) if isinstance(node, Aggregate) else node
