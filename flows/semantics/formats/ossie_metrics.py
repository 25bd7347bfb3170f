"""Metrics of an Apache Ossie document."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from flows.errors import ConfigError
from flows.semantics.formats import ossie_parts as core
from flows.semantics.formats.declaration import DeclarationFaults, assumed
from flows.semantics.formats.expressions import Unsayable, parse_one_of
from flows.semantics.formats.extension import with_extension
from flows.semantics.formats.homes import at_home
from flows.semantics.formats.keys import Keys
from flows.semantics.formats.names import MetricNames, unknown
from flows.semantics.formats.ossie_datasets import left_out
from flows.semantics.formats.sql_parts import metric_sql, rows_counted
from flows.semantics.model import Conversion, Cumulative, Metric, SemanticModel
from flows.semantics.query import Aggregate, Arithmetic, Constant, Expression, FieldRef, MetricRef
from flows.semantics.tree import changed, parts

Additive = Literal["all", "not over time", "none"]


@dataclass
class OssieMetricReader:
    """Reads metrics, of which one may be made of others, wherever they stand.

    `model` has the datasets and relationships, and metrics that are known already; `lost` are
    fields that were left out.
    """

    model: SemanticModel
    faults: DeclarationFaults
    lost: Collection[tuple[str, str]]
    partial: bool = False
    waiting: dict[str, Keys] = field(default_factory=dict)
    found: dict[str, Metric] = field(default_factory=dict)
    lost_metrics: set[str] = field(default_factory=set)

    def read(self, items: list[Keys]) -> tuple[Metric, ...]:
        for keys in items:
            try:
                name = keys.text("name", required=True)
                if name in self.waiting:
                    problem = f"a second metric is called {name!r}"
                    self.faults.add(ConfigError(problem, place=keys.place_of("name")))
                self.waiting[name] = keys
            except ConfigError as error:
                self.faults.add(error)
        for name in self.waiting:
            self._read(name, ())
        return tuple(self.found[name] for name in self.waiting if name in self.found)

    def alone(self, keys: Keys) -> Metric:
        """A metric as it is read from its own keys; one without a dataset where it cannot be."""
        name = keys.text("name")
        try:
            return self._metric(keys, (name,))
        except (ConfigError, Unsayable):
            return self._part(keys, name)

    def _read(self, name: str, above: tuple[str, ...]) -> None:
        """Reads a metric, after those that it is made of; `above` are those made of it."""
        if name in self.found or name in self.lost_metrics or name not in self.waiting:
            return
        keys = self.waiting[name]
        try:
            if name in above:
                circle = " of ".join((*above[above.index(name) :], name))
                raise ConfigError(f"a metric is made of itself: {circle}", place=keys.place)
            self.found[name] = self._metric(keys, (*above, name))
        except ConfigError as error:
            self.lost_metrics.add(name)
            self.faults.add(error)
        except Unsayable as error:
            self.lost_metrics.add(name)
            place = keys.place_of("expression")
            left_out(self.faults, place, f"the metric {name}", error)

    def _metric(self, keys: Keys, above: tuple[str, ...]) -> Metric:
        texts, place = core.expressions(keys), keys.place_of("expression")
        part = self._part(keys, above[-1])
        said = with_extension(part, keys)
        if said.definition != part.definition and metric_sql(said, self.model) == texts[0][1]:
            return self._checked(said, keys, above)
        metrics = [*(each.name for each in self.model.metrics), *self.waiting]
        names = MetricNames(self.model.datasets, metrics, place, self.lost, self.partial)
        tree = parse_one_of(texts, names, place)
        self._read_used(tree, above)
        return self._at_home(said, tree)

    def _part(self, keys: Keys, name: str) -> Metric:
        """A metric, but for its definition."""
        part = Metric(
            name=name,
            dataset="",
            definition=MetricRef(metric=""),
            words=core.synonyms(keys),
            description=keys.text("description"),
            inferred=False,
        )
        unsaid = {"additive"} | ({"words"} if not part.words else set())
        if not part.description:
            unsaid.add("description")
        return assumed(part, unsaid)

    def _read_used(self, definition: object, above: tuple[str, ...]) -> None:
        """Reads the metrics that a metric is made of."""
        used = [each.metric for each in parts(definition) if isinstance(each, MetricRef)]
        if isinstance(definition, Cumulative):
            used.append(definition.metric)
        if isinstance(definition, Conversion):
            used += [definition.base, definition.converted]
        for name in used:
            self._read(name, above)
            if name in self.lost_metrics:
                raise Unsayable(f"a metric made of {name!r}, which is left out,")

    def _at_home(self, part: Metric, tree: Expression) -> Metric:
        metrics = [*self.model.metrics, *self.found.values()]
        datasets = [part.dataset] if part.dataset else []
        if not datasets and len(self.model.datasets) == 1:
            datasets = [self.model.datasets[0].name]
        home, tree = at_home(tree, self.model.relationships, metrics, datasets)
        tree = changed(tree, partial(rows_counted, dataset=self.model.dataset(home)))
        said = set(part.model_fields_set) | {"dataset", "definition"}
        made = part.model_copy(update={"dataset": home, "definition": tree})
        made.model_fields_set.intersection_update(said)
        return self._added_up(made)

    def _checked(self, said: Metric, keys: Keys, above: tuple[str, ...]) -> Metric:
        """A metric whose definition is in our extension, with its names looked up."""
        place = keys.place_of("custom_extensions")
        if self.model.dataset(said.dataset) is None:
            known = (each.name for each in self.model.datasets)
            raise unknown("dataset", said.dataset, known, place)
        metrics = [*(each.name for each in self.model.metrics), *self.waiting]
        names = MetricNames(self.model.datasets, metrics, place, self.lost)
        for each in parts(said.definition):
            if isinstance(each, FieldRef):
                names.find((each.dataset, each.field))
            elif isinstance(each, MetricRef) and each.metric not in metrics:
                raise unknown("metric", each.metric, metrics, place)
        self._read_used(said.definition, above)
        return self._added_up(said)

    def _added_up(self, part: Metric) -> Metric:
        """The metric with its additivity, where the file does not say it."""
        if "additive" in part.model_fields_set:
            return part
        known = [*self.found.values(), *self.model.metrics]
        copy = part.model_copy(update={"additive": additivity(part.definition, known)})
        return assumed(copy, ("additive",))


def additivity(definition: object, metrics: Sequence[Metric]) -> Additive:
    """Whether figures of parts sum up: those of sums and counts do, and of their sums."""
    match definition:
        case Aggregate():
            return "all" if definition.function in ("sum", "count") else "none"
        case MetricRef():
            held = next((each for each in metrics if each.name == definition.metric), None)
            return held.additive if held else "none"
        case Arithmetic() if definition.operator in ("+", "-"):
            sides = {additivity(each, metrics) for each in (definition.left, definition.right)}
            return sides.pop() if len(sides) == 1 else "none"
        case Arithmetic():
            scales = isinstance(definition.right, Constant)
            return additivity(definition.left, metrics) if scales else "none"
    return "none"
