"""What the parts of a draft say together: beside each other, and when all of them are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from flows.analysis.language.words import split_identifier
from flows.analysis.questions.draft import IMPLIED, DraftMeasure, Impossible, QuestionDraft
from flows.analysis.questions.parts import (
    AmountPart,
    BoundPart,
    EventPart,
    FigurePart,
    FormPart,
    GroupingPart,
    KnownPart,
    LatestPart,
    NamedPart,
    NounPart,
    Operand,
    Part,
    PeriodsPart,
    PerPart,
    RangePart,
    RatioPart,
    ValuePart,
    WhenPart,
)
from flows.analysis.questions.people import is_person
from flows.analysis.questions.vocabulary import Vocabulary
from flows.semantics.query import Arithmetic, FieldRef, MetricRef


def adjoin(draft: QuestionDraft, before: Part, part: Part, vocabulary: Vocabulary) -> None:
    """What two parts say together where nothing stands between them."""
    if isinstance(part, WhenPart) and isinstance(before, NamedPart):
        _date(draft, before.operand, vocabulary)
    if isinstance(before, GroupingPart) and isinstance(part, NamedPart):
        field = vocabulary.role(part.operand) in ("category", "text")
        draft.cost += 0.1 * (not isinstance(before.of, str) and field)  # `by product line`
    named = isinstance(part, BoundPart) and part.field is None and isinstance(before, NamedPart)
    behind = isinstance(part, NamedPart) and isinstance(before, BoundPart | RangePart)
    if named or (behind and isinstance(before, BoundPart | RangePart) and before.field is None):
        draft.cost += 0.1  # rather one part: `height over 5000`, `at least 4 rooms`


def _date(draft: QuestionDraft, named: Operand, vocabulary: Vocabulary) -> None:
    """A time that is named right before a period is the one that lies in it."""
    if vocabulary.role(named) != "time" or not isinstance(named, FieldRef):
        return
    field = vocabulary.field(named)
    if field is not None and field.type == "integer":
        raise Impossible("the year is a number")
    if draft.event is None and draft.shown[-1:] == [named]:
        draft.shown.pop()
        draft.event = EventPart(named)


def divide(draft: QuestionDraft, ratio: RatioPart) -> None:
    """A figure that is divided by another; said twice it is one."""
    if any((each.operand, each.per) == (ratio.above, ratio.below) for each in draft.measures):
        return
    made = DraftMeasure("sum", ratio.above, per=ratio.below, scale=ratio.scale)
    draft.measures.append(made)


def rank_by(draft: QuestionDraft, functions: list[FigurePart]) -> list[FigurePart]:
    """The functions that are left when one is that of the order: `the longest average session`."""
    extreme = draft.extreme
    if extreme is not None and any(each.operand == extreme.by for each in draft.measures):
        draft.extreme = replace(extreme, by=None)  # `the longest bill` where bills have a length
        return functions
    if extreme is None or extreme.by is None or not functions or draft.measures:
        return functions
    draft.measures.append(DraftMeasure(functions[0].function, extreme.by, at=functions[0].at))
    draft.extreme = replace(extreme, by=None)
    return functions[1:]


def drop_verbs(draft: QuestionDraft, verbs: Mapping[Operand, float]) -> None:
    """The measure of a verb says nothing where another one is named: `generates more clicks`."""
    named = [each for each in draft.measures if each.operand is None or each.operand not in verbs]
    if named and len(named) < len(draft.measures):
        draft.measures = named
        draft.cost += 0.02


def average(draft: QuestionDraft) -> None:
    """What is typical is asked for of measures of which nothing is said."""
    for each in draft.measures:
        if each.function is None and each.operand is not None:
            each.function = "average"


def count_groups(draft: QuestionDraft) -> None:
    """`tickets per month`: how many of them."""
    if draft.groups and draft.nouns:
        draft.measures.append(DraftMeasure("count", None, draft.nouns[0]))
        draft.cost += 0.05 if isinstance(draft.groups[0], str) else 0.15


def take_share(draft: QuestionDraft, linked: int) -> None:
    """What the part is of which a share is asked: what stands behind the verb, or else behind the
    rows of the whole, if something does. A time is rather that of the whole."""
    if draft.share and not (draft.measures or draft.nouns):
        of = [each.field.dataset for each in draft.share if isinstance(each, ValuePart | KnownPart)]
        draft.measures.append(DraftMeasure("count", None, of[0]))
    if draft.share is None or draft.share:
        return
    times = (WhenPart, PeriodsPart, LatestPart)
    behind = draft.conditions[max(linked, 0) :]
    if not any(not isinstance(each, times) for each in behind):
        behind = draft.conditions
    part = [each for each in behind if not isinstance(each, times)] or behind
    if draft.groups and all(isinstance(each, times) for each in part):
        return  # `how is the 2023 harvest split across crops`: the whole is that of the period
    draft.share = tuple(part)
    draft.conditions = [each for each in draft.conditions if each not in part]


def divide_figures(
    draft: QuestionDraft, pers: Iterable[PerPart], functions: list[FigurePart],
    vocabulary: Vocabulary,
) -> list[FigurePart]:  # fmt: skip
    """Divide figures; an average of them over entities is just that. Gives the functions left."""
    for each in pers:
        if not draft.measures:
            raise Impossible("nothing is divided")
        last = draft.measures[-1]
        averaged = any(f.function == "average" for f in functions)
        functions = [f for f in functions if f.function != "average"]
        mean = averaged or last.function == "average"
        if isinstance(each.of, NounPart) and mean and is_span(last.operand):
            last.function = "average"  # `how long does a reader keep a book`
            continue
        if isinstance(each.of, NounPart):
            divide_by(draft, each.of, last, vocabulary, averaged or last.function == "average")
            if last.function == "average":
                continue
        elif averaged and last.function is None:
            last.function = "average"
        last.per, last.period, last.limit = each.of, each.period, each.percent
        last.scale *= each.scale
        if each.percent:
            draft.form = replace(draft.form or FormPart(), percent=True)
    return functions


def is_span(operand: Operand | None) -> bool:
    """Whether a measure is the time from one thing to another."""
    return isinstance(operand, Arithmetic) and operand.operator == "-"


def divide_by(
    draft: QuestionDraft, noun: NounPart, last: DraftMeasure, vocabulary: Vocabulary, averaged: bool
) -> None:
    """A figure of each of some entities, on average."""
    own = vocabulary.home(last.operand) == noun.dataset
    if not averaged and not own and not draft.groups:
        raise Impossible("it is rather a group")
    if own and not isinstance(last.operand, MetricRef):
        last.function = "average"
        return
    last.function = None if last.function == "average" else last.function
    if averaged and any(isinstance(each, str) for each in draft.groups):
        draft.cost += IMPLIED  # `average monthly visits per guest`: of months too


def count_usual(draft: QuestionDraft, functions: Iterable[FigurePart]) -> list[FigurePart]:
    """`how many per day on average`: rows counted of a usual period. Gives the functions left."""
    grains = [each for each in draft.groups if isinstance(each, str)]
    counted = len(draft.measures) == 1 and draft.measures[0].function == "count"
    averages = [each for each in functions if each.function == "average" and each.operand is None]
    if not counted or len(grains) != 1 or not averages:
        return list(functions)
    draft.measures[0].usual = grains[0]
    draft.groups.remove(grains[0])
    return [each for each in functions if each not in averages]


def settle(draft: QuestionDraft, vocabulary: Vocabulary) -> None:
    """What is only known when all parts are."""
    take_usual(draft)
    take_money(draft, vocabulary)
    count_open(draft, vocabulary)


def count_open(draft: QuestionDraft, vocabulary: Vocabulary) -> None:
    """Things that are not over are as many as the rows that have no end: of a title that is lent
    twice two are out. Persons are counted once."""
    open_ends = {
        each.field.dataset
        for each in draft.conditions
        if isinstance(each, KnownPart) and not each.holds
        and vocabulary.role(each.field) == "time"
    }  # fmt: skip
    for each in draft.measures:
        of = each.operand
        if not each.repeats or not isinstance(of, FieldRef) or of.dataset not in open_ends:
            continue
        if not any(is_person(word) for word in split_identifier(of.field)):
            each.function, each.operand, each.dataset = "count", None, of.dataset


def take_usual(draft: QuestionDraft) -> None:
    """The one figure of a question as that of a usual period, where it asks for that."""
    if draft.usual is None:
        return
    if not draft.measures and draft.nouns:
        draft.measures.append(DraftMeasure("count", None, draft.nouns[0]))
    summed = (None, "sum", "count", "average")
    if len(draft.measures) != 1 or draft.measures[0].function not in summed:
        raise Impossible("it is not said what is usual")
    if draft.measures[0].function == "average":
        draft.measures[0].function = None
    draft.measures[0].usual = draft.usual


def set_beside(draft: QuestionDraft) -> None:
    """The condition that was said last is that of the rows of which all others are the rest."""
    if not draft.conditions or draft.beside is not None:
        raise Impossible("it is not said what the rest is beside")
    draft.beside = draft.conditions.pop()


def take_money(draft: QuestionDraft, vocabulary: Vocabulary) -> None:
    """What is told in a currency and called by nothing else is what was taken: `in dollars`."""
    if draft.form is None or not draft.form.currency or draft.measures:
        return
    homes = draft.nouns or [each.name for each in vocabulary.model.datasets]
    taken = [
        each
        for each in vocabulary.fields(["revenue"])
        if each.role == "measure" and vocabulary.home(each.operand) in homes
    ]
    if draft.extreme is None and taken:
        draft.measures.append(DraftMeasure(None, taken[0].operand))
        draft.cost += taken[0].cost


def apply_functions(draft: QuestionDraft, functions: Iterable[FigurePart]) -> None:
    """Functions that stand behind what they are of: `what do people earn on average`."""
    for each in count_usual(draft, functions):
        open_ones = [m for m in draft.measures if m.function is None]
        if open_ones:
            open_ones[-1].function, open_ones[-1].at = each.function, each.at
        elif not draft.measures and draft.extreme and draft.extreme.by and each.at is None:
            # `the dearest product on average`
            if each.function in ("minimum", "maximum"):
                raise Impossible("two ends are named")
            draft.measures.append(DraftMeasure(each.function, draft.extreme.by))
            draft.extreme = replace(draft.extreme, by=None, vague=False)
        elif each.function == "sum" or any(
            m.function == each.function and m.at == each.at for m in draft.measures
        ):
            draft.cost += 0.03  # `altogether` behind what is counted
        else:
            draft.cost += IMPLIED


def apply_amount(draft: QuestionDraft, amount: AmountPart) -> None:
    """`how many` or `how much` of what is left to be guessed."""
    if amount.counted and not any(m.function == "count" for m in draft.measures):
        dataset = draft.nouns[0] if draft.nouns else ""
        draft.measures.append(DraftMeasure("count", None, dataset))
        draft.cost += 0.1
        if isinstance(draft.subject, NounPart) and draft.extreme is None and not draft.groups:
            draft.subject = None  # `which of them, and how many`
    elif not draft.measures:
        draft.cost += IMPLIED
