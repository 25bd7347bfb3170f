"""Changes of figures from one period to another, and their courses along time."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Literal

from flows.analysis.language.phrasebook import MONTHS, WEEKDAYS
from flows.analysis.parser.periods import write_named
from flows.analysis.questions.axis import axis_of
from flows.analysis.questions.conditions import conditions_of, test_of_periods
from flows.analysis.questions.draft import (
    Condition,
    DraftMeasure,
    Entity,
    Impossible,
    QuestionDraft,
)
from flows.analysis.questions.parts import (
    TIME,
    GrowthPart,
    LatestPart,
    PeriodsPart,
    ValuePart,
    WhenPart,
)
from flows.analysis.questions.rows import DatasetRows
from flows.analysis.questions.scopes import percentage, within
from flows.analysis.questions.shares import figures_of
from flows.core.observation import Cell
from flows.semantics.calendar import shift
from flows.semantics.query import (
    Arithmetic,
    Compare,
    Comparison,
    Constant,
    Expression,
    Grain,
    Not,
    Order,
    Period,
    Predicate,
    Query,
    Rank,
    Scope,
    Transform,
)

_ALL = 1_000_000  # more periods than there are
_THOUGHT = 0.2  # what it costs that the length of the periods has to be thought of


def query_of_change(draft: QuestionDraft, rows: DatasetRows) -> Query:
    """How a figure changes between two periods, or from each period to the next."""
    change = draft.change or GrowthPart()
    if draft.extreme is not None and draft.extreme.by is not None and not draft.measures:
        draft = replace(draft, measures=[DraftMeasure(None, draft.extreme.by)])
    percent = change.operation == "growth" or (draft.form is not None and draft.form.percent)
    draft = _with_previous(draft, change)
    periods = _periods(draft)
    times, others = _entities(draft, rows)
    if periods is not None:
        listed = replace(periods, join="list")
        held = [listed if each == periods else each for each in draft.conditions]
        draft = replace(draft, conditions=held)
        if len(listed.values) > 2 and (others or draft.extreme is not None):
            raise Impossible("more than two periods are named")
        if len(listed.values) == 2 and (
            percent or (change.up is not None and others) or draft.extreme is not None
        ):
            return _computed(draft, listed, others, percent, rows)
        if len(listed.values) == 2:
            return _side_by_side(draft, listed, others, rows)
    if draft.extreme is not None:
        raise Impossible("a change of all rows has no order")
    operations: tuple[Operation, ...] = ("growth",) if percent else ("change",)
    grain = periods.grain if periods is not None else _grain(change.grain, times, "year", rows)
    return _along(draft, others, grain, operations, 1, rows)


def query_of_course(draft: QuestionDraft, rows: DatasetRows) -> Query:
    """The sum so far, the moving average or the index of a figure along time."""
    course = draft.course
    assert course is not None
    times, others = _entities(draft, rows)
    if draft.extreme is not None:
        raise Impossible("a course has no order of its own")
    grain = _grain(course.grain, times, "month", rows)
    return _along(draft, others, grain, (course.operation,), course.n, rows)


def _with_previous(draft: QuestionDraft, change: GrowthPart) -> QuestionDraft:
    """The draft with the period before beside the only one that it names: `more in 2024 than the
    year before`."""
    grain = change.grain
    if grain is None or any(isinstance(each, str) for each in draft.groups):
        return draft
    for each in draft.conditions:
        test = each.test if isinstance(each, WhenPart) else None
        if not isinstance(test, Comparison) or test.operator != "=":
            continue
        if not isinstance(test.left, Period) or test.left.grain != grain:
            continue
        value = test.right.value if isinstance(test.right, Constant) else None
        if (before := _before(grain, value)) is not None and value is not None:
            both = PeriodsPart(grain, (before, value), "versus")
            held = [both if one is each else one for one in draft.conditions]
            return replace(draft, conditions=held)
    return draft


def _before(grain: Grain, value: Cell) -> Cell:
    """The period before one; None where it is told by no number and no day."""
    if grain == "year" and isinstance(value, int):
        return value - 1
    if isinstance(value, str) and grain in ("half", "quarter", "month", "week", "day"):
        return shift(date.fromisoformat(value), grain, -1).isoformat()
    return None


Side = WhenPart | PeriodsPart


def opposites(draft: QuestionDraft) -> tuple[Side, Side] | None:
    """Two kinds of days, or two seasons, of which both are asked for: `at weekends compared with
    weekdays`, `summer against winter`."""
    days: list[Side] = [
        each
        for each in draft.conditions
        if isinstance(each, WhenPart)
        and isinstance(each.test, Comparison)
        and isinstance(each.test.left, Period)
        and each.test.left.grain == "weekday"
    ]
    seasons: list[Side] = [
        each
        for each in draft.conditions
        if isinstance(each, PeriodsPart) and each.grain == "month of year" and each.join == "list"
    ]
    for two in (days, seasons):
        if len(two) == 2 and two[0] != two[1]:
            return two[0], two[1]
    return None


def query_of_scopes(draft: QuestionDraft, scopes: tuple[Side, Side], rows: DatasetRows) -> Query:
    """Figures of two kinds of days, or of two seasons, side by side."""
    left = replace(draft, conditions=[each for each in draft.conditions if each not in scopes])
    _, others = _entities(draft, rows)
    by, identity = rows.groups(others)
    first, second = (_scope(each, rows) for each in scopes)
    return Query(
        dataset=rows.dataset.name,
        metrics=figures_of(left, rows),
        by=by,
        identity=identity,
        where=conditions_of(left, rows, None).where,
        compare=Compare(a=first, b=second),
    )


def query_of_rest(draft: QuestionDraft, beside: Condition, rows: DatasetRows) -> Query:
    """Figures of the rows for which something holds, and of all others: `solar or not`."""
    if draft.extreme is not None or draft.usual is not None:
        raise Impossible("sides have no order")
    _, others = _entities(draft, rows)
    yes = isinstance(beside, ValuePart) and rows.vocabulary.states.yes(beside.field) is not None
    if isinstance(beside, ValuePart) and yes:
        others = [beside.field, *others]
    by, identity = rows.groups(others)
    made = Query(
        dataset=rows.dataset.name,
        metrics=figures_of(draft, rows, draft.form),
        by=by,
        identity=identity,
        where=conditions_of(draft, rows, None).where,
    )
    if yes:
        return made
    test = conditions_of(QuestionDraft(conditions=[beside]), rows, None).where
    assert test is not None  # there is a condition
    one = Scope(name=_side(beside, test), where=test)
    return made.model_copy(
        update={"compare": Compare(a=one, b=Scope(name="rest", where=Not(of=test)))}
    )


def _scope(side: Side, rows: DatasetRows) -> Scope:
    test = conditions_of(QuestionDraft(conditions=[side]), rows, None).where
    assert test is not None  # there is a condition
    return Scope(name=_side(side, test), where=test)


def _side(condition: Condition, test: Predicate) -> str:
    """What the rows are called for which a condition holds."""
    if isinstance(condition, ValuePart):
        return " or ".join(map(str, condition.values))
    if isinstance(condition, PeriodsPart):
        return " or ".join(_name(condition.grain, each) for each in condition.values)
    if isinstance(test, Comparison) and isinstance(test.right, Constant):
        of, value = test.left, test.right.value
        if isinstance(of, Period) and of.grain == "weekday":
            return WEEKDAYS.write((test.operator, value))  # type: ignore[arg-type]
        if isinstance(of, Period) and test.operator == "=":
            return _name(of.grain, value)
    return "these"


Operation = Literal["running", "moving", "index", "change", "growth"]


def _periods(draft: QuestionDraft) -> PeriodsPart | None:
    """The two periods between which something changes."""
    found = [each for each in draft.conditions if isinstance(each, PeriodsPart)]
    if len(found) > 1:
        raise Impossible("more than two periods are named")
    return found[0] if found and len(found[0].values) > 1 else None


def _entities(draft: QuestionDraft, rows: DatasetRows) -> tuple[list[Grain], list[Entity]]:
    """The lengths of periods that are named, and the groups."""
    entities = [] if draft.subject is None else [draft.subject]
    entities += draft.groups
    if draft.subject is None and (draft.asked in ("where", "which", "who") or draft.extreme):
        entities += [each for each in draft.shown if rows.vocabulary.role(each) != "measure"][:1]
    times: list[Grain] = [each for each in entities if isinstance(each, str)]
    return times, [each for each in entities if not isinstance(each, str)]


def _grain(said: Grain | None, times: list[Grain], usual: Grain, rows: DatasetRows) -> Grain:
    """The length of the periods: what is said, else the usual one of such times."""
    known = dict.fromkeys([*times, *([] if said is None else [said])])
    if len(known) > 1:
        raise Impossible("periods of two lengths are named")
    if known:
        return next(iter(known))
    rows.cost += _THOUGHT
    if rows.has_times():
        return usual
    for grain in ("year", "quarter", "month"):
        try:
            axis_of(rows, grain)
        except Impossible:
            continue
        return grain
    raise Impossible("nothing says when its rows happened")


def _along(
    draft: QuestionDraft, groups: list[Entity], grain: Grain,
    operations: tuple[Operation, ...], n: int,
    rows: DatasetRows,
) -> Query:  # fmt: skip
    """Figures of periods, each with what is computed along them."""
    form = draft.form if "growth" not in operations else None
    figures = figures_of(draft, rows, form)
    by, identity = rows.groups(groups)
    axis = axis_of(rows, grain).expression
    along = Order(by=axis)
    return Query(
        dataset=rows.dataset.name,
        metrics=figures,
        by=(*by, axis),
        identity=identity,
        where=conditions_of(draft, rows, None).where,
        transforms=tuple(
            Transform(operation=each, of=figure, along=(along,), within=by, n=n)
            for figure in figures
            for each in operations
        ),
        sort=(*(Order(by=each) for each in by), along),
        rank=_behind_first(draft, operations, by, along),
    )


def _behind_first(
    draft: QuestionDraft, operations: tuple[Operation, ...], by: tuple[Expression, ...],
    along: Order,
) -> Rank | None:  # fmt: skip
    """All periods but the first, which has none before it to have changed from. Of some periods
    of the data the first has one, and stays with the figure that the next one changes from."""
    cut = any(isinstance(each, WhenPart | PeriodsPart | LatestPart) for each in draft.conditions)
    if cut or not {"change", "growth"}.issuperset(operations):
        return None
    return Rank(by=(along,), n=_ALL, skip=1, within=by)


def _place(period: Cell) -> tuple[int, str]:
    """The order of the numbers, or the first days, of periods."""
    return len(str(period)), str(period)


def _side_by_side(
    draft: QuestionDraft, periods: PeriodsPart, groups: list[Entity], rows: DatasetRows
) -> Query:
    """Figures in two periods, the later first, and their difference."""
    by, identity = rows.groups(groups)
    first, last = (
        Scope(name=_name(periods.grain, each), where=_test(periods, each, rows))
        for each in sorted(periods.values, key=_place)
    )
    others = replace(draft, conditions=[e for e in draft.conditions if e != periods])
    return Query(
        dataset=rows.dataset.name,
        metrics=figures_of(draft, rows, draft.form),
        by=by,
        identity=identity,
        where=conditions_of(others, rows, None).where,
        compare=Compare(a=last, b=first),
    )


def _test(periods: PeriodsPart, value: Cell, rows: DatasetRows) -> Predicate:
    return test_of_periods(replace(periods, values=(value,)), rows)


def _name(grain: Grain, value: Cell) -> str:
    """What a period is called."""
    side, right = Period(of=TIME, grain=grain), Constant(value=value)
    if grain == "quarter of year":
        return f"Q{value}"
    if grain == "month of year":
        return MONTHS.write(int(str(value)))
    if grain == "half":
        return f"H{1 + (str(value)[5:7] > '06')} {str(value)[:4]}"
    return write_named(Comparison(left=side, operator="=", right=right)) or str(value)


def _computed(
    draft: QuestionDraft,
    periods: PeriodsPart,
    groups: list[Entity],
    percent: bool,
    rows: DatasetRows,
) -> Query:
    """A figure in two periods, and by how much or by what percentage it changes."""
    figure = figures_of(draft, rows)[0]
    by, identity = rows.groups(groups)
    first, last = (
        within(figure, _test(periods, each, rows), rows.model)
        for each in (min(periods.values, key=_place), max(periods.values, key=_place))
    )
    changed: Expression = Arithmetic(operator="-", left=last, right=first)
    if percent:
        changed = percentage(changed, first)
    up = draft.change.up if draft.change is not None else None
    chosen = draft.subject is not None or draft.asked in ("where", "which", "who")
    having = None
    if by and up is not None and chosen and draft.extreme is None:
        bound = Constant(value=0)
        having = Comparison(left=changed, operator=">" if up else "<", right=bound)
    rank = None
    if draft.extreme is not None:
        descending = draft.extreme.descending == (up is not False)
        order = (Order(by=changed, descending=descending),)
        rank = Rank(by=order, n=draft.extreme.n, skip=draft.extreme.place)
    return Query(
        dataset=rows.dataset.name,
        metrics=(changed,) if having is not None or rank is not None else (first, last, changed),
        by=by,
        identity=identity,
        show=by if having is not None else (),
        where=conditions_of(draft, rows, None).where,
        having=having,
        rank=rank,
    )
