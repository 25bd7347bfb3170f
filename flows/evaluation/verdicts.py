"""What became of each case: right, wrong, clarified, abstained, failed, or not to be judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from flows.evaluation.cases import Case
from flows.evaluation.compare import same_answer, same_rows

Verdict = Literal["right", "wrong", "clarified", "abstained", "failed", "invalid"]
VERDICTS: Final[tuple[Verdict, ...]] = ("right", "wrong", "clarified", "abstained", "failed")
INVALID: Final[Verdict] = "invalid"
ROWS_KEPT: Final = 10
_OTHERS: Final[Mapping[str, Verdict]] = {
    "clarify": "clarified", "abstained": "abstained", "failed": "failed",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judged:
    """A case with what it came to. `expected` are the expected rows, `found` the object of
    `flows ask`; `why` says what is wrong with a case that is `invalid`."""

    case: Case
    verdict: Verdict
    found: Mapping[str, Any]
    seconds: float
    expected: tuple[tuple[Any, ...], ...] | None = None
    why: str = ""

    @property
    def confidence(self) -> float:
        return float(self.found.get("confidence") or 0.0)

    def as_json(self) -> dict[str, object]:
        """Plain data, with the first rows of both results."""
        found = self.found
        expected = self.expected if self.expected is not None else None
        return {
            "id": self.case.id,
            "question": self.case.question,
            "verdict": self.verdict,
            "difficulty": self.case.difficulty,
            "confidence": found.get("confidence"),
            "seconds": self.seconds,
            "sql": found.get("sql"),
            "code": found.get("code"),
            "answer": found.get("answer"),
            "columns": found.get("columns"),
            "rows": list(found.get("rows") or ())[:ROWS_KEPT],
            "total_rows": len(found.get("rows") or ()),
            "expected_sql": self.case.sql or None,
            "expected_rows": None if expected is None else list(expected[:ROWS_KEPT]),
            "expected_total_rows": None if expected is None else len(expected),
            "expected_answer": self.case.answer,
            "ordered": self.case.ordered,
            "explanation": found.get("explanation", ""),
            "words": found.get("words", []),
            "clarification": found.get("clarification"),
            "reason": self.why or found.get("reason", ""),
            "run_id": found.get("run_id"),
        }


def judge(
    case: Case,
    found: Mapping[str, Any],
    seconds: float,
    expected: Mapping[str, Any] | None = None,
    *,
    exact: bool = False,
) -> Judged:
    """The verdict on a case; `expected` are the columns and rows of its SQL, or its fault."""
    if case.fault:
        return Judged(case, INVALID, found, seconds, why=case.fault)
    if expected is not None and "fault" in expected:
        why = f"the expected SQL does not run: {expected['fault']}"
        return Judged(case, INVALID, found, seconds, why=why)
    rows = case.rows
    if case.sql and expected is None and found["status"] != "failed":
        return Judged(case, INVALID, found, seconds, why="the expected SQL was not run")
    if expected is not None:
        rows = tuple(tuple(row) for row in expected["rows"])
    other = _OTHERS.get(str(found["status"]))
    if other is not None:
        return Judged(case, other, found, seconds, rows)
    got = list(found["rows"])
    if rows is not None:
        right = same_rows(rows, got, ordered=case.ordered, exact=exact)
    else:
        assert case.answer is not None
        right = same_answer(case.answer, str(found["answer"]), got)
    return Judged(case, "right" if right else "wrong", found, seconds, rows)
