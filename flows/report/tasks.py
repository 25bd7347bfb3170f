"""The tasks of a report as a tree: each below the one whose result it worked on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flows.report.charts import ReportChart
from flows.report.cleaning import clean
from flows.report.evidence import Evidences
from flows.report.report import Report
from flows.semantics.findings import TaskResult

_STATES: Final = {
    "planned": "not done", "done": "done", "failed": "failed", "skipped": "skipped",
    "dropped": "dropped",
}  # fmt: skip
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_RESPONSE: Final = 700


@dataclass(frozen=True, slots=True)
class TaskView:
    """A task as a reader sees it. `number` is `3`, or `3.1` within a goal; `table` and `charts` are
    short names of evidence."""

    number: str
    anchor: str
    agent: str
    description: str
    status: str
    state: str
    seconds: str
    confidence: str
    after: str | None
    after_anchor: str
    response: str
    plan: tuple[str, ...]
    sql: str
    code: str
    table: str
    charts: tuple[str, ...]
    children: tuple[TaskView, ...]
    parts: tuple[TaskView, ...]


def task_tree(
    report: Report, evidences: Evidences, charts: Sequence[ReportChart]
) -> tuple[TaskView, ...]:
    """The tasks that begin with the data itself, each with those that depend on it."""
    return _Tree(evidences, charts).level(report.results, "")


def anchor_of(number: str) -> str:
    """The part of an address on the page that stands for a task's number."""
    return number.replace(".", "-")


def agent_name(name: str) -> str:
    """An agent's name in words: `Data Processor SQL` of `DataProcessorSQLAgent`."""
    words = _HUMP.split(clean(name).removesuffix("Agent"))
    return " ".join(words) or clean(name)


def seconds_text(seconds: float) -> str:
    """A time as a person says it; "" for none at all."""
    if seconds < 0.05:
        return ""
    if seconds < 90:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"


class _Tree:
    def __init__(self, evidences: Evidences, charts: Sequence[ReportChart]) -> None:
        self.evidences = evidences
        self.charts = charts

    def level(self, results: tuple[TaskResult, ...], above: str) -> tuple[TaskView, ...]:
        """The roots of one task list. What waits for itself in a circle is a root."""
        below: dict[int | None, list[TaskResult]] = {}
        numbers = {each.task.task_id for each in results}
        for each in results:
            before = each.task.data_dependency
            known = before if before in numbers and before != each.task.task_id else None
            below.setdefault(known, []).append(each)
        shown: set[int] = set()
        roots = [self._view(each, above, below, shown) for each in below.get(None, [])]
        for each in results:
            if each.task.task_id not in shown:
                roots.append(self._view(each, above, below, shown))
        return tuple(roots)

    def _view(
        self,
        result: TaskResult,
        above: str,
        below: dict[int | None, list[TaskResult]],
        shown: set[int],
    ) -> TaskView:
        task, finding = result.task, result.finding
        shown.add(task.task_id)
        number = f"{above}{task.task_id}"
        children = []
        for each in below.get(task.task_id, []):
            if each.task.task_id not in shown:
                children.append(self._view(each, above, below, shown))
        before = None if task.data_dependency is None else f"{above}{task.data_dependency}"
        table = self.evidences.tables.get((finding.table.artifact or "") if finding.table else "")
        said = finding.response if not finding.insights else ""
        return TaskView(
            number=number,
            anchor=anchor_of(number),
            agent=agent_name(task.name),
            description=clean(task.description),
            status=result.status,
            state=_STATES[result.status],
            seconds=seconds_text(result.seconds),
            confidence="" if finding.confidence is None else f"{finding.confidence:.0%}",
            after=before,
            after_anchor=anchor_of(before or ""),
            response=_cut(clean(said)),
            plan=tuple(map(clean, finding.plan)),
            sql=clean(finding.sql or ""),
            code=clean(finding.code or ""),
            table=table.key if table else "",
            charts=tuple(each.key for each in self.charts if each.task == number),
            children=tuple(children),
            parts=self.level(finding.parts, f"{number}."),
        )


def _cut(text: str) -> str:
    return text if len(text) <= _RESPONSE else f"{text[:_RESPONSE]}\u2026"
