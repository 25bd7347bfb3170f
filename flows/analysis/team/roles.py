"""The roles of the analyst team, by the names of their actions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from flows.analysis.team import coding, insights, planning, retrieval, summary, updating
from flows.data.tables import Table

Role = Callable[[Mapping[str, Any], Sequence[Table]], dict[str, Any]]

# Each takes the inputs of its action as plain data, and the run's tables; it returns the reply.
ROLES: Final[dict[str, Role]] = {
    "task_list_generation": planning.task_list,
    "assign_input_dependency": planning.dependencies,
    "reflection": planning.reflect,
    "task_list_update": updating.update,
    "plan_generation": coding.plan,
    "data_dictionary_generator": coding.dictionary,
    "sql_generation": coding.sql,
    "python_code_generation": coding.code,
    "python_code_correction": coding.correct,
    "chart_generation": coding.chart,
    "insights_generation": insights.insights,
    "summary_generation": summary.summarize,
    "retrieval_augmented_generation": retrieval.retrieve,
}
