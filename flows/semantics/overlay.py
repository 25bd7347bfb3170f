"""A model that a person wrote, laid over the one that was inferred from data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pydantic import BaseModel

from flows.errors import CheckError, ConfigError, nearest
from flows.semantics.model import (
    Conversion,
    Dataset,
    Metric,
    Part,
    Relationship,
    SemanticField,
    SemanticModel,
)
from flows.semantics.query import Aggregate, Exists, FieldRef, Query
from flows.semantics.tree import changed

P = TypeVar("P", bound=Part)
N = TypeVar("N", SemanticField, Relationship, Metric)


def merge(inferred: SemanticModel, declared: SemanticModel) -> SemanticModel:
    """The inferred model with everything that the declared one says.

    What a part of `declared` says is in its `model_fields_set`; what it leaves out stays inferred.
    Datasets are the same when their tables are, fields when their columns are, relationships when
    they connect the same fields or have one name, metrics when they have one name; the declared
    names are taken over wherever the inferred model uses the others. Tables and columns are spelt
    as in the data. Raises ConfigError, or CheckError for several, where the declared model names a
    table or a column that the data do not have; what a file says of them is told with its place
    when the file is read over the inferred model.
    """
    overlay = _Overlay(inferred, declared)
    datasets = overlay.datasets()
    overlay.check()
    relationships = overlay.relationships()
    name, description = declared.name, declared.description
    return SemanticModel(
        name=name if "name" in declared.model_fields_set else inferred.name,
        description=description or inferred.description,
        datasets=datasets,
        relationships=relationships,
        metrics=overlay.metrics(),
        calendar=laid_over(inferred.calendar, declared.calendar),
    )


def laid_over(inferred: P, declared: P) -> P:
    """The inferred part with the attributes that the declared one says."""
    said = {name: getattr(declared, name) for name in declared.model_fields_set}
    return inferred.model_copy(update=said)


def table_of(dataset: Dataset, datasets: Sequence[Dataset]) -> Dataset | None:
    """The one of the datasets that is about the same table; by its name where none is."""
    tables = [each for each in datasets if each.table.casefold() == dataset.table.casefold()]
    if len(tables) > 1:
        last = dataset.source.split(".")[-1].casefold()
        tables = [each for each in tables if each.source.casefold() == last] or tables
    if tables:
        named = (each for each in tables if each.name == dataset.name)
        return next(named, tables[0])
    return next((each for each in datasets if each.name == dataset.name), None)


def column_of(declared: SemanticField, fields: Sequence[SemanticField]) -> SemanticField | None:
    """The one of the fields that is about the same column, or made under the same name."""
    if declared.column:
        folded = declared.column.casefold()
        held = [each for each in fields if each.column.casefold() == folded]
        exact = [each for each in held if each.column == declared.column] or held
        named = (each for each in exact if each.name == declared.name)
        return next(named, exact[0] if exact else None)
    return next((each for each in fields if each.name == declared.name), None)


@dataclass
class _Overlay:
    """The inferred model's names that the declared one changes, by what they were before."""

    inferred: SemanticModel
    declared: SemanticModel
    errors: list[ConfigError] = field(default_factory=list)
    dataset_names: dict[str, str] = field(default_factory=dict)
    field_names: dict[tuple[str, str], str] = field(default_factory=dict)
    path_names: dict[str, str] = field(default_factory=dict)

    def check(self) -> None:
        if self.errors:
            raise self.errors[0] if len(self.errors) == 1 else CheckError(self.errors)

    def datasets(self) -> tuple[Dataset, ...]:
        by_table: dict[str, Dataset] = {}
        for each in self.declared.datasets:
            found = table_of(each, self.inferred.datasets)
            if found is None:
                self._missing("table", each.table, (one.table for one in self.inferred.datasets),
                              f"datasets.{each.name}")  # fmt: skip
            elif found.name in by_table:
                problem = f"{by_table[found.name].name!r} is of the same table {found.table!r}"
                self.errors.append(ConfigError(problem, path=f"datasets.{each.name}"))
            else:
                by_table[found.name] = each
        self.dataset_names = {old: new.name for old, new in by_table.items()}
        for old, new in by_table.items():
            self._name_fields(old, new)
        return tuple(
            self._dataset(each, by_table[each.name]) if each.name in by_table else self._new(each)
            for each in self.inferred.datasets
        )

    def _name_fields(self, name: str, declared: Dataset) -> None:
        dataset = self.inferred.dataset(name)
        assert dataset is not None
        declared_names = {each.name for each in declared.fields}
        for each in declared.fields:
            found = column_of(each, dataset.fields)
            if found is None and each.column:
                columns = (one.column for one in dataset.fields if one.column)
                path = f"datasets.{declared.name}.fields.{each.name}"
                self._missing("column", each.column, columns, path)
            elif found is not None and found.name not in declared_names:
                self.field_names.setdefault((name, found.name), each.name)

    def _dataset(self, inferred: Dataset, declared: Dataset) -> Dataset:
        base = self._new(inferred)
        said = {name: getattr(declared, name) for name in declared.model_fields_set}
        places = {"source": inferred.source, "table": inferred.table}
        fields = {each.name: each for each in base.fields}
        for each in declared.fields:
            found = column_of(each, base.fields)
            fields[each.name] = each if found is None else self._field(found, each)
        return base.model_copy(update={**said, **places, "fields": tuple(fields.values())})

    def _field(self, inferred: SemanticField, declared: SemanticField) -> SemanticField:
        both = _laid(inferred, declared)
        if declared.column and inferred.column:
            both = both.model_copy(update={"column": inferred.column})
        return both

    def relationships(self) -> tuple[Relationship, ...]:
        held = {each.name: each for each in map(self._new, self.inferred.relationships)}
        for each in self.declared.relationships:
            same = next((one for one in held.values() if _ends(one) == _ends(each)), None)
            found = held.get(each.name) or same
            if found is not None and found.name != each.name:
                self.path_names[found.name] = each.name
                held = {each.name if name == found.name else name: one
                        for name, one in held.items()}  # fmt: skip
            held[each.name] = each if found is None else _laid(found, each)
        return tuple(held.values())

    def metrics(self) -> tuple[Metric, ...]:
        held = {each.name: each for each in map(self._new, self.inferred.metrics)}
        for each in self.declared.metrics:
            found = held.get(each.name)
            held[each.name] = each if found is None else _laid(found, each)
        return tuple(held.values())

    def _missing(self, what: str, name: str, known: Iterable[str], path: str) -> None:
        names = sorted(set(known))
        meant = nearest(name, names)
        problem = f"the data have no {what} {name!r}"
        self.errors.append(ConfigError(problem, path=path, allowed=names[:20], meant=meant))

    def _new(self, part: P) -> P:
        """The part of the inferred model with the names that the declared one gives."""
        home = part.name if isinstance(part, Dataset) else ""
        return changed(part, lambda node: self._renamed(node, home))

    def _renamed(self, node: BaseModel, home: str) -> BaseModel:
        update: dict[str, object]
        match node:
            case FieldRef():
                field_name = self._field_name(node.dataset, node.field)
                via = tuple(self._path_name(each) for each in node.via)
                update = {"dataset": self._name(node.dataset), "field": field_name, "via": via}
            case Aggregate() | Exists():
                via = tuple(self._path_name(each) for each in node.via)
                update = {"dataset": self._name(node.dataset), "via": via}
            case Query():
                update = {"dataset": self._name(node.dataset)}
            case Metric():
                update = {"dataset": self._name(node.dataset)}
                if isinstance(node.definition, Conversion):
                    entity = self._field_name(node.dataset, node.definition.entity)
                    update["definition"] = node.definition.model_copy(update={"entity": entity})
            case Relationship():
                update = self._ends(node)
            case SemanticField() if home:
                update = {"name": self._field_name(home, node.name)}
            case Dataset():
                update = self._keys(node)
            case _:
                return node
        same = all(getattr(node, name) == value for name, value in update.items())
        return node if same else node.model_copy(update=update)

    def _ends(self, node: Relationship) -> dict[str, object]:
        return {
            "dataset": self._name(node.dataset),
            "fields": tuple(self._field_name(node.dataset, each) for each in node.fields),
            "to": self._name(node.to),
            "to_fields": tuple(self._field_name(node.to, each) for each in node.to_fields),
        }

    def _keys(self, node: Dataset) -> dict[str, object]:
        named: Callable[[str], str] = lambda each: self._field_name(node.name, each)  # noqa: E731
        return {
            "name": self._name(node.name),
            "key": tuple(map(named, node.key)),
            "unique": tuple(tuple(map(named, each)) for each in node.unique),
            "label": named(node.label),
            "time": named(node.time),
            "totals": tuple((named(name), values) for name, values in node.totals),
        }

    def _name(self, dataset: str) -> str:
        return self.dataset_names.get(dataset, dataset)

    def _field_name(self, dataset: str, name: str) -> str:
        return self.field_names.get((dataset, name), name)

    def _path_name(self, via: str) -> str:
        back = "-" if via.startswith("-") else ""
        name = via.removeprefix("-")
        return back + self.path_names.get(name, name)


def _laid(inferred: N, declared: N) -> N:
    """The one over the other; it counts as inferred only where the two say the same."""
    both = laid_over(inferred, declared)
    same = both.model_copy(update={"inferred": inferred.inferred}) == inferred
    said = declared if "inferred" in declared.model_fields_set else inferred
    return both.model_copy(update={"inferred": said.inferred and same})


def _ends(relationship: Relationship) -> tuple[object, ...]:
    pairs = zip(relationship.fields, relationship.to_fields, strict=False)
    return relationship.dataset, relationship.to, frozenset(pairs)
