"""Reliability: of the answers of each confidence, what share is right."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable
from statistics import fmean
from typing import Any, Final

# Where each bin of confidences begins; the last one ends with 1.
BINS: Final = (0.0, 0.5, 0.7, 0.8, 0.9)


def reliability_of(answers: Iterable[tuple[float, bool]]) -> dict[str, Any]:
    """The bins that hold answers, the surest first, as plain data. An answer is its confidence and
    whether it is right.

    `error` is the expected calibration error: how far the mean confidence of a bin is from its
    share of right answers, averaged over the answers; None without any.
    """
    held: dict[float, list[tuple[float, bool]]] = {start: [] for start in BINS}
    for confidence, right in answers:
        held[BINS[bisect(BINS, confidence) - 1]].append((confidence, right))
    ends = dict(zip(BINS, (*BINS[1:], 1.0), strict=True))
    bins = [
        {
            "from": start,
            "to": ends[start],
            "answers": len(held[start]),
            "right": sum(right for _, right in held[start]),
            "confidence": round(fmean(sure for sure, _ in held[start]), 6),
            "share": round(fmean(right for _, right in held[start]), 6),
        }
        for start in reversed(BINS)
        if held[start]
    ]
    off = sum(abs(each["confidence"] - each["share"]) * each["answers"] for each in bins)
    count = sum(each["answers"] for each in bins)
    return {"bins": bins, "error": round(off / count, 6) if count else None}
