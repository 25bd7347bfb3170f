"""The rules of expressions: names, ways, levels, and kinds of values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from flows.semantics.cumulation import find_periods, goes_along, grain_of
from flows.semantics.event import find_events
from flows.semantics.kinds import Kind, columns_of, fields_in, kind_of, parse_moment, parts
from flows.semantics.model import Conversion, Cumulative, Dataset, Metric, SemanticModel, Time
from flows.semantics.node import Node
from flows.semantics.path import Path, find_path, leads_to_many
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Bin,
    Cast,
    Constant,
    DateOf,
    Expression,
    FieldRef,
    MetricRef,
    Period,
    Query,
    Scalar,
)
from flows.semantics.rules.spot import Spot

TIMES = ("date", "timestamp")
_SUMMED = ("sum", "average", "median", "percentile", "deviation")
_ORDERED = ("number", "text", "date", "timestamp", "time")
_LABELS = {
    "number": "a number", "text": "a text", "date": "a date", "timestamp": "a moment",
    "time": "a time of day", "boolean": "yes or no", "other": "of another type",
}  # fmt: skip
_WITHIN_MONTHS = ("week", "day", "hour", "day of month", "weekday", "hour of day")
_DIRECTIVES = (
    "%Y", "%m", "%d", "%H", "%M", "%S", "%y", "%b", "%B", "%a", "%I", "%p", "%f",
)  # fmt: skip


def check_expression(expression: Expression, spot: Spot) -> None:
    """Report what is wrong with an expression at its place."""
    if spot.level == "figure" and expression in spot.groups:
        return
    match expression:
        case FieldRef():
            if spot.level == "figure":
                spot.report(f"{expression.field} is neither a group nor a figure")
            else:
                check_reference(expression, spot)
        case Arithmetic():
            _check_arithmetic(expression, spot)
        case Period():
            check_expression(expression.of, spot.at("of"))
            _check_period(expression, spot)
        case Bin():
            check_expression(expression.of, spot.at("of"))
            demand(expression.of, ("number",), "a range is of numbers", spot.at("of"))
        case Cast():
            check_expression(expression.of, spot.at("of"))
            demand(expression.of, ("text",), "only text is read as a number", spot.at("of"))
        case DateOf():
            spot.report("a date is made of columns in the semantic model: name its field")
        case Aggregate():
            _check_aggregate(expression, spot)
        case MetricRef():
            _check_metric(expression, spot)
        case Scalar():
            _check_scalar(expression.query, spot.at("query"))


def demand(expression: Expression, kinds: tuple[str, ...], reason: str, spot: Spot) -> bool:
    """Report a value of another kind; one of an unknown kind has been reported before."""
    kind = kind_of(expression, spot.model)
    empty = isinstance(expression, Constant) and expression.value is None
    if kind in kinds or (kind is None and not empty):
        return True
    spot.report(f"{reason}, and this is {_label(kind)}")
    return False


def _label(kind: Kind | None) -> str:
    return _LABELS[kind] if kind else "no value"


def check_reference(ref: FieldRef, spot: Spot) -> None:
    """Report a field that is not there, or that is not reached from the rows."""
    dataset = spot.find_dataset(ref.dataset)
    if dataset is None or not spot.check_field(dataset, ref.field):
        return
    _check_formats(dataset, ref.field, spot)
    path = spot.find_path(ref.via, ref.dataset)
    if path is None or spot.reached is None:
        return
    if leads_to_many(path) and path not in spot.reached:
        spot.report(
            f"a row of {spot.dataset} may have several rows of {ref.dataset}: say with `exists` "
            "that it has one for which this holds"
        )


def _check_formats(dataset: Dataset, name: str, spot: Spot) -> None:
    field = dataset.find(name)
    for each in field.cleaning if field else ():
        for form in (each.format, *each.others) if isinstance(each, Time) else ():
            rest = form
            for directive in _DIRECTIVES:
                rest = rest.replace(directive, "")
            if "%" in rest:
                spot.report(f"{name} is read by a format that is not known: {form}")


def _check_arithmetic(made: Arithmetic, spot: Spot) -> None:
    sides = (("left", made.left), ("right", made.right))
    for name, side in sides:
        check_expression(side, spot.at(name))
    kinds = [kind_of(side, spot.model) for _, side in sides]
    if made.operator == "-" and any(kind in TIMES for kind in kinds):
        for name, side in sides:
            if not _is_moment(side):
                demand(side, TIMES, "a time is taken from a time", spot.at(name))
        return
    for name, side in sides:
        demand(side, ("number",), "this is computed with numbers", spot.at(name))


def _is_moment(expression: Expression) -> bool:
    return (
        isinstance(expression, Constant)
        and isinstance(expression.value, str)
        and parse_moment(expression.value) is not None
    )


def _check_period(period: Period, spot: Spot) -> None:
    if not demand(period.of, TIMES, "only times lie in periods", spot.at("of")):
        return
    if period.grain in ("hour", "hour of day") and kind_of(period.of, spot.model) == "date":
        spot.report("a date has no hour")
    elif period.grain in _WITHIN_MONTHS and is_of_months(period.of, spot.model):
        spot.report(f"of these dates only the month is known, and not the {period.grain}")


def is_of_months(of: Expression, model: SemanticModel) -> bool:
    """Whether a time is made of a year and a month, and no day."""
    dataset = model.dataset(of.dataset) if isinstance(of, FieldRef) else None
    field = dataset.find(of.field) if dataset and isinstance(of, FieldRef) else None
    made = field.expression if field else None
    return isinstance(made, DateOf) and isinstance(made.day, Constant)


def _check_aggregate(made: Aggregate, spot: Spot) -> None:
    if spot.level == "row":
        spot.report("a figure of many rows cannot stand here, where one row is looked at")
        return
    inner = replace(spot, level="row", groups=(), reached=None)
    if made.dataset:
        inner = replace(inner, dataset=made.dataset)
        if not _refers(made, spot):
            return
    elif made.via:
        spot.report("`via` leads to the rows of a dataset, and none is named")
    if made.of is not None:
        check_expression(made.of, inner.at("of"))
        _check_function(made, spot)
    elif made.function not in ("count", "share"):
        spot.report(f"the {made.function} needs a value")
    if made.where is not None:
        spot.check_predicate(made.where, replace(inner, reached=_ways(made, spot)).at("where"))
    elif made.function == "share":
        spot.report("a share needs `where`: what it is the share of")
    if (made.at is not None) != (made.function == "percentile"):
        spot.report("a percentile, and nothing else, needs `at`")


def _ways(made: Aggregate, spot: Spot) -> frozenset[Path]:
    """The ways that the rows of an aggregate are joined along."""
    start = made.dataset or spot.dataset
    own: frozenset[Path] = frozenset() if made.dataset else (spot.reached or frozenset())
    return own | reach((made.of,) if made.of is not None else (), start, spot.model)


def reach(nodes: Iterable[Node], start: str, model: SemanticModel) -> frozenset[Path]:
    """The ways, and their beginnings, that the fields of some nodes lead along from a dataset."""
    found: set[Path] = set()
    for node in nodes:
        for ref in fields_in(node):
            path = find_path(model, start, ref.via, ref.dataset) or ()
            found |= {path[: length + 1] for length in range(len(path))}
    return frozenset(found)


def _refers(made: Aggregate, spot: Spot) -> bool:
    """Whether the rows of another dataset refer to those of the query; reported where not."""
    if spot.find_dataset(made.dataset) is None:
        return False
    path = spot.find_path(made.via, made.dataset)
    if path is None:
        return False
    if not path:
        spot.report("these are the query's own rows: leave `dataset` empty")
    elif any(step.forward for step in path):
        spot.report(f"rows of {made.dataset} do not refer to rows of {spot.dataset}")
    else:
        return True
    return False


def _check_function(made: Aggregate, spot: Spot) -> None:
    assert made.of is not None
    where = spot.at("of")
    if made.function in _SUMMED:
        reason = f"a {made.function} is of numbers"
        if demand(made.of, ("number",), reason, where) and is_identifier(made.of, spot.model):
            where.report("an identifier is a name and not a number: it can be counted only")
    elif made.function in ("minimum", "maximum"):
        demand(made.of, _ORDERED, f"a {made.function} is of what has an order", where)
    elif made.function in ("count distinct", "share"):
        demand(made.of, (*_ORDERED, "boolean", "other"), "different values are counted", where)


def is_identifier(expression: Expression, model: SemanticModel) -> bool:
    """Whether a number only names something, or is made of one that does."""
    match expression:
        case FieldRef():
            dataset = model.dataset(expression.dataset)
            field = dataset.find(expression.field) if dataset else None
            return field is not None and field.role == "identifier"
        case Arithmetic():
            return is_identifier(expression.left, model) or is_identifier(expression.right, model)
        case Bin() | Cast():
            return is_identifier(expression.of, model)
    return False


def _check_metric(ref: MetricRef, spot: Spot) -> None:
    metric = spot.find_metric(ref.metric)
    if metric is None:
        return
    if spot.level == "row":
        spot.report("a metric is of many rows, and cannot stand where one row is looked at")
    elif ref.metric in spot.metrics:
        spot.report(f"the metric {ref.metric} is defined by itself")
    elif metric.dataset != spot.dataset:
        _check_foreign_metric(metric, spot)
    else:
        _check_definition(metric, spot)


def _check_foreign_metric(metric: Metric, spot: Spot) -> None:
    """A metric of rows that refer to those of the query."""
    count = Aggregate(function="count", dataset=metric.dataset)
    if isinstance(metric.definition, Cumulative | Conversion):
        spot.report(f"the metric {metric.name} is of {metric.dataset}: ask for it there")
    elif _refers(count, spot):
        inner = replace(
            spot, dataset=metric.dataset, groups=(), metrics=(*spot.metrics, metric.name)
        )
        check_expression(metric.definition, inner)


def _check_definition(metric: Metric, spot: Spot) -> None:
    made = metric.definition
    inner = replace(spot, metrics=(*spot.metrics, metric.name))
    if isinstance(made, Cumulative):
        _check_cumulative(made, inner)
    elif isinstance(made, Conversion):
        _check_conversion(made, spot)
    else:
        check_expression(made, replace(inner, groups=()))


def _check_cumulative(made: Cumulative, spot: Spot) -> None:
    dataset = spot.find_dataset(spot.dataset)
    summed = spot.find_metric(made.metric)
    if dataset is None or summed is None:
        return
    _check_metric(MetricRef(metric=made.metric), spot)
    if summed.dataset != spot.dataset or not _sums_up(summed, spot):
        spot.report(f"the metric {made.metric} cannot be summed up along time")
    if not dataset.time:
        spot.report(f"{dataset.name} has no time to sum up along")
        return
    periods = find_periods(spot.groups, dataset)
    if len(periods) > 1:
        spot.report("a metric is summed up along one period, and several are named")
    elif periods and not goes_along(made, grain_of(periods[0], dataset)):
        grain = grain_of(periods[0], dataset)
        spot.report(f"a sum within the {made.grain} cannot be shown by {grain}")


def _sums_up(metric: Metric, spot: Spot) -> bool:
    """Whether a metric is of its own rows, and its definition adds up."""
    made = metric.definition
    if isinstance(made, Cumulative | Conversion) or metric.additive != "all":
        return False
    inner = (part for _, part in parts(made)) if not isinstance(made, Aggregate) else (made,)
    own = not any(isinstance(each, Aggregate) and each.dataset for each in inner)
    return own and is_additive(made, spot)


def _check_conversion(made: Conversion, spot: Spot) -> None:
    for name in (made.base, made.converted):
        if spot.find_metric(name) is None:
            continue
        events = find_events(name, spot.model)
        if events is None:
            spot.report(f"the metric {name} is not of the rows of one dataset, which are events")
            continue
        spot.check_field(events.dataset, made.entity)
        if not events.dataset.time:
            spot.report(f"{events.dataset.name} has no time that says what was first")
        if name == made.base and events.dataset.name != spot.dataset:
            spot.report(f"the share is of rows of {events.dataset.name}: ask for it there")


def _check_scalar(query: Query, spot: Spot) -> None:
    spot.check_query(query, spot)
    if count_columns(query, spot.model) != 1:
        spot.report("one value is wanted, and this query gives several columns")
    one_row = bool(query.metrics) and not query.by and not query.combine
    first = query.rank is not None and query.rank.n == 1 and not query.rank.within
    if not one_row and not (first and query.rank and not query.rank.ties):
        spot.report("one value is wanted, and this query gives several rows")


def count_columns(query: Query, model: SemanticModel) -> int:
    """How many columns the result of a query has."""
    columns = columns_of(query, model)
    groups = (*query.by, *query.identity)
    compared = sum(each not in groups for each in columns) if query.compare else 0
    return len(columns) + 2 * compared + len(query.transforms)


def is_additive(expression: Expression, spot: Spot) -> bool:
    """Whether the figures of parts sum up to that of the whole."""
    match expression:
        case MetricRef():
            metric = spot.model.metric(expression.metric)
            if metric is None:
                return True
            return metric.additive == "all" and not isinstance(
                metric.definition, Cumulative | Conversion
            )
        case Aggregate():
            return expression.function in ("count", "sum", "count distinct")
        case Arithmetic(operator="+" | "-"):
            return is_additive(expression.left, spot) and is_additive(expression.right, spot)
        case Arithmetic(operator="*"):
            sides = (expression.left, expression.right)
            return any(isinstance(each, Constant) for each in sides) and all(
                is_additive(each, spot) for each in sides
            )
        case Arithmetic():
            return isinstance(expression.right, Constant) and is_additive(expression.left, spot)
        case Constant() | Scalar():
            return True
    return False
