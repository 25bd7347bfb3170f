"""Cases whose answer is an analysis: what it has to find, and what it did find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from flows.evaluation.analysis import AnalystOutcome
from flows.evaluation.cases import UNKNOWN
from flows.evaluation.expectations import Expected, expected_of

FINDINGS: Final = "findings"
AnalysisVerdict = Literal["right", "partly", "wrong", "failed", "invalid"]
ANALYSIS_VERDICTS: Final[tuple[AnalysisVerdict, ...]] = ("right", "partly", "wrong", "failed")


@dataclass(frozen=True, slots=True)
class AnalysisCase:
    """A question with the `findings` that are expected. One with a `fault` cannot be asked."""

    id: Any
    question: str = ""
    findings: tuple[Expected, ...] = ()
    difficulty: str = UNKNOWN
    fault: str = ""


@dataclass(frozen=True, slots=True)
class AnalysisJudged:
    """A case with what it came to. `missing` says of each finding why it is not there, "" where it
    is; `numbers` are those that the reader was told, `traced` those whose origin is known."""

    case: AnalysisCase
    verdict: AnalysisVerdict
    seconds: float = 0.0
    missing: tuple[str, ...] = ()
    status: str = ""
    summary: str = ""
    numbers: int = 0
    traced: int = 0
    run_id: str = ""
    why: str = ""

    @property
    def found(self) -> int:
        """How many of the expected findings are there."""
        return sum(not each for each in self.missing)

    def as_json(self) -> dict[str, Any]:
        """Plain data."""
        told = zip(self.case.findings, self.missing, strict=False)
        return {
            "id": self.case.id,
            "question": self.case.question,
            "verdict": self.verdict,
            "difficulty": self.case.difficulty,
            "seconds": round(self.seconds, 3),
            "status": self.status,
            "summary": self.summary,
            "findings": [
                {"expected": each.model_dump(mode="json", exclude_defaults=True), "missing": why}
                for each, why in told
            ],
            "numbers": self.numbers,
            "traced": self.traced,
            "reason": self.why,
            "run_id": self.run_id,
        }


def analysis_case_of(identity: object, values: Mapping[str, Any], where: str) -> AnalysisCase:
    """The case of a line of a file; `where` names it in faults."""
    given = values.get(FINDINGS)
    if not isinstance(given, list) or not given:
        return AnalysisCase(identity, fault=f"{where}: `{FINDINGS}` must be a list of findings")
    try:
        findings = tuple(expected_of(each) for each in given)
    except ValueError as error:
        return AnalysisCase(identity, fault=f"{where}: {error}")
    difficulty = str(values.get("difficulty") or UNKNOWN)
    return AnalysisCase(identity, str(values.get("question", "")), findings, difficulty)


def judge_analysis(
    case: AnalysisCase,
    found: AnalystOutcome | None,
    seconds: float,
    run_id: str = "",
    why: str = "",
) -> AnalysisJudged:
    """The verdict on a case: right when all findings are there, partly when some are, wrong when
    none is. What an empty analysis would have as well does not make it partly right.

    Without an analysis, `why` says what kept it from one.
    """
    if case.fault:
        return AnalysisJudged(case, "invalid", why=case.fault)
    if found is None:
        return AnalysisJudged(case, "failed", seconds, run_id=run_id, why=why)
    missing = tuple(each.missing(found) for each in case.findings)
    counted = [not gone for each, gone in zip(case.findings, missing, strict=True)
               if not each.guards]  # fmt: skip
    some = any(counted) or (not counted and not all(missing))
    verdict: AnalysisVerdict = "right" if not any(missing) else "partly" if some else "wrong"
    numbers, traced = found.numbers()
    return AnalysisJudged(
        case, verdict, seconds, missing, found.status, found.summary.text, numbers, traced, run_id
    )
