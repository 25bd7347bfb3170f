"""The conditions of a question as tests of rows, or of the figures of groups."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from flows.analysis.questions.absences import absent_ways
from flows.analysis.questions.axis import axis_of
from flows.analysis.questions.draft import Impossible, QuestionDraft
from flows.analysis.questions.measures import home_of
from flows.analysis.questions.parts import (
    TIME,
    AgainstPart,
    BoundPart,
    ContainingPart,
    EventPart,
    KnownPart,
    LatestPart,
    Operand,
    PeriodsPart,
    RangePart,
    ValuePart,
    WhenPart,
)
from flows.analysis.questions.rows import DatasetRows
from flows.analysis.questions.units import (
    CURRENCY_NAMES,
    UNIT_NAMES,
    factor_between,
    is_of_time,
    ratio_between,
    unit_of,
)
from flows.core.observation import Cell
from flows.semantics.query import (
    Aggregate,
    Among,
    Arithmetic,
    Between,
    Comparison,
    Constant,
    Exists,
    Expression,
    FieldRef,
    Grain,
    Match,
    Missing,
    Not,
    OneOf,
    Period,
    Predicate,
    Query,
    Scalar,
    conjunction,
)


@dataclass(frozen=True, slots=True)
class Conditions:
    """What holds for the rows, and what holds for the figures of a group."""

    where: Predicate | None
    having: Predicate | None


def conditions_of(draft: QuestionDraft, rows: DatasetRows, figure: Expression | None) -> Conditions:
    """The conditions of a draft. A number that is said of nothing is one of `figure`, the figure
    of groups, if there is one."""
    where: list[Predicate | None] = []
    having: list[Predicate | None] = []
    if draft.denial is not None:
        absent, draft = _absence(draft, rows)
        where.append(absent)
    for each in draft.conditions:
        if isinstance(each, BoundPart) and each.field is None and figure is not None:
            bound = Constant(value=each.number)
            having.append(Comparison(left=figure, operator=each.operator, right=bound))
        elif not isinstance(each, ValuePart):
            where.append(_test(each, draft, rows))
    where += _values(draft, rows)
    where.append(_event(draft.event, rows))
    return Conditions(conjunction(where), conjunction(having))


def _event(event: EventPart | None, rows: DatasetRows) -> Predicate | None:
    """That what is asked for happened to a row, or did not yet."""
    if event is None:
        return None
    field = event.field
    if field.dataset != rows.dataset.name:
        raise Impossible("it happens to other rows")
    if not event.happened:
        return Missing(of=field)
    return Not(of=Missing(of=field)) if field.field != rows.dataset.time else None


def _values(draft: QuestionDraft, rows: DatasetRows) -> list[Predicate]:
    """Values of one field are alternatives."""
    by_field: dict[tuple[FieldRef, bool], list[Cell]] = {}
    for each in draft.conditions:
        if isinstance(each, ValuePart):
            values = [_typed(value, each.field, rows) for value in each.values]
            by_field.setdefault((each.field, each.holds), []).extend(values)
    return [
        _reached(field, rows, partial(_one_of, tuple(dict.fromkeys(values)), holds))
        for (field, holds), values in by_field.items()
    ]


def _typed(value: Cell, of: FieldRef, rows: DatasetRows) -> Cell:
    """A value as its field has it: `true` of a field that is true or false."""
    field = rows.vocabulary.field(of)
    if field is None or not isinstance(value, str):
        return value
    if field.type == "boolean" and value.casefold() in ("true", "false"):
        return value.casefold() == "true"
    return int(value) if field.type == "integer" and value.isdecimal() else value


def _one_of(values: tuple[Cell, ...], holds: bool, of: Expression) -> Predicate:
    if len(values) == 1:
        return Comparison(left=of, operator="=" if holds else "!=", right=Constant(value=values[0]))
    test = OneOf(of=of, values=values)
    return test if holds else Not(of=test)


def _test(
    condition: ContainingPart
    | WhenPart
    | BoundPart
    | RangePart
    | AgainstPart
    | PeriodsPart
    | LatestPart
    | KnownPart,
    draft: QuestionDraft,
    rows: DatasetRows,
) -> Predicate:
    match condition:
        case ContainingPart(field=field, text=text):
            return _reached(field, rows, lambda of: Match(of=of, place="contains", text=text))
        case KnownPart(field=field, holds=holds):
            return _reached(
                field, rows, lambda of: Not(of=Missing(of=of)) if holds else Missing(of=of)
            )
        case WhenPart():
            return _when(condition, rows)
        case PeriodsPart():
            return test_of_periods(condition, rows)
        case LatestPart(grain=grain):
            return _latest(grain, rows)
        case BoundPart(operator=operator):
            left, factor = _number(condition, draft, rows)
            right = Constant(value=_scaled(condition.number, factor))
            return Comparison(left=left, operator=operator, right=right)
        case RangePart():
            of, factor = _number(condition, draft, rows)
            low, high = (_scaled(each, factor) for each in (condition.low, condition.high))
            return Between(of=of, low=Constant(value=low), high=Constant(value=high))
        case AgainstPart(operator=operator, right=right):
            called = {*draft.nouns, *(each.dataset for each in draft.shown)}
            if home_of(right) != rows.dataset.name and home_of(right) in called:
                raise Impossible("each of the others has one figure, its rows have many")
            left = rows.value(condition.left or _measured(draft))
            return Comparison(left=left, operator=operator, right=rows.value(right))


def _reached(
    field: FieldRef, rows: DatasetRows, test: Callable[[FieldRef], Predicate]
) -> Predicate:
    """A test of a field that one row leads to, or of rows that belong to it."""
    way = None if field.via else rows.vocabulary.linked(rows.dataset.name, field.dataset)
    if way is not None:
        rows.cost += 0.2
        via = tuple(each.name for each in way)
        return Exists(dataset=field.dataset, via=via, where=test(field))
    try:
        return test(rows.reach(field))
    except Impossible:
        if rows.vocabulary.path(rows.dataset.name, (), field.dataset) is None:
            raise
        rows.cost += 0.25
        return Exists(dataset=field.dataset, where=test(field))


def test_of_periods(periods: PeriodsPart, rows: DatasetRows) -> Predicate:
    """That a row lies in one of the periods."""
    if periods.join == "range":
        raise Impossible("its ends alone are no range")
    axis = axis_of(rows, periods.grain)
    return _one_of(axis.values(periods.values), True, axis.expression)


def _latest(grain: Grain, rows: DatasetRows) -> Predicate:
    """The last period of which there are rows."""
    axis = axis_of(rows, grain).expression
    last = Query(dataset=rows.dataset.name, metrics=(Aggregate(function="maximum", of=axis),))
    return Comparison(left=axis, operator="=", right=Scalar(query=last))


def _when(when: WhenPart, rows: DatasetRows) -> Predicate:
    """The period of the rows' time, or of a field that holds it."""
    test = when.test
    if rows.has_times():
        return _with_time(test, rows.time())
    match test:
        case Comparison(left=Period(grain=grain), right=Constant(value=value)):
            axis = axis_of(rows, grain)
            (known,) = axis.values((value,))
            return Comparison(
                left=axis.expression, operator=test.operator, right=Constant(value=known)
            )
        case Between(of=Period(grain=grain), low=Constant(value=low), high=Constant(value=high)):
            axis = axis_of(rows, grain)
            first, last = (Constant(value=each) for each in axis.values((low, high)))
            return Between(of=axis.expression, low=first, high=last)
        case OneOf(of=Period(grain=grain), values=values):
            axis = axis_of(rows, grain)
            return OneOf(of=axis.expression, values=axis.values(values))
    raise Impossible("its rows have no time")


def _with_time(test: Predicate, time: FieldRef) -> Predicate:
    """A test of a period of `TIME` as one of the field that says when."""
    text = test.model_dump_json().replace(TIME.model_dump_json(), time.model_dump_json())
    return type(test).model_validate_json(text)


def _number(
    condition: BoundPart | RangePart, draft: QuestionDraft, rows: DatasetRows
) -> tuple[Expression, Fraction]:
    """What a number is compared with, and how many of its units one of the number's is: what is
    named, else the one value of the rows that has such a unit, else what is measured."""
    unit, named = condition.unit, condition.field
    if named is None and unit:
        fits = [
            each
            for each in rows.vocabulary.operands(rows.dataset.name)
            if factor_between(unit, unit_of(each, rows.vocabulary)) is not None
        ]
        named = fits[0] if len(fits) == 1 else None
        if unit in CURRENCY_NAMES:
            named = next((each for each in money_of(rows)), None)
        rows.cost += 0.05
    if named is None:
        named = _measured(draft)
        rows.cost += 0.1
    own = unit_of(named, rows.vocabulary)
    factor = ratio_between(unit, own) if unit else None
    if unit in UNIT_NAMES and factor is None:
        if own or not is_of_time(unit):
            raise Impossible(f"it is not measured in {unit}")
        rows.cost += 0.05  # its unit is not known
    return rows.value(named), Fraction(1) if factor is None else factor


def money_of(rows: DatasetRows) -> Iterator[FieldRef]:
    """The measures of rows that say how much money they stand for, the likeliest first."""
    for found in rows.vocabulary.fields(["money"]):
        operand = found.operand
        own = isinstance(operand, FieldRef) and operand.dataset == rows.dataset.name
        if own and found.role == "measure" and isinstance(operand, FieldRef):
            yield operand


def _scaled(number: float, factor: Fraction) -> float:
    """A number in another unit, as near as a float can be: two hours are not above two hours."""
    return number if factor == 1 else float(Fraction(str(number)) * factor)


def _measured(draft: QuestionDraft) -> Operand:
    """The one value of rows that is measured."""
    found = {
        each.operand
        for each in draft.measures
        # of what is counted the number is known: nothing is above 1,000 of it
        if isinstance(each.operand, FieldRef | Arithmetic) and each.function != "count distinct"
    }
    if len(found) != 1:
        raise Impossible("it is not said what the number is of")
    return found.pop()


def _absence(draft: QuestionDraft, rows: DatasetRows) -> tuple[Predicate | None, QuestionDraft]:
    """That what a draft denies is not so: no rows belong to a row, or its own conditions fail;
    and the draft without that."""
    denial = draft.denial
    assert denial is not None
    links = {each.name: each for each in rows.model.relationships}
    if denial.listed and denial.via and links[denial.via[0]].dataset == rows.dataset.name:
        link = links[denial.via[0]]
        key = FieldRef(dataset=link.dataset, field=link.fields[0])
        unlisted = Not(of=Exists(dataset=link.to, via=denial.via))
        return conjunction([unlisted, Not(of=Missing(of=key))]), replace(draft, denial=None)
    if denial.datasets is not None:
        near, ways = absent_ways(denial, rows)
        if near:
            other = rows.model.dataset(near)
            assert other is not None
            there = DatasetRows(other, rows.vocabulary)
            denied = replace(draft, denial=None, conditions=draft.denied)
            inner = conditions_of(denied, there, None).where
            rows.cost += there.cost
            none = [Not(of=Exists(dataset=near, via=via, where=inner)) for via in ways]
            return conjunction(none), replace(draft, denial=None)
        if rows.dataset.name not in denial.datasets:
            raise Impossible("no such rows belong to a row")
    if not draft.denied:
        raise Impossible("nothing is denied")
    denied = replace(draft, denial=None, conditions=draft.denied)
    test = conditions_of(denied, rows, None).where
    assert test is not None
    among = _group_of(draft, rows)
    if among is None:
        return Not(of=test), replace(draft, denial=None)
    # `in which months of 2024 did the West not sell a desk`: of all months of the year.
    periods = isinstance(among, Period)
    kept = [each for each in draft.conditions if not periods or isinstance(each, WhenPart)]
    inside = replace(draft, denial=None, conditions=[*draft.conditions, *draft.denied])
    where = conditions_of(inside, rows, None).where
    found = Query(dataset=rows.dataset.name, by=(among,), where=where)
    return Not(of=Among(of=among, query=found)), replace(draft, denial=None, conditions=kept)


def _group_of(draft: QuestionDraft, rows: DatasetRows) -> Expression | None:
    """What must be in no row at all, where it is not the rows themselves that are asked for."""
    counted = next((each.operand for each in draft.measures if each.operand is not None), None)
    entity = draft.subject or (counted if isinstance(counted, FieldRef) else None)
    if entity is None or rows.is_row(entity):
        return None
    by, identity = rows.groups([entity])
    return (*identity, *by)[0]
