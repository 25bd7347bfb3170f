"""Metrics of dbt: simple, ratio, derived, cumulative and conversion."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pydantic import BaseModel

from flows.config.tree import ListNode, Node
from flows.errors import ConfigError, Place
from flows.semantics.formats.dbt_datasets import Graph
from flows.semantics.formats.dbt_filters import read_filter
from flows.semantics.formats.dbt_specs import DbtMeasure, DbtSemanticModel, MetricSpec, Specs
from flows.semantics.formats.declaration import assumed
from flows.semantics.formats.expressions import SAYABLE, Unsayable, parse_expression
from flows.semantics.formats.homes import at_home
from flows.semantics.formats.keys import Keys, texts_of
from flows.semantics.formats.names import unknown
from flows.semantics.formats.ossie_metrics import additivity
from flows.semantics.formats.sql_text import quoted
from flows.semantics.model import Conversion, Cumulative, Metric
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Expression,
    MetricRef,
    Predicate,
    conjunction,
)
from flows.semantics.tree import changed, parts

_FIGURES: Final = {
    "sum": "SUM({})", "min": "MIN({})", "max": "MAX({})", "average": "AVG({})", "avg": "AVG({})",
    "count": "COUNT({})", "count_distinct": "COUNT(DISTINCT {})", "median": "MEDIAN({})",
    "sum_boolean": "COUNT(CASE WHEN {} THEN 1 END)",
}  # fmt: skip
_WINDOW: Final = re.compile(r"\s*(\d+)\s*(day|week|month|quarter|year)s?\s*", re.IGNORECASE)
_SHORT: Final = re.compile(r"\s*(\d+)\s*d\s*", re.IGNORECASE)

Filters = tuple[tuple[str, Place], ...]


@dataclass(frozen=True)
class Input:
    """A metric, or a measure, that a metric is made of, with filters of its own."""

    name: str
    alias: str
    filters: Filters
    place: Place


@dataclass
class DbtMetricReader:
    """Makes metrics in whatever order they need each other."""

    graph: Graph
    found: dict[str, Metric] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)

    @property
    def specs(self) -> Specs:
        return self.graph.specs

    def read(self) -> tuple[Metric, ...]:
        for table in self.specs.tables.values():
            for measure in table.measures:
                if measure.becomes_metric and measure.name not in self.specs.metrics:
                    self._try(measure.name, measure.place, ())
        for name, spec in self.specs.metrics.items():
            self._try(name, spec.keys.place, ())
        return tuple(self.found.values())

    def _try(self, name: str, place: Place, above: tuple[str, ...]) -> None:
        """Reads a metric, or the measure of that name as one; `above` are those made of it."""
        if name in self.found or name in self.lost:
            return
        try:
            spec = self.specs.metrics.get(name)
            if name in above:
                circle = " of ".join((*above[above.index(name) :], name))
                raise ConfigError(f"a metric is made of itself: {circle}", place=place)
            made = self._metric(spec, above) if spec else self._measured(name, place)
            self.found[name] = made
        except ConfigError as error:
            self.lost.add(name)
            self.graph.faults.add(error)
        except Unsayable as error:
            self.lost.add(name)
            text = f"the metric {name} is left out: {error} cannot be said here; {SAYABLE}"
            self.graph.faults.notice(place, text)

    def _measured(self, name: str, place: Place) -> Metric:
        table, measure = self._measure(name, place)
        metric = Metric(
            name=name,
            dataset=table.name,
            definition=self._figure(table.name, measure),
            words=(measure.label,) if measure.label else (),
            description=measure.description,
            inferred=False,
        )
        return self._added_up(metric, over_time=not measure.not_over_time)

    def _measure(self, name: str, place: Place) -> tuple[DbtSemanticModel, DbtMeasure]:
        held = [
            (table, each)
            for table in self.specs.tables.values()
            for each in table.measures
            if each.name == name
        ]
        if held:
            return held[0]
        known = [each.name for table in self.specs.tables.values() for each in table.measures]
        raise unknown("measure or metric", name, [*known, *self.specs.metrics], place)

    def _figure(self, dataset: str, measure: DbtMeasure) -> Expression:
        if measure.discrete:
            raise Unsayable("a discrete percentile")
        if "{" in measure.expr:
            raise Unsayable("an expression with a template")
        self._check_time(dataset, measure)
        figure = _FIGURES.get(measure.agg, "")
        if measure.percentile is not None and not figure:
            at = measure.percentile if measure.percentile <= 1 else measure.percentile / 100
            figure = f"PERCENTILE_CONT({at!r}) WITHIN GROUP (ORDER BY {{}})"
        names = self.graph.names(dataset, measure.place)
        # Without an expression the measure is of the column of its name, whatever that is.
        expr = quoted(measure.name) if measure.expr == measure.name else measure.expr
        tree = parse_expression(figure.format(expr), "", names, measure.place)
        self.graph.add_columns(dataset, names.new)
        return tree

    def _check_time(self, dataset: str, measure: DbtMeasure) -> None:
        time = self.graph.datasets[dataset].time
        if measure.time and time and measure.time != time:
            text = (
                f"{measure.name} has the time {measure.time}, which is left out: all metrics of "
                f"{dataset} have its time, {time}"
            )
            self.graph.faults.notice(measure.place, text)

    def _metric(self, spec: MetricSpec, above: tuple[str, ...]) -> Metric:
        above = (*above, spec.name)
        filters = _filters(spec.keys)
        over_time = True
        definition: Expression | Cumulative | Conversion
        match spec.type:
            case "simple":
                dataset, definition, over_time = self._simple(spec, filters)
            case "ratio":
                sides = [self._input(spec.params, key) for key in ("numerator", "denominator")]
                left, right = (self._made(each, filters, above) for each in sides)
                definition = Arithmetic(operator="/", left=left, right=right)
                dataset, definition = self._at_home(definition)
            case "derived":
                dataset, definition = self._derived(spec, filters, above)
            case "cumulative":
                dataset, definition = self._cumulative(spec, filters, above)
            case _:
                dataset, definition = self._conversion(spec, filters, above)
        metric = Metric(
            name=spec.name,
            dataset=dataset,
            definition=definition,
            words=_label(spec),
            description=spec.keys.text("description"),
            inferred=False,
        )
        return self._added_up(metric, over_time=over_time)

    def _added_up(self, metric: Metric, *, over_time: bool) -> Metric:
        """The metric with its additivity; a balance, which dbt says of, is not summed over time."""
        additive = additivity(metric.definition, list(self.found.values()))
        balance = additive == "all" and not over_time
        said = {"description": metric.description, "words": metric.words, "additive": balance}
        made = metric.model_copy(update={"additive": "not over time" if balance else additive})
        return assumed(made, {key for key, value in said.items() if not value})

    def _simple(self, spec: MetricSpec, filters: Filters) -> tuple[str, Expression, bool]:
        if spec.measure is not None:
            if not spec.table:
                problem = "a simple metric with `agg` must stand in the model that it is about"
                raise ConfigError(problem, place=spec.keys.place)
            dataset, measure = spec.table, spec.measure
            own: Filters = ()
        else:
            held = self._input(spec.params, "measure")
            table, measure = self._measure(held.name, held.place)
            dataset, own = table.name, held.filters
        figure = self._figure(dataset, measure)
        figure = self._filtered(figure, dataset, (*own, *filters))
        return dataset, figure, not measure.not_over_time

    def _derived(
        self, spec: MetricSpec, filters: Filters, above: tuple[str, ...]
    ) -> tuple[str, Expression]:
        key = "input_metrics" if "input_metrics" in spec.params else "metrics"
        inputs = [_input(node, key) for node in spec.params.items(key)]
        made = {each.alias: self._made(each, filters, above) for each in inputs}
        place = spec.params.place_of("expr")
        text = spec.params.text("expr", required=True)
        if "{" in text:
            raise Unsayable("an expression with a template")
        tree = parse_expression(text, "", _Aliases(made, place), place)
        return self._at_home(tree)

    def _cumulative(
        self, spec: MetricSpec, filters: Filters, above: tuple[str, ...]
    ) -> tuple[str, Cumulative]:
        params = spec.params
        inner = params.keys("cumulative_type_params", "`cumulative_type_params`") or params
        key = "input_metric" if "input_metric" in params else "measure"
        held = self._input(params, key)
        if held.filters or filters:
            raise Unsayable("a cumulative metric with a filter")
        held = self._metric_of(held) if key == "measure" else held
        self._needed(held, above)
        window = inner.text("window") or params.text("window")
        grain = inner.text("grain_to_date") or params.text("grain_to_date")
        if window and grain:
            problem = "a cumulative metric has a `window` or a `grain_to_date`, not both"
            raise ConfigError(problem, place=inner.place)
        made: dict[str, object] = {"metric": held.name}
        if window:
            made["window"], made["grain"] = _window(window, inner.place_of("window"))
        elif grain:
            if grain not in ("day", "week", "month", "quarter", "year"):
                raise Unsayable(f"the {grain} of a time")
            made["grain"] = grain
        return self.found[held.name].dataset, Cumulative.model_validate(made)

    def _conversion(
        self, spec: MetricSpec, filters: Filters, above: tuple[str, ...]
    ) -> tuple[str, Conversion]:
        params = spec.params
        inner = params.keys("conversion_type_params", "`conversion_type_params`") or params
        older = "base_measure" in inner
        base = self._input(inner, "base_measure" if older else "base_metric")
        turned = self._input(inner, "conversion_measure" if older else "conversion_metric")
        if base.filters or turned.filters or filters:
            raise Unsayable("a conversion metric with a filter")
        calculation = inner.choice("calculation", ("conversion_rate", "conversions"))
        if calculation == "conversions":
            raise Unsayable("the number of conversions")
        if inner.items("constant_properties"):
            raise Unsayable("a conversion metric with constant properties")
        if older:
            base, turned = self._metric_of(base), self._metric_of(turned)
        self._needed(base, above)
        self._needed(turned, above)
        days = 0
        if "window" in inner:
            number, grain = _window(inner.text("window"), inner.place_of("window"))
            if grain not in ("day", "week"):
                raise Unsayable(f"a conversion within {number} {grain}s, which are not even days,")
            days = number * (7 if grain == "week" else 1)
        entity, place = inner.text("entity", required=True), inner.place_of("entity")
        fields = [
            self._entity(self.found[each.name].dataset, entity, place) for each in (base, turned)
        ]
        if fields[0] != fields[1]:
            raise Unsayable(f"an entity with two names, {fields[0]} and {fields[1]},")
        made = Conversion(base=base.name, converted=turned.name, entity=fields[0], days=days)
        return self.found[base.name].dataset, made

    def _entity(self, dataset: str, entity: str, place: Place) -> str:
        found = self.graph.entities.get((dataset, entity))
        if found is None:
            known = [name for held, name in self.graph.entities if held == dataset]
            raise unknown(f"entity of {dataset!r}", entity, known, place)
        return found

    def _metric_of(self, held: Input) -> Input:
        """The metric that is nothing but a measure, in place of the measure; it is made where no
        other metric is."""
        for name, spec in self.specs.metrics.items():
            plain = spec.type == "simple" and spec.measure is None and not _filters(spec.keys)
            node = spec.params.node("measure") if plain else None
            one = _input(node, "measure") if node is not None else None
            if one is not None and one.name == held.name and not one.filters:
                return replace(held, name=name)
        if held.name not in self.specs.metrics:
            return held
        name = f"{held.name} measure"
        self.found[name] = self._measured(held.name, held.place).model_copy(update={"name": name})
        return replace(held, name=name)

    def _needed(self, held: Input, above: tuple[str, ...]) -> None:
        self._try(held.name, held.place, above)
        if held.name in self.lost:
            raise Unsayable(f"a metric made of {held.name!r}, which is left out,")

    def _made(self, held: Input, filters: Filters, above: tuple[str, ...]) -> Expression:
        """What an input stands for: its metric, or, with a filter, the definition of it."""
        self._needed(held, above)
        both = (*held.filters, *filters)
        if not both:
            return MetricRef(metric=held.name)
        metric = self.found[held.name]
        return self._opened(metric, both)

    def _opened(self, metric: Metric, filters: Filters) -> Expression:
        if isinstance(metric.definition, Cumulative | Conversion):
            raise Unsayable(f"the {metric.definition.kind} metric {metric.name!r} with a filter")
        inner = {
            each.metric: self._opened(self.found[each.metric], filters)
            for each in parts(metric.definition)
            if isinstance(each, MetricRef)
        }
        figure = self._filtered(metric.definition, metric.dataset, filters)

        def opened(node: BaseModel) -> BaseModel:
            return inner[node.metric] if isinstance(node, MetricRef) else node

        return changed(figure, opened)

    def _filtered(self, tree: Expression, dataset: str, filters: Filters) -> Expression:
        """The expression with its figures of those rows only for which the filters hold."""
        where = read_filter(filters, dataset, self.graph)
        if where is None:
            return tree
        return changed(tree, lambda node: _restricted(node, where))

    def _at_home(self, tree: Expression) -> tuple[str, Expression]:
        relationships = [each for _, each in self.graph.relationships]
        return at_home(tree, relationships, list(self.found.values()))

    def _input(self, keys: Keys, key: str) -> Input:
        node = keys.node(key)
        if node is None:
            raise ConfigError(f"{keys.what} needs the key {key!r}", place=keys.place)
        return _input(node, key)


@dataclass(frozen=True)
class _Aliases:
    """What the names in the expression of a derived metric are."""

    made: dict[str, Expression]
    place: Place

    def find(self, parts: Sequence[str]) -> Expression:
        name = ".".join(parts)
        if name not in self.made:
            raise unknown("input metric", name, self.made, self.place)
        return self.made[name]


def _input(node: Node, key: str) -> Input:
    text = getattr(node, "value", None)
    if isinstance(text, str):
        return Input(text, text, (), node.place)
    allowed = ("name", "alias", "filter", "offset_window", "offset_to_grain", "fill_nulls_with",
               "join_to_timespine")  # fmt: skip
    keys = Keys(node, f"`{key}`", allowed)
    name = keys.text("name", required=True)
    for offset in ("offset_window", "offset_to_grain"):
        if offset in keys:
            raise Unsayable(f"a metric of an earlier time ({offset})")
    return Input(name, keys.text("alias") or name, _filters(keys), keys.place_of("name"))


def _filters(keys: Keys) -> Filters:
    node = keys.node("filter")
    if isinstance(node, ListNode):
        texts = texts_of(node.items, "filter")
        return tuple((text, item.place) for text, item in zip(texts, node.items, strict=True))
    text = keys.text("filter")
    return ((text, keys.place_of("filter")),) if text.strip() else ()


def _label(spec: MetricSpec) -> tuple[str, ...]:
    label = spec.keys.text("label")
    same = label.casefold() in (spec.name.casefold(), spec.name.replace("_", " ").casefold())
    return (label,) if label and not same else ()


def _window(text: str, place: Place) -> tuple[int, str]:
    found = _WINDOW.fullmatch(text)
    short = _SHORT.fullmatch(text)
    if short:
        return int(short[1]), "day"
    if found is None:
        problem = f"a window is a number and days, weeks, months, quarters or years, not {text!r}"
        raise ConfigError(problem, place=place)
    return int(found[1]), found[2].casefold()


def _restricted(node: BaseModel, where: Predicate) -> BaseModel:
    if not isinstance(node, Aggregate):
        return node
    if node.dataset:
        raise Unsayable("a filter on rows of another dataset")
    if node.function == "share":
        raise Unsayable("a share with a filter")
    return node.model_copy(update={"where": conjunction((node.where, where))})
