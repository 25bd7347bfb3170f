"""Tasks that want data as it is: all of a table, or some of its columns and rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.methods.method import Cue, Request, words
from flows.analysis.methods.read import read_as
from flows.analysis.reading.read import Unread
from flows.data.tables import Table
from flows.semantics.query import FieldRef, Query

_VERBS: Final = (
    r"extract|retrieve|fetch|get|pull|load|select|obtain|collect|query|gather|export|read|list|"
    r"show|give(?: me)?|take|return"
)
_WANTS: Final = re.compile(
    rf"^\s*(?:please\s+)?(?:{_VERBS})\s+(?:(?:all|the|every|relevant|necessary|required|needed|"
    r"only|raw|monthly|daily|full|complete|whole|of|its)\s+)*",
    re.IGNORECASE,
)
_COMPUTED: Final = re.compile(
    r"\b(?:average|mean|median|total|sum|count|number of|how many|maximum|minimum|highest|lowest|"
    r"top|rank\w*|per|by|for each|group\w*|aggregat\w*|distinct|unique|most|least|first|last|"
    r"sort\w*|order\w*|ratio|share|percent\w*|join\w*|combine\w*|each)\b",
    re.IGNORECASE,
)


def wants_rows(text: str) -> bool:
    """Whether a text asks for rows as they stand in a table, with nothing computed."""
    found = _WANTS.match(text)
    return bool(found) and not _COMPUTED.search(re.sub(r"\"[^\"]*\"", "", text))


def read_rows(text: str, tables: Sequence[Table]) -> Query | Unread:
    """The rows and columns that a text asks for."""
    # `"a" and "b" for ...` is a list of columns; a conjunction before a condition stays.
    found = read_as(ROWS, _WANTS.sub("", text, count=1), tables)
    if isinstance(found, Unread):
        return found
    name = found.table.name
    show = tuple(FieldRef(dataset=name, field=each) for each in found.made)
    return Query(dataset=name, show=show, where=found.where)


def _read(request: Request) -> tuple[str, ...]:
    names = [c.name for c in request.columns]
    if request.group:
        names.append(request.group)
    return tuple(dict.fromkeys(names))


ROWS: Final = Cue(
    read=_read,
    around=words(
        """extract retrieve fetch get pull load select obtain collect query gather export list show
        all data rows row records record columns column fields values table entries entire whole
        everything from the relevant necessary required needed only its of with along including
        together related available historical metrics metric details information raw tables where"""
    ),
)
