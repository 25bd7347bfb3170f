"""Breaking a question down: the task list, its dependencies, what reflection makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.analysis.team.goals.breakdown import break_down
from flows.analysis.team.goals.entries import entries_of, names_of, plain_task
from flows.analysis.team.goals.merging import reflected
from flows.analysis.team.goals.needs import assigned
from flows.analysis.team.goals.referring import resolved_with
from flows.data.tables import Table

_MOST_TASKS = 12


def task_list(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `task_list_generation`."""
    question, agents = str(given.get("question") or ""), names_of(given)
    most = int(given.get("most_tasks") or _MOST_TASKS)
    question, refers_to = resolved_with(question, str(given.get("context") or ""), tables)
    broken = break_down(question, agents, tables, most)
    understood = " ".join(filter(None, (refers_to, broken.understood)))
    if not broken.steps:
        return {"tasks": [], "understood": understood, "cannot": broken.cannot}
    tasks = [
        {"task_id": number, "name": each.name, "description": each.description}
        for number, each in enumerate(broken.steps)
    ]
    return {"tasks": tasks, "understood": understood}


def dependencies(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `assign_input_dependency`."""
    tasks = assigned(entries_of(given.get("tasks")), tables)
    return {"tasks": [{"task_id": t.task_id, "data_dependency": t.data_dependency} for t in tasks]}


def reflect(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `reflection`."""
    tasks, changes = reflected(entries_of(given.get("tasks")), names_of(given), tables)
    return {"tasks": list(map(plain_task, tasks)), "changes": changes}
