"""Reads a request for an analysis of tables: its specification, or why it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from flows.analysis.compiler.frames import FrameLimit, filter_lines
from flows.analysis.language.words import METHOD_SLOT, Token, tokenize
from flows.analysis.linking.glossary_clauses import without_meanings
from flows.analysis.linking.linker import link
from flows.analysis.linking.links import Link
from flows.analysis.linking.schema import Schema, schema_of
from flows.analysis.methods.analyses import study_of
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.catalog import BY_NAME
from flows.analysis.methods.chart.arguments import Chart
from flows.analysis.methods.chart.reading import read_chart
from flows.analysis.methods.columns import (
    merged,
    take_columns,
    take_flags,
    take_group,
    take_names,
    take_target,
)
from flows.analysis.methods.demonyms import with_values
from flows.analysis.methods.detection import Ask, ask_study
from flows.analysis.methods.method import Cue, MethodError, MethodRequest
from flows.analysis.methods.request_arguments import given_to
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.stop_words import AROUND, drop_around, weigh
from flows.analysis.reading import conditions, times, values
from flows.analysis.reading.draft import Draft, make_draft
from flows.analysis.reading.grammar import apply
from flows.analysis.reading.outcome import TOO_MUCH_LEFT
from flows.analysis.reading.queries import row_tests
from flows.analysis.reading.reader import MOST_DOUBT, Unread
from flows.data.tables import Table
from flows.semantics.calendar import today_of
from flows.semantics.inference.model import infer_model
from flows.semantics.model import SemanticModel
from flows.semantics.query import Predicate, Query, conjunction
from flows.semantics.request import Analysis
from flows.semantics.row_values import NoRowHasIt

# A word that leaves less doubt only says again what the rows are: `in benign tumours`.
_OF_CONTENT: Final = 0.35


@dataclass(frozen=True, slots=True)
class _Read:
    """What a cue made of a text over one table, and which rows of it are meant."""

    table: Table
    made: Arguments
    where: Predicate | None
    notes: tuple[str, ...]
    left_out: tuple[str, ...]
    doubt: float


def read_study(
    text: str, tables: Sequence[Table], model: SemanticModel | None = None
) -> Specification[Arguments] | Unread | None:
    """The analysis that a text asks for, why it cannot be read, or None if it asks for none.

    Without a `model` the tables mean what they tell by themselves.
    """
    ask = ask_study(without_meanings(text, tables), tables)
    if ask is None:
        return None
    if not tables:
        return Unread("there is no table to study")
    model = model or infer_model(tables)
    if ask.also:
        return Unread(f"it asks for two things at once, {' '.join(ask.method.split('_'))} and "
                      f"{ask.also}; ask for one after the other")  # fmt: skip
    if ask.method == Chart.method:
        drawn = read_chart(ask.rest, ask.settings, tables, model)
        if isinstance(drawn, Unread):
            return drawn
        chart, of = drawn
        study = study_of(chart, model, tables, of.notes)
        return replace(study, left_out=of.unexplained, doubt=of.doubt)
    found = _best(replace(ask, cue=_with_other(ask.cue)), tables, model)
    if isinstance(found, Unread):
        return found
    over = Query(dataset=found.table.name, where=found.where)
    try:
        given = given_to(found.made, found.table.name, model)
        request = Analysis(method=found.made.method, over=over, arguments=given)
        study = study_of(request, model, tables, found.notes)
    except (MethodError, NoRowHasIt) as error:
        return Unread(str(error))
    return replace(study, left_out=found.left_out, doubt=found.doubt)


def _best(ask: Ask, tables: Sequence[Table], model: SemanticModel) -> _Read | Unread:
    """The reading over the table that leaves the least doubt."""
    found = [each for table in tables for each in _readings(ask, table, tables, model)]
    good = [(doubt, read) for doubt, read in found if isinstance(read, _Read)]
    if good:
        return _surest(good)
    failed = min(found, key=lambda each: each[0])[1]
    assert isinstance(failed, Unread)
    return failed


def _with_other(cue: Cue) -> Cue:
    """The cue, whose text is read as that of the method that it may also be, where it cannot be
    read as its own and its noun was not said."""
    noun = cue.phrase("noun")

    def read(request: MethodRequest) -> Arguments | Unread:
        made = cue.read(request)
        if not isinstance(made, Unread) or (noun and noun.search(request.text)):
            return made
        other = BY_NAME[cue.otherwise].cue.read(request)
        return made if isinstance(other, Unread) else other

    return replace(cue, read=read) if cue.otherwise else cue


def _surest(good: list[tuple[float, _Read]]) -> _Read | Unread:
    doubt, best = min(good, key=lambda each: each[0])
    rival = next((s for d, s in good if s.table != best.table and d < doubt + 0.05), None)
    if rival is None or doubt < 0.05:
        return best
    return Unread(f"it may be about {best.table.name} or about {rival.table.name}")


def _readings(
    ask: Ask, table: Table, tables: Sequence[Table], model: SemanticModel
) -> list[tuple[float, _Read | Unread]]:
    schema = schema_of(table)
    tokens = _tokens(ask.pieces, schema)
    found = []
    for prefer_table in (False, True):
        links = link(tokens, schema, prefer_table=prefer_table)
        draft = make_draft(tokens, [each for each in links if not _is_around(each)], schema)
        draft.doubt += 0.05 * prefer_table
        found.append(_reading(ask, draft, tables, model))
    return found


def _tokens(pieces: Sequence[str], schema: Schema) -> tuple[Token, ...]:
    """The tokens of a text in pieces, and between them a slot for the words of the method. What is
    quoted may go over the end of a piece; it has no slot in it."""
    spelled = [with_values(each, schema) for each in pieces]
    ends = list(accumulate(len(each) + 1 for each in spelled[:-1]))
    found: list[Token] = []
    for token in tokenize(" ".join(spelled)):
        before = [end for end in ends if end <= token.start]
        ends = [end for end in ends if end >= token.end]
        found += [METHOD_SLOT] * len(before)
        found.append(token)
    return (*found, *([METHOD_SLOT] * len(ends)))


def _is_around(one: Link) -> bool:
    """Whether words were linked that only belong to the study: `numbers` to `num`."""
    return one.score < 0.97 and all(word in AROUND for word in one.text.split())


def _reading(
    ask: Ask, draft: Draft, tables: Sequence[Table], model: SemanticModel
) -> tuple[float, _Read | Unread]:
    named = bool(re.search(r"(?<!\S)T\d+", draft.line))
    cue, table_name = ask.cue, draft.schema.table.name
    target = take_target(draft) if cue.explains else ""
    group = take_group(draft, cue.most_groups, which=cue.timed)
    if isinstance(group, Unread):
        return 5.0, group
    flags = take_flags(draft)
    for rules in (values.TEXTS, conditions.NUMBERS, times.TIMES, values.VALUES, values.EITHER):
        apply(rules, draft)
    try:
        tests = merged([*flags, *row_tests(draft, model)])
        filter_lines(
            conjunction(tests), table_name, model, today_of(model.calendar, (draft.schema.table,))
        )
    except (FrameLimit, NoRowHasIt) as limit:
        return 5.0, Unread(f"a study chooses rows of one table by their values: {limit}")
    rest = draft.line
    take_names(draft)
    columns = take_columns(draft)
    drop_around(draft, cue.around)
    left = weigh(
        draft.left_over(), draft, rest, ask.text, filtered=bool(tests), grouped=bool(group)
    )
    doubt = draft.doubt + sum(weight for _, weight in left) + (0.0 if named else 0.02)
    doubt += sum(0.2 * (1 - each.score) for each in draft.slots.values())
    doubt += sum(0.35 for each in draft.slots.values() if each.kind == "column" and each.rivals)
    request = MethodRequest(
        draft, columns, group, target, tests, dict(ask.settings), ask.text, rest, ask.swapped,
        tuple(tables),
    )  # fmt: skip
    if doubt > MOST_DOUBT:
        words = tuple(word for word, _ in left)
        why = TOO_MUCH_LEFT if words else "it can be read in several ways"
        return doubt, Unread(why, tuple(draft.notes), words)
    made = cue.read(request)
    if isinstance(made, Unread):
        return doubt + 1.0, made
    notes = tuple(filter(None, draft.notes))
    doubt += 0.0 if columns or target else 0.3
    words = tuple(word for word, weight in left if weight >= _OF_CONTENT)
    return doubt, _Read(draft.schema.table, made, conjunction(request.tests), notes, words, doubt)
