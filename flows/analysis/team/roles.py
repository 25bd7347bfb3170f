"""The roles of the analyst team, by the names of their actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from flows.data.tables import Table

Role = Callable[[Mapping[str, Any], Sequence[Table]], dict[str, Any]]

# Module and function of each. A run plays a few of them, and together they take a tenth of a
# second to import.
ROLES: Final[dict[str, str]] = {
    "task_list_generation": "planning:task_list",
    "assign_input_dependency": "planning:dependencies",
    "reflection": "planning:reflect",
    "task_list_update": "task_updates:update",
    "plan_generation": "code_tasks:plan",
    "data_dictionary_generator": "code_tasks:dictionary",
    "sql_generation": "code_tasks:sql",
    "python_code_generation": "code_tasks:code",
    "python_code_correction": "code_tasks:correct",
    "chart_generation": "code_tasks:chart",
    "insights_generation": "insights:insights",
    "summary_generation": "summary:summarize",
    "retrieval_augmented_generation": "retrieval:retrieve",
}


def find_role(name: str) -> Role:
    """The role of one of the `ROLES`, imported now: it takes the inputs of its action as plain
    data, and the run's tables; it returns the reply."""
    module, _, function = ROLES[name].partition(":")
    found: Role = getattr(import_module(f"flows.analysis.team.{module}"), function)
    return found
