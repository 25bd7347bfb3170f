"""How often answers are right that say they are so sure: stated confidence beside the share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_WIDTH = 10  # percent of confidence in a bin


@dataclass(frozen=True, slots=True)
class Stated:
    """What an answer says of its confidence (0 to 100), by the evidence and by the model's own
    word, and whether it is right. `evidence` are counts that a calibration may go by."""

    case: str
    confidence: int
    model_confidence: int
    right: bool
    status: str
    evidence: dict[str, int]


def reliability_lines(answers: Sequence[Stated]) -> list[str]:
    """A table of bins for the confidence by the evidence, then for the model's own."""
    if not answers:
        return ["no answers whose confidence could be held against the truth"]
    lines = []
    for title, said in (
        ("confidence", [each.confidence for each in answers]),
        ("of the model", [each.model_confidence for each in answers]),
    ):
        right = [each.right for each in answers]
        lines.append(f"{title:<14} answers  stated   right")
        lines += _bins(said, right)
        lines.append(f"  off by (ECE) {expected_error(said, right):.1f} of 100")
    return lines


def expected_error(said: Sequence[int], right: Sequence[bool]) -> float:
    """The mean distance of the stated confidence from the share that is right, over the bins, each
    with the weight of its answers (ECE), in percent."""
    total = 0.0
    for each in _grouped(said):
        stated = sum(said[n] for n in each)
        total += abs(stated - 100 * sum(right[n] for n in each))
    return total / len(said)


def _bins(said: Sequence[int], right: Sequence[bool]) -> list[str]:
    lines = []
    for each in _grouped(said):
        low = said[each[0]] // _WIDTH * _WIDTH
        low = min(low, 100 - _WIDTH)
        stated = sum(said[n] for n in each) / len(each)
        share = 100 * sum(right[n] for n in each) / len(each)
        lines.append(
            f"  {low:>3} to {low + _WIDTH:<3}   {len(each):>7}  {stated:5.1f} %  {share:5.1f} %"
        )
    return lines


def _grouped(said: Sequence[int]) -> list[list[int]]:
    """The places of the answers of each bin, from the lowest on; 100 is of the last one."""
    groups: dict[int, list[int]] = {}
    for place, each in enumerate(said):
        groups.setdefault(min(each // _WIDTH, 100 // _WIDTH - 1), []).append(place)
    return [groups[each] for each in sorted(groups)]
