"""The parts of a question walked over in their order, and put together as a draft."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from flows.analysis.questions.draft import (
    IMPLIED,
    Condition,
    DraftMeasure,
    Impossible,
    QuestionDraft,
    row_value,
)
from flows.analysis.questions.endings import (
    adjoin,
    apply_amount,
    apply_functions,
    average,
    count_groups,
    divide,
    divide_figures,
    drop_verbs,
    rank_by,
    set_beside,
    settle,
    take_share,
)
from flows.analysis.questions.parts import (
    AmountPart,
    AskedPart,
    BandsPart,
    ComparativePart,
    CoursePart,
    DenialPart,
    DifferencePart,
    EventPart,
    ExtremePart,
    FigurePart,
    FormPart,
    GroupingPart,
    GrowthPart,
    JudgementPart,
    LinkPart,
    MeasuredPart,
    NamedPart,
    NounPart,
    Operand,
    PerPart,
    PlacedPart,
    ProductPart,
    RatePart,
    RatioPart,
    RepeatsPart,
    RestPart,
    RolePart,
    SharePart,
    SpreadPart,
    UsualPeriodPart,
    ValuePart,
    WeightPart,
)
from flows.analysis.questions.roles import bind_role, is_own_key, thing_of
from flows.analysis.questions.vocabulary import Vocabulary
from flows.semantics.query import Arithmetic, FieldRef, Function

Sides = ComparativePart | BandsPart | SpreadPart | RestPart


class Drafting:
    """Walks over the parts in their order; what stands open is bound to what follows it."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.draft = QuestionDraft()
        self.functions: list[FigurePart] = []
        self.amount: AmountPart | None = None
        self.asked: AskedPart | None = None  # which word waits for its noun
        self.verbs: dict[Operand, float] = {}  # measures that verbs speak of, with their costs
        self.wanted = 1  # so many are asked for: `which 3`
        self.linked = -1  # how many conditions stand before the verb of a share
        self.whole = -1  # how many stand before the rows of which a share is asked
        self.ranked = False  # an extreme waits for its noun
        self.pers: list[PerPart] = []
        self.role: RolePart | None = None  # the values that follow are of what it refers to
        self.played = False  # there are such values
        self.weight: WeightPart | None = None
        self.last: PlacedPart | None = None  # the part before
        self.averaged = False  # measures without a function of their own

    def of(self, parts: tuple[PlacedPart, ...]) -> QuestionDraft:
        for placed in parts:
            self._take(placed)
        first = parts[0].part if parts else None
        if isinstance(first, ValuePart) and first.holds:
            self.draft.called = first.field.dataset
        self._end()
        return self.draft

    def _take(self, placed: PlacedPart) -> None:
        part, draft = placed.part, self.draft
        if self.last is not None and self.last.end == placed.start:
            adjoin(draft, self.last.part, part, self.vocabulary)
        self.last = placed
        if isinstance(part, Condition):
            self._condition(part)
            return
        match part:
            case DenialPart() | RolePart() | RepeatsPart() | UsualPeriodPart() | JudgementPart():
                self._modify(part)
            case AskedPart():
                draft.asked = draft.asked or part.word
                draft.persons = draft.persons or part.persons
                self.wanted = max(self.wanted, part.n)
                self.asked = None if part.word in ("whether", "what") else part
            case AmountPart(of=NounPart(dataset=dataset)):
                self._measure("count", None, placed, dataset=dataset)
            case AmountPart():
                self.amount = part
            case FigurePart(operand=None):
                self.functions.append(part)
            case FigurePart():
                for each in (*self.functions, part):  # `minimum and maximum price`
                    self._measure(each.function, part.operand, placed, each.at)
                self.functions, self.asked = [], None
            case MeasuredPart():
                self._measured(part.operand, placed)
            case NamedPart():
                self._named(part.operand, placed)
            case NounPart():
                self._noun(part, placed)
            case GroupingPart():
                self._group(part)
            case ExtremePart():
                self._extreme(part, placed)
            case FormPart():
                draft.form = part if draft.form is None else draft.form.joined(part)
            case ComparativePart() | BandsPart() | SpreadPart() | RestPart():
                self._compare(part, placed)
            case EventPart():
                self._event(part, placed)
            case GrowthPart():
                draft.change = part if draft.change is None else draft.change.joined(part)
            case CoursePart():
                draft.course = part if draft.course is None or part.grain else draft.course
            case SharePart():
                draft.share = () if part.part is None else (part.part,)
            case LinkPart():
                self.linked = len(draft.conditions) if self.linked < 0 else self.linked
            case PerPart():
                self.pers.append(part)
            case WeightPart():
                self._weighted(part, placed)
            case RatePart() | DifferencePart() | ProductPart() | RatioPart():
                self._computed(part, placed)

    def _compare(self, part: Sides, placed: PlacedPart) -> None:
        """Sides that are compared, ranges that are counted, values over which rows are spread."""
        draft = self.draft
        match part:
            case RestPart():
                set_beside(draft)
            case BandsPart():
                draft.banded, draft.spoken = True, part.field or draft.spoken
            case SpreadPart():
                draft.spread = part.field
                draft.groups.append(part.field)
            case ComparativePart():
                draft.compared = True
                if part.operand is not None:
                    self._measured(part.operand, placed)
                if part.counted is not None:
                    self._measure("count", None, placed, dataset=part.counted.dataset)

    def _condition(self, condition: Condition) -> None:
        if isinstance(condition, ValuePart) and self.role is not None and not condition.field.via:
            relationship = self.vocabulary.model.relationship(self.role.relationship)
            if relationship is not None and relationship.to == condition.field.dataset:
                via = condition.field.model_copy(update={"via": (relationship.name,)})
                condition = replace(condition, field=via)
                self.played = True
        denied = self.draft.denial is not None
        (self.draft.denied if denied else self.draft.conditions).append(condition)

    def _modify(
        self, part: DenialPart | RolePart | RepeatsPart | UsualPeriodPart | JudgementPart
    ) -> None:
        """What changes the meaning of the conditions behind it, or of the rows."""
        match part:
            case DenialPart():
                if self.draft.denial is not None:
                    raise Impossible("two things are denied")
                self.draft.denial = part
            case RolePart():
                self.role = part
            case RepeatsPart():
                self.draft.repeats = True
            case UsualPeriodPart():
                self.draft.usual = part.grain
            case JudgementPart():
                self.draft.judged = True

    def _measure(
        self, function: Function | None, operand: Operand | None, placed: PlacedPart,
        at: float | None = None, dataset: str = "",
    ) -> None:  # fmt: skip
        self.draft.measures.append(DraftMeasure(function, operand, dataset, at, placed.start))

    def _measured(self, operand: Operand, placed: PlacedPart) -> None:
        """A verb or adjective: the measure, unless one was named already."""
        if self.amount is not None or self.functions or not self.draft.measures:
            self._value_of(operand, placed)
            self.draft.measures[-1].each = True
            self.verbs[operand] = placed.cost
        elif all(each.operand != operand for each in self.draft.measures):
            self.draft.cost += 0.02  # `revenue that we made`: the verb says nothing new
            self.draft.spoken = operand

    def _computed(
        self, part: RatePart | DifferencePart | ProductPart | RatioPart, placed: PlacedPart
    ) -> None:
        """A figure that is made of others."""
        match part:
            case RatePart():
                self._measure("share", None, placed, dataset=part.dataset)
                self.draft.measures[-1].test = part.test
            case DifferencePart():
                self._difference(part, placed)
            case ProductPart():
                if part.stated:
                    self.draft.measures, self.draft.change, self.functions = [], None, []
                self._value_of(part.expression, placed)
            case RatioPart():
                self.functions, self.amount = [], None
                divide(self.draft, part)

    def _difference(self, part: DifferencePart, placed: PlacedPart) -> None:
        made = Arithmetic(operator="-", left=row_value(part.left), right=row_value(part.right))
        self._value_of(made, placed)
        if part.relative:
            self.draft.measures[-1].per = part.right
            self.amount = None

    def _weigh(self, weight: WeightPart, operand: Operand, placed: PlacedPart) -> None:
        product = Arithmetic(operator="*", left=row_value(operand), right=row_value(weight.by))
        self._measure("sum", product, placed)
        self.draft.measures[-1].per = weight.by

    def _weighted(self, weight: WeightPart, placed: PlacedPart) -> None:
        """By what the measure is weighted that was named, or the one that follows."""
        last = self.draft.measures.pop() if self.draft.measures else None
        if last is None:
            self.weight = weight
        elif last.operand is None or last.function not in (None, "average"):
            raise Impossible("only averages are weighted")
        else:
            self._weigh(weight, last.operand, placed)

    def _value_of(self, operand: Operand, placed: PlacedPart) -> None:
        """A measure is named: with the function that waits for one, if there is one."""
        if self.weight is not None:
            self._weigh(self.weight, operand, placed)
            self.weight, self.functions = None, []
        elif self.functions:
            made = self.functions.pop(0)
            self._measure(made.function, operand, placed, made.at)
            self.amount = None
        elif self.amount is not None:
            self._measure(None if not self.amount.counted else "sum", operand, placed)
            self.amount = None
        else:
            self._measure(None, operand, placed)

    def _named(self, operand: Operand, placed: PlacedPart) -> None:
        role = self.vocabulary.role(operand)
        if role == "measure":
            self._value_of(operand, placed)
            self.asked = None
            return
        assert isinstance(operand, FieldRef)
        if self.amount is not None and self.amount.counted:
            self._counted_field(operand, placed, self.amount)
        elif role == "identifier" and placed.cost > 0 and self.asked is None and not self.ranked:
            # `the song X`: the thing is spoken of, not its number.
            own = is_own_key(operand, self.vocabulary.model)
            self.draft.cost += 0.0 if own else 0.1
            self.draft.nouns.append(operand.dataset)
        elif self.asked is not None or self.ranked:
            if self.draft.subject is None:
                self.draft.subject = (
                    thing_of(operand, self.vocabulary.model) if placed.cost > 0 else operand
                )
                if self.draft.asked == "who" and role in ("identifier", "time"):
                    self.draft.cost += IMPLIED
            else:
                self.draft.shown.append(operand)
            self.asked, self.ranked = None, False
        else:
            self.draft.shown.append(operand)

    def _counted_field(self, operand: FieldRef, placed: PlacedPart, amount: AmountPart) -> None:
        dataset = self.vocabulary.model.dataset(operand.dataset)
        if self.vocabulary.refers(operand) and self.vocabulary.role(operand) == "identifier":
            self.draft.cost += 0.15  # rather the rows that it refers to
        if self.vocabulary.role(operand) == "time" and placed.cost > 0:
            self.draft.cost += 0.15  # `orders` are rather no different order dates
        if (yes := self.vocabulary.states.yes(operand)) is not None:  # `how many no-shows`
            self._condition(ValuePart(operand, self.vocabulary.states.every_yes(operand)))
        named = () if dataset is None else ((dataset.label,), dataset.key)
        if yes is not None or (operand.field,) in named:
            self._measure("count", None, placed, dataset=operand.dataset)
        else:
            # Who counts yes and no?
            self.draft.cost += IMPLIED * (self.vocabulary.role(operand) == "flag")
            self._measure("count distinct", operand, placed)
            self.draft.measures[-1].repeats = not amount.different
        self.amount = None

    def _noun(self, noun: NounPart, placed: PlacedPart) -> None:
        draft = self.draft
        if self.amount is not None and self.amount.counted:
            self._measure("count", None, placed, dataset=noun.dataset)
            self.amount = None
        elif (self.asked is not None or self.ranked) and draft.subject is None:
            draft.subject = noun
        draft.nouns.append(noun.dataset)
        if draft.share is not None and self.whole < 0:
            self.whole = len(draft.conditions)
        self.asked, self.ranked = None, False

    def _event(self, event: EventPart, placed: PlacedPart) -> None:
        if self.draft.event is not None:
            self.draft.cost += 0.5
            return
        self.draft.event = event
        if event.noun:
            self._noun(NounPart(event.field.dataset), placed)

    def _group(self, grouping: GroupingPart) -> None:
        self.averaged = self.averaged or grouping.averaged
        ranks = self.ranked and isinstance(grouping.of, str)  # `busiest hour of the day`
        asked = self.asked is not None or grouping.asked or ranks
        if asked and self.draft.subject is None:
            self.draft.subject = grouping.of
            self.asked, self.ranked = None, False
        elif grouping.of not in self.draft.groups:
            self.draft.groups.append(grouping.of)

    def _extreme(self, extreme: ExtremePart, placed: PlacedPart) -> None:
        draft = self.draft
        before = draft.extreme
        if before is not None and before.vague and before.by is None and extreme.by is not None:
            extreme = replace(extreme, n=max(before.n, extreme.n))  # `top 3 most expensive`
        elif before is not None:
            draft.cost += 0.5
            return
        draft.extreme = extreme if extreme.n > 1 else replace(extreme, n=self.wanted)
        if extreme.by in self.verbs:
            # `brings in the most money`: the one confirms the other
            draft.cost -= min(self.verbs[extreme.by], placed.cost)
        if extreme.of is not None and draft.subject in (None, extreme.of):
            draft.subject, self.asked = extreme.of, None
        elif extreme.counted is not None:
            self._measure("count", None, placed, dataset=extreme.counted.dataset)
            if extreme.counted.via:
                if draft.subject is None and draft.asked == "who":
                    draft.subject, self.asked = NounPart(extreme.counted.dataset), None
                self.role = RolePart(extreme.counted.via[0])
            self.ranked = extreme.each and draft.subject is None  # `most borrowed books`
        elif extreme.by is None or draft.subject is None:
            self.ranked = draft.subject is None

    def _end(self) -> None:
        draft = self.draft
        if self.weight is not None:
            raise Impossible("nothing is weighted")
        if self.role is not None and not self.played:
            bind_role(draft, self.role.relationship, self.vocabulary.model)
        take_share(draft, self.linked if self.linked >= 0 else self.whole)
        self.functions = rank_by(draft, self.functions)
        drop_verbs(draft, self.verbs)
        if draft.spread is not None and not draft.measures and self.amount is None:
            draft.measures.append(DraftMeasure("count", None, draft.spread.dataset))
        if not (draft.measures or self.amount or draft.extreme or draft.subject or draft.shown):
            count_groups(draft)
        apply_functions(draft, divide_figures(draft, self.pers, self.functions, self.vocabulary))
        if self.averaged:
            average(draft)
        if self.amount is not None:
            apply_amount(draft, self.amount)
        settle(draft, self.vocabulary)


def drafts_of(parts: tuple[PlacedPart, ...], vocabulary: Vocabulary) -> Iterator[QuestionDraft]:
    """What the parts of a question say together; nothing where they do not fit each other."""
    with suppress(Impossible):
        yield Drafting(vocabulary).of(parts)
