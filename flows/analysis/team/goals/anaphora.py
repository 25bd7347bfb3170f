"""What the pronouns of a goal stand for, where it follows from what an earlier one found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.language.words import split_identifier
from flows.analysis.loop.split import Referent, has_anaphora, resolve
from flows.analysis.reading.reader import Reading, read
from flows.data.tables import Column, Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import FieldRef

_FOUND: Final = re.compile(r"^Task \d+ \((?P<asked>.+?)\) found: (?P<said>.+)$", re.MULTILINE)
# Values of more letters are no names that a sentence is about.
_LONGEST: Final = 80


def refers(text: str, tables: Sequence[Table]) -> bool:
    """Whether a question cannot be understood without what was found before."""
    return has_anaphora(text, tuple(_nouns(tables)))


def resolved_with(
    question: str, context: str, tables: Sequence[Table], model: SemanticModel
) -> tuple[str, str]:
    """The question with what its pronouns stand for, and a sentence on it; empty where it has none
    or nothing was found before."""
    found = list(_FOUND.finditer(context))
    if not found or not refers(question, tables):
        return question, ""
    for each in reversed(found):
        referent = _named_in(each["said"], each["asked"], tables, model)
        if referent is not None:
            text = resolve(question, referent, _nouns(tables))
            return text, f'"{question}" is about {referent.value}, as found before.'
    return question, f'It is not clear what "{question}" refers to; nothing found before names it.'


def _named_in(
    said: str, asked: str, tables: Sequence[Table], model: SemanticModel
) -> Referent | None:
    """The value that a finding names first, of the column that was asked for if that is known."""
    reading = read(asked, tables, model)
    wanted: list[str] = []
    if isinstance(reading, Reading):
        shown = reading.query.show or reading.query.by
        wanted = [each.field for each in shown if isinstance(each, FieldRef)]
    columns = [each for table in tables for each in table.columns]
    asked_for = [each for each in columns if each.name in wanted]
    for options in (asked_for, [each for each in columns if each not in asked_for]):
        hits = [hit for each in options if (hit := _first_value(said, each)) is not None]
        if hits:
            at, value, column = min(hits, key=lambda hit: (hit[0], -len(hit[1])))
            del at
            return Referent(column, value, (value,))
    return None


def _first_value(said: str, column: Column) -> tuple[int, str, str] | None:
    """Where a text names a value of a column of texts first."""
    if column.type != "text":
        return None
    hits = []
    for value in column.values:
        if 1 < len(value) <= _LONGEST and value in said:
            found = re.search(rf"(?<!\w){re.escape(value)}(?!\w)", said)
            if found:
                hits.append((found.start(), value, column.name))
    return min(hits, key=lambda hit: (hit[0], -len(hit[1])), default=None)


def _nouns(tables: Sequence[Table]) -> dict[str, str]:
    """The words that may follow `that`, and the columns that they name."""
    return {
        word: column.name
        for table in tables
        for column in table.columns
        for word in (" ".join(split_identifier(column.name)), column.name.casefold())
    }
