"""What the shared memory changes in a task list after what was found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.analysis.team.goals.entries import entries_of, names_of, plain_task
from flows.analysis.team.goals.repair import Repair, found_of
from flows.data.tables import Table


def update(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `task_list_update`."""
    found = found_of(given.get("conversation"))
    known = {each.task_id for each in found}
    tasks = [each for each in entries_of(given.get("tasks")) if each.task_id not in known]
    repair = Repair(found, tasks, names_of(given), tables)
    repair.run()
    return {"tasks": list(map(plain_task, repair.kept)), "changes": repair.changes}
