"""Figures that are all of the same other rows, which are then joined to the query's own."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.compiler.aggregates import has_function
from flows.analysis.compiler.parts import joining, referring
from flows.analysis.compiler.setting import StatementContext
from flows.semantics.kinds import fields_in, parts
from flows.semantics.model import Conversion, Cumulative
from flows.semantics.node import Node
from flows.semantics.path import Path, find_path
from flows.semantics.query import Aggregate, Exists, MetricRef, Query


def one_way(query: Query, setting: StatementContext) -> Path:
    """The way to the rows that all figures of a query are of, if those need no others.

    The empty way where the figures are of several datasets, or have to be computed apart.
    """
    figures = [each for node in joining(query) for each in _figures(node, query.dataset, setting)]
    if query.compare is not None or not all(_is_plain(each, setting) for each in figures):
        return ()
    ways = {
        find_path(setting.model, query.dataset, each.via, each.dataset) or ()
        for each in figures
        if isinstance(each, Aggregate)
    }
    return ways.pop() if len(ways) == 1 else ()


def _figures(node: Node, dataset: str, setting: StatementContext) -> Iterator[Aggregate | None]:
    """The figures in a part of a query; None for one that is no plain figure."""
    if isinstance(node, Aggregate):
        yield node
    elif isinstance(node, MetricRef):
        metric = setting.metric(node.metric)
        made = metric.definition
        if isinstance(made, Cumulative | Conversion):
            yield None
        elif metric.dataset == dataset:
            yield from _figures(made, dataset, setting)
        else:
            yield from _figures(referring(made, metric.dataset), dataset, setting)
    else:
        for place, part in parts(node):
            if place != "query":
                yield from _figures(part, dataset, setting)


def _is_plain(made: Aggregate | None, setting: StatementContext) -> bool:
    """Whether a figure is of other rows, and of their own fields only."""
    if made is None or not made.dataset or not has_function(made.function, setting.dialect):
        return False
    inner = [each for each in (made.of, made.where) if each is not None]
    refs = [ref for each in inner for ref in fields_in(each)]
    own = all(
        ref.dataset == made.dataset
        and not ref.via
        and setting.field(ref.dataset, ref.field).expression is None
        for ref in refs
    )
    computed = made.of is None or any(fields_in(made.of))
    return own and computed and not any(_looks_further(each) for each in inner)


def _looks_further(node: Node) -> bool:
    return isinstance(node, Exists) or any(_looks_further(part) for _, part in parts(node))
