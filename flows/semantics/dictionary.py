"""A data dictionary as a part of the semantic model."""

from __future__ import annotations

from collections.abc import Mapping

from flows.data.meaning.dictionary import DataDictionary, DictionaryEntry
from flows.semantics.model import Dataset, Metric, SemanticField, SemanticModel
from flows.semantics.query import Aggregate, FieldRef


def with_dictionary(model: SemanticModel, dictionary: DataDictionary) -> SemanticModel:
    """The model with the descriptions, units and synonyms that the entries give its datasets and
    fields, and with them the metrics that sum up or average a field.

    An entry that fits none changes nothing; `DataDictionary.problems` tells of it.
    """
    datasets = tuple(_dataset(each, dictionary) for each in model.datasets)
    known = {each.name: each for each in model.datasets}
    metrics = tuple(_metric(each, known, dictionary) for each in model.metrics)
    return model.model_copy(update={"datasets": datasets, "metrics": metrics})


def _dataset(dataset: Dataset, dictionary: DataDictionary) -> Dataset:
    own = dictionary.find_table(dataset.table) or dictionary.find_table(dataset.source)
    fields = tuple(_field(each, dataset, dictionary) for each in dataset.fields)
    told = {} if own is None else _told(own, dataset.words)
    told.pop("unit", None)
    return dataset.model_copy(update={**told, "fields": fields})


def _field(field: SemanticField, dataset: Dataset, dictionary: DataDictionary) -> SemanticField:
    entry = _entry(field, dataset, dictionary)
    return field if entry is None else field.model_copy(update=_told(entry, field.words))


def _metric(metric: Metric, datasets: Mapping[str, Dataset], dictionary: DataDictionary) -> Metric:
    made = metric.definition
    of = made.of if isinstance(made, Aggregate) and metric.inferred else None
    dataset = datasets.get(metric.dataset)
    field = dataset.find(of.field) if dataset and isinstance(of, FieldRef) else None
    entry = None if field is None or dataset is None else _entry(field, dataset, dictionary)
    if entry is None:
        return metric
    told = _told(entry, metric.words)
    return metric.model_copy(update=told | {"description": metric.description or entry.description})


def _entry(
    field: SemanticField, dataset: Dataset, dictionary: DataDictionary
) -> DictionaryEntry | None:
    found = dictionary.find(dataset.table, field.column)
    return found or dictionary.find(dataset.source, field.column)


def _told(entry: DictionaryEntry, words: tuple[str, ...]) -> dict[str, object]:
    """What an entry says, with its synonyms before the words that are known."""
    told: dict[str, object] = {"description": entry.description, "unit": entry.unit}
    if entry.synonyms:
        told["words"] = tuple(dict.fromkeys((*entry.synonyms, *words)))
    return {name: value for name, value in told.items() if value}
