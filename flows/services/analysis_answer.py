"""What came of a business question as programs get it: the same keys, whatever became of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.core.chat import Usage
from flows.core.documents import Passage
from flows.core.observation import Caution
from flows.core.result import OpenQuestion, RunResult
from flows.data.answers.citations import Citation, Traced
from flows.semantics.findings import ModelCard, Task, TaskResult, TaskStatus, Told

AnalysisStatus = Literal["answered", "partly", "unanswered", "waiting", "failed", "interrupted"]
UNANSWERED: Final = "unanswered"
QUESTIONS: Final = "questions"
# Keys whose values are those of the analyst's outputs.
_OUTPUTS: Final = (
    "answer", "insights", "cautions", "limits", "changes", "passages", "citations", "traced",
)  # fmt: skip


class TaskSummary(Task):
    """A task with what came of it: the agent's words, figures, model, SQL or code, and insights.

    `seconds` is how long it took."""

    status: TaskStatus
    seconds: float
    response: str
    figures: tuple[str, ...]
    model: ModelCard | None
    sql: str | None
    code: str | None
    insights: tuple[str, ...]

    @classmethod
    def of(cls, result: TaskResult) -> TaskSummary:
        """The summary of a task's result."""
        finding = result.finding
        return cls(
            **dict(result.task),
            status=result.status, seconds=result.seconds, response=finding.response,
            figures=finding.figures, model=finding.model, sql=finding.sql, code=finding.code,
            insights=tuple(each.text for each in finding.insights),
        )  # fmt: skip


class RunUsage(Usage):
    """What a run spent, and how long it took."""

    seconds: float


class AnalysisAnswer(BaseModel):
    """What became of a business question."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")

    status: AnalysisStatus = Field(description="what became of the question")
    answer: str | None = Field(default=None, description="the summary; or why there is none")
    insights: tuple[Told, ...] = Field(default=(), description="what was found, with its origin")
    cautions: tuple[Caution, ...] = Field(default=(), description="what to beware of")
    limits: tuple[str, ...] = Field(default=(), description="what must not be concluded")
    tasks: tuple[TaskSummary, ...] = Field(default=(), description="each task, and what came of it")
    changes: tuple[str, ...] = Field(
        default=(), description="how the task list was changed on the way"
    )
    passages: tuple[Passage, ...] = Field(default=(), description="what the documents say about it")
    citations: tuple[Citation, ...] = Field(
        default=(), description="where each number of the answer comes from"
    )
    traced: Traced | None = Field(default=None, description="how many numbers have a source")
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
    def of(cls, result: RunResult) -> AnalysisAnswer:
        """What the run of an analyst came to."""
        outputs = result.outputs
        status = result.status if result.status in ("waiting", "failed") else None
        return cls(
            **{name: outputs[name] for name in _OUTPUTS if name in outputs},
            status=status or outputs.get("status", UNANSWERED),
            tasks=tuple(TaskSummary.of(each) for each in outputs.get("results") or ()),
            report={kind: str(result.folder / path)
                    for kind, path in (outputs.get("files") or {}).items()},
            usage=RunUsage(**dict(result.usage), seconds=round(result.seconds, 3)),
            run_id=result.run_id,
            reason=result.reason,
            questions=result.questions,
        )  # fmt: skip

    @classmethod
    def failure(
        cls, reason: str, *, run_id: str | None = None, status: AnalysisStatus = "failed"
    ) -> AnalysisAnswer:
        """A question that nothing came of, and why."""
        text = reason.encode("utf-8", "backslashreplace").decode()  # half a character of a path
        return cls(status=status, run_id=run_id, reason=text)

    def with_reports(self, files: Mapping[str, Path]) -> AnalysisAnswer:
        """The same with other files of the report, by their kind."""
        chosen = {kind: str(path) for kind, path in files.items()}
        return self.model_copy(update={"report": {**self.report, **chosen}})

    def as_json(self) -> dict[str, Any]:
        """The object that `flows analyse --json` prints: plain data, in the order of the fields."""
        found: dict[str, Any] = self.model_dump(mode="json", exclude={QUESTIONS})
        found["usage"] = found["usage"] or {}
        if self.questions:
            found[QUESTIONS] = [each.as_json() for each in self.questions]
        return found


KEYS: Final = tuple(name for name in AnalysisAnswer.model_fields if name != QUESTIONS)
