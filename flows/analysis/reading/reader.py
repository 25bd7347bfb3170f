"""Reads a question over tables: a typed plan, or what was not understood."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.spelling import corrected
from flows.analysis.language.words import LONGEST, Token, tokenize
from flows.analysis.linking.glossary_clauses import without_meanings
from flows.analysis.linking.linker import candidates
from flows.analysis.linking.links import Link, cover
from flows.analysis.linking.schema import BORDER, Schema
from flows.analysis.linking.views import Database, database_of
from flows.analysis.reading import (
    comparison,
    conditions,
    flags,
    grouping,
    mentions,
    ordering,
    relations,
    single_numbers,
    superlatives,
    times,
    topics,
    values,
    winner,
)
from flows.analysis.reading.candidate import Candidate
from flows.analysis.reading.choices import Choices, explore
from flows.analysis.reading.completion import finish
from flows.analysis.reading.confidence import confidence, signs_of
from flows.analysis.reading.draft import Draft, make_draft
from flows.analysis.reading.grammar import apply
from flows.analysis.reading.group_count import count_of_groups
from flows.analysis.reading.group_rank import ranked_within
from flows.analysis.reading.layout import tables_in
from flows.analysis.reading.line import plain_line
from flows.analysis.reading.numeric_text import numbers_in_text
from flows.analysis.reading.outcome import NOTHING_NAMED, TOO_MUCH_LEFT, Reading, Unread
from flows.analysis.reading.placement import with_joins
from flows.analysis.reading.plan import COUNT, Plan
from flows.analysis.reading.queries import query_of
from flows.analysis.reading.rounding import without_rounding
from flows.analysis.reading.selection import read_selection
from flows.analysis.reading.sets import division, planned
from flows.analysis.reading.subquestions import nested_readings
from flows.analysis.reading.top_row import of_the_first
from flows.analysis.reading.unparsed_words import THINGS
from flows.core.observation import Caution
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.row_values import NoRowHasIt

__all__ = ["Reading", "Unread", "read"]

# A reading that leaves more doubt than this is not answered.
MOST_DOUBT = 0.9


def read(
    question: str,
    tables: Sequence[Table],
    model: SemanticModel,
    *,
    most_doubt: float = MOST_DOUBT,
) -> Reading | Unread:
    """What a question asks of the tables of a model by the reading with the least doubt, or why it
    cannot be read."""
    if not tables:
        return Unread("there is no table to ask")
    plain, decimals = without_rounding(without_meanings(question, tables))
    tokens = tokenize(plain)
    database = database_of(tables, model)
    tokens = corrected(tokens, database.knows)
    if not any(token.kind != "mark" for token in tokens):
        return Unread("there is no question")
    if len(tokens) > LONGEST:
        return Unread(f"it is too long for one question: {len(tokens)} words, at most {LONGEST}")
    found = nested_readings(tokens, tables, lambda inner: _candidates(inner, database))
    found += _candidates(tokens, database)
    found.sort(key=lambda each: each.doubt)
    if not found:
        return _unlinked(tokens, database)
    best = found[0]
    if best.doubt > most_doubt:
        reason = TOO_MUCH_LEFT if best.unexplained else "it can be read in several ways"
        return Unread(reason, best.notes, best.unexplained)
    rival = next((each for each in found[1:] if _is_rival(each, best)), None)
    if rival and best.doubt > most_doubt / 3:
        return Unread(f"it may be about {best.table.name} or about {rival.table.name}", best.notes)
    if decimals is not None:
        found = [replace(each, plan=replace(each.plan, decimals=decimals)) for each in found]
    try:
        return _reading(question, _likeliest(found), tokens, tables, model)
    except NoRowHasIt as fault:
        return Unread(str(fault))


def _reading(
    question: str, found: Sequence[Candidate], tokens: Sequence[Token], tables: Sequence[Table],
    model: SemanticModel,
) -> Reading:  # fmt: skip
    """The first of some candidates as a query, with the others that are queries over the model, and
    how likely each is right. Raises NoRowHasIt where the first is none."""
    readings: dict[Query, Reading] = {}
    for each in found:
        signs = signs_of(
            tokens, each.plan, each.links, tables, doubt=each.doubt,
            unexplained=len(each.unexplained),
            others=[other.doubt for other in found if other is not each],
        )  # fmt: skip
        try:
            query = ranked_within(query_of(each.plan, model), question)
        except NoRowHasIt:
            if each is found[0]:
                raise
            continue
        left_out = any(caution.code == "not_understood" for caution in each.warnings)
        made = Reading(
            query, each.table, frozenset(tables_in(each.plan)), each.notes, each.doubt,
            each.unexplained, each.links, warnings=each.warnings,
            confidence=confidence(signs, left_out=left_out), signs=signs,
        )  # fmt: skip
        readings.setdefault(query, made)
    best, *others = readings.values()
    return replace(best, alternatives=tuple(others))


_ALTERNATIVES = 5


def _likeliest(found: Sequence[Candidate]) -> list[Candidate]:
    """The first of candidates by rising doubt, and the next ones with plans that differ."""
    unlike: dict[Plan, Candidate] = {}
    for each in found:
        unlike.setdefault(each.plan, each)
    return list(islice(unlike.values(), 1 + _ALTERNATIVES))


def _is_rival(one: Candidate, best: Candidate) -> bool:
    """Whether a reading over other tables is as good."""
    elsewhere = one.table.name != best.table.name and not {*one.plan.joins, *best.plan.joins}
    return elsewhere and one.doubt < best.doubt + 0.05


def _unlinked(tokens: Sequence[Token], database: Database) -> Unread:
    """That nothing is asked of what a question names, or that it names nothing."""
    _, named = database.named(tokens)
    if not named:
        return Unread(NOTHING_NAMED, (), _contents(tokens))
    taken = {place for each in named for place in range(each.start, each.end)}
    left = _contents([each for place, each in enumerate(tokens) if place not in taken])
    said = tuple(f"{each.text!r} is {each.meaning}" for each in named)
    return Unread("what it asks of the things that it names was not understood", said, left)


def _contents(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(t.text for t in tokens if t.kind != "mark" and t.lower not in FUNCTION_WORDS)


def _candidates(tokens: Sequence[Token], database: Database) -> list[Candidate]:
    """The readings over the views that explain the words best, those of other choices too."""
    found: list[Candidate] = []
    for place, (_, schema) in enumerate(database.views(tokens)):
        spans = tuple(candidates(tokens, schema))
        by_kind = {prefer: cover(spans, len(tokens), prefer) for prefer in (True, False)}
        if not by_kind[True]:
            continue
        kinds = (True,) if by_kind[True] == by_kind[False] else (True, False)

        def one(
            choices: Choices,
            schema: Schema = schema,
            kinds: tuple[bool, ...] = kinds,
            by_kind: dict[bool, tuple[Link, ...]] = by_kind,
        ) -> Candidate | None:
            links = by_kind[kinds[choices.pick(len(kinds), 0.0)]]
            choices.cost += _SLIGHTED * database.slighted(tokens, schema, links)
            chosen = _chosen(links, choices)
            draft = make_draft(tokens, chosen, schema, database.words_elsewhere(schema))
            unknown = [
                str(link.literal)
                for slot, link in draft.slots.items()
                if slot[0] == "U" or (slot[0] == "Q" and not link.values)
            ]
            choices.cost += _KNOWN * database.known(unknown)
            return _candidate(draft, chosen, choices)

        found += explore(one, _FIRST if place < _CLOSE else _LATER)
    return found


# How many readings each of the first views gets, and each of the later ones.
_CLOSE, _FIRST, _LATER = 2, 6, 2
# What it costs to take another column than the nearest.
_RIVAL = 0.1


def _chosen(links: Sequence[Link], choices: Choices) -> list[Link]:
    """The links with one column each where a span names several equally well."""
    found = []
    for each in links:
        if each.kind == "column" and each.rivals:
            chosen = choices.pick(min(len(each.rivals), 2) + 1, _RIVAL)
            if chosen:
                other = each.rivals[chosen - 1]
                rivals = tuple(r for r in (*each.columns, *each.rivals) if r != other)
                each = replace(each, columns=(other,), rivals=rivals)
        elif each.kind == "value":
            names = list(dict.fromkeys(name for name, _ in each.values))
            chosen = choices.pick(min(len(names), 3) + 1, _RIVAL) if len(names) > 1 else 0
            if chosen:
                kept = tuple(pair for pair in each.values if pair[0] == names[chosen - 1])
                each = replace(each, values=kept)
        found.append(each)
    return found


# What may stand before the first slot of a question that is only a noun with its filters.
_OPENING = re.compile(r"(?:(?:the|all|names?|of|every|any|list) )*")
# The doubt that each join of a reading adds: of two that explain the same, the smaller is meant.
_JOIN = 0.1
# The doubt of each thing that is only known by the column that refers to it: another table may
# hold its rows.
_REFERENCE = 0.12
_SLIGHTED, _UNSHOWN = 0.1, 0.3
# What weighs so much says something: an answer without it is said to leave it out.
_HEAVY = 0.9
# The doubt of each name that is a value of a table that the reading leaves out.
_KNOWN = 0.3


# Rows are asked for one by one.
_EVERY = re.compile(r"(?<!\S)(?:each|every|list)(?!\S)")
# What is asked with `how much` is no number of rows.
_UNCOUNTED = 0.8
_MUCH = re.compile(r"how much (?:do|does|did|has|have|is|was|were|will|would) ")
_OWNER = 0.6
_OWNS = re.compile(r"(?<!\S)(T\d+) (?:do|does|did) (V\d+) (?:have|own|hold|offer)(?!\S)")


def _owns_itself(draft: Draft) -> bool:
    """Whether `how many T does V have` takes V for a T, or for what T have, and not for what has
    them."""
    found = _OWNS.search(draft.line)
    if not found:
        return False
    homes = {draft.schema.home(name) for name, _ in draft.slots[found[2]].values}
    owned = draft.table_of(found[1])
    below = {e.dataset for e in draft.schema.edges if e.to == owned}
    return homes <= {owned, *below}


def _plan_of(draft: Draft) -> Plan | None:
    plan = finish(draft)
    plan = plan and numbers_in_text(plan, draft.schema.by_name)
    return plan and count_of_groups(with_joins(plan, draft))


def _candidate(draft: Draft, links: Sequence[Link], choices: Choices) -> Candidate | None:
    schema = draft.schema
    first = re.search(r"(?<!\S)[CTVN]\d+", draft.line)
    draft.first = first.group() if first else ""
    draft.opens = bool(first and _OPENING.fullmatch(draft.line[: first.start()]))
    asked = draft.line
    draft.doubt += _OWNER * _owns_itself(draft)
    draft.line = plain_line(draft.line)
    apply(topics.NAMES, draft)
    draft.doubt += 0.4 * len(re.findall(r"C\d+ C\d+", draft.line))
    if schema.joined:
        mentions.note_head(draft)
        single_numbers.read_one_measures(draft)
        apply(relations.RELATIONS, draft)
    for rules in (
        topics.TRENDS, ordering.ORDERS, grouping.HAVINGS, winner.WINNERS, superlatives.SUPERLATIVES,
        values.TEXTS, comparison.COMPARED, conditions.NUMBERS, times.TIMES, flags.FLAGS,
        values.VALUES,
    ):  # fmt: skip
        apply(rules, draft)
    parts = division(draft, asked, "union")
    if parts is None:
        apply(values.EITHER, draft)
    apply(grouping.GROUPS, draft)
    parts = parts or division(draft, asked, "intersect")
    draft.filters = [each for each in draft.filters if each.conditions]
    if schema.joined:
        mentions.drop_mentions(draft)
    read_selection(draft)
    if parts is None:
        of_the_first(draft)
    plan = planned(draft, asked, parts, choices, _plan_of)
    if plan is None:
        return None
    plan = replace(plan, every=bool(_EVERY.search(asked)))
    draft.doubt += _REFERENCE * mentions.references(draft)
    draft.doubt += _UNSHOWN * mentions.unshown(draft, asked)
    draft.doubt += _UNCOUNTED * (_MUCH.match(asked) is not None and plan.select == (COUNT,))
    left = draft.left_over()
    named = any(each.kind == "table" for each in links)
    draft.doubt += sum(0.35 for each in links if each.kind == "column" and each.rivals)
    draft.doubt += sum(0.2 * (1 - each.score) for each in links) + _JOIN * len(plan.joins)
    doubt = draft.doubt + sum(weight for _, weight in left) + (0.0 if named else 0.1)
    doubt += choices.cost
    table = schema.member(plan.table).table
    notes = tuple(each.replace(BORDER, ".") for each in draft.notes)
    words = tuple(word for word, _ in left)
    heavy = ", ".join(repr(word) for word, weight in left if weight >= _HEAVY)
    things = ", ".join(repr(word) for word, weight in left if weight == THINGS)
    said = []
    if heavy:
        said.append(Caution(code="not_understood", text=f"Not understood and left out: {heavy}."))
    if things:
        said.append(
            Caution(code="taken_for_rows", text=f"{things}: taken for the rows of {table.name}.")
        )
    return Candidate(plan, table, notes, doubt, words, links=tuple(links), warnings=tuple(said))
