"""Reads a request for a study over tables: a typed study, or why it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.language.words import tokenize
from flows.analysis.linking.link import link
from flows.analysis.linking.links import Link
from flows.analysis.linking.meant import without_meanings
from flows.analysis.linking.schema import schema_of
from flows.analysis.methods.around import AROUND, drop_around, weigh
from flows.analysis.methods.ask import Ask, ask_study
from flows.analysis.methods.catalog import BY_KIND
from flows.analysis.methods.chart.reading import read_chart
from flows.analysis.methods.columns import (
    merged,
    outside,
    take_columns,
    take_flags,
    take_group,
    take_names,
    take_target,
)
from flows.analysis.methods.demonyms import with_values
from flows.analysis.methods.method import MARK, Cue, Request
from flows.analysis.methods.specification import Study
from flows.analysis.reading import conditions, values
from flows.analysis.reading.draft import Draft, make_draft
from flows.analysis.reading.grammar import apply
from flows.analysis.reading.read import MOST_DOUBT, Unread
from flows.data.tables import Table


def read_study(text: str, tables: Sequence[Table]) -> Study | Unread | None:
    """The study that a text asks for, why it cannot be read, or None if it asks for none."""
    ask = ask_study(without_meanings(text, tables))
    if ask is None:
        return None
    if not tables:
        return Unread("there is no table to study")
    if ask.also:
        return Unread(f"it asks for two things at once, {ask.kind} and {ask.also}; "
                      "ask for one after the other")  # fmt: skip
    if ask.kind == "chart":
        return read_chart(ask.rest, ask.settings, tables)
    return _best(ask, tables)


def read_as(cue: Cue, text: str, tables: Sequence[Table]) -> Study | Unread:
    """A text read as a request of this cue, whose own words it does not have to say."""
    if not tables:
        return Unread("there is no table to work on")
    plain = without_meanings(text, tables)
    return _best(Ask("", cue, f"{MARK} {plain}", {}, text), tables)


def _best(ask: Ask, tables: Sequence[Table]) -> Study | Unread:
    """The reading over the table that leaves the least doubt."""
    found = [each for table in tables for each in _readings(ask, table)]
    good = [(doubt, study) for doubt, study in found if isinstance(study, Study)]
    if good:
        return _surest(good)
    failed = min(found, key=lambda each: each[0])[1]
    assert isinstance(failed, Unread)
    return failed


def _study(cue: Cue, request: Request) -> Study | Unread:
    """What the cue makes of the request, or else the one that it may also be."""
    study = cue.read(request)
    noun = cue.phrase("noun")
    if isinstance(study, Study) or not cue.otherwise or (noun and noun.search(request.text)):
        return study
    other = BY_KIND[cue.otherwise].cue.read(request)
    return other if isinstance(other, Study) else study


def _surest(good: list[tuple[float, Study]]) -> Study | Unread:
    doubt, best = min(good, key=lambda each: each[0])
    rival = next((s for d, s in good if s.table != best.table and d < doubt + 0.05), None)
    if rival is None or doubt < 0.05:
        return best
    return Unread(f"it may be about {best.table.name} or about {rival.table.name}")


def _readings(ask: Ask, table: Table) -> list[tuple[float, Study | Unread]]:
    schema = schema_of(table)
    tokens = tokenize(with_values(ask.rest, schema))
    found = []
    for prefer_table in (False, True):
        links = link(tokens, schema, prefer_table=prefer_table)
        draft = make_draft(tokens, [each for each in links if not _is_around(each)], schema)
        draft.doubt += 0.05 * prefer_table
        found.append(_reading(ask, draft))
    return found


def _is_around(one: Link) -> bool:
    """Whether words were linked that only belong to the study: `numbers` to `num`."""
    return one.score < 0.97 and all(word in AROUND for word in one.text.split())


def _reading(ask: Ask, draft: Draft) -> tuple[float, Study | Unread]:
    named = bool(re.search(r"(?<!\S)T\d+", draft.line))
    cue, table_name = ask.cue, draft.schema.table.name
    target = take_target(draft) if cue.explains else ""
    group = take_group(draft, cue.most_groups, which=cue.timed)
    if isinstance(group, Unread):
        return 5.0, group
    take_flags(draft)
    for rules in (values.TEXTS, conditions.NUMBERS, conditions.TIMES, values.VALUES, values.EITHER):
        apply(rules, draft)
    draft.filters = merged([each for each in draft.filters if each.conditions])
    if outside(draft.filters, table_name):
        return 5.0, Unread("a study chooses rows of one table by values only, not by the result of "
                           "another question")  # fmt: skip
    rest = draft.line
    take_names(draft)
    columns = take_columns(draft)
    drop_around(draft, cue.around)
    left = draft.left_over()
    doubt = draft.doubt + weigh(left, draft, rest, ask.text) + (0.0 if named else 0.02)
    doubt += sum(0.2 * (1 - each.score) for each in draft.slots.values())
    doubt += sum(0.35 for each in draft.slots.values() if each.kind == "column" and each.rivals)
    request = Request(
        draft, columns, group, target, dict(ask.settings), ask.text, rest, ask.swapped
    )
    if doubt > MOST_DOUBT:
        words = tuple(word for word, _ in left)
        why = "too much of it was left unexplained" if words else "it can be read in several ways"
        return doubt, Unread(why, tuple(draft.notes), words)
    study = _study(cue, request)
    if isinstance(study, Unread):
        return doubt + 1.0, study
    return doubt + (0.0 if columns or target else 0.3), study
