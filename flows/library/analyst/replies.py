"""The shapes that the actions of the team ask their models to reply in.

They are asked for; what comes is read by the agents, more leniently.
"""

from __future__ import annotations

from typing import Final, Literal

from flows.core.reply import Reply
from flows.library.blocks.python import CodeReply
from flows.library.blocks.sql import SqlReply


class NewTask(Reply):
    task_id: int
    name: str
    description: str


class ListedTask(NewTask):
    data_dependency: int | None = None


class TaskListReply(Reply):
    tasks: tuple[NewTask, ...]
    understood: str = ""
    cannot: str | None = None


class Dependency(Reply):
    task_id: int
    data_dependency: int | None = None


class DependencyReply(Reply):
    tasks: tuple[Dependency, ...]


class ChangedTasksReply(Reply):
    tasks: tuple[ListedTask, ...]
    changes: tuple[str, ...] = ()


class PlanReply(Reply):
    plan: tuple[str, ...] | None = None
    cannot: str | None = None


class DescribedColumn(Reply):
    name: str
    description: str
    unit: str = ""


class DictionaryReply(Reply):
    columns: tuple[DescribedColumn, ...]


class InsightsReply(Reply):
    insights: tuple[str, ...]


class SummaryReply(Reply):
    summary: str
    answered: Literal["answered", "partly", "unanswered"]
    limits: tuple[str, ...] = ()


class RetrievalReply(Reply):
    enough: bool
    answer: str | None = None
    context: str | None = None


REPLIES: Final[dict[str, type[Reply]]] = {
    "task_list_generation": TaskListReply,
    "assign_input_dependency": DependencyReply,
    "reflection": ChangedTasksReply,
    "plan_generation": PlanReply,
    "data_dictionary_generator": DictionaryReply,
    "sql_generation": SqlReply,
    "python_code_generation": CodeReply,
    "python_code_correction": CodeReply,
    "chart_generation": CodeReply,
    "insights_generation": InsightsReply,
    "task_list_update": ChangedTasksReply,
    "summary_generation": SummaryReply,
    "retrieval_augmented_generation": RetrievalReply,
}
