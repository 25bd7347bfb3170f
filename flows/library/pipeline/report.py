"""The report of a whole pipeline, as files of the run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import ClassVar, Final

from pydantic import Field

from flows.analysis.prediction.task import SAMPLE, TEST, TRAIN, PredictionTask
from flows.analysis.prediction.work import PhaseRecord
from flows.core.artifacts import Origin
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.function_tool import FunctionTool
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.library.pipeline.execution import table_paths, with_sources
from flows.library.pipeline.state import TableRef
from flows.report.loading import reads_by_itself
from flows.report.pipeline.contents import PipelineReport, ToolTold
from flows.report.pipeline.notebook import pipeline_notebook
from flows.report.pipeline.page import pipeline_page
from flows.report.report import Cost, SourceUsed
from flows.report.sources import sources_used
from flows.tools.functions.document import document_of
from flows.tools.functions.shipped import shipped_tools
from flows.tools.functions.source import code_of

_READ: Final = (TRAIN, TEST, SAMPLE)


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
        sources = await asyncio.to_thread(sources_used, self.catalog)
        frames = _frames(sources)
        report = PipelineReport(
            run_id=run.session.run_id,
            status=inputs.status,
            background=inputs.background,
            task=inputs.task,
            metric=inputs.metric,
            score=inputs.score,
            submission=inputs.submission,
            rows=inputs.rows,
            phases=inputs.phases,
            tools=_tools(inputs),
            notes=inputs.notes,
            sources=sources,
            frames=frames,
            copies=await self._copies(frames, sources, run),
            sampling=_sampling(inputs, run),
            cost=_cost(run),
            made_with=f"analyst-flows {version('analyst-flows')}",
            made_at=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        )
        artifacts = run.session.artifacts
        page = await asyncio.to_thread(pipeline_page, report, artifacts)
        notebook = await asyncio.to_thread(pipeline_notebook, report)
        origin = Origin(inputs={each.name: each.sha256 for each in sources})
        saved = run.save("report", "html", page, report.title[:200], origin, what="report",
                         forms={"ipynb": notebook})  # fmt: skip
        return PipelineReportOutputs(files={each.kind: each.path for each in saved.files})

    async def _copies(
        self, frames: Mapping[str, str], sources: tuple[SourceUsed, ...], run: Run
    ) -> dict[str, str]:
        """The tables that a notebook cannot read as the run did, as files of the run."""
        plain = {
            table.name for source in sources if reads_by_itself(source) for table in source.tables
        }
        found = {}
        for variable, table in frames.items():
            if table in plain:
                continue
            refs = {variable: TableRef(table=table)}
            path = (await table_paths(refs, self.catalog, run))[variable]
            content = await asyncio.to_thread(path.read_bytes)
            saved = run.save(
                f"{variable}_as_read", "parquet", content, f"{variable} as it was read"
            )
            found[variable] = str((run.session.folder / saved.path).absolute())
        return found


def _frames(sources: tuple[SourceUsed, ...]) -> dict[str, str]:
    """The tables of the task by the variables that they are; a table that is alone is `train`."""
    names = [table.name for source in sources for table in source.tables]
    found: dict[str, str] = {name: name for name in _READ if name in names}
    return found or ({TRAIN: names[0]} if len(names) == 1 else {})


def _tools(inputs: PipelineReportInputs) -> tuple[ToolTold, ...]:
    """The tools that steps have called, those that the run has made with them."""
    made = {each.name for each in inputs.made_tools}
    calls = Counter(
        outcome.step.tool
        for record in inputs.phases
        for outcome in record.work.outcomes
        if outcome.step.tool
    )
    known = {each.name: each for each in (*shipped_tools(), *inputs.made_tools)}
    used = [known[name] for name in known if name in calls or name in made]
    return tuple(
        ToolTold(
            name=each.name, purpose=each.purpose, document=document_of(each), code=code_of(each),
            made=each.name in made, uses=calls[each.name],
        )
        for each in with_sources(used)
    )  # fmt: skip


def _sampling(inputs: PipelineReportInputs, run: Run) -> str:
    """The code by which rows of train were chosen, if some were."""
    raw = inputs.tables.get(f"raw_{TRAIN}")
    if raw is None or not raw.artifact:
        return ""
    origin = run.session.artifacts.find(raw.artifact).origin
    return origin.code or "" if origin is not None else ""


def _cost(run: Run) -> Cost:
    """What the run has used so far; dollars only if the price of each call is known."""
    used = run.session.meter.usage
    return Cost(
        seconds=run.used_seconds(),
        model_calls=used.model_calls,
        input_tokens=used.input_tokens or 0,
        output_tokens=used.output_tokens or 0,
        dollars=None if used.unpriced_calls else used.cost or 0.0,
    )
