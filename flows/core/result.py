"""What a run came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic_core import to_jsonable_python

from flows.core.artifacts import Artifact
from flows.core.chat import Usage
from flows.core.events import Status


@dataclass(frozen=True, slots=True)
class RunResult:
    """The end of a run. `reason` says why it is not `finished`; `exit_code` is for a shell."""

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

    def as_json(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        usage = self.usage.model_dump()
        return {
            "run_id": self.run_id,
            "status": self.status,
            "reason": self.reason,
            "outputs": to_jsonable_python(dict(self.outputs), fallback=str),
            "usage": {**usage, "rounds": self.rounds, "seconds": round(self.seconds, 3)},
            "artifacts": [artifact.model_dump(exclude={"step"}) for artifact in self.artifacts],
            "folder": str(self.folder),
        }
