"""The pipeline: its phases in order, then the submission and the report."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar, Final, Literal

from pydantic import Field

from flows.analysis.prediction.metrics import PredictionMetric, read_own_metric
from flows.analysis.prediction.task import SAMPLE, TEST, TRAIN, PredictionTask
from flows.analysis.prediction.work import PhaseRecord
from flows.core.flow import (
    AtomicConfig,
    AtomicFlow,
    CompositeFlow,
    FlowConfig,
    Parts,
    Ports,
    Problem,
)
from flows.core.function_tool import FunctionTool
from flows.core.observation import Cell
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.errors import ConfigError, SourceError, UsageError
from flows.library.pipeline.execution import StepCodeFlow
from flows.library.pipeline.phase import PhaseFlow
from flows.library.pipeline.report import PipelineReportFlow
from flows.library.pipeline.state import TableRef
from flows.library.pipeline.submission import SubmissionFlow
from flows.library.pipeline.tool_steps import CountToolsFlow

Status = Literal["done", "partly", "failed"]
# Unit tests of this beginning say whether a submission can be handed in.
_OF_SUBMISSION: Final = "submission"
_SCORES: Final = "scores"
_BASELINE: Final = "baseline"
_NONE: Final = "There is no submission"


class PipelineConfig(FlowConfig):
    """The keys of a pipeline. Its phases are its subflows, in the order in which they are done."""

    description: str = "Goes from a task of prediction to a submission, phase by phase."
    subflows_config: dict[str, object] = Field(
        default={}, description="its phases, by name, in order"
    )
    seconds: float = Field(default=600.0, gt=0, description="time for the code of all phases")
    library: str = Field(
        default=".flows/tools",
        description="the folder in which good tools stay for later runs; empty for none",
    )
    own_metrics: tuple[Path, ...] = Field(
        default=(),
        description="Python files with metrics of one's own, from the run file's folder; a task "
        "names one by the name of its file",
    )
    most_rows: int = Field(
        default=100_000, ge=100, description="rows that are learned from; of more a sample is"
    )


class PipelineInputs(Ports):
    """The text of the task, what its columns mean as far as that is known otherwise, and what may
    be wrong with its files. Its tables are those of the run's data: `train`, and where there are
    some, `test` and `sample`; a table that is alone is `train`."""

    background: str = ""
    fields: dict[str, str] = Field(default={})
    doubts: tuple[str, ...] = ()


class PipelineOutputs(Ports):
    """What it came to. `score` is that of the predictions by validation, in `metric`; `submission`
    the path of the file in the run's folder, empty without one; `files` are the report by kind."""

    status: Status
    task: PredictionTask | None = None
    metric: str = ""
    score: float | None = None
    submission: str = ""
    rows: int = 0
    phases: tuple[PhaseRecord, ...] = ()
    made_tools: tuple[FunctionTool, ...] = ()
    notes: tuple[str, ...] = ()
    files: dict[str, str] = Field(default={})


class PipelineFlow(CompositeFlow):
    """Calls its phases, each with what those before it have made of the tables; writes the
    submission if its unit tests passed, and the report."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data", "sandbox": "sandbox"}
    Config: ClassVar[type[FlowConfig]] = PipelineConfig
    Inputs: ClassVar[type[Ports]] = PipelineInputs
    Outputs: ClassVar[type[Ports]] = PipelineOutputs

    def __init__(self, config: PipelineConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.phases = dict(parts.subflows)
        self.own_metrics = tuple(_own_metric(parts.base / each) for each in config.own_metrics)
        self.open = TablesFlow(parts.below("open_tables"))
        self.sample = StepCodeFlow(parts.below("sample_rows"))
        self.submit = SubmissionFlow(parts.below("write_submission"))
        self.count = CountToolsFlow(parts.below("count_tools"))
        self.report = PipelineReportFlow(parts.below("write_report"))
        own = (self.open, self.sample, self.submit, self.count, self.report)
        self.subflows |= {each.name: each for each in own}

    @classmethod
    def wiring(cls, config: PipelineConfig, subflows: Mapping[str, object]) -> list[Problem]:
        del config
        if not subflows:
            return [Problem("a pipeline needs phases", ("subflows_config",))]
        return [
            Problem(f"{name} is no phase", ("subflows_config", name), ("pipeline.phase",))
            for name, each in subflows.items()
            if not isinstance(each, PhaseFlow)
        ]

    def most_of(self, below: Mapping[str, float]) -> float:
        return sum(below[name] for name in self.phases)

    async def run(self, inputs: PipelineInputs, run: Run) -> PipelineOutputs:
        config: PipelineConfig = self.config
        notes = list(inputs.doubts)
        tables = await self._tables(notes, run)
        task: PredictionTask | None = None
        made: tuple[FunctionTool, ...] = ()
        records: list[PhaseRecord] = []
        for number, (name, phase) in enumerate(self.phases.items(), 1):
            found = await run.call(phase, {
                "number": number, "background": inputs.background, "fields": inputs.fields,
                "task": task, "tables": tables, "made_tools": made, "earlier": tuple(records),
                "seconds": config.seconds, "library": config.library,
                "own_metrics": self.own_metrics,
            })  # fmt: skip
            task, tables, made = found["task"], found["tables"], found["made_tools"]
            record: PhaseRecord = found["record"]
            records.append(record)
            if task is None:
                notes.append(f"{name} could not say what is to be predicted.")
                break
        if task is not None:
            notes += [each for each in task.doubts if each not in notes]
        submission, rows = await self._submission(tables, records, notes, run)
        status = _status(task, records, submission, notes)
        await run.call(self.count, {"library": config.library, **_uses(records)})
        outputs = {
            "status": status, "task": task, "phases": tuple(records), "made_tools": made,
            "metric": task.metric if task is not None else "", "score": score_of(records),
            "submission": submission, "rows": rows, "notes": tuple(notes),
        }  # fmt: skip
        told = await run.call(self.report, {
            **outputs, "background": inputs.background, "tables": tables,
        })  # fmt: skip
        return PipelineOutputs(**outputs, files=told["files"])

    async def _tables(self, notes: list[str], run: Run) -> dict[str, TableRef]:
        """The tables, those that are read as `raw_` too; of a long one a sample is learned from."""
        config: PipelineConfig = self.config
        found = await run.call(self.open, {})
        tables: dict[str, TableRef] = found["tables"]
        if found["rows"] > config.most_rows:
            code = (
                f"train = train.sample(n={config.most_rows}, random_state=0)"
                ".sort_index().reset_index(drop=True)\n"
            )
            done = await run.call(self.sample, {"code": code, "tables": tables})
            if done["fault"] is not None:
                raise SourceError(f"no sample of train could be taken: {done['fault'].message}")
            tables = {**tables, **done["tables"]}
            notes.append(
                f"Of the {found['rows']:,} rows of train a random sample of {config.most_rows:,} "
                "was learned from."
            )
        raw = {f"raw_{name}": tables[name] for name in (TRAIN, TEST) if name in tables}
        return {**tables, **raw}

    async def _submission(
        self, tables: Mapping[str, TableRef], records: list[PhaseRecord], notes: list[str], run: Run
    ) -> tuple[str, int]:
        if "submission" not in tables:
            return "", 0
        wrong = [
            each
            for record in records
            for each in record.work.failed
            if each.name.startswith(_OF_SUBMISSION)
        ]
        if wrong:
            notes += [f"{_NONE}: {each.name}: {each.message}" for each in wrong]
            return "", 0
        done = await run.call(self.submit, {"table": tables["submission"]})
        return done["submission"], done["rows"]


def _own_metric(path: Path) -> PredictionMetric:
    """The metric of a file. Errors: `ConfigError`."""
    try:
        return read_own_metric(path.stem, path.read_text(encoding="utf-8"))
    except (OSError, UnicodeError, UsageError) as error:
        raise ConfigError(f"the metric {path} cannot be used: {error}") from error


def _status(
    task: PredictionTask | None, records: list[PhaseRecord], submission: str, notes: list[str]
) -> Status:
    """`done` with all that was asked for; `partly` where a phase was not good enough."""
    if any(row["model"] == _BASELINE for row in _chosen(records)):
        notes.append("Nothing that was learned is better than the same answer for all rows.")
    weak = [each for each in records if each.kept_best]
    notes += [
        " ".join(
            (f"{each.title}: no try was good enough; the best one counts.", *each.work.errors[-1:])
        )
        for each in weak
    ]
    if task is None or (task.has_test and not submission):
        if task is not None and not any(each.startswith(_NONE) for each in notes):
            notes.append("No phase made a submission.")
        return "failed"
    return "partly" if weak else "done"


def _uses(records: list[PhaseRecord]) -> dict[str, dict[str, int]]:
    """How often the steps called each tool, and how often that went well."""
    uses: Counter[str] = Counter()
    successes: Counter[str] = Counter()
    for record in records:
        for outcome in record.work.outcomes:
            if outcome.step.tool:
                uses[outcome.step.tool] += 1
                successes[outcome.step.tool] += outcome.status == "done"
    return {"uses": dict(uses), "successes": dict(successes)}


def score_of(records: list[PhaseRecord]) -> float | None:
    """The score by validation of what was chosen."""
    scores = [row["score"] for row in _chosen(records)]
    numbers = [float(each) for each in scores if isinstance(each, int | float)]
    return sum(numbers) / len(numbers) if numbers else None


def _chosen(records: list[PhaseRecord]) -> list[dict[str, Cell]]:
    """The rows of what was chosen, one for each target, of the last table of scores."""
    for record in reversed(records):
        table = record.shown.get(_SCORES)
        if table is not None and {"model", "chosen", "score"} <= set(table.columns):
            rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
            return [row for row in rows if row["chosen"]]
    return []


class TablesOutputs(Ports):
    """The tables by the variables that they are, and how many rows `train` has."""

    tables: dict[str, TableRef]
    rows: int


class TablesFlow(AtomicFlow):
    """Finds the tables of the task among those of the run's data."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Outputs: ClassVar[type[Ports]] = TablesOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Opens the tables."), parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: Ports, run: Run) -> TablesOutputs:
        del inputs, run
        known = {each.name: each for each in await asyncio.to_thread(self.catalog.tables)}
        train = TRAIN if TRAIN in known else next(iter(known)) if len(known) == 1 else ""
        if not train:
            names = ", ".join(known) or "none"
            raise SourceError(f"no table is called {TRAIN!r}; the data have: {names}")
        tables = {TRAIN: TableRef(table=train)}
        tables |= {name: TableRef(table=name) for name in (TEST, SAMPLE) if name in known}
        return TablesOutputs(tables=tables, rows=known[train].rows)
