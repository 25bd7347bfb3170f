"""How sure an answer is by its evidence, beside what the model says of itself."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict

_WITHOUT_CITATION: Final = 25
_NOTHING_FOUND: Final = 10
_PARTLY: Final = 60


class AnswerEvidence(BaseModel):
    """What an answer rests on: values that are cited and numbers that are not, citations that did
    not hold, and whether something is lacking."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    cited: int = 0
    uncited: int = 0
    refuted: int = 0
    lacks: bool = False


def calibrate(said: int, evidence: AnswerEvidence) -> int:
    """The confidence from 0 to 100: what the model says, and no more than the evidence allows."""
    if not evidence.cited:
        return min(said, _NOTHING_FOUND if evidence.lacks else _WITHOUT_CITATION)
    known = evidence.cited + evidence.uncited + evidence.refuted
    most = 100 * evidence.cited / known
    if evidence.lacks:
        most = min(most, _PARTLY)
    return round(min(said, most))
