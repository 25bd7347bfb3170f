"""What files of dbt say of semantics, in either of its two specs, in one shape.

The older spec has `semantic_models` with entities, dimensions and measures, and `metrics` with
`type_params`. In the newer one all of it stands with the model and its columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from flows.config.read import Document
from flows.config.tree import ValueNode
from flows.errors import ConfigError, Place
from flows.semantics.formats.keys import Keys

ENTITIES: Final = ("primary", "foreign", "unique", "natural")
DIMENSIONS: Final = ("categorical", "time")
GRAINS: Final = (
    "nanosecond", "microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month",
    "quarter", "year",
)  # fmt: skip
METRICS: Final = ("simple", "ratio", "derived", "cumulative", "conversion")
AGGREGATIONS: Final = (
    "sum", "min", "max", "average", "avg", "count", "count_distinct", "median", "percentile",
    "sum_boolean",
)  # fmt: skip
_ABOUT: Final = ("name", "description", "label", "config", "meta", "tags")
_SEMANTIC_MODEL: Final = (
    *_ABOUT, "model", "defaults", "primary_entity", "entities", "dimensions", "measures", "metrics",
)  # fmt: skip
_ENTITY: Final = (*_ABOUT, "type", "expr", "entity", "role")
_DIMENSION: Final = (
    *_ABOUT, "type", "expr", "type_params", "granularity", "is_partition", "validity_params",
)  # fmt: skip
_MEASURE: Final = (
    *_ABOUT, "agg", "expr", "agg_params", "agg_time_dimension", "non_additive_dimension",
    "create_metric",
)  # fmt: skip
_METRIC: Final = (
    *_ABOUT, "type", "type_params", "filter", "time_granularity", "agg", "expr", "percentile",
    "percentile_type", "non_additive_dimension", "agg_time_dimension", "join_to_timespine",
    "fill_nulls_with", "numerator", "denominator", "input_metrics", "input_metric", "window",
    "grain_to_date", "period_agg", "entity", "calculation", "base_metric", "conversion_metric",
    "constant_properties", "hidden", "sub_type", "metric_aliases",
)  # fmt: skip
_REF: Final = re.compile(
    r"^\s*(?:\{\{\s*)?(?:ref|source)\s*\(\s*(?:['\"][^'\"]*['\"]\s*,\s*)?['\"]([^'\"]+)['\"]"
    r"\s*(?:,\s*v(?:ersion)?\s*=\s*[\w'\"]+\s*)?\)\s*(?:\}\})?\s*$"
)


@dataclass(frozen=True)
class Entity:
    """A key under a name that other semantic models share. `expr` is SQL over the columns."""

    name: str
    type: str
    expr: str
    place: Place


@dataclass(frozen=True)
class Dimension:
    name: str
    type: Literal["categorical", "time"]
    expr: str
    grain: str
    label: str
    description: str
    place: Place


@dataclass(frozen=True)
class DbtMeasure:
    """A figure of the rows of a semantic model; in the newer spec a simple metric has one."""

    name: str
    agg: str
    expr: str
    percentile: float | None
    discrete: bool
    not_over_time: bool
    time: str
    label: str
    description: str
    becomes_metric: bool
    place: Place


@dataclass(frozen=True)
class DbtSemanticModel:
    """A semantic model of dbt: a table, its keys, what it can be grouped by, and its figures."""

    name: str
    table: str
    description: str
    entities: tuple[Entity, ...]
    primary: str
    dimensions: tuple[Dimension, ...]
    measures: tuple[DbtMeasure, ...]
    time: str
    place: Place


@dataclass(frozen=True)
class MetricSpec:
    """A metric; `keys` are its own, and `params` those for its type, wherever the spec has them."""

    name: str
    type: str
    keys: Keys
    params: Keys
    table: str = ""
    measure: DbtMeasure | None = None


@dataclass
class Specs:
    """All that the files of a project say."""

    tables: dict[str, DbtSemanticModel] = field(default_factory=dict)
    metrics: dict[str, MetricSpec] = field(default_factory=dict)

    def add_table(self, table: DbtSemanticModel) -> None:
        if table.name in self.tables:
            first = self.tables[table.name].place
            problem = f"a second semantic model is called {table.name!r}, the first is at {first}"
            raise ConfigError(problem, place=table.place)
        self.tables[table.name] = table

    def add_metric(self, metric: MetricSpec) -> None:
        if metric.name in self.metrics:
            first = self.metrics[metric.name].keys.place
            problem = f"a second metric is called {metric.name!r}, the first is at {first}"
            raise ConfigError(problem, place=metric.keys.place)
        self.metrics[metric.name] = metric


def read_specs(documents: Sequence[Document]) -> Specs:
    """What the files say. Raises ConfigError with the place of the first that is wrong."""
    specs = Specs()
    for document in documents:
        root = Keys(document.tree, "a dbt file")
        for item in root.items("semantic_models"):
            keys = Keys(item, "a semantic model", _SEMANTIC_MODEL)
            if _is_enabled(keys):
                specs.add_table(_older(keys))
                _add_metrics(specs, keys, "")
        for item in root.items("models"):
            _newer(Keys(item, "a model"), specs)
        _add_metrics(specs, root, "")
    return specs


def _is_enabled(keys: Keys) -> bool:
    config = keys.keys("config", "a `config`")
    return config is None or config.flag("enabled") is not False


def _add_metrics(specs: Specs, keys: Keys, table: str) -> None:
    for item in keys.items("metrics"):
        each = Keys(item, "a metric", _METRIC)
        if not _is_enabled(each):
            continue
        name = each.text("name", required=True)
        params = each.keys("type_params", "`type_params`") or each
        type_ = each.choice("type", METRICS) or "simple"
        measure = _measure(each) if "agg" in each else None
        specs.add_metric(MetricSpec(name, type_, each, params, table, measure))


def _older(keys: Keys) -> DbtSemanticModel:
    defaults = keys.keys("defaults", "`defaults`", ("agg_time_dimension",))
    name = keys.text("name", required=True)
    held = [Keys(item, "an entity", _ENTITY) for item in keys.items("entities")]
    entities = tuple(_entity(each, each.text("name", required=True)) for each in held)
    return DbtSemanticModel(
        name=name,
        table=_table(keys),
        description=keys.text("description"),
        entities=entities,
        primary=_primary(keys, entities),
        dimensions=tuple(_dimensions(keys)),
        measures=tuple(
            _measure(Keys(item, "a measure", _MEASURE)) for item in keys.items("measures")
        ),
        time=defaults.text("agg_time_dimension") if defaults else "",
        place=keys.place_of("name"),
    )


def _table(keys: Keys) -> str:
    text = keys.text("model", required=True)
    found = _REF.match(text)
    if found is None:
        problem = f"a semantic model's `model` is ref('name of a model'), not {text!r}"
        raise ConfigError(problem, place=keys.place_of("model"))
    return found[1]


def _primary(keys: Keys, entities: Sequence[Entity]) -> str:
    named = keys.text("primary_entity")
    return named or next((each.name for each in entities if each.type == "primary"), "")


def _entity(keys: Keys, name: str, column: str = "") -> Entity:
    type_ = keys.choice("type", ENTITIES)
    if not type_:
        raise ConfigError("an entity needs its `type`", place=keys.place, allowed=ENTITIES)
    expr = keys.text("expr") or column or name
    return Entity(name, type_, expr, keys.place)


def _dimensions(keys: Keys) -> Iterator[Dimension]:
    for item in keys.items("dimensions"):
        each = Keys(item, "a dimension", _DIMENSION)
        name = each.text("name", required=True)
        yield _dimension(each, name, each.text("expr") or name, "")


def _dimension(keys: Keys, name: str, expr: str, grain: str) -> Dimension:
    params = keys.keys("type_params", "`type_params`")
    held = (params.choice("time_granularity", GRAINS) if params else "") or grain
    type_ = keys.choice("type", DIMENSIONS)
    if not type_:
        raise ConfigError("a dimension needs its `type`", place=keys.place, allowed=DIMENSIONS)
    return Dimension(
        name=name,
        type="time" if type_ == "time" else "categorical",
        expr=expr,
        grain=held or keys.choice("granularity", GRAINS),
        label=keys.text("label"),
        description=keys.text("description"),
        place=keys.place,
    )


def _measure(keys: Keys) -> DbtMeasure:
    """A measure, or a simple metric of the newer spec, which has the same keys."""
    name = keys.text("name", required=True)
    agg = keys.choice("agg", AGGREGATIONS)
    if not agg:
        raise ConfigError("a measure needs its `agg`", place=keys.place, allowed=AGGREGATIONS)
    params = keys.keys("agg_params", "`agg_params`") or keys
    percentile = params.number("percentile")
    if agg == "percentile" and percentile is None:
        raise ConfigError("a percentile needs the key `percentile`", place=keys.place)
    discrete = keys.text("percentile_type") == "discrete"
    return DbtMeasure(
        name=name,
        agg=agg,
        expr=keys.text("expr") or name,
        percentile=percentile,
        discrete=discrete or bool(params.flag("use_discrete_percentile")),
        not_over_time="non_additive_dimension" in keys,
        time=keys.text("agg_time_dimension"),
        label=keys.text("label"),
        description=keys.text("description"),
        becomes_metric=bool(keys.flag("create_metric")) if "create_metric" in keys else False,
        place=keys.place,
    )


def _newer(keys: Keys, specs: Specs) -> None:
    """A model with its semantics; models without any are none of ours."""
    node = keys.node("semantic_model")
    if node is None or (isinstance(node, ValueNode) and node.value is not True):
        return
    semantic = None if isinstance(node, ValueNode) else Keys(node, "a `semantic_model`")
    if semantic is not None and semantic.flag("enabled") is False:
        return
    name = keys.text("name", required=True)
    columns = [Keys(item, "a column") for item in keys.items("columns")]
    derived = keys.keys("derived_semantics", "`derived_semantics`", ("dimensions", "entities"))
    entities = [one for each in columns if (one := _column_entity(each)) is not None]
    dimensions = [found for each in columns if (found := _column_dimension(each)) is not None]
    if derived is not None:
        held = [Keys(item, "an entity", _ENTITY) for item in derived.items("entities")]
        entities += [_entity(each, each.text("name", required=True)) for each in held]
        dimensions += _dimensions(derived)
    own = semantic.text("name") if semantic else ""
    table = DbtSemanticModel(
        name=own or name,
        table=name,
        description=(semantic.text("description") if semantic else "") or keys.text("description"),
        entities=tuple(entities),
        primary=_primary(keys, entities),
        dimensions=tuple(dimensions),
        measures=(),
        time=keys.text("agg_time_dimension"),
        place=keys.place_of("name"),
    )
    specs.add_table(table)
    _add_metrics(specs, keys, table.name)


def _column_entity(column: Keys) -> Entity | None:
    node = column.node("entity")
    name = column.text("name", required=True)
    if node is None:
        return None
    if isinstance(node, ValueNode):
        return Entity(name, column.choice("entity", ENTITIES), name, node.place)
    keys = Keys(node, "an entity", _ENTITY)
    return _entity(keys, keys.text("name") or name, name)


def _column_dimension(column: Keys) -> Dimension | None:
    node = column.node("dimension")
    name, grain = column.text("name", required=True), column.choice("granularity", GRAINS)
    if node is None:
        return None
    if isinstance(node, ValueNode):
        type_ = column.choice("dimension", DIMENSIONS)
        is_time: Literal["categorical", "time"] = "time" if type_ == "time" else "categorical"
        about = column.text("description")
        return Dimension(name, is_time, name, grain, "", about, node.place)
    keys = Keys(node, "a dimension", _DIMENSION)
    found = _dimension(keys, keys.text("name") or name, name, grain)
    if found.description or "description" not in column:
        return found
    return Dimension(**{**vars(found), "description": column.text("description")})
