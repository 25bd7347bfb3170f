"""What the report of a pipeline says, whatever it is written as."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict

from flows.analysis.prediction.task import PredictionTask
from flows.analysis.prediction.work import PhaseRecord
from flows.report.report import Cost, SourceUsed

SCORES: Final = "scores"
STATUSES: Final = {"done": "Done", "partly": "Done in part", "failed": "No submission"}


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="constants")


class ToolTold(_Frozen):
    """A tool that was called: its document in Markdown, its code as steps ran it, how often it was
    called. `made` says that the run made it."""

    name: str
    purpose: str
    document: str = ""
    code: str = ""
    made: bool = False
    uses: int = 0


class PipelineReport(_Frozen):
    """Everything that the report of a pipeline shows. Figures are names of the run's artifacts.

    `submission` is the path of the file in the run's folder, "" without one, `rows` its rows.
    `frames` are the tables of the sources by the variables that they are; `copies` the Parquet
    files that those are read from again whose source takes more than one way of reading.
    `sampling` is the code by which rows were chosen to learn from.
    `made_at` is a time in ISO form.
    """

    run_id: str
    status: str
    background: str = ""
    task: PredictionTask | None = None
    metric: str = ""
    score: float | None = None
    submission: str = ""
    rows: int = 0
    phases: tuple[PhaseRecord, ...] = ()
    tools: tuple[ToolTold, ...] = ()
    notes: tuple[str, ...] = ()
    sources: tuple[SourceUsed, ...] = ()
    frames: dict[str, str] = {}
    copies: dict[str, str] = {}
    sampling: str = ""
    cost: Cost = Cost()
    made_with: str = ""
    made_at: str = ""

    @property
    def title(self) -> str:
        """The task in a line."""
        if self.task is None:
            return "A task of prediction"
        return self.task.title or f"Predict {', '.join(self.task.targets)}"
