"""The figures of an evaluation of analyses: verdicts, findings, traced numbers, time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from statistics import median
from typing import Any, Final

from flows.evaluation.analyses import ANALYSIS_VERDICTS, AnalysisJudged
from flows.evaluation.summary import share

SLOWEST: Final = 10


def summarize_analyses(judged: Sequence[AnalysisJudged]) -> dict[str, Any]:
    """All figures as plain data. Invalid cases are counted, and left out of all else."""
    valid = [each for each in judged if each.verdict != "invalid"]
    kinds = dict.fromkeys(each.case.difficulty for each in valid)
    seconds = [each.seconds for each in valid]
    return {
        **counts_of_analyses(valid),
        "invalid": len(judged) - len(valid),
        "by_difficulty": {
            kind: counts_of_analyses([each for each in valid if each.case.difficulty == kind])
            for kind in kinds
        },
        "latency": {
            "median": round(median(seconds), 3) if seconds else None,
            "max": round(max(seconds), 3) if seconds else None,
        },
        "slowest": [
            {"id": each.case.id, "question": each.case.question, "seconds": each.seconds}
            for each in sorted(valid, key=lambda each: -each.seconds)[:SLOWEST]
        ],
    }


def counts_of_analyses(judged: Sequence[AnalysisJudged]) -> dict[str, Any]:
    """How many of each verdict; the share of all that is right, of the expected findings that were
    found, and of the told numbers whose origin is known."""
    counted = Counter(each.verdict for each in judged)
    findings = sum(len(each.case.findings) for each in judged)
    found = sum(each.found for each in judged)
    numbers = sum(each.numbers for each in judged)
    traced = sum(each.traced for each in judged)
    return {
        "cases": len(judged),
        **{name: counted[name] for name in ANALYSIS_VERDICTS},
        "accuracy": share(counted["right"], len(judged)),
        "findings": findings,
        "found": found,
        "found_share": share(found, findings),
        "numbers": numbers,
        "traced": traced,
        "traced_share": share(traced, numbers),
    }
