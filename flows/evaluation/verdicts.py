"""What became of each case: right, wrong, clarified, abstained, failed, or not to be judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from flows.core.chat import Usage
from flows.evaluation.cases import Case, ExpectedResult
from flows.evaluation.compare import same_answer, same_rows
from flows.library.ask.answer import AskAnswer
from flows.semantics.request import REQUEST

Verdict = Literal["right", "wrong", "clarified", "abstained", "failed", "invalid"]
VERDICTS: Final[tuple[Verdict, ...]] = ("right", "wrong", "clarified", "abstained", "failed")
INVALID: Final[Verdict] = "invalid"
ROWS_KEPT: Final = 10
_OTHERS: Final[Mapping[str, Verdict]] = {
    "clarify": "clarified", "abstained": "abstained", "failed": "failed",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A case with the answer to its question. `expected` are the expected rows; `why` says what is
    wrong with a case that is `invalid`; `usage` is what models were asked for it."""

    case: Case
    verdict: Verdict
    answer: AskAnswer
    seconds: float
    expected: tuple[tuple[Any, ...], ...] | None = None
    why: str = ""
    usage: Usage = field(default_factory=Usage)

    @property
    def confidence(self) -> float:
        return self.answer.confidence or 0.0

    def as_json(self) -> dict[str, object]:
        """Plain data, with the first rows of both results."""
        found, expected = self.answer.as_json(), self.expected
        return {
            "id": self.case.id,
            "question": self.case.question,
            "verdict": self.verdict,
            "status": found["status"],
            "difficulty": self.case.difficulty,
            "confidence": found["confidence"],
            "seconds": self.seconds,
            "usage": self.usage.model_dump(),
            "sql": found["sql"],
            "code": found["code"],
            "answer": found["answer"],
            "columns": found["columns"],
            "rows": found["rows"][:ROWS_KEPT],
            "total_rows": len(found["rows"]),
            "expected_sql": self.case.sql or None,
            "expected_rows": None if expected is None else list(expected[:ROWS_KEPT]),
            "expected_total_rows": None if expected is None else len(expected),
            "expected_answer": self.case.answer,
            "expected_request": REQUEST.dump_python(self.case.request, mode="json")
            if self.case.request is not None
            else None,
            "ordered": self.case.ordered,
            "explanation": found.get("explanation", ""),
            "words": found.get("words", []),
            "clarification": found["clarification"],
            "reason": self.why or found["reason"],
            "run_id": found["run_id"],
        }


def judge(
    case: Case,
    answer: AskAnswer,
    seconds: float,
    expected: ExpectedResult | None = None,
    *,
    exact: bool = False,
) -> JudgedCase:
    """The verdict on the answer to a case; `expected` is what the SQL of the case gives, or its
    request where that is a query."""
    if case.fault:
        return JudgedCase(case, INVALID, answer, seconds, why=case.fault)
    if expected is not None and expected.fault:
        what = "SQL does not run" if case.sql else "request cannot be answered"
        why = f"the expected {what}: {expected.fault}"
        return JudgedCase(case, INVALID, answer, seconds, why=why)
    rows = case.rows
    if case.sql and expected is None and answer.status != "failed":
        return JudgedCase(case, INVALID, answer, seconds, why="the expected SQL was not run")
    if expected is not None:
        rows = tuple(tuple(row) for row in expected.rows)
    other = _OTHERS.get(answer.status)
    if other is not None:
        return JudgedCase(case, other, answer, seconds, rows)
    got = answer.rows
    if case.request is not None and answer.request == case.request:
        right = True
    elif rows is not None:
        right = same_rows(rows, got, ordered=case.ordered, exact=exact)
    else:
        right = case.answer is not None and same_answer(case.answer, str(answer.answer), got)
    return JudgedCase(case, "right" if right else "wrong", answer, seconds, rows)
