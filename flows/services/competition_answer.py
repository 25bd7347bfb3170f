"""What came of a task of prediction as programs get it: the same keys, whatever became of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.analysis.prediction.task import PredictionTask
from flows.analysis.prediction.work import PhaseRecord
from flows.core.function_tool import FunctionTool
from flows.core.result import OpenQuestion, RunResult
from flows.services.analysis_answer import RunUsage
from flows.services.competition_results import REPORTS, SUBMISSION

CompetitionStatus = Literal["done", "partly", "failed", "waiting", "interrupted"]
QUESTIONS: Final = "questions"


class UnitTestCounts(BaseModel):
    """How many unit tests of a phase passed, and how many did not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    passed: int = 0
    failed: int = 0


class PhaseSummary(BaseModel):
    """A phase with what came of it. `score` is that of its agents, from 0 to 5; `report` is in
    Markdown."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    phase: str
    title: str
    score: float | None
    tries: int
    unit_tests: UnitTestCounts
    report: str

    @classmethod
    def of(cls, record: PhaseRecord) -> PhaseSummary:
        """The summary of a phase that is over."""
        passed = sum(each.passed for each in record.work.checks)
        counts = UnitTestCounts(passed=passed, failed=len(record.work.checks) - passed)
        return cls(
            phase=record.phase, title=record.title, score=record.score, tries=record.tries,
            unit_tests=counts, report=record.report,
        )  # fmt: skip


class MadeTool(BaseModel):
    """A tool that the run has made."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    purpose: str
    version: int

    @classmethod
    def of(cls, tool: FunctionTool) -> MadeTool:
        """The tool in short."""
        return cls(name=tool.name, purpose=tool.purpose, version=tool.version)


class CompetitionAnswer(BaseModel):
    """What became of a task of prediction."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    status: CompetitionStatus = Field(description="what became of the task")
    score: float | None = Field(
        default=None, description="the score of the predictions by validation, in the metric"
    )
    metric: str = Field(default="", description="how predictions are judged")
    greater_is_better: bool | None = Field(
        default=None, description="whether a greater score is a better one"
    )
    submission: str | None = Field(default=None, description="the path of the file to hand in")
    rows: int = Field(default=0, description="the rows of the submission")
    task: PredictionTask | None = Field(default=None, description="the task as it was read")
    phases: tuple[PhaseSummary, ...] = Field(default=(), description="each phase, in order")
    made_tools: tuple[MadeTool, ...] = Field(default=(), description="the tools that were made")
    notes: tuple[str, ...] = Field(default=(), description="what to know of it")
    report: Mapping[str, str] = Field(
        default={}, description="the paths of the report's files, by their kind"
    )
    usage: RunUsage | None = Field(default=None, description="what the run spent")
    run_id: str | None = Field(default=None, description="the run; none if there was none")
    reason: str = Field(default="", description="why the run failed or waits")
    questions: tuple[OpenQuestion, ...] = Field(
        default=(), description="what a waiting run asks; without a question no key of the JSON"
    )

    @classmethod
    def of(cls, result: RunResult, written: Mapping[str, Path] = {}) -> CompetitionAnswer:
        """What the run of a pipeline came to. `written` are the files of its results outside of its
        folder, by their names."""
        outputs = result.outputs
        task: PredictionTask | None = outputs.get("task")
        own = {kind: result.folder / path for kind, path in (outputs.get("files") or {}).items()}
        named = {kind: written.get(REPORTS.get(kind, ""), path) for kind, path in own.items()}
        return cls(
            status=status_of(result),
            score=outputs.get("score"),
            metric=outputs.get("metric", ""),
            greater_is_better=task.greater_is_better if task is not None else None,
            submission=_submission(result, written),
            rows=outputs.get("rows", 0),
            task=task,
            phases=tuple(PhaseSummary.of(each) for each in outputs.get("phases", ())),
            made_tools=tuple(MadeTool.of(each) for each in outputs.get("made_tools", ())),
            notes=outputs.get("notes", ()),
            report={kind: str(path) for kind, path in named.items()},
            usage=RunUsage(**dict(result.usage), seconds=round(result.seconds, 3)),
            run_id=result.run_id,
            reason=result.reason,
            questions=result.questions,
        )

    @classmethod
    def failure(
        cls, reason: str, *, run_id: str | None = None, status: CompetitionStatus = "failed"
    ) -> CompetitionAnswer:
        """A task that nothing came of, and why."""
        text = reason.encode("utf-8", "backslashreplace").decode()  # half a character of a path
        return cls(status=status, run_id=run_id, reason=text)

    def as_json(self) -> dict[str, Any]:
        """The object that `flows compete --json` prints: plain data, in the order of the fields."""
        found: dict[str, Any] = self.model_dump(mode="json", exclude={QUESTIONS})
        found["usage"] = found["usage"] or {}
        if self.questions:
            found[QUESTIONS] = [each.as_json() for each in self.questions]
        return found


def status_of(result: RunResult) -> CompetitionStatus:
    """What became of the task; a run that gave nothing has failed."""
    if result.status == "waiting":
        return "waiting"
    if result.status == "failed":
        return "failed"
    said: CompetitionStatus = result.outputs.get("status", "failed")
    return said


def _submission(result: RunResult, written: Mapping[str, Path]) -> str | None:
    path = result.outputs.get("submission")
    return str(written.get(SUBMISSION, result.folder / path)) if path else None


KEYS: Final = tuple(name for name in CompetitionAnswer.model_fields if name != QUESTIONS)
