"""The semantic model of tables: datasets, relationships, metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pydantic import BaseModel

from flows.data.tables import Table
from flows.semantics.inference.arithmetic import identities_of
from flows.semantics.inference.datasets import dataset_of
from flows.semantics.inference.derived import joined_profit
from flows.semantics.inference.evidence import UNSEEN, Evidence
from flows.semantics.inference.metrics import metrics_of
from flows.semantics.inference.relationships import relationships_of
from flows.semantics.model import Metric, SemanticModel
from flows.semantics.query import Arithmetic, MetricRef


def infer_model(tables: Sequence[Table], evidence: Evidence = UNSEEN) -> SemanticModel:
    """What the tables tell by themselves, without anyone's help.

    Everything in it is marked as inferred but what a database declares. The data are looked at
    where the profiles do not say enough, a limited number of values and rows of each table;
    without `evidence` the profiles have to do.
    """
    datasets = tuple(dataset_of(each, tables, evidence) for each in tables)
    nouns = {each.name: each.noun for each in datasets}
    metrics: list[list[Metric]] = []
    for table, dataset in zip(tables, datasets, strict=True):
        identities = identities_of(table, dataset.fields, evidence)
        metrics.append(list(metrics_of(table, dataset, identities)))
    relationships = relationships_of(tables, nouns)
    joined_profit(datasets, relationships, metrics)
    return SemanticModel(
        datasets=datasets,
        relationships=relationships,
        metrics=_told_apart(metrics),
    )


def _told_apart(groups: Sequence[Sequence[Metric]]) -> tuple[Metric, ...]:
    """All metrics; those of one name in several datasets have the dataset's name before it."""
    times = Counter(each.name for group in groups for each in group)
    found: list[Metric] = []
    used: set[str] = set()
    for group in groups:
        names = {}
        for each in group:
            name = each.name if times[each.name] == 1 else f"{each.dataset}_{each.name}"
            while name in used:
                name += "_"
            used.add(name)
            names[each.name] = name
        found += [_renamed(each, names) for each in group]
    return tuple(found)


def _renamed(metric: Metric, names: dict[str, str]) -> Metric:
    new = names[metric.name]
    words = metric.words if new == metric.name else (metric.name, *metric.words)
    definition = _refer(metric.definition, names)
    return metric.model_copy(update={"name": new, "words": words, "definition": definition})


def _refer(node: BaseModel, names: dict[str, str]) -> BaseModel:
    """An arithmetic with the new names of the metrics that it refers to."""
    if isinstance(node, MetricRef):
        return node.model_copy(update={"metric": names[node.metric]})
    if isinstance(node, Arithmetic):
        sides = {"left": _refer(node.left, names), "right": _refer(node.right, names)}
        return node.model_copy(update=sides)
    return node
