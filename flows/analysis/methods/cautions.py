"""Warnings that stand beside a result: what a careful statistician would say of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.cautions import Caution
from flows.analysis.methods.catalog import METHODS
from flows.analysis.telling.cells import CitedCell, foreign
from flows.analysis.telling.query_words import in_words
from flows.data.answers.references import Reference

# The codes of all warnings that some method may give.
CODES: Final = frozenset[str]().union(*(each.cautions for each in METHODS))
_LINE: Final = re.compile(r"^warning \((?P<code>[a-z_]+)\): (?P<says>.+)$", re.MULTILINE)
_TOLD: Final = 4


def cautions_in(printed: str) -> tuple[Caution, ...]:
    """The warnings that a study printed, in order and each once; other lines are passed over."""
    found = [
        Caution(match["code"], match["says"].strip())
        for match in _LINE.finditer(printed)
        if match["code"] in CODES
    ]
    return tuple(dict.fromkeys(found))


def told(cautions: Sequence[Caution], kept: str | None = None) -> str:
    """Warnings at the end of an answer, one of each code, with a blank before; "" for none.

    With the name of the table that keeps them all, what has digits is a reference to its cell.
    """
    first = {each.code: each for each in reversed(cautions)}
    chosen = [at for at, each in enumerate(cautions) if first[each.code] is each]
    more = len(chosen) - _TOLD
    said = "".join(f" Note: {_text(cautions[at], at, kept)}" for at in chosen[:_TOLD])
    return f"{said} ({in_words(more)} more warnings.)" if more > 0 else said


def _text(caution: Caution, row: int, kept: str | None) -> str:
    if kept is None:
        return foreign(caution.text)
    return CitedCell(caution.text, Reference(result=kept, row=row, column="says")).text()
