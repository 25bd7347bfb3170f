"""What a run came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from flows.core import markup
from flows.core.artifacts import Artifact
from flows.core.chat import Usage
from flows.core.events import Status
from flows.core.human import Question
from flows.core.rows import Row
from flows.core.sandbox import ProbeFinding


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question that nobody has answered yet: `step` is the address that asked it, `asked` when,
    in seconds since 1970; both empty when it was not recorded."""

    question: Question
    step: str = ""
    asked: float | None = None

    @classmethod
    def of(cls, row: Row) -> OpenQuestion:
        """The question that a row records."""
        return cls(Question.model_validate_json(row.body), row.address, row.at)

    def as_json(self) -> dict[str, object]:
        """Plain data for `--json`."""
        body = self.question.model_dump(mode="json")
        asked = None if self.asked is None else iso_time(self.asked)
        return {"id": body.pop("id"), "step": self.step, "asked": asked, **body}


def iso_time(seconds: float) -> str:
    """Seconds since 1970 as a date and time in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class RunResult:
    """The end of a run. `reason` says why it is not `finished`; `exit_code` is for a shell.

    `questions` are those that a waiting run waits with; `walls` what held the code that was run,
    if any was.
    """

    run_id: str
    status: Status
    outputs: Mapping[str, Any]
    usage: Usage
    seconds: float
    folder: Path
    artifacts: tuple[Artifact, ...] = ()
    reason: str = ""
    error: BaseException | None = None
    exit_code: int = 0
    rounds: int = field(default=0)
    questions: tuple[OpenQuestion, ...] = ()
    walls: ProbeFinding | None = None

    def as_json(self) -> dict[str, object]:
        """Plain data for `--json`."""
        usage = self.usage.model_dump()
        questions = [each.as_json() for each in self.questions]
        return {
            "run_id": self.run_id,
            "status": self.status,
            "reason": self.reason,
            "outputs": to_jsonable_python(dict(self.outputs), fallback=str),
            "usage": {**usage, "rounds": self.rounds, "seconds": round(self.seconds, 3)},
            "artifacts": [artifact.model_dump(exclude={"step"}) for artifact in self.artifacts],
            "folder": str(self.folder),
            **({"questions": questions} if questions else {}),
            **({"sandbox": self.walls.model_dump(mode="json")} if self.walls else {}),
        }

    def _repr_html_(self) -> str:
        """The result as a notebook shows it: its outputs, what it waits for, and where it is."""
        shown = [markup.outputs(to_jsonable_python(dict(self.outputs), fallback=str))]
        shown += [markup.paragraph(each.question.text) for each in self.questions]
        told = f"{self.status}{f': {self.reason}' if self.reason else ''}"
        kept = f"; {len(self.artifacts)} artifacts in {self.folder}" if self.artifacts else ""
        return "".join((*shown, markup.note(f"run {self.run_id} {told}{kept}")))
