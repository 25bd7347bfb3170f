"""Questions as people ask them, read as queries: the door of this package."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.words import LONGEST, Token, split_identifier
from flows.analysis.questions.completion import complete
from flows.analysis.questions.drafting import drafts_of
from flows.analysis.questions.parts import (
    AmountPart,
    AskedPart,
    BandsPart,
    BoundPart,
    ComparativePart,
    ExtremePart,
    FigurePart,
    FormPart,
    GroupingPart,
    KnownPart,
    NamedPart,
    NounPart,
    Part,
    PerPart,
    PlacedPart,
    ProductPart,
    RangePart,
    RatePart,
    RatioPart,
    RolePart,
    SharePart,
    SpreadPart,
    ValuePart,
)
from flows.analysis.questions.rows import DatasetRows
from flows.analysis.questions.search import Way, find_ways
from flows.analysis.questions.several import (
    asks_how_much,
    figure_of_first,
    refers_back,
    split_questions,
)
from flows.analysis.questions.text import Text
from flows.analysis.questions.vocabulary import vocabulary_of
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Exists, FieldRef, Not, Query
from flows.semantics.tree import parts

_MOST = 4
_SUMMED = 0.6  # what it costs to tell one figure of rows that are to be listed
_LISTING = frozenset(["list", "show", "display", "give", "print", "return"])
_TWIN = 0.015  # how little the readings may differ among which nothing chooses
_PARTLY = 0.15  # from here on words are no more than a part of a name
_RIVAL = 0.1  # what a reading may cost more than the first to be its rival


@dataclass(frozen=True, slots=True)
class QuestionReading:
    """A query that a question may mean. `cost` says what had to be believed for it, `skipped` are
    the words that nothing stands for; `rivals` are others that cost little more, `choices` those
    among which only the asker can choose."""

    query: Query
    cost: float
    skipped: tuple[Token, ...]
    way: Way
    tokens: tuple[Token, ...]
    rivals: tuple[Query, ...] = ()
    choices: tuple[Query, ...] = ()

    @property
    def confidence(self) -> float:
        return round(0.95 * math.exp(-1.1 * self.cost), 4)

    @property
    def is_converted(self) -> bool:
        """Whether the question says in which unit or scale the answer is to be."""
        forms = [each.part for each in self.way.parts if isinstance(each.part, FormPart)]
        return any(each.unit or each.scale != 1.0 for each in forms)

    @property
    def compares(self) -> bool:
        """Whether it puts sides, ranges or the first of each group beside each other, asks for
        the worst, or says that there are no such rows: other readers take these for conditions."""
        kinds = {type(each.part) for each in self.way.parts}
        rank = self.query.rank
        absent = self.query.where is not None and any(
            isinstance(each, Not) and isinstance(each.of, Exists)
            for each in parts(self.query.where)
        )
        worst = any(
            isinstance(each.part, ExtremePart) and each.part.judged for each in self.way.parts
        )
        return (
            absent
            or worst
            or self._speaks_of_roles
            or any(isinstance(each.part, ValuePart) and each.part.begun for each in self.way.parts)
            or bool(kinds & {ComparativePart, SpreadPart, BandsPart})
            or (rank is not None and rank.within != ())
        )

    @property
    def _speaks_of_roles(self) -> bool:
        """Whether it says which of several roles a row has: the home team, who sent it."""
        kinds = [each.part for each in self.way.parts]
        doers = any(isinstance(each, AskedPart) and each.persons for each in kinds)
        told = (*self.query.by, *self.query.show)
        in_role = doers and any(
            isinstance(each, FieldRef) and each.dataset != self.query.dataset for each in told
        )
        return in_role or any(
            isinstance(each, RolePart) or (isinstance(each, NounPart) and each.via)
            for each in kinds
        )

    @property
    def divides(self) -> bool:
        """Whether it asks for a share or a figure made of two, which other readers take for one of
        its parts."""
        parts = [each.part for each in self.way.parts]
        counted = any(isinstance(each, AmountPart) for each in parts)  # `how many per level`
        return any(
            isinstance(each, SharePart | RatePart | RatioPart | ProductPart)
            or (isinstance(each, PerPart) and not isinstance(each.of, NounPart) and not counted)
            for each in parts
        )

    def exceeds(self, sql: str | None) -> bool:
        """Whether a query of another reader lacks one of its conditions: a value, that something
        is not over yet, or that a figure is above or below a number."""
        if not sql:
            return False
        parts = [each.part for each in self.way.parts]
        values = Counter(
            str(value).casefold()
            for part in parts
            if isinstance(part, ValuePart) and part.holds and not part.versus and not part.begun
            for value in part.values
        )
        low = sql.casefold()
        if any(low.count(value) < times for value, times in values.items()):
            return True
        if self.lacks_end(low):
            return True
        bounds = any(isinstance(each, RangePart) for each in parts) or any(
            isinstance(each, BoundPart) and each.operator != "=" for each in parts
        )
        return bounds and not any(each in low for each in ("<", ">", "between"))

    def lacks_end(self, sql: str) -> bool:
        """Whether a query of another reader asks for no missing value where this one does: `still
        open`."""
        parts = [each.part for each in self.way.parts]
        missing = any(isinstance(each, KnownPart) and not each.holds for each in parts)
        return missing and "is null" not in sql.casefold()

    def groups_more(self, sql: str | None) -> bool:
        """Whether a query of another reader lacks one of its groups: `cost per visit by ward`."""
        groups = [each.part.of for each in self.way.parts if isinstance(each.part, GroupingPart)]
        fields = [each.field.casefold() for each in groups if isinstance(each, FieldRef)]
        return sql is not None and any(each not in sql.casefold() for each in fields)

    @property
    def names_first(self) -> bool:
        """Whether it asks who or which is the first of an order, and not for a figure alone."""
        if self.query.rank is None:
            return False
        if self.tokens[0].lower in ("who", "which"):
            return True
        kinds = [each.part for each in self.way.parts]
        return any(
            isinstance(each, ExtremePart) and (each.each or each.place > 0) for each in kinds
        )

    def words(self, question: str) -> list[dict[str, Any]]:
        """How each word was read, with its place: as `flows.analysis.analyst.words` has it."""
        found = [
            _word(question, self.tokens[each.start : each.end], name_of(each.part), each.cost)
            for each in self.way.parts
        ]
        for token in self.skipped:
            is_month = token.lower == "may" and token.capitalised
            usual = token.kind == "mark" or (token.lower in FUNCTION_WORDS and not is_month)
            if token.kind != "mark":
                reading = "a word of the question's form" if usual else "not used"
                found.append(_word(question, (token,), reading, 0.0 if usual else 1.0))
        return sorted(found, key=lambda each: int(each["start"]))


def _word(question: str, tokens: Sequence[Token], reading: str, cost: float) -> dict[str, Any]:
    start, end = tokens[0].start, tokens[-1].end
    score = round(max(0.0, 1.0 - cost), 4)
    said = {"text": question[start:end], "start": start, "end": end, "reading": reading}
    return {**said, "score": score, "reason": "a phrase" if cost < 1 else "nothing explains it"}


def name_of(part: Part) -> str:
    """What a part is, in words."""
    return type(part).__name__.removesuffix("Part").casefold()


def lists_rows(text: Text) -> bool:
    """Whether something of each row is to be listed: `list the price and weight of all cars`."""
    if text.word(0) not in _LISTING:
        return False
    return any(
        text.word(at) in ("each", "all", "every") and next(text.nouns(at + 1), None) is not None
        for at in range(1, len(text))
    )


def _sums_rows(query: Query, model: SemanticModel) -> bool:
    """Whether a query tells a figure of all rows, or one of each single row."""
    dataset = model.dataset(query.dataset)
    own = () if dataset is None else (*dataset.key, dataset.label)
    single = any(
        isinstance(each, FieldRef) and each.dataset == query.dataset and each.field in own
        for each in query.by
    )
    return bool(query.metrics) and (single or not query.by)


def read_question(
    question: str,
    tables: Sequence[Table],
    model: SemanticModel,
    before: Query | None = None,
) -> QuestionReading | None:
    """The likeliest query of a question; None where its words name too little. It may speak of what
    the query `before` found."""
    text = Text(question, vocabulary_of(model, tables))
    if len(text) > LONGEST:
        return None
    best: dict[Query, QuestionReading] = {}
    least = float("inf")
    listed = lists_rows(text)
    for way in find_ways(text):
        if way.cost > least + _RIVAL:
            break  # those that follow cost as much or more
        for draft in drafts_of(way.parts, text.vocabulary):
            for made in complete(draft, text.vocabulary, before):
                cost = way.cost + made.cost
                if listed and _sums_rows(made.query, model):
                    cost += _SUMMED
                key = made.query
                least = min(least, cost)
                if key not in best or cost < best[key].cost:
                    left = tuple(text.tokens[each] for each in way.skipped)
                    tokens = tuple(text.tokens)
                    best[key] = QuestionReading(
                        made.query, cost, left, way, tokens, choices=made.choices
                    )
    readings = sorted(best.values(), key=lambda each: each.cost)
    if not readings:
        return None
    first = readings[0]
    rivals = tuple(each.query for each in readings[1:_MOST] if each.cost < first.cost + _RIVAL)
    twins = [each.query for each in readings[1:_MOST] if are_twins(first, each)]
    choices = (first.query, *twins) if twins and not first.choices else first.choices
    return replace(first, rivals=rivals, choices=choices)


def are_twins(one: QuestionReading, other: QuestionReading) -> bool:
    """Whether two readings differ in nothing but the measure that the same words name, which are a
    part of the name of both: the `delay` of `dep_delay` and `arr_delay`."""
    mine, others = one.way.parts, other.way.parts
    if abs(one.cost - other.cost) > _TWIN or len(mine) != len(others):
        return False
    apart = [(a, b) for a, b in zip(mine, others, strict=True) if a.part != b.part]
    return len(apart) == 1 and _name_alike(*apart[0])


def _name_alike(one: PlacedPart, other: PlacedPart) -> bool:
    if (one.start, one.end) != (other.start, other.end) or type(one.part) is not type(other.part):
        return False
    named, second = one.part, other.part
    if not isinstance(named, FigurePart | NamedPart) or one.cost < _PARTLY:
        return False
    assert isinstance(second, FigurePart | NamedPart)
    mine, others = named.operand, second.operand
    if not isinstance(mine, FieldRef) or not isinstance(others, FieldRef):
        return False
    shared = set(split_identifier(mine.field)) & set(split_identifier(others.field))
    return mine.dataset == others.dataset and bool(shared)


def _figure_before(
    question: str, found: Sequence[QuestionReading], tables: Sequence[Table], model: SemanticModel
) -> QuestionReading | None:
    """The figure of the first that the question before found: `and how many pieces is that`."""
    if not found or not asks_how_much(question):
        return None
    dataset = model.dataset(found[-1].query.dataset)
    assert dataset is not None
    rows = DatasetRows(dataset, vocabulary_of(model, tables))
    query = figure_of_first(found[-1].query, rows)
    return None if query is None else replace(found[-1], query=query, rivals=(), choices=())


def read_questions(
    text: str, tables: Sequence[Table], model: SemanticModel, least: float
) -> list[QuestionReading]:
    """The readings of several questions in one text, in their order; none where it is a single
    question, or where one of them is read with less confidence than `least`."""
    questions = split_questions(text)
    found: list[QuestionReading] = []
    for each in questions if len(questions) > 1 else ():
        before = found[-1].query if found and refers_back(each) else None
        reading = _figure_before(each, found, tables, model)
        if reading is None and found and asks_how_much(each):
            return []  # `that` is nothing that was found
        reading = reading or read_question(each, tables, model, before)
        if reading is None or reading.choices or reading.confidence < least:
            return []
        found.append(reading)
    return found
