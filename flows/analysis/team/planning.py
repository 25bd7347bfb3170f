"""Breaking a question down: the task list, its dependencies, what reflection makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flows.analysis.team.goals.breakdown import break_down
from flows.analysis.team.goals.entries import entries_of, names_of, plain_task
from flows.analysis.team.goals.merging import reflected
from flows.analysis.team.goals.needs import assigned
from flows.analysis.team.goals.referring import resolved_with
from flows.analysis.team.goals.steps import MODEL, PYTHON
from flows.data.tables import Table

_MOST_TASKS: Final = 12
# Below so many rows nothing can be related to anything.
_LEAST: Final = 3
_RELATING: Final = (PYTHON, MODEL)


def task_list(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `task_list_generation`."""
    question, agents = str(given.get("question") or ""), names_of(given)
    most = int(given.get("most_tasks") or _MOST_TASKS)
    question, refers_to = resolved_with(question, str(given.get("context") or ""), tables)
    filled = [each for each in tables if each.rows]
    if tables and not filled:
        return {"tasks": [], "understood": "", "cannot": f"{_named(tables)} no rows."}
    broken = break_down(question, agents, filled, most)
    understood = " ".join(filter(None, (refers_to, broken.understood)))
    if not broken.steps:
        return {"tasks": [], "understood": understood, "cannot": broken.cannot}
    if any(each.name in _RELATING for each in broken.steps) and _most_rows(filled) < _LEAST:
        why = f"{_named(filled)} too few rows to find a relation or a change in."
        return {"tasks": [], "understood": understood, "cannot": why}
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


def _named(tables: Sequence[Table]) -> str:
    """The tables as the beginning of a sentence that says what they have."""
    if len(tables) == 1:
        return f"The table {tables[0].name!r} has"
    return f"The tables {', '.join(repr(each.name) for each in tables[:6])} have"


def _most_rows(tables: Sequence[Table]) -> int:
    return max(each.rows for each in tables)
