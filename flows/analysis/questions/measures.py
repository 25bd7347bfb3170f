"""Figures of rows: what is counted, summed up or averaged where a question names a measure."""

from __future__ import annotations

from dataclasses import replace

from flows.analysis.language.words import singular, split_identifier
from flows.analysis.questions.axis import axis_of
from flows.analysis.questions.draft import DraftMeasure, Impossible
from flows.analysis.questions.parts import FormPart, NounPart, Operand
from flows.analysis.questions.rows import DatasetRows
from flows.analysis.questions.scopes import is_additive
from flows.analysis.questions.units import CENTS, CURRENCIES, factor_between, unit_of
from flows.semantics.path import leads_to_many
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Constant,
    Expression,
    FieldRef,
    Function,
    Grain,
    MetricRef,
)
from flows.semantics.tree import parts

_TOTALS = frozenset(["sum", "count", "count distinct", "share"])  # what can be shared out
_PRICED = frozenset(["price", "cost", "fee", "fare", "revenue", "amount", "bill", "charge"])


def metric_of(measure: DraftMeasure, rows: DatasetRows, form: FormPart | None = None) -> Expression:
    """The figure of a group of rows, in the unit and scale of `form`; raises Impossible where it
    is one of other rows."""
    made = _figure(measure, rows) if measure.per is None else _ratio(measure, measure.per, rows)
    if measure.usual is not None:
        made = _usual(made, measure.usual, rows)
    if form is None:
        return made
    if form.percent and (measure.per is not None or is_part(measure, rows)):
        made = Arithmetic(operator="*", left=made, right=Constant(value=100))
    return _written(made, measure, form, rows)


def _usual(made: Expression, grain: Grain, rows: DatasetRows) -> Expression:
    """A figure as that of a usual one of the periods in which there are rows."""
    if not is_additive(made, rows.model):
        raise Impossible("its parts do not add up over time")
    periods = Aggregate(function="count distinct", of=axis_of(rows, grain).expression)
    return Arithmetic(operator="/", left=made, right=periods)


def is_part(measure: DraftMeasure, rows: DatasetRows) -> bool:
    """Whether a measure is a metric that is a part of one: a margin."""
    of = measure.operand
    metric = rows.model.metric(of.metric) if isinstance(of, MetricRef) else None
    if metric is None or not isinstance(metric.definition, Arithmetic):
        return False
    left = metric.definition.left
    return metric.definition.operator == "/" and isinstance(left, Arithmetic)


def _ratio(measure: DraftMeasure, per: Operand | NounPart, rows: DatasetRows) -> Expression:
    """A figure divided by another one, or by the number of rows or entities."""
    if measure.function == "average" and not isinstance(per, NounPart | MetricRef):
        of = measure.operand
        sums = all(isinstance(e, FieldRef) and rows.vocabulary.adds_up(e) for e in (of, per))
        if isinstance(of, FieldRef | Arithmetic) and home_of(of) == home_of(per) and not sums:
            # Of each row: `salary per year of service, on average`.
            each = Arithmetic(operator="/", left=rows.value(of), right=rows.value(per))
            return Aggregate(function="average", of=each)
        measure = replace(measure, function=None)
    if measure.period and not _is_of(measure.operand, measure.period, rows):
        raise Impossible(f"it is no figure of a {measure.period}")
    if _is_ratio_to(measure.operand, per, rows):
        return _figure(measure, rows)  # `unit price per unit`
    if not isinstance(per, NounPart) and _is_level(measure, rows):
        raise Impossible("what is divided is no sum")
    figure = _figure(measure, rows)
    whole = not isinstance(figure, Aggregate) or figure.function in _TOTALS
    if isinstance(per, NounPart) and not whole:
        raise Impossible("an average is not shared out")
    made = Arithmetic(operator="/", left=figure, right=_divisor(per, rows, limit=measure.limit))
    if measure.scale == 1.0:
        return made
    return Arithmetic(operator="*", left=made, right=Constant(value=measure.scale))


def _is_of(operand: Operand | None, period: str, rows: DatasetRows) -> bool:
    """Whether a figure is that of one period by its name: monthly recurring revenue."""
    field = None if operand is None else rows.vocabulary.field(operand)
    called = () if field is None else (field.name, *field.words)
    return any(f"{period}ly" in split_identifier(each) for each in called)


def _is_ratio_to(operand: Operand | None, per: Operand | NounPart, rows: DatasetRows) -> bool:
    """Whether a metric is made by dividing by this already."""
    metric = rows.model.metric(operand.metric) if isinstance(operand, MetricRef) else None
    made = None if metric is None else metric.definition
    if not isinstance(made, Arithmetic) or made.operator != "/":
        return False
    below = made.right
    return isinstance(below, MetricRef) and isinstance(per, FieldRef) and below.metric == per.field


def _is_level(measure: DraftMeasure, rows: DatasetRows) -> bool:
    """Whether what is measured is a price, a rate or a score, of which there is no sum."""
    operand = measure.operand
    if not isinstance(operand, FieldRef) or measure.function not in (None, "average"):
        return False
    return usual_function(operand, rows) == "average"


def _figure(measure: DraftMeasure, rows: DatasetRows) -> Expression:
    operand = measure.operand
    if measure.test is not None:
        if measure.dataset != rows.dataset.name:
            raise Impossible("the share is of other rows")
        return Aggregate(function="share", where=measure.test)
    if operand in rows.unknown:
        raise Impossible("what is missing has no figure")
    if measure.expression is not None:
        if measure.dataset != rows.dataset.name:
            raise Impossible("the figure is of other rows")
        return measure.expression
    if operand is None:
        return _count_of(measure.dataset, rows)
    if isinstance(operand, MetricRef):
        return _of_metric(measure, operand, rows)
    if not _is_of_rows(operand, rows):
        raise Impossible("the figure is of other rows")
    function = measure.function or usual_function(operand, rows)
    is_key = isinstance(operand, FieldRef) and rows.dataset.key == (operand.field,)
    if is_key and function == "count distinct":
        return Aggregate(function="count")
    return Aggregate(function=function, of=rows.value(operand), at=measure.at)


def _is_of_rows(operand: Operand, rows: DatasetRows) -> bool:
    """Whether a value is one of these rows, though a part of it may be of a row they lead to."""
    homes = [each.dataset for each in parts(operand) if isinstance(each, FieldRef)]
    return bool(homes) and rows.dataset.name in homes


def home_of(operand: Operand) -> str:
    """The dataset whose rows have a value; that of the first field where it is computed."""
    fields = [each for each in parts(operand) if isinstance(each, FieldRef)]
    return fields[0].dataset if fields else ""


def usual_function(operand: FieldRef | Arithmetic, rows: DatasetRows) -> Function:
    """What is made of a measure where a question does not say: what its metric says. Of times that
    something took the average is told, and the sum of other differences."""
    if isinstance(operand, Arithmetic):
        return "average" if unit_of(operand, rows.vocabulary) else "sum"
    metric = rows.model.metric(operand.field)
    if metric is not None and metric.dataset == operand.dataset:
        if not isinstance(metric.definition, Aggregate) or metric.additive == "none":
            return "average"
        return metric.definition.function
    return "sum" if rows.vocabulary.role(operand) == "measure" else "count"


def is_guessed(measure: DraftMeasure, rows: DatasetRows) -> bool:
    """Whether a figure is summed up of which neither a person nor its name says that it adds up."""
    operand = measure.operand
    if measure.function is not None or not isinstance(operand, FieldRef):
        return False
    if measure.per is not None or measure.usual is not None:
        return False  # nobody divides what does not add up
    metric = rows.model.metric(operand.field)
    known = metric is not None and metric.dataset == operand.dataset and not metric.inferred
    return not known and not rows.vocabulary.adds_up(operand)


def _count_of(dataset: str, rows: DatasetRows) -> Expression:
    """The number of rows, or of different rows of another dataset to which these lead."""
    if not dataset or dataset == rows.dataset.name:
        return Aggregate(function="count")
    rows.cost += 0.15
    return Aggregate(function="count distinct", of=_key_of(dataset, rows))


def _key_of(dataset: str, rows: DatasetRows) -> FieldRef:
    """What tells the rows of a dataset apart to which these rows lead."""
    target = rows.model.dataset(dataset)
    path = rows.vocabulary.path(rows.dataset.name, (), dataset)
    if target is None or path is None or leads_to_many(path) or len(target.key) != 1:
        raise Impossible("other rows are counted")
    return rows.reach(FieldRef(dataset=dataset, field=target.key[0]))


def _divisor(per: Operand | NounPart, rows: DatasetRows, *, limit: bool = False) -> Expression:
    """What a figure is divided by: a number of rows or entities, or another figure."""
    if isinstance(per, NounPart):
        if per.dataset == rows.dataset.name:
            return Aggregate(function="count")
        if per.all_of:
            raise Impossible("not all of them are among these rows")
        return Aggregate(function="count distinct", of=_key_of(per.dataset, rows))
    if isinstance(per, MetricRef):
        return _of_metric(DraftMeasure(None, per), per, rows)
    if limit or _is_of_rows(per, rows):
        return Aggregate(function="sum", of=rows.value(per))
    raise Impossible("what it is divided by is of other rows")


def _of_metric(measure: DraftMeasure, operand: MetricRef, rows: DatasetRows) -> Expression:
    metric = rows.model.metric(operand.metric)
    if metric is None or metric.dataset != rows.dataset.name:
        raise Impossible("the metric is of other rows")
    made = metric.definition
    if not isinstance(made, Aggregate):
        usual = (None, "sum") if metric.additive == "all" else (None, "average")
        if measure.function not in usual:
            raise Impossible("rows have no such figure of which to take it")
        return operand
    if measure.function in (None, "sum"):
        return operand
    return made.model_copy(update={"function": measure.function, "at": measure.at})


def _written(
    made: Expression, measure: DraftMeasure, form: FormPart, rows: DatasetRows
) -> Expression:
    """A figure in another unit or scale; raises Impossible where it has none to be converted."""
    factor = 1.0 if is_told_in(measure.operand, form.scale) else 1.0 / form.scale
    if form.unit:
        of = measure.operand
        between = None
        if of is not None and measure.function not in ("count", "count distinct", "share"):
            between = factor_between(unit_of(of, rows.vocabulary), form.unit)
        if between is None:
            raise Impossible(f"it cannot be told in {form.unit}")
        factor *= between
    if form.currency and measure.operand is not None:
        factor *= _factor_of_coins(measure.operand, form.currency, rows)
    elif form.currency and measure.function == "count":
        raise Impossible("rows are no money")
    if factor == 1.0:
        return made
    by = Constant(value=_plain(factor if factor >= 1 else 1 / factor))
    return Arithmetic(operator="*" if factor >= 1 else "/", left=made, right=by)


_CALLED = {1e3: ("thousand", "k"), 1e6: ("million", "mio"), 1e9: ("billion", "bn")}


def is_told_in(operand: Operand | None, scale: float) -> bool:
    """Whether a column holds its figures in a scale by its name: `budget_million`."""
    if not isinstance(operand, FieldRef):
        return False
    words = {singular(each) for each in split_identifier(operand.field)}
    return not words.isdisjoint(_CALLED.get(scale, ()))


def _factor_of_coins(operand: Operand, currency: str, rows: DatasetRows) -> float:
    """How many of a currency, or of its cents, one of what a figure is told in is; raises
    Impossible where it is of another currency than is asked for."""
    fields = [each for each in parts(operand) if isinstance(each, FieldRef)]
    coins = any(CENTS.intersection(split_identifier(each.field)) for each in fields)
    if currency == "cents":
        found = rows.vocabulary.field(operand)
        priced = found is not None and (
            found.unit in CURRENCIES or not _PRICED.isdisjoint(split_identifier(found.name))
        )
        if not coins and not priced:
            raise Impossible("it is no money")
        return 1.0 if coins else 100.0
    metric = rows.model.metric(operand.metric) if isinstance(operand, MetricRef) else None
    field = rows.vocabulary.field(operand)
    unit = metric.unit if metric is not None else field.unit if field is not None else ""
    if unit in CURRENCIES and unit != currency:
        raise Impossible(f"it cannot be told in {currency}")
    return 0.01 if coins else 1.0


def _plain(number: float) -> float:
    """A factor without what its computation left over, as a whole number where it is one."""
    whole = round(number)
    return whole if abs(number - whole) < 1e-9 * number else round(number, 12)
