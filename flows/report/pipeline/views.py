"""The parts of a pipeline's page, as its template shows them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeGuard

from flows.analysis.prediction.phases import TITLES
from flows.analysis.prediction.plan import UnitTestResult
from flows.analysis.prediction.task import PredictionTask
from flows.analysis.prediction.work import PhaseRecord, StepOutcome
from flows.core.observation import Cell, Preview
from flows.report.cleaning import clean, one_line
from flows.report.column_formats import column_format
from flows.report.pipeline.contents import SCORES, PipelineReport
from flows.report.pipeline.prose import Line, ProsePiece, parts_of, pieces_of, without_title

# Rows of `scores` that are what the models are measured against, in words.
YARDSTICKS: Final = {
    "baseline": "one answer for all rows",
    "hist_gradient_boosting": "HistGradientBoosting, untuned",
}
_NUMBERS: Final = ("integer", "real")
_SHOWN_TABLES: Final = 4
_LONGEST: Final = 20_000


@dataclass(frozen=True, slots=True)
class GridColumn:
    name: str
    number: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """A small table: its first rows as texts, and how many there are."""

    name: str
    columns: tuple[GridColumn, ...]
    rows: tuple[tuple[str, ...], ...]
    more: str = ""


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A model's score. `width` is its bar, in hundredths of the longest one."""

    target: str
    model: str
    about: str
    score: str
    spread: str
    seconds: str
    look: str
    width: float


@dataclass(frozen=True, slots=True)
class CheckView:
    name: str
    look: str
    state: str
    message: str
    advice: str
    culprits: str


@dataclass(frozen=True, slots=True)
class StepView:
    """A step of a plan with its code; `figures` are keys of charts."""

    number: int
    purpose: Line
    tool: str
    status: str
    code: str
    error: str
    printed: str
    cautions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReviewView:
    agent: str
    score: str
    reasons: tuple[str, ...]
    suggestion: str


@dataclass(frozen=True, slots=True)
class PhaseView:
    """A phase with all that it left. `state` says how it came out."""

    anchor: str
    title: str
    look: str
    state: str
    score: str
    tries: int
    tests: str
    tests_look: str
    steps_text: str
    changed: str
    report: tuple[ProsePiece, ...]
    plan: tuple[ProsePiece, ...]
    steps: tuple[StepView, ...]
    checks: tuple[CheckView, ...]
    reviews: tuple[ReviewView, ...]
    tables: tuple[Grid, ...]
    errors: tuple[str, ...]
    tools: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    name: str
    value: str


def phase_views(report: PipelineReport) -> tuple[PhaseView, ...]:
    """The phases in their order."""
    return tuple(_phase(each, number) for number, each in enumerate(report.phases, 1))


def score_rows(report: PipelineReport) -> tuple[ScoreRow, ...]:
    """The scores of the last phase that has some, the best first. The bars are of what a score is
    better than the worst one."""
    table = next(
        (each.shown[SCORES] for each in reversed(report.phases) if SCORES in each.shown), None
    )
    if table is None or not {"model", "score"} <= set(table.columns):
        return ()
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    greater = report.task is None or report.task.greater_is_better
    numbers = [float(each["score"]) for each in rows if _is_number(each["score"])]
    several = len({each.get("target") for each in rows}) > 1
    ordered = sorted(rows, key=lambda each: _place(each, greater, several))
    ends = (min(numbers, default=0.0), max(numbers, default=0.0))
    return tuple(_score(each, ends, greater, several) for each in ordered)


def task_facts(task: PredictionTask) -> tuple[Fact, ...]:
    """What was read of the task, in short."""
    better = "greater is better" if task.greater_is_better else "less is better"
    facts = [
        ("Predicted", ", ".join(task.targets)),
        ("Kind", task.kind),
        ("Judged by", f"{task.metric} ({better})"),
        ("Identifier", task.identifier or ""),
        ("Rows belong together by", task.group or ""),
        ("Test rows are later by", task.time or ""),
    ]
    if task.submission is not None:
        form = task.submission
        facts += [
            ("Columns to hand in", ", ".join(form.columns)),
            ("Values to hand in", form.values),
            ("Rows to hand in", f"{form.rows:,}" if form.rows is not None else ""),
        ]
    return tuple(Fact(name, one_line(value)) for name, value in facts if value)


def score_text(value: float | None) -> str:
    """A score in the digits that it is read with."""
    return "" if value is None else f"{value:,.5g}"


def _phase(record: PhaseRecord, number: int) -> PhaseView:
    work = record.work
    look, state = _state(record)
    failed = len(work.checks) - sum(each.passed for each in work.checks)
    tests = f"{len(work.checks) - failed} of {len(work.checks)} passed" if work.checks else ""
    left_out = sum(each.status == "left_out" for each in work.outcomes)
    steps = f"{len(work.outcomes)}" + (f", {left_out} left out" if left_out else "")
    return PhaseView(
        anchor=f"phase-{number}",
        title=one_line(record.title or TITLES.get(record.phase, record.phase)),
        look=look,
        state=state,
        score="" if record.score is None else f"{record.score:.1f}",
        tries=record.tries,
        tests=tests,
        tests_look="bad" if work.failed else "warn" if failed else "good",
        steps_text=steps if work.outcomes else "",
        changed=_changed(record),
        report=pieces_of(without_title(record.report[:_LONGEST], record.title)),
        plan=pieces_of(without_title(record.plan[:_LONGEST], record.title)),
        steps=tuple(_step(each, place) for place, each in enumerate(work.outcomes, 1)),
        checks=tuple(_check(each) for each in work.checks),
        reviews=tuple(
            ReviewView(
                one_line(each.agent), f"{each.score:.1f}", tuple(map(clean, each.reasons)),
                clean(each.suggestion),
            )
            for each in record.scores
        ),
        tables=tuple(
            grid_of(name, table) for name, table in list(record.shown.items())[:_SHOWN_TABLES]
            if table.columns
        ),
        errors=tuple(clean(each)[:2_000] for each in work.errors),
        tools=tuple(one_line(each) for each in record.tools),
    )  # fmt: skip


def _state(record: PhaseRecord) -> tuple[str, str]:
    if record.steps and not record.work.ran:
        return "bad", "its code did not run to its end"
    if record.kept_best:
        return "warn", "no try was good enough; the best one counts"
    if record.work.failed:
        return "warn", "unit tests fail"
    return "good", "done"


def _changed(record: PhaseRecord) -> str:
    changes = record.changes
    said = []
    if changes.added:
        said.append(f"{len(changes.added)} columns added")
    if changes.removed:
        said.append(f"{len(changes.removed)} columns removed")
    if (lost := changes.rows_before - changes.rows_after) > 0:
        said.append(f"{lost:,} rows removed")
    return ", ".join(said)


def _step(outcome: StepOutcome, number: int) -> StepView:
    status = {"done": "", "failed": "failed", "left_out": "left out"}[outcome.status]
    return StepView(
        number=number,
        purpose=parts_of(one_line(outcome.step.purpose, 400)),
        tool=one_line(outcome.step.tool),
        status=status,
        code=clean(outcome.code),
        error=clean(outcome.error)[:4_000],
        printed=clean(outcome.printed),
        cautions=tuple(clean(each.text) for each in outcome.cautions),
    )


def _check(result: UnitTestResult) -> CheckView:
    look = "good" if result.passed else "bad" if result.level == "error" else "warn"
    state = "passed" if result.passed else "failed" if result.level == "error" else "warning"
    return CheckView(
        one_line(result.name), look, state, clean(result.message), clean(result.advice),
        one_line(", ".join(result.culprits)),
    )  # fmt: skip


def grid_of(name: str, table: Preview) -> Grid:
    """A table's first rows as texts."""
    formats = [
        column_format(column, kind, [row[place] for row in table.rows])
        for place, (column, kind) in enumerate(zip(table.columns, table.types, strict=True))
    ]
    rows = tuple(
        tuple(written(cell) for written, cell in zip(formats, row, strict=True))
        for row in table.rows
    )
    columns = tuple(
        GridColumn(one_line(column, 80), kind in _NUMBERS)
        for column, kind in zip(table.columns, table.types, strict=True)
    )
    hidden = table.total_rows - len(table.rows)
    more = f"The first {len(rows):,} of {table.total_rows:,} rows." if hidden > 0 else ""
    return Grid(one_line(name, 80), columns, rows, more)


def _score(
    row: dict[str, Cell], ends: tuple[float, float], greater: bool, several: bool
) -> ScoreRow:
    model, value = one_line(str(row["model"])), row["score"]
    yardstick = YARDSTICKS.get(model)
    look = "chosen" if row.get("chosen") else "yardstick" if yardstick else ""
    spread, seconds = row.get("std"), row.get("seconds")
    return ScoreRow(
        target=one_line(str(row.get("target", ""))) if several else "",
        model=model,
        about="chosen" if look == "chosen" else f"yardstick: {yardstick}" if yardstick else "",
        score=score_text(float(value)) if _is_number(value) else "",
        spread=f"± {float(spread):.2g}" if _is_number(spread) else "",
        seconds=f"{float(seconds):,.1f} s" if _is_number(seconds) else "",
        look=look,
        width=_width(value, ends, greater),
    )  # fmt: skip


def _width(value: Cell, ends: tuple[float, float], greater: bool) -> float:
    """How much better than the worst score, in hundredths of the distance to the best one."""
    least, most = ends
    if not _is_number(value) or most <= least:
        return 0.0
    share = (float(value) - least) / (most - least)
    return round(100 * (share if greater else 1 - share), 1)


def _place(row: dict[str, Cell], greater: bool, several: bool) -> tuple[str, bool, float]:
    value = row["score"]
    if not _is_number(value):
        return (str(row.get("target", "")) if several else "", True, 0.0)
    number = float(value)
    return (str(row.get("target", "")) if several else "", False, -number if greater else number)


def _is_number(value: Cell) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def used_by(report: PipelineReport, name: str) -> Iterator[str]:
    """The titles of the phases whose steps called a tool."""
    for each in report.phases:
        if name in each.tools:
            yield one_line(each.title)


def names_of(outcomes: Sequence[StepOutcome]) -> dict[str, str]:
    """The titles of the figures of some steps, by the names of their artifacts."""
    return {name: title for each in outcomes for name, title in each.figures.items()}
