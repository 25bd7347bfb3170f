"""A place in a request, what is known there, and the problems found so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from flows.errors import nearest
from flows.semantics.model import Dataset, Metric, SemanticModel
from flows.semantics.path import Path, find_path, follow, shortest
from flows.semantics.query import Expression, Predicate, Query


@dataclass(frozen=True, slots=True)
class RequestProblem:
    """A reason why a request cannot be answered, and its place, such as `where.of[1].left`."""

    place: str
    reason: str

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}" if self.place else self.reason


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a request.

    `dataset` is whose rows are looked at there. At the level `row` an expression is about one of
    them, at `figure` about a group of them, which `groups` tell apart. `reached` are the ways that
    the rows are joined along; None where fields may lead to several rows.
    """

    model: SemanticModel
    problems: list[RequestProblem]
    check_query: Callable[[Query, Spot], None]
    check_predicate: Callable[[Predicate, Spot], None]
    place: str = ""
    dataset: str = ""
    level: Literal["row", "figure"] = "row"
    groups: Sequence[Expression] = ()
    reached: frozenset[Path] | None = None
    metrics: tuple[str, ...] = field(default=())

    def at(self, name: str) -> Spot:
        """The place of a part."""
        dot = "." if self.place and not name.startswith("[") else ""
        return replace(self, place=f"{self.place}{dot}{name}")

    def report(self, reason: str) -> None:
        self.problems.append(RequestProblem(self.place, reason))

    def find_dataset(self, name: str) -> Dataset | None:
        """The dataset of that name; where there is none, that is reported."""
        found = self.model.dataset(name)
        if found is None:
            names = [each.name for each in self.model.datasets]
            self.report(f"there is no dataset {name}{_meant(name, names)}")
        return found

    def find_metric(self, name: str) -> Metric | None:
        """The metric of that name; where there is none, that is reported."""
        found = self.model.metric(name)
        if found is None:
            names = [each.name for each in self.model.metrics]
            self.report(f"there is no metric {name}{_meant(name, names)}")
        return found

    def check_field(self, dataset: Dataset, name: str) -> bool:
        """Whether a dataset has a field; where it has none, that is reported."""
        if dataset.find(name) is not None:
            return True
        names = [each.name for each in dataset.fields]
        self.report(f"{dataset.name} has no field {name}{_meant(name, names)}")
        return False

    def find_path(self, via: Sequence[str], end: str) -> Path | None:
        """The way to a dataset; where there is none, or several, that is reported."""
        found = find_path(self.model, self.dataset, via, end)
        if found is None:
            self.report(self._way_reason(via, end))
        return found

    def _way_reason(self, via: Sequence[str], end: str) -> str:
        if via:
            path = follow(self.model, self.dataset, via)
            if path is not None:
                return f"{' > '.join(via)} leads to {path[-1].end}, not to {end}"
            names = [each.name for each in self.model.relationships]
            unknown = [each for each in via if each.removeprefix("-") not in names]
            for each in unknown:
                return f"there is no relationship {each}{_meant(each, names)}"
            return f"{' > '.join(via)} does not lead on from {self.dataset}"
        ways = shortest(self.model, self.dataset, end)
        if not ways:
            return f"no relationship leads from {self.dataset} to {end}"
        named = [" > ".join(step.name for step in way) for way in ways]
        return f"several ways lead from {self.dataset} to {end}; say which: {'; '.join(named)}"


def _meant(name: str, names: Sequence[str]) -> str:
    near = nearest(name, list(names))
    return f"; did you mean {near}?" if near else ""
