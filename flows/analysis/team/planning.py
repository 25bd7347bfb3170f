"""Breaking a question down: the task list, its dependencies, what reflection makes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flows.analysis.team.abilities import Team, team_of
from flows.analysis.team.goals.anaphora import resolved_with
from flows.analysis.team.goals.breakdown import break_down
from flows.analysis.team.goals.entries import Entry, entries_of, plain_task
from flows.analysis.team.goals.needs import dependency_of
from flows.analysis.team.goals.reflection import reflected
from flows.analysis.team.goals.steps import PlannedTask
from flows.analysis.team.goals.titles import insight_title_of, title_of
from flows.analysis.team.interpretation import with_request
from flows.analysis.team.meaning import model_in
from flows.data.tables import Table
from flows.semantics.model import SemanticModel

_MOST_TASKS: Final = 12
# Below so many rows nothing can be related to anything.
_LEAST: Final = 3


def task_list(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `task_list_generation`."""
    question, team, model = (
        str(given.get("question") or ""),
        team_of(given),
        model_in(given),
    )
    most = int(given.get("most_tasks") or _MOST_TASKS)
    question, refers_to = resolved_with(question, str(given.get("context") or ""), tables, model)
    filled = [each for each in tables if each.rows]
    if tables and not filled:
        return {"tasks": [], "understood": "", "cannot": f"{_named(tables)} no rows."}
    broken = break_down(question, team, filled, model, most)
    understood = " ".join(filter(None, (refers_to, broken.understood)))
    if not broken.steps:
        return {"tasks": [], "understood": understood, "cannot": broken.cannot}
    relating = any(each.name in (team.computes, team.learns) for each in broken.steps)
    if relating and _most_rows(filled) < _LEAST:
        why = f"{_named(filled)} too few rows to find a relation or a change in."
        return {"tasks": [], "understood": understood, "cannot": why}
    tasks = [
        Entry(task_id=number, name=each.name, description=_told(each, team, model),
              request=each.request)
        for number, each in enumerate(broken.steps)
    ]  # fmt: skip
    return {
        "tasks": list(map(plain_task, tasks)), "understood": understood,
        "left_out": list(broken.left_out),
    }  # fmt: skip


def dependencies(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `assign_input_dependency`: with what tasks that came in words ask
    for, so that nobody reads them again."""
    found = []
    team, model = team_of(given), model_in(given)
    tasks = _read(given, tables, model)
    for at, task in enumerate(tasks):
        on = dependency_of(task, tasks[:at], team, model, tables)
        asked = plain_task(task).get("request")
        found.append({"task_id": task.task_id, "data_dependency": on, "request": asked})
    return {"tasks": found}


def reflect(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `reflection`."""
    model = model_in(given)
    tasks, changes = reflected(_read(given, tables, model), team_of(given), tables, model)
    return {"tasks": list(map(plain_task, tasks)), "changes": changes}


def _read(given: Mapping[str, Any], tables: Sequence[Table], model: SemanticModel) -> list[Entry]:
    """The tasks, those that came in words with what they ask for."""
    team, found = team_of(given), list[Entry]()
    for each in entries_of(given.get("tasks")):
        found.append(with_request(each, team, tables, model, found))
    return found


def _told(step: PlannedTask, team: Team, model: SemanticModel) -> str:
    if step.request is None:
        return step.words
    return (insight_title_of if step.name == team.tells else title_of)(step.request, model)


def _named(tables: Sequence[Table]) -> str:
    """The tables as the beginning of a sentence that says what they have."""
    if len(tables) == 1:
        return f"The table {tables[0].name!r} has"
    return f"The tables {', '.join(repr(each.name) for each in tables[:6])} have"


def _most_rows(tables: Sequence[Table]) -> int:
    return max(each.rows for each in tables)
