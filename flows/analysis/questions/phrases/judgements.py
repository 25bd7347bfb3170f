"""How something did: `how did Sales do`, `how is the north performing`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.questions.parts import JudgementPart, PlacedPart
from flows.analysis.questions.text import Text

_AUXILIARIES: Final = frozenset(["did", "do", "does", "is", "are", "has", "have", "was", "were"])
_DOING: Final = frozenset(
    ["do", "doing", "perform", "performing", "performed", "fare", "faring", "fared", "going",
     "gone", "done", "go", "looking", "compare"]
)  # fmt: skip


def read_judgement(text: Text, at: int) -> Iterator[PlacedPart]:
    """`how did ... do`: the first and the last of these words."""
    if at == 0 and text.word(0) == "how" and text.word(1) in _AUXILIARIES and _is_said(text):
        yield PlacedPart(JudgementPart(), 0, 2)
    elif at > 1 and text.word(0) == "how" and text.word(at) in _DOING and _is_said(text):
        yield PlacedPart(JudgementPart(), at, at + 1)


def _is_said(text: Text) -> bool:
    return not _DOING.isdisjoint(text.lowers[2:])
