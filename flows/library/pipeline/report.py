"""The report of a whole pipeline, as files of the run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from flows.analysis.prediction.task import PredictionTask
from flows.analysis.prediction.work import PhaseRecord
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.function_tool import FunctionTool
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.library.pipeline.state import TableRef


class PipelineReportInputs(Ports):
    """All that is told: the outputs of the pipeline, the text of the task, and its tables."""

    status: str
    background: str = ""
    task: PredictionTask | None = None
    metric: str = ""
    score: float | None = None
    submission: str = ""
    rows: int = 0
    phases: tuple[PhaseRecord, ...] = ()
    made_tools: tuple[FunctionTool, ...] = ()
    notes: tuple[str, ...] = ()
    tables: dict[str, TableRef] = Field(default={})


class PipelineReportOutputs(Ports):
    """The report's files in the run's folder, by their kind."""

    files: dict[str, str]


class PipelineReportFlow(AtomicFlow):
    """Writes what every phase did as a page that opens offline, and as a notebook that runs
    again."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = PipelineReportInputs
    Outputs: ClassVar[type[Ports]] = PipelineReportOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Writes the report."), parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: PipelineReportInputs, run: Run) -> PipelineReportOutputs:
        del inputs, run
        return PipelineReportOutputs(files={})
