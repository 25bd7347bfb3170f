"""The results of tasks as a model is told of them: what the seed calls SummarizerUtils."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from flows.library.analyst.actions import TaskOutcome
from flows.library.analyst.tasks import requested
from flows.semantics.findings import Finding, OutputType, TaskResult

ROWS_TOLD: Final = 20
# What the seed's table has of each kind of result, beside what it has of every one.
_KEYS: Final[dict[OutputType, frozenset[str]]] = {
    "table": frozenset({"insights", "dictionary", "table"}),
    "figure": frozenset(),
    "insights": frozenset({"insights", "table"}),
    "model": frozenset({"insights", "table"}),
    "text": frozenset({"insights"}),
    "goal": frozenset({"insights"}),
}


def collate(results: Sequence[TaskResult]) -> tuple[TaskOutcome, ...]:
    """Each result with the fields that its kind has; what was not done has only why."""
    by_id = {each.task.task_id: each for each in results}
    return tuple(_outcome(each, by_id) for each in results)


def _outcome(result: TaskResult, by_id: Mapping[int, TaskResult]) -> TaskOutcome:
    task, finding = result.task, result.finding
    return TaskOutcome(
        task_id=task.task_id,
        name=task.name,
        agent_description=result.agent_description,
        sub_task=task.description,
        request=requested(task, finding.output_type, by_id),
        data_dependency=task.data_dependency,
        status=result.status,
        response=finding.response,
        output_type=finding.output_type,
        data_used=finding.data_used,
        cautions=finding.cautions,
        **(_found(finding) if result.status == "done" else {}),
    )


def _found(finding: Finding) -> dict[str, object]:
    keys = _KEYS[finding.output_type]
    found: dict[str, object] = {"confidence": finding.confidence}
    if "insights" in keys:
        found["insights"] = tuple(each.source or each.text for each in finding.insights)
    if "dictionary" in keys:
        found["dictionary"] = finding.dictionary
    if "table" in keys and (table := finding.table) is not None:
        found |= {
            "table": table.artifact or "", "columns": table.columns,
            "rows": table.rows[:ROWS_TOLD], "total_rows": table.total_rows,
        }  # fmt: skip
    return found
