"""Ranges of a number, each with how many rows lie in it: `under 500, 500 to 1000, over 1000`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from flows.analysis.questions.draft import Condition, DraftMeasure, Impossible, QuestionDraft
from flows.analysis.questions.measures import home_of, metric_of
from flows.analysis.questions.parts import AgainstPart, BoundPart, Operand, RangePart
from flows.analysis.questions.rows import DatasetRows
from flows.analysis.questions.units import factor_between, unit_of
from flows.semantics.query import (
    Aggregate,
    And,
    Arithmetic,
    Between,
    Comparison,
    Constant,
    Expression,
    FieldRef,
    MetricRef,
    Predicate,
)

_CURRENCIES = frozenset(["dollar", "dollars", "euro", "euros", "usd", "eur", "gbp", "pounds"])
_UNSAID = 0.1  # what it costs that the number of which the ranges are is not named


@dataclass(frozen=True, slots=True)
class Bins:
    """Ranges of one number of a row, and what is left of the draft without them."""

    of: Expression
    ranges: tuple[BoundPart | RangePart, ...]
    rest: QuestionDraft


def bins_of(draft: QuestionDraft, rows: DatasetRows) -> Bins | None:
    """The ranges that a question lists, none of which a number can be in together with another;
    None where it lists no such."""
    conditions = [_beside_nought(each) for each in draft.conditions]
    ranges = _in_order(_in_one_unit(
        [each for each in conditions if isinstance(each, BoundPart | RangePart)]
    ))  # fmt: skip
    if len(ranges) < 2 or not _apart(ranges) or len({*filter(None, map(_field, ranges))}) > 1:
        return None
    measures = [each for each in draft.measures if each.function in ("count", "count distinct")]
    others = [each for each in draft.measures if each not in measures]
    named = next((each.field for each in ranges if each.field is not None), None)
    named = named or draft.spoken
    if named is None and len(others) == 1:
        named = others.pop().operand
    if others or not (measures or draft.banded):
        return None
    if not measures:
        measures = [DraftMeasure("count", None, rows.dataset.name)]
    unit = next((each.unit for each in ranges if each.unit), "")
    number = named if named is not None else _number(unit, rows)
    of, ranges = _of_row(number, rows), _in_unit_of(number, unit, ranges, rows)
    left: list[Condition] = [each for each in conditions
                             if not isinstance(each, BoundPart | RangePart)]  # fmt: skip
    rest = replace(draft, conditions=left, measures=measures[:1])
    return Bins(of, tuple(ranges), rest)


def lists_ranges(draft: QuestionDraft, rows: DatasetRows) -> bool:
    """Whether ranges are all that is said of the rows, of which each is in no more than one."""
    if draft.measures or draft.shown or draft.groups or draft.asked or draft.banded:
        return False
    return bins_of(replace(draft, banded=True), rows) is not None


def _beside_nought(condition: Condition) -> Condition:
    """Two fields that are compared as a bound of their difference."""
    if not isinstance(condition, AgainstPart) or not isinstance(condition.left, FieldRef):
        return condition
    if not isinstance(condition.right, FieldRef):
        return condition
    difference = Arithmetic(operator="-", left=condition.left, right=condition.right)
    return BoundPart(condition.operator, 0, difference)


def _in_one_unit(ranges: list[BoundPart | RangePart]) -> list[BoundPart | RangePart]:
    """The ranges in the unit of the first that has one: `under 30 minutes, up to an hour`."""
    unit = next((each.unit for each in ranges if each.unit), "")
    made: list[BoundPart | RangePart] = []
    for each in ranges:
        factor = factor_between(each.unit, unit) if each.unit != unit else None
        if factor is None:
            made.append(each)
        else:
            made.append(replace(_times(each, factor), unit=unit))
    return made


def _in_order(ranges: list[BoundPart | RangePart]) -> list[BoundPart | RangePart]:
    """The ranges with those that are told by their ends alone, `up to 10, up to 30`, each from the
    one before on."""
    made: list[BoundPart | RangePart] = []
    for each in ranges:
        before = made[-1] if made else None
        end = None if before is None else _ends(before)[1]
        if (
            end is not None
            and isinstance(each, BoundPart)
            and each.operator in ("<", "<=")
            and end < each.number
        ):
            closed = isinstance(before, BoundPart) and before.operator == "<"
            made.append(
                RangePart(end, each.number, each.field, each.unit, each.operator == "<",
                          above=not closed)
            )  # fmt: skip
        else:
            made.append(each)
    return made


def _field(condition: BoundPart | RangePart) -> Operand | None:
    return condition.field


def counts_of(bins: Bins, rows: DatasetRows) -> tuple[Expression, ...]:
    """For each range the number of rows in it."""
    metric = metric_of(bins.rest.measures[0], rows)
    if not isinstance(metric, Aggregate) or metric.where is not None or _refers(metric, rows):
        raise Impossible("no rows of its own are counted")
    return tuple(
        metric.model_copy(update={"where": _inside(each, bins.of)}) for each in bins.ranges
    )


def _refers(metric: Aggregate, rows: DatasetRows) -> bool:
    """Whether what is counted are rows of another dataset, which have other numbers."""
    of = metric.of
    return isinstance(of, FieldRef) and (
        of.dataset != rows.dataset.name
        or any(
            each.dataset == of.dataset and of.field in each.fields
            for each in rows.model.relationships
        )
    )


def _inside(condition: BoundPart | RangePart, of: Expression) -> Predicate:
    if isinstance(condition, BoundPart):
        return _compared(of, condition.operator, condition.number)
    if condition.below or condition.above:
        least = _compared(of, ">" if condition.above else ">=", condition.low)
        return And(of=(least, _compared(of, "<" if condition.below else "<=", condition.high)))
    low, high = Constant(value=condition.low), Constant(value=condition.high)
    return Between(of=of, low=low, high=high)


def _compared(of: Expression, operator: str, number: float) -> Comparison:
    return Comparison(left=of, operator=operator, right=Constant(value=number))


def _apart(ranges: list[BoundPart | RangePart]) -> bool:
    """Whether no two of the ranges overlap by more than an end."""
    ends = sorted(_ends(each) for each in ranges)
    return all(before[1] <= after[0] for before, after in pairwise(ends))


def _ends(condition: BoundPart | RangePart) -> tuple[float, float]:
    if isinstance(condition, RangePart):
        return condition.low, condition.high
    if condition.operator in ("<", "<="):
        return float("-inf"), condition.number
    if condition.operator in (">", ">="):
        return condition.number, float("inf")
    return condition.number, condition.number


def _number(unit: str, rows: DatasetRows) -> Operand:
    """The number of a row that the ranges are of where none is named: the one that has the unit,
    else the only one."""
    rows.cost += _UNSAID
    found = rows.vocabulary.fields(["money"]) if unit in _CURRENCIES else []
    if unit == "age":
        found = [each for each, _ in rows.vocabulary.measured("old")]
    for each in found:
        if each.role == "measure" and _dataset(each.operand, rows) == rows.dataset.name:
            rows.cost += each.cost / 2
            return each.operand
    own = rows.vocabulary.operands(rows.dataset.name)
    told = [e for e in own if factor_between(unit, unit_of(e, rows.vocabulary)) is not None]
    if len(told) != 1:
        raise Impossible("it is not said what the ranges are of")
    return told[0]


def _in_unit_of(
    number: Operand, unit: str, ranges: list[BoundPart | RangePart], rows: DatasetRows
) -> list[BoundPart | RangePart]:
    """The ranges in the unit in which the rows tell the number."""
    factor = factor_between(unit, unit_of(number, rows.vocabulary))
    if factor is None or factor == 1.0:
        return ranges
    return [_times(each, factor) for each in ranges]


def _times(condition: BoundPart | RangePart, factor: float) -> BoundPart | RangePart:
    if isinstance(condition, BoundPart):
        return replace(condition, number=condition.number * factor)
    return replace(condition, low=condition.low * factor, high=condition.high * factor)


def _dataset(operand: Operand, rows: DatasetRows) -> str:
    if not isinstance(operand, MetricRef):
        return home_of(operand)
    metric = rows.model.metric(operand.metric)
    return "" if metric is None else metric.dataset


def _of_row(operand: Operand, rows: DatasetRows) -> Expression:
    """What a metric adds up of each row."""
    if not isinstance(operand, MetricRef):
        return rows.value(operand)
    metric = rows.model.metric(operand.metric)
    if metric is None or metric.dataset != rows.dataset.name:
        raise Impossible("the metric is of other rows")
    made = metric.definition
    if not isinstance(made, Aggregate) or made.of is None or made.where is not None:
        raise Impossible("the metric is none of a single row")
    return made.of
