"""What a result says to a question: a text, with the places of its values."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.functions.decision import ResultCitation
from flows.analysis.functions.records import Scalar


@dataclass(frozen=True, slots=True)
class ResultAnswer:
    """What a result says: the text, where each value of it stands, and how surely it is what was
    asked, from 0 to 1. `values` are the values alone, for arithmetic over several results; `sole`
    says that it is the only value of a call that was given all that the question mentions,
    `hinted` that it is of the kind that the question word asks for, `accounted` that the score says
    already how much of the question is answered. `key` is the key of the values that it was
    worked out of, `chosen` are the terms of the question by which rows of a list were chosen."""

    text: str
    citations: tuple[ResultCitation, ...]
    score: float
    values: tuple[Scalar, ...] = ()
    sole: bool = False
    hinted: bool = False
    accounted: bool = False
    key: str = ""
    chosen: frozenset[str] = frozenset()


def shown(value: Scalar) -> str:
    """A value as an answer gives it. Numbers have at most four places after the point."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return (
            str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{round(value, 4)}"
        )
    return str(value)
