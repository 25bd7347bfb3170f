"""A data dictionary as a part of the semantic model."""

from __future__ import annotations

from flows.data.meaning.dictionary import DataDictionary, Entry
from flows.semantics.model import Dataset, SemanticField, SemanticModel


def with_dictionary(model: SemanticModel, dictionary: DataDictionary) -> SemanticModel:
    """The model with the descriptions, units and synonyms that the entries give its datasets and
    fields. An entry that fits none changes nothing; `DataDictionary.problems` tells of it."""
    datasets = tuple(_dataset(each, dictionary) for each in model.datasets)
    return model.model_copy(update={"datasets": datasets})


def _dataset(dataset: Dataset, dictionary: DataDictionary) -> Dataset:
    own = dictionary.find_table(dataset.table) or dictionary.find_table(dataset.source)
    fields = tuple(_field(each, dataset, dictionary) for each in dataset.fields)
    told = {} if own is None else _told(own, dataset.words)
    told.pop("unit", None)
    return dataset.model_copy(update={**told, "fields": fields})


def _field(field: SemanticField, dataset: Dataset, dictionary: DataDictionary) -> SemanticField:
    entry = dictionary.find(dataset.table, field.column)
    entry = entry or dictionary.find(dataset.source, field.column)
    if entry is None:
        return field
    return field.model_copy(update=_told(entry, field.words))


def _told(entry: Entry, words: tuple[str, ...]) -> dict[str, object]:
    """What an entry says, with its synonyms before the words that are known."""
    told: dict[str, object] = {"description": entry.description, "unit": entry.unit}
    if entry.synonyms:
        told["words"] = tuple(dict.fromkeys((*entry.synonyms, *words)))
    return {name: value for name, value in told.items() if value}
