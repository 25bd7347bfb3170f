"""The rules for how many rows are wanted: `the first 5 rows`, `which five`."""

from __future__ import annotations

import re
from typing import Final

from flows.analysis.language.lexicon import ORDINALS
from flows.analysis.language.phrases import Match
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.grammar import Rule, rule

_FIRST_ROWS: Final = 5
_YEARS: Final = range(1900, 2101)
_MISREAD: Final = 1.5


def limit(draft: Draft, match: Match) -> None:
    """How many rows: `the 3 highest`, `top 5`, `second highest`, else one."""
    found = match.groupdict()
    if found.get("n"):
        value = draft.literal(found["n"])
        draft.limit = value if isinstance(value, int) and value > 0 else 1
        if draft.limit in _YEARS:  # `in 2024 the most incidents` asks for no 2,024 of them
            draft.limit, draft.doubt = 1, draft.doubt + _MISREAD
    elif found.get("o"):
        draft.limit, draft.offset = 1, ORDINALS[found["o"]] - 1
    else:
        draft.limit = 1


def _limit_before(draft: Draft, match: Match) -> str | None:
    """`which five C ...`, where a superlative was read."""
    value = draft.literal(match["n"])
    if draft.limit != 1 or draft.offset or not isinstance(value, int):
        return None
    draft.limit = value
    return match["t"]


def _first_rows(draft: Draft, match: Match) -> str | None:
    """`show the first 5 rows`: whole rows where no column is named; sorted only if that is said."""
    if draft.limit is not None or (match["n"] is None and re.search(r"C\d", draft.line)):
        return None
    if match["way"] == "top" and match["t"][0] == "C":
        return None
    value = draft.literal(match["n"]) if match["n"] else _FIRST_ROWS
    if not isinstance(value, int) or value < 1:
        return None
    draft.limit = value
    draft.star = not re.search(r"[CVNQU]\d", draft.line.replace(match["n"] or "", "", 1))
    return f"{match['verb']} {match['t']}"


LIMITS: tuple[Rule, ...] = (
    rule(
        "first rows",
        r"(?P<verb>show|list|give|display|see|print|preview|view)(?: me| us)?(?: only| just)?"
        r"(?: the)? (?P<way>first|top)(?: <N>)?(?: different)? (?P<t>[CT]\d+)",
        _first_rows,
    ),
    rule(
        "limit",
        r"(?:which|what|the|list|show|find|name|give|are|were|top) <N> (?P<t>[CT]\d+|_)",
        _limit_before,
    ),
)
