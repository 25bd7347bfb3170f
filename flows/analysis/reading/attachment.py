"""Of what and for whom a phrase counts: the table that is counted, and what stands before it."""

from __future__ import annotations

import re

from flows.analysis.language.lexicon import FUNCTION_WORDS, WEAK_VERBS
from flows.analysis.language.phrases import Match
from flows.analysis.reading.draft import Draft, is_numeric
from flows.analysis.reading.plan import Field
from flows.data.tables import Column

# What a verb between two things that a join connects leaves in doubt.
_VERB = 0.05


def counted_by(draft: Draft, slot: str) -> str | None:
    """The table whose rows a slot counts: that of its rows, or the one that refers to them."""
    if slot[0] == "T":
        return draft.table_of(slot)
    column = draft.column(slot)
    return None if is_numeric(column) else draft.schema.home(column.name)


def group_before(draft: Draft, match: Match, counted: str) -> str | None:
    """Group by what stands next before a phrase, else next behind it, and is not what is counted.

    Gives the slot that was found.
    """
    before: list[str] = re.findall(r"(?<!\S)[TC]\d+(?!\S)", match.string[: match.start()])
    behind: list[str] = re.findall(r"(?<!\S)[TC]\d+(?!\S)", match.string[match.end() :])
    said = [s for s in before if not _is_verb(draft, s)]
    found = next((s for s in reversed(said) if is_other(draft, s, counted)), None)
    found = found or next((s for s in behind if is_other(draft, s, counted)), None)
    if found:
        _group_by(draft, found, [*before, *behind])
        return found
    own = next((s for s in reversed(before) if s[0] == "C" and _is_kind(draft, s)), None)
    if own:
        draft.groups += [f for f in map(_field, draft.columns(own)) if f not in draft.groups]
    return own


def _is_verb(draft: Draft, slot: str) -> bool:
    """Whether a column was found by a verb: `enrolled` for the date of enrolment."""
    return slot[0] == "C" and draft.slots[slot].text.endswith(("ed", "ing"))


def _field(column: Column) -> Field:
    return Field(column.name)


def is_other(draft: Draft, slot: str, counted: str) -> bool:
    """Whether a slot is of a table of whose rows each has many of what is counted."""
    home = draft.table_of(slot)
    return home != counted and counted not in draft.schema.reached(home, forward=True)


def _is_kind(draft: Draft, slot: str) -> bool:
    column = draft.column(slot)
    return column.distinct < column.rows and column.type != "real"


def _group_by(draft: Draft, slot: str, slots: list[str]) -> None:
    """By the rows of a table where those are meant, else by the values of a column."""
    home = draft.table_of(slot)
    if slot[0] == "T" or any(_names_rows(draft, s) for s in slots if draft.table_of(s) == home):
        draft.group_by_rows_of(home)
        return
    for column in draft.columns(slot):
        if Field(column.name) not in draft.groups:
            draft.groups.append(Field(column.name))


def _names_rows(draft: Draft, slot: str) -> bool:
    """Whether a slot is a table, or a column that names its rows or tells them apart."""
    if slot[0] == "T":
        return True
    home, columns = draft.table_of(slot), draft.columns(slot)
    names = {c.name for c in draft.label(home) if c.distinct * 2 > c.rows}
    names |= set(draft.schema.key(home))
    return any(c.name in names or c.distinct == c.rows > 1 for c in columns)


def explains(draft: Draft, match: Match) -> bool:
    """Weigh the words between two things; False where they deny that they belong together."""
    words = (match.groupdict().get("do") or "").split()
    if {"not", "no", "never", "without", "each", "every", "than"} & set(words):
        return False
    known = FUNCTION_WORDS | WEAK_VERBS
    draft.doubt += sum(_VERB for word in words if word not in known)
    return True
