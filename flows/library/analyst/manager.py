"""The manager: a question becomes a task list, in three steps that can each be swapped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Ports, Problem, missing_subflows
from flows.core.run import Run
from flows.library.analyst.action_calls import ActionFailed, ask_action
from flows.library.analyst.actions import Agent
from flows.library.analyst.tasks import (
    TaskList,
    after_the_last_data,
    entries_of,
    put_right,
    read_tasks,
    with_dependencies,
    with_forced_insights,
    with_requests,
)
from flows.library.blocks.reading import JsonObject, ReplyProblem
from flows.semantics.findings import Task

STEPS = ("task_list_generation", "assign_input_dependency", "reflection")


class ManagerConfig(FlowConfig):
    """The keys of a manager."""

    description: str = "Breaks the question down into tasks."
    subflows_config: dict[str, Any] = Field(default={}, description="its three actions, by name")
    corrections: int = Field(default=2, ge=0, le=10, description="corrective messages a reply")
    most_tasks: int = Field(default=12, ge=1, le=60, description="tasks of a list at most")
    force_insights: bool = Field(
        default=True, description="insights for all data that only charts use"
    )


class ManagerInputs(Ports):
    """The question, the agents that may be named, and what is known beside the data."""

    question: str = Field(min_length=1)
    agents: tuple[Agent, ...]
    context: str = ""


class ManagerOutputs(Ports):
    """The task list; how the question was understood; what was changed of the first list.

    Without tasks `cannot` says why. `left_out` is what the question names and no task is about.
    """

    tasks: tuple[Task, ...]
    understood: str = ""
    changes: tuple[str, ...] = ()
    cannot: str = ""
    left_out: tuple[str, ...] = ()


class ManagerAgentFlow(CompositeFlow):
    """Generates a task list, assigns the dependencies, reflects. A list that stays malformed is put
    right by rules; a step that gives nothing is gone without."""

    Config: ClassVar[type[FlowConfig]] = ManagerConfig
    Inputs: ClassVar[type[Ports]] = ManagerInputs
    Outputs: ClassVar[type[Ports]] = ManagerOutputs

    def __init__(self, config: ManagerConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.generate, self.assign, self.reflect = (self.subflows[name] for name in STEPS)

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        del config
        return missing_subflows("a manager", subflows, STEPS)

    async def run(self, inputs: ManagerInputs, run: Run) -> ManagerOutputs:
        understood: list[str] = []
        left: list[str] = []
        listed, cannot = await self._generated(inputs, run, understood, left)
        if not listed.tasks:
            return ManagerOutputs(tasks=(), cannot=cannot, understood=" ".join(understood))
        assigned = await self._assigned(inputs, listed.tasks, run)
        final = await self._reflected(inputs, assigned, run)
        tasks = final.tasks
        if self.config.force_insights:
            tasks = with_forced_insights(tasks, inputs.agents, inputs.question)
        changes = (*listed.changes, *final.changes)
        return ManagerOutputs(tasks=tasks, understood=" ".join(understood), changes=changes,
                              left_out=tuple(left))  # fmt: skip

    async def _generated(
        self, inputs: ManagerInputs, run: Run, understood: list[str], left: list[str]
    ) -> tuple[TaskList, str]:
        """The first list, without dependencies, or why there is none."""
        last: list[list[JsonObject]] = []

        def read(reply: JsonObject) -> tuple[TaskList, str]:
            why = str(reply.get("cannot") or "")
            said = str(reply.get("understood") or "")
            if why and not reply.get("tasks"):
                understood[:] = [said] if said else []
                return TaskList(()), why
            last.append(entries_of(reply))
            if not last[-1]:
                raise ReplyProblem('"tasks" is empty; give tasks, or "cannot" with a reason')
            plain = [{**each, "data_dependency": None, "input_task_id": None} for each in last[-1]]
            tasks = read_tasks(plain, inputs.agents, most=self.config.most_tasks)
            understood[:] = [said] if said else []
            out = reply.get("left_out") or ()
            left[:] = map(str, out if isinstance(out, list | tuple) else (out,))
            return TaskList(tasks), ""

        asked = {**inputs.__dict__, "most_tasks": self.config.most_tasks}
        try:
            return await ask_action(run, self.generate, asked, read, self.config.corrections)
        except ActionFailed as error:
            problem = str(error)
        entries = last[-1] if last else []
        found = put_right(entries, inputs.agents, most=self.config.most_tasks)
        if not found.tasks:
            found = _asked_as_it_is(inputs)
        run.notice(f"{problem}; the list was put right: {'; '.join(found.changes)}")
        return found, ""

    async def _assigned(
        self, inputs: ManagerInputs, tasks: tuple[Task, ...], run: Run
    ) -> tuple[Task, ...]:
        asked = {"question": inputs.question, "agents": inputs.agents, "tasks": tasks}

        def read(reply: JsonObject) -> tuple[Task, ...]:
            return with_dependencies(tasks, entries_of(reply), inputs.agents)

        try:
            return await ask_action(run, self.assign, asked, read, self.config.corrections)
        except ActionFailed as error:
            run.notice(f"{error}; each task works on the data of the one before")
            return after_the_last_data(tasks, inputs.agents)

    async def _reflected(
        self, inputs: ManagerInputs, tasks: tuple[Task, ...], run: Run
    ) -> TaskList:
        asked = {"question": inputs.question, "agents": inputs.agents, "tasks": tasks}

        def read(reply: JsonObject) -> TaskList:
            entries = entries_of(reply)
            if not entries:
                raise ReplyProblem("reflection cannot leave no task")
            again = read_tasks(entries, inputs.agents, most=self.config.most_tasks)
            said = reply.get("changes") or ()
            changes = said if isinstance(said, list | tuple) else (said,)
            return TaskList(with_requests(again, tasks), tuple(str(each) for each in changes))

        try:
            return await ask_action(run, self.reflect, asked, read, self.config.corrections)
        except ActionFailed as error:
            run.notice(f"{error}; the task list stays as it is")
            return TaskList(tasks)


def _asked_as_it_is(inputs: ManagerInputs) -> TaskList:
    """The question itself, for the first agent that gives data. Errors: `ActionFailed`."""
    agent = next((each for each in inputs.agents if each.gives == "table"), None)
    if agent is None:
        raise ActionFailed("there is no task list, and no agent that gives data")
    task = Task(task_id=0, name=agent.name, description=inputs.question)
    return TaskList((task,), (f"the question itself is the task of {agent.name}",))
