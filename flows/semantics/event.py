"""The events that a metric of conversion tells of."""

from __future__ import annotations

from dataclasses import dataclass

from flows.semantics.kinds import fields_in
from flows.semantics.model import Dataset, SemanticModel
from flows.semantics.query import Aggregate, Predicate


@dataclass(frozen=True, slots=True)
class Events:
    """Rows of a dataset that a metric is made of: those for which `where` holds."""

    dataset: Dataset
    where: Predicate | None


def find_events(metric: str, model: SemanticModel) -> Events | None:
    """The rows that a metric is made of; None where it is no figure of one dataset's own rows."""
    found = model.metric(metric)
    dataset = model.dataset(found.dataset) if found is not None else None
    made = found.definition if found is not None else None
    if dataset is None or not isinstance(made, Aggregate) or made.dataset:
        return None
    tested = fields_in(made.where) if made.where is not None else ()
    own = all(each.dataset == dataset.name and not each.via for each in tested)
    return Events(dataset, made.where) if own else None
