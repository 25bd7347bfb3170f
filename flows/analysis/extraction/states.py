"""Fields that are yes or no in sentences: `Assembly is not required`, `[x] Pets allowed`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.extraction.cells import FieldReading
from flows.analysis.extraction.fields import NamedField
from flows.analysis.extraction.labels import label_terms, names_of

_STATE: Final = re.compile(
    r"((?:not\s+)?\b(?:allowed|required|permitted|included|available|needed))\b", re.IGNORECASE
)
_STATES: Final = label_terms("allowed required permitted included available needed")
_NOT: Final = re.compile(r"\bnot\b", re.IGNORECASE)
_BOX: Final = re.compile(r"(\[[ xX]?\]|[\u2610\u2611\u2713\u2717])")
_CLAUSE: Final = re.compile(r"[;,.]\s+")


def answered(sentence: str, fields: Sequence[NamedField]) -> Iterator[FieldReading]:
    """What the clauses of a sentence say of fields that are yes or no."""
    if not fields:
        return
    for clause in _CLAUSE.split(sentence):
        box = _BOX.search(clause)
        state = _STATE.search(clause)
        said = _BOX.sub(" ", clause) if box else clause[: state.end()] if state else ""
        if not said or clause.rstrip().endswith("?"):
            continue
        terms = label_terms(_NOT.sub(" ", said))
        own = frozenset() if box else terms & _STATES
        for field in fields:
            names = [label_terms(each) for each in names_of(field)]
            if any(terms in (each, each | own) for each in names):
                yield FieldReading(field, (box or state or [""])[0])
