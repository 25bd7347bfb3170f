"""A semantic model written as an Apache Ossie document, version 0.2.0.dev0 of the format."""

from __future__ import annotations

from typing import Any, Final

from flows.config.tree import planted
from flows.errors import Place
from flows.semantics.formats import ossie_parts as core
from flows.semantics.formats.declaration import DeclarationFaults
from flows.semantics.formats.extension import extension_of
from flows.semantics.formats.keys import Keys
from flows.semantics.formats.names import field_of
from flows.semantics.formats.ossie_datasets import DatasetReader, linked_columns
from flows.semantics.formats.ossie_metrics import OssieMetricReader, additivity
from flows.semantics.formats.sql_parts import field_sql, metric_sql
from flows.semantics.formats.sql_text import quoted
from flows.semantics.formats.yaml_text import InlineList, yaml_text
from flows.semantics.model import (
    Dataset,
    Metric,
    Relationship,
    SemanticField,
    SemanticModel,
)
from flows.semantics.query import MetricRef

VERSION: Final = "0.2.0.dev0"
HEADING: Final = """\
# What the data mean: datasets, their fields, how they belong together, and metrics.
# The format is Apache Ossie; what it has no key for stands under `custom_extensions`.
# Correct and complete what you like; delete `inferred: true` where you have checked something.
"""
_TYPES: Final = {type_: name for name, type_ in reversed(core.DATATYPES.items()) if name.istitle()}
_TYPES.update({"timestamp": "DateTime", "real": "Float"})
_NOWHERE: Final = Place("model")


def write_model(model: SemanticModel) -> str:
    """The model as YAML that `read_model` reads to the same model, and other tools to as much of it
    as the format has words for. The model must hold together: names are unique, and stand for
    something.
    """
    return HEADING + yaml_text(_Writer(model).document())


class _Writer:
    def __init__(self, model: SemanticModel) -> None:
        self.model = model
        self.relationships = [self.relationship(each) for each in model.relationships]

    def document(self) -> dict[str, Any]:
        model = self.model
        document = {
            "version": VERSION,
            "name": model.name,
            **_about(model.description, ()),
            "datasets": [self.dataset(each) for each in model.datasets],
            **({"relationships": self.relationships} if self.relationships else {}),
            **({"metrics": [self.metric(each) for each in model.metrics]} if model.metrics else {}),
        }
        others = ("datasets", "relationships", "metrics")
        plain = model.model_copy(update=dict.fromkeys(others, ()))
        alone = SemanticModel(name=model.name, description=model.description, datasets=())
        return _extended(document, extension_of(plain, alone))

    def dataset(self, dataset: Dataset) -> dict[str, Any]:
        key = [_column(name, dataset) for name in dataset.key]
        unique = [InlineList(_column(name, dataset) for name in each) for each in dataset.unique]
        place = [quoted(part) for part in (*_parts(dataset.source), dataset.table)]
        document = {
            "name": dataset.name,
            "source": ".".join(place),
            **({"primary_key": InlineList(key)} if key else {}),
            **({"unique_keys": unique} if unique else {}),
            **_about(dataset.description, dataset.words),
        }
        fields = [self.field(each, dataset) for each in dataset.fields]
        whole = {**document, **({"fields": fields} if fields else {})}
        read = DatasetReader(None, DeclarationFaults()).dataset(
            _keys(whole, "a dataset"), frozenset()
        )
        extension = extension_of(dataset, read.model_copy(update={"fields": dataset.fields}))
        return _extended(document, extension, {"fields": fields} if fields else {})

    def field(self, field: SemanticField, dataset: Dataset) -> dict[str, Any]:
        document = {
            "name": field.name,
            "expression": _expression(field_sql(field, dataset)),
            **({"dimension": {"is_time": True}} if field.role == "time" else {}),
            **({} if field.role in ("time", "measure") else {"dimension": {"is_time": False}}),
            **_about(field.description, field.words),
            "datatype": _TYPES[field.type],
        }
        read = self._read_field(document, dataset)
        return _extended(document, extension_of(field, read))

    def _read_field(self, document: dict[str, Any], others: Dataset) -> SemanticField:
        """The field as it is read from its own keys."""
        keys = _keys(document, "a field")
        links = linked_columns(_nodes(self.relationships)).get(others.name, frozenset())
        links |= {_column(each, others) for each in others.key}
        links |= {_column(each, others) for unique in others.unique for each in unique}
        made = core.field_core(keys, links)
        fields = tuple(made if each.name == made.name else each for each in others.fields)
        read = DatasetReader(None, DeclarationFaults()).with_field(
            others.model_copy(update={"fields": fields}), made, keys
        )
        return read.find(made.name) or made

    def relationship(self, relationship: Relationship) -> dict[str, Any]:
        start = self.model.dataset(relationship.dataset)
        end = self.model.dataset(relationship.to)
        document = {
            "name": relationship.name,
            "from": relationship.dataset,
            "to": relationship.to,
            "from_columns": InlineList(_column(name, start) for name in relationship.fields),
            "to_columns": InlineList(_column(name, end) for name in relationship.to_fields),
        }
        held = {each.name: each for each in self.model.datasets}
        read = DatasetReader(None, DeclarationFaults()).relationship(
            _keys(document, "a relationship"), held
        )
        return _extended(document, extension_of(relationship, read))

    def metric(self, metric: Metric) -> dict[str, Any]:
        document = {
            "name": metric.name,
            "expression": _expression(metric_sql(metric, self.model)),
            **_about(metric.description, metric.words),
        }
        others = tuple(each for each in self.model.metrics if each.name != metric.name)
        known = self.model.model_copy(update={"metrics": others})
        reader = OssieMetricReader(known, DeclarationFaults(), ())
        read = reader.alone(_keys(document, "a metric"))
        if (read.dataset, read.definition) != (metric.dataset, metric.definition):
            # Each of the two is read with the help of the other.
            nothing = {"dataset": "", "definition": MetricRef(metric="")}
            additive = additivity(metric.definition, others)
            read = read.model_copy(update={**nothing, "additive": additive})
        return _extended(document, extension_of(metric, read))


def _keys(document: dict[str, Any], what: str) -> Keys:
    return Keys(planted(document, _NOWHERE), what)


def _nodes(documents: list[dict[str, Any]]) -> tuple[Any, ...]:
    return tuple(planted(each, _NOWHERE) for each in documents)


def _about(description: str, words: tuple[str, ...]) -> dict[str, Any]:
    synonyms = {"ai_context": {"synonyms": list(words)}} if words else {}
    return {**({"description": description} if description else {}), **synonyms}


def _expression(text: str) -> dict[str, Any]:
    return {"dialects": [{"dialect": "ANSI_SQL", "expression": text}]}


def _extended(
    document: dict[str, Any], extension: list[dict[str, Any]], last: dict[str, Any] | None = None
) -> dict[str, Any]:
    more = {"custom_extensions": extension} if extension else {}
    return {**document, **more, **(last or {})}


def _column(name: str, dataset: Dataset | None) -> str:
    """The column of a field, where it is read as the same field again; its name otherwise."""
    field = dataset.find(name) if dataset else None
    if dataset is None or field is None or not field.column:
        return name
    return field.column if field_of(dataset, field.column) == field else name


def _parts(source: str) -> list[str]:
    """The parts of `database.schema`; a name with other characters is one part."""
    parts = source.split(".")
    names = all(part.isidentifier() for part in parts)
    return [source] if source and not names else [part for part in parts if part]
