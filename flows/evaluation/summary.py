"""The figures of an evaluation: counts, by difficulty, precision and coverage, reliability,
latency."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, Final

from flows.core.chat import Usage
from flows.evaluation.kinds import KINDS
from flows.evaluation.reliability import reliability_of
from flows.evaluation.verdicts import INVALID, VERDICTS, JudgedCase

SLOWEST: Final = 10
POINTS: Final = 100


def summarize(judged: Sequence[JudgedCase]) -> dict[str, Any]:
    """All figures as plain data. Invalid cases are counted, and left out of all else."""
    valid = [each for each in judged if each.verdict != INVALID]
    by_kind = {each.case.difficulty: None for each in valid}
    order = [*(kind for kind in KINDS if kind in by_kind), *(k for k in by_kind if k not in KINDS)]
    return {
        **counts_of(valid),
        "invalid": len(judged) - len(valid),
        "by_difficulty": {
            kind: counts_of([each for each in valid if each.case.difficulty == kind])
            for kind in order
        },
        "precision_at_half": precision_at(valid, 0.5),
        "curve": curve_of(valid),
        "reliability": reliability_of(
            (each.confidence, each.verdict == "right") for each in _answered(valid)
        ),
        "usage": sum((each.usage for each in valid), Usage()).model_dump(),
        "latency": latency_of(valid),
        "slowest": [
            {"id": each.case.id, "question": each.case.question, "seconds": each.seconds}
            for each in sorted(valid, key=lambda each: -each.seconds)[:SLOWEST]
        ],
    }


def counts_of(judged: Sequence[JudgedCase]) -> dict[str, Any]:
    """How many of each verdict; `accuracy` is the share of all that is right, `precision` of those
    that were answered."""
    counted = Counter(each.verdict for each in judged)
    answered = counted["right"] + counted["wrong"]
    return {
        "cases": len(judged),
        **{name: counted[name] for name in VERDICTS},
        "accuracy": share(counted["right"], len(judged)),
        "precision": share(counted["right"], answered),
        "coverage": share(answered, len(judged)),
    }


def curve_of(judged: Sequence[JudgedCase]) -> list[dict[str, float]]:
    """Precision by coverage: of the answers down to each confidence, what share is right, and of
    all cases what share they are. Answers of one confidence come together."""
    points = []
    answered = right = 0
    for confidence, size, good in _by_confidence(judged):
        answered += size
        right += good
        points.append(
            {
                "confidence": confidence,
                "coverage": round(answered / len(judged), 6),
                "precision": round(right / answered, 6),
            }
        )
    step = max(1, math.ceil(len(points) / POINTS))
    return [each for at, each in enumerate(points, 1) if at % step == 0 or at == len(points)]


def precision_at(judged: Sequence[JudgedCase], coverage: float) -> float | None:
    """What share is right among that part of all cases that it was surest of; None when fewer were
    answered. Of answers with one confidence as many count as are needed, by their average."""
    wanted = left = math.ceil(len(judged) * coverage)
    right = 0.0
    for _, size, good in _by_confidence(judged):
        taken = min(left, size)
        right += good * taken / size
        left -= taken
        if not left:
            return round(right / wanted, 6) if wanted else None
    return None


def latency_of(judged: Sequence[JudgedCase]) -> dict[str, float | None]:
    """Seconds a case: the median, what 95 % stay below, and the longest."""
    taken = sorted(each.seconds for each in judged)
    if not taken:
        return {"median": None, "p95": None, "max": None}
    return {
        "median": taken[(len(taken) - 1) // 2],
        "p95": taken[math.ceil(0.95 * len(taken)) - 1],
        "max": taken[-1],
    }


def _by_confidence(judged: Sequence[JudgedCase]) -> Iterator[tuple[float, int, int]]:
    """Each confidence of an answer, the surest first: how many answers have it, how many right."""
    answered = sorted(_answered(judged), key=lambda each: -each.confidence)
    for confidence, same in groupby(answered, key=lambda each: each.confidence):
        found = list(same)
        yield confidence, len(found), sum(each.verdict == "right" for each in found)


def _answered(judged: Sequence[JudgedCase]) -> list[JudgedCase]:
    return [each for each in judged if each.verdict in ("right", "wrong")]


def share(part: int, whole: int) -> float | None:
    """A part of a whole; None of nothing."""
    return round(part / whole, 6) if whole else None
