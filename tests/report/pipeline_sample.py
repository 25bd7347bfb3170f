"""Reports of pipelines for tests: a usual one, and one in which all that is told is hostile."""

from __future__ import annotations

import base64
from pathlib import Path

from flows.analysis.prediction.plan import PlanStep, UnitTestResult
from flows.analysis.prediction.task import PredictionTask, SubmissionFormat
from flows.analysis.prediction.work import (
    AgentScore,
    ColumnChanges,
    PhaseRecord,
    PhaseWork,
    StepOutcome,
)
from flows.core.artifacts import Artifacts, Origin
from flows.core.observation import Cell, Preview
from flows.report.pipeline.contents import PipelineReport, ToolTold
from flows.report.report import SourceTable, SourceUsed
from tests.report.hostile import ALL
from tests.report.sample import Desk

# A picture of one pixel.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
# Rows of `scores` as the tools write them.
SCORES: tuple[tuple[Cell, ...], ...] = (
    ("weight", "baseline", "rmse", 1.5, 0.1, 0.0, False),
    ("weight", "hist_gradient_boosting", "rmse", 0.75, 0.05, 0.4, False),
    ("weight", "linear", "rmse", 0.5, 0.04, 1.5, False),
    ("weight", "blend", "rmse", 0.25, 0.03, 0.2, True),
)
SCORE_COLUMNS = ("target", "model", "metric", "score", "std", "seconds", "chosen")


def scores() -> Preview:
    types = ("text", "text", "text", "real", "real", "real", "boolean")
    return Preview(columns=SCORE_COLUMNS, types=types, rows=SCORES, total_rows=len(SCORES))


def pipeline_report(folder: Path) -> tuple[PipelineReport, Artifacts]:
    """Of two phases, with a figure; and the artifacts of its run."""
    return _report(folder, "Weights of beans", "mean of `length` by kind")


def hostile_report(folder: Path) -> tuple[PipelineReport, Artifacts]:
    """The same, with every text hostile."""
    return _report(folder, ALL.encode("utf-8", "replace").decode(), "")


def _report(folder: Path, text: str, title: str) -> tuple[PipelineReport, Artifacts]:
    desk = Desk(Artifacts(folder / "run"))
    said = title or text
    figure = desk.keep("figure_1", "png", PNG, "figure", Origin(), about=said).name
    task = PredictionTask(
        title=text, background=text, targets=("weight", said), kind="regression", metric="rmse",
        greater_is_better=False, submission=SubmissionFormat(columns=("bean_id", said), rows=40),
        fields={said: text}, reasons={"targets": text}, doubts=(text,),
    )  # fmt: skip
    step = PlanStep(purpose=said, tool="fill_missing_values", optional=True)
    outcomes = (
        StepOutcome(step=step, code=f"# {said}", printed=text, figures={figure: said}),
        StepOutcome(step=step, code="x = 1", status="left_out", error=text),
    )
    checks = (
        UnitTestResult(name="same_columns", passed=True),
        UnitTestResult(name="no_leak", passed=False, message=text, advice=text, culprits=(said,)),
    )
    grid = Preview(columns=(said, "n"), types=("text", "integer"), rows=((text, 3),), total_rows=9)
    cleaning = PhaseRecord(
        phase="data_cleaning", title="Data Cleaning", score=4.25, tries=2, kept_best=True,
        plan=f"1. {text}\n   - columns: `{said}`",
        report=f"# Data Cleaning\n\n{text}\n\n| {said} |\n|---|\n| x |",
        steps=(step, step), changes=ColumnChanges(added=(said,), rows_before=9, rows_after=7),
        shown={"columns": grid}, tools=("fill_missing_values",),
        scores=(AgentScore(agent="planner", score=3.5, reasons=(text,), suggestion=text),),
        work=PhaseWork(outcomes=outcomes, ran=True, checks=checks, errors=(text,)),
    )  # fmt: skip
    building = PhaseRecord(
        phase="model_building", title="Model Building", score=5.0, shown={"scores": scores()}
    )
    tool = ToolTold(
        name="fill_missing_values", purpose=said, document=f"# Tool\n\n{text}",
        code=f"# {said}\n", made=True, uses=2,
    )  # fmt: skip
    source = SourceUsed(
        name="train", kind="csv", where=f"/data/{said}.csv", sha256="ab" * 32,
        tables=(SourceTable(name="train", frame="train", physical="train", rows=9),), plain=True,
    )  # fmt: skip
    report = PipelineReport(
        run_id="20250101-120000-abcdef", status="partly", background=text, task=task,
        metric="rmse", score=0.25, submission="artifacts/submission.csv", rows=40,
        phases=(cleaning, building), tools=(tool,), notes=(text,), sources=(source,),
        frames={"train": "train"}, made_at="2025-01-01 12:00 UTC",
    )  # fmt: skip
    return report, desk.artifacts
