"""What the names in SQL expressions of a file stand for: fields and metrics of the model."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from flows.errors import ConfigError, Place, nearest
from flows.semantics.formats.sql_text import Unsayable
from flows.semantics.model import Dataset, SemanticField
from flows.semantics.query import Expression, FieldRef, MetricRef


class Named(Protocol):
    @property
    def name(self) -> str: ...


T = TypeVar("T", bound=Named)


def like(
    name: str, things: Iterable[T], key: Callable[[T], str] = lambda each: each.name
) -> T | None:
    """The thing of that name; where there is none, the one whose name differs only in capital
    letters, as SQL has it."""
    held = list(things)
    exact = next((each for each in held if key(each) == name), None)
    folded = [each for each in held if key(each).casefold() == name.casefold()]
    return exact or (folded[0] if len(folded) == 1 else None)


def field_of(dataset: Dataset, name: str) -> SemanticField | None:
    """The field with that physical column; where there is none, the field of that name."""
    with_column = [each for each in dataset.fields if each.column]
    by_column = like(name, with_column, lambda each: each.column)
    return by_column or like(name, dataset.fields)


def unknown(what: str, name: str, known: Iterable[str], place: Place) -> ConfigError:
    """The error for a name that stands for nothing."""
    names = sorted(set(known))
    meant = nearest(name, names)
    shown = names if len(names) <= 20 else [*names[:20], f"... {len(names)} in all"]
    return ConfigError(f"there is no {what} {name!r}", place=place, allowed=shown, meant=meant)


@dataclass(frozen=True)
class RowNames:
    """Names in an expression over one row of a dataset: its columns and its fields.

    `new` are columns that are named here first, where the data are not known: a file need not list
    all of them as fields. With `closed` there are none but those of the dataset.
    """

    dataset: Dataset
    place: Place
    closed: bool
    new: list[str] = field(default_factory=list)

    def find(self, parts: Sequence[str]) -> Expression:
        *before, name = parts
        if before and before[-1].casefold() != self.dataset.name.casefold():
            known = [self.dataset.name]
            raise unknown("dataset", ".".join(before), known, self.place)
        found = field_of(self.dataset, name)
        if found is None and self.closed:
            known = [each.name for each in self.dataset.fields]
            raise unknown(f"field of {self.dataset.name!r}", name, known, self.place)
        if found is None:
            self.new.append(name)
        return FieldRef(dataset=self.dataset.name, field=found.name if found else name)


@dataclass(frozen=True)
class MetricNames:
    """Names in the expression of a metric: `dataset.field`, a metric, or a field that only one
    dataset has. `lost` are fields that were left out, as (dataset, field). With `partial` any name
    may stand for something that the data have and the file does not say."""

    datasets: Sequence[Dataset]
    metrics: Sequence[str]
    place: Place
    lost: Collection[tuple[str, str]] = ()
    partial: bool = False

    def find(self, parts: Sequence[str]) -> Expression:
        if len(parts) == 1:
            return self._alone(parts[0])
        *before, name = parts
        dataset = like(before[-1], self.datasets)
        if self.partial and (dataset is None or not like(name, dataset.fields)):
            return FieldRef(dataset=dataset.name if dataset else before[-1], field=name)
        if dataset is None:
            known = (each.name for each in self.datasets)
            raise unknown("dataset", before[-1], known, self.place)
        found = like(name, dataset.fields) or field_of(dataset, name)
        if found is None and (dataset.name, name) in self.lost:
            raise Unsayable(f"the field {name!r}, which is left out,")
        if found is None:
            known = (each.name for each in dataset.fields)
            raise unknown(f"field of {dataset.name!r}", name, known, self.place)
        return FieldRef(dataset=dataset.name, field=found.name)

    def _alone(self, name: str) -> Expression:
        if name in self.metrics:
            return MetricRef(metric=name)
        held = [(each, found) for each in self.datasets if (found := like(name, each.fields))]
        if self.partial and not held:
            return MetricRef(metric=name)
        if len(held) == 1:
            dataset, found = held[0]
            return FieldRef(dataset=dataset.name, field=found.name)
        if held:
            problem = f"{name!r} is a field of several datasets: write the dataset before it"
            allowed = [f"{dataset.name}.{found.name}" for dataset, found in held]
            raise ConfigError(problem, place=self.place, allowed=allowed)
        fields = [f"{each.name}.{one.name}" for each in self.datasets for one in each.fields]
        alone = [one.name for each in self.datasets for one in each.fields]
        error = unknown("field or metric", name, [*self.metrics, *fields], self.place)
        error.meant = error.meant or nearest(name, alone)
        raise error
