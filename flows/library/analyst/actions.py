"""The actions of the team: one question to a model and its reply, as flows that can be swapped.

Each action has typed inputs, which are the variables of its prompts (`ACTION.system.j2` and
`ACTION.human.j2`; of `sql_generation` those of the role `analyst`), and is a role of the same name
for the embedded model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.core.documents import Passage
from flows.core.flow import AtomicConfig, Parts, Ports
from flows.core.observation import Caution, Cell, Preview
from flows.core.signature import Variant
from flows.data.meaning.dictionary import DataDictionary
from flows.data.tables import Table
from flows.library.analyst.replies import REPLIES
from flows.library.blocks.chat import ChatConfig, ChatFlow, ChatKeys, Context
from flows.library.blocks.sql import QuestionInputs
from flows.semantics.findings import Task
from flows.semantics.request import Request

PROMPTS: Final = Path(__file__).parent / "prompts"

ActionName = Literal[
    "task_list_generation",
    "assign_input_dependency",
    "reflection",
    "plan_generation",
    "data_dictionary_generator",
    "sql_generation",
    "python_code_generation",
    "python_code_correction",
    "chart_generation",
    "insights_generation",
    "task_list_update",
    "summary_generation",
    "retrieval_augmented_generation",
]


class Agent(BaseModel):
    """An agent that a task list may name, with what it does, what it gives (an output type)
    and the actions that it has played."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    description: str
    gives: str = ""
    actions: tuple[str, ...] = ()


class TaskOutcome(BaseModel):
    """A task with what came of it, as a model is told of it: the fields of the shared memory, and
    what was computed, typed.

    `table` is the name of its result, by which references name it, with its `columns` and first
    `rows`; `insights` are texts whose numbers are references.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    task_id: int
    name: str
    agent_description: str
    sub_task: str
    request: Request | None = None
    data_dependency: int | None = None
    status: str
    response: str
    output_type: str = ""
    insights: tuple[str, ...] = ()
    table: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    total_rows: int = 0
    dictionary: DataDictionary | None = None
    data_used: tuple[str, ...] = ()
    cautions: tuple[Caution, ...] = ()
    confidence: float | None = None


class TaskListInputs(Ports):
    """What a goal is broken down from: the question, the agents, what documents or the web say.

    Replies with `{"tasks": [{"task_id", "name", "description"}], "understood": "..."}`.
    """

    question: str
    agents: tuple[Agent, ...] = ()
    context: str = ""
    most_tasks: int = 12
    correction: str = ""


class DependencyInputs(Ports):
    """A task list whose dependencies are to be assigned.

    Replies with `{"tasks": [{"task_id", "data_dependency"}]}`.
    """

    question: str
    agents: tuple[Agent, ...] = ()
    tasks: tuple[Task, ...] = ()
    correction: str = ""


class ReflectionInputs(Ports):
    """A task list that is looked at once more. Replies with whole tasks, and what was changed:
    `{"tasks": [{"task_id", "name", "description", "data_dependency"}], "changes": ["..."]}`."""

    question: str
    agents: tuple[Agent, ...] = ()
    tasks: tuple[Task, ...] = ()
    correction: str = ""


class PlanInputs(Ports):
    """A task of an agent that writes Python; `modelling` for one that learns models.

    `data` is its input, called `data` in the code; without it the run's tables. Replies with
    `{"plan": ["step", ...]}`, or `{"cannot": "why"}`.
    """

    task: str
    question: str = ""
    context: str = ""
    modelling: bool = False
    data: Table | None = None
    request: Request | None = None
    correction: str = ""


class DictionaryInputs(Ports):
    """Columns that code has made, with its first rows. Replies with
    `{"columns": [{"name", "description", "unit"}]}`, of the new ones alone."""

    task: str
    code: str = ""
    known: DataDictionary = DataDictionary()
    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    correction: str = ""


class CodeGenerationInputs(Ports):
    """A task, its plan and its data. Replies with `{"code": "..."}` or `{"cannot": "why"}`.

    The code finds its input as the data frame `data`, or the run's tables under their names; its
    main table is `result`. What to beware of is its table `warnings`: a `code` and what it `says`.
    """

    task: str
    question: str = ""
    context: str = ""
    plan: tuple[str, ...] = ()
    modelling: bool = False
    data: Table | None = None
    request: Request | None = None
    correction: str = ""


class CorrectionInputs(Ports):
    """Code that failed, with its error. Replies as the generation does."""

    task: str
    code: str
    error: str
    plan: tuple[str, ...] = ()
    modelling: bool = False
    data: Table | None = None
    request: Request | None = None
    correction: str = ""


class ChartGenerationInputs(Ports):
    """What is to be drawn, of which data. Replies with `{"code": "..."}`, which makes a plotly
    figure `figure` of the data frame `data`, or `{"cannot": "why"}`."""

    task: str
    question: str = ""
    context: str = ""
    data: Table | None = None
    request: Request | None = None
    error: str = ""
    correction: str = ""


class InsightInputs(Ports):
    """A result that insights are made of: the name of its table, columns, first rows.

    `request` is what it was computed by, `beside` are the other tables that its step has made, as
    the metrics of a model.

    Replies with `{"insights": ["..."]}`, whose numbers are references to cells, as
    `{{NAME[0].column | .2f}}`.
    """

    task: str
    question: str = ""
    context: str = ""
    table: str = ""
    columns: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    total_rows: int = 0
    truncated: bool = False
    dictionary: DataDictionary | None = None
    beside: tuple[Preview, ...] = ()
    warnings: tuple[str, ...] = ()
    request: Request | None = None
    correction: str = ""


class UpdateInputs(Ports):
    """The task list and the conversation of the agents so far, from which it may be changed.

    Replies with the tasks that are still to be done, and what was changed:
    `{"tasks": [...], "changes": ["..."]}`.
    """

    question: str
    agents: tuple[Agent, ...] = ()
    tasks: tuple[Task, ...] = ()
    conversation: tuple[TaskOutcome, ...] = ()
    correction: str = ""


class SummaryInputs(Ports):
    """All that was found. Replies with `{"summary": "...", "answered": "...",
    "limits": ["..."]}`: answered, partly or unanswered; numbers in the summary are references to
    cells."""

    question: str
    context: str = ""
    results: tuple[TaskOutcome, ...] = ()
    correction: str = ""


class RetrievalInputs(Ports):
    """Passages of documents, by their numbers from 1. Replies with `{"enough": true, "answer":
    "... [1]"}`, or `{"enough": false, "context": "what of them helps [2]"}`, empty for nothing."""

    question: str
    passages: tuple[Passage, ...] = ()
    correction: str = ""


INPUTS: Final[dict[str, type[Ports]]] = {
    "task_list_generation": TaskListInputs,
    "assign_input_dependency": DependencyInputs,
    "reflection": ReflectionInputs,
    "plan_generation": PlanInputs,
    "data_dictionary_generator": DictionaryInputs,
    "sql_generation": QuestionInputs,
    "python_code_generation": CodeGenerationInputs,
    "python_code_correction": CorrectionInputs,
    "chart_generation": ChartGenerationInputs,
    "insights_generation": InsightInputs,
    "task_list_update": UpdateInputs,
    "summary_generation": SummaryInputs,
    "retrieval_augmented_generation": RetrievalInputs,
}
# Those whose model is told of the run's tables.
_OVER_TABLES: Final = frozenset(
    {
        "task_list_generation", "assign_input_dependency", "reflection", "plan_generation",
        "sql_generation", "python_code_generation", "python_code_correction", "chart_generation",
        "task_list_update",
    }
)  # fmt: skip


# Whose prompts are those of a block, by the block's name for them.
_PROMPTS_OF_BLOCKS: Final = {"sql_generation": "analyst"}


class ActionConfig(ChatKeys, AtomicConfig):
    """The keys of an action. Its prompts and its role are those of its name, if not set."""

    action: ActionName
    role: str = Field(default="", description="the part that the model plays; the action's name")
    human_prompt: str = Field(default="", description="the action's without it")


def action_flow(config: ActionConfig, parts: Parts) -> ChatFlow:
    """One action of the team: a chat whose inputs and prompts are those of its name."""
    action = config.action
    prompt = _PROMPTS_OF_BLOCKS.get(action, action)
    tables: tuple[Context, ...] = ("tables",) if action in _OVER_TABLES else ()
    if action == "sql_generation":
        tables = ("tables", "semantics", "form", "methods")
    given: dict[str, object] = {
        "role": config.role or action,
        "description": config.description or action.replace("_", " ").capitalize() + ".",
        "system_prompt": config.system_prompt or f"{prompt}.system.j2",
        "human_prompt": config.human_prompt or f"{prompt}.human.j2",
        "context": config.context or tables,
        "json_reply": True,
    }
    same = {name: getattr(config, name) for name in ChatConfig.model_fields}
    folders = (*parts.prompt_folders, PROMPTS)
    own = Parts(parts.name, services=parts.services, prompt_folders=folders, base=parts.base)
    return ChatFlow(ChatConfig(**{**same, **given}), own, INPUTS[action], REPLIES[action])


ACTION: Final = Variant(ChatFlow, ActionConfig, action_flow)
