"""What the shared memory changes in a task list after what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.analysis.team.abilities import team_of
from flows.analysis.team.goals.entries import entries_of, plain_task
from flows.analysis.team.goals.repair import Repair, found_of
from flows.analysis.team.interpretation import with_request
from flows.analysis.team.meaning import model_in
from flows.data.tables import Table


def update(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `task_list_update`."""
    team, model = team_of(given), model_in(given)
    found = found_of(given.get("conversation"), team, tables, model)
    known = {each.task.task_id for each in found}
    done = [each.task for each in found]
    tasks = [
        with_request(each, team, tables, model, done)
        for each in entries_of(given.get("tasks")) if each.task_id not in known
    ]  # fmt: skip
    repair = Repair(found, tasks, team, tables, model)
    repair.run()
    return {"tasks": list(map(plain_task, repair.kept)), "changes": repair.changes}
