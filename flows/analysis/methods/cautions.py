"""Warnings that stand beside a result: what a careful statistician would say of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.analysis.telling.cells import CitedCell, foreign
from flows.analysis.telling.query_words import in_words
from flows.core.observation import Caution
from flows.data.answers.references import Reference

_TOLD: Final = 4


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
