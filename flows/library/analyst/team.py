"""The team: works on a task list, in waves of tasks that are ready, until nothing is left."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from pydantic import Field

from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Ports, Problem, missing_subflows
from flows.core.observation import Caution
from flows.core.parallel import first_error
from flows.core.run import Run
from flows.errors import CommandError, LimitReached, PortError, StepFailed, StopAsked
from flows.library.analyst.actions import Agent
from flows.library.analyst.agent import AgentFlow
from flows.library.analyst.clock import ClockFlow
from flows.library.analyst.tasks import requested, with_forced_insights
from flows.semantics.findings import Finding, Task, TaskResult

MEMORY: Final = "SharedMemory"
FEEDBACK: Final = "Feedback"
_SAID: Final = 1_000


class TeamConfig(FlowConfig):
    """The keys of a team. Its subflows are its agents, a `SharedMemory`, and perhaps `Feedback`."""

    subflows_config: dict[str, Any] = Field(default={}, description="the agents, by name")
    most_tasks: int = Field(default=40, ge=1, le=200, description="tasks that are done at most")
    force_insights: bool = Field(
        default=True, description="insights for all data that only charts use"
    )


class TeamInputs(Ports):
    """The tasks for a question, and what is known beside the data."""

    question: str
    tasks: tuple[Task, ...]
    context: str = ""


class TeamOutputs(Ports):
    """What came of each task, those that were never done included; the changes of the list.

    `stopped` says why it ended before all tasks were done.
    """

    results: tuple[TaskResult, ...]
    changes: tuple[str, ...] = ()
    stopped: str = ""


class TeamFlow(CompositeFlow):
    """Does the tasks. Those whose dependencies are met are one wave: different agents work at the
    same time, the tasks of one agent one after the other, so that a resumed run finds each step
    under the address that it had. After a wave the shared memory may change what is left.
    """

    bounded_by: ClassVar[tuple[str, ...]] = ("most_tasks",)
    Config: ClassVar[type[FlowConfig]] = TeamConfig
    Inputs: ClassVar[type[Ports]] = TeamInputs
    Outputs: ClassVar[type[Ports]] = TeamOutputs

    def __init__(self, config: TeamConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.agents = {n: each for n, each in self.subflows.items() if isinstance(each, AgentFlow)}
        self.memory = self.subflows[MEMORY]
        self.feedback = self.subflows.get(FEEDBACK)
        # One for each agent: those work at the same time, and calls are counted by name.
        self.clocks = {name: ClockFlow(Parts(f"time of {name}")) for name in self.agents}
        self.subflows |= {each.name: each for each in self.clocks.values()}

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        del config
        problems = missing_subflows("a team", subflows, (MEMORY,))
        for name, flow in subflows.items():
            if name not in (MEMORY, FEEDBACK) and not isinstance(flow, AgentFlow):
                problems.append(Problem(f"{name} is no agent", ("subflows_config", name)))
        if not any(isinstance(flow, AgentFlow) for flow in subflows.values()):
            problems.append(Problem("a team needs an agent", ("subflows_config",)))
        return problems

    def described(self) -> tuple[Agent, ...]:
        """The agents that a task list may name."""
        return tuple(
            Agent(name=name, description=flow.label, gives=flow.gives,
                  actions=tuple(getattr(flow, "required", ())))
            for name, flow in self.agents.items()
        )  # fmt: skip

    def most_of(self, below: Mapping[str, float]) -> float:
        """Each task by the agent that asks most, with a look of the memory and of a person."""
        beside = sum(each for name, each in below.items() if name not in self.agents)
        tasks: int = self.config.most_tasks
        return tasks * (max(below[name] for name in self.agents) + beside) + beside

    async def run(self, inputs: TeamInputs, run: Run) -> TeamOutputs:
        board = _Board(inputs.tasks)
        stopped = ""
        try:
            stopped = await self._work(board, inputs, run)
        except StopAsked as asked:
            run.take_stop()
            stopped = str(asked)
        except LimitReached as limit:
            limit.outputs = dict(board.outputs(str(limit)))
            raise
        return board.outputs(stopped)

    async def _work(self, board: _Board, inputs: TeamInputs, run: Run) -> str:
        """Do all waves. Returns why it ended early, "" when it did not."""
        if stop := await self._asked(board, inputs, run):
            return stop
        while wave := board.ready():
            if len(board.results) + len(wave) > self.config.most_tasks:
                return f"the team has done its {self.config.most_tasks} tasks"
            done = await self._wave(wave, board, inputs, run)
            board.keep(done)
            if run.stopped:  # a goal inside of this one was ended by it
                return str(StopAsked())
            await self._remember(done, board, inputs, run)
            if board.open and (stop := await self._asked(board, inputs, run)):
                return stop
        return ""

    async def _asked(self, board: _Board, inputs: TeamInputs, run: Run) -> str:
        """Ask the person about the tasks that are left, if feedback is wanted."""
        if self.feedback is None:
            return ""
        told = await run.call(
            self.feedback,
            {"question": inputs.question, "agents": self.described(), "tasks": tuple(board.open),
             "results": tuple(board.results.values())},
        )  # fmt: skip
        board.change(told["tasks"], told["changes"])
        return "the person ended it" if told["stop"] else ""

    async def _remember(
        self, done: Sequence[TaskResult], board: _Board, inputs: TeamInputs, run: Run
    ) -> None:
        agents = self.described()
        told = await run.call(
            self.memory,
            {"question": inputs.question, "agents": agents, "tasks": tuple(board.open),
             "results": tuple(board.results.values()),
             "new": tuple(each.task.task_id for each in done)},
        )  # fmt: skip
        tasks = told["tasks"]
        if self.config.force_insights:
            all_tasks = (*(each.task for each in board.results.values()), *tasks)
            extra = with_forced_insights(all_tasks, agents, inputs.question)[len(all_tasks) :]
            failed = {n for n, each in board.results.items() if each.status != "done"}
            tasks = (*tasks, *(each for each in extra if each.data_dependency not in failed))
        board.change(tasks, told["changes"])

    async def _wave(
        self, wave: Sequence[Task], board: _Board, inputs: TeamInputs, run: Run
    ) -> list[TaskResult]:
        """Do the tasks of a wave. What is done before a limit or a stop is kept."""
        done: dict[int, TaskResult] = {}
        stops: list[StopAsked] = []

        async def work(tasks: Sequence[Task]) -> None:
            try:
                for task in tasks:
                    done[task.task_id] = await self._do(task, board, inputs, run)
            except StopAsked as asked:  # the others come to their next step first
                stops.append(asked)

        by_agent: dict[str, list[Task]] = {}
        for task in wave:
            by_agent.setdefault(task.name, []).append(task)
        try:
            async with asyncio.TaskGroup() as group:
                for tasks in by_agent.values():
                    group.create_task(work(tasks))
        except BaseExceptionGroup as several:
            board.keep([done[each] for each in sorted(done)])
            raise first_error(several) from several
        for stop in stops:
            board.keep([done[each] for each in sorted(done)])
            raise stop
        return [done[task.task_id] for task in wave]

    async def _do(self, task: Task, board: _Board, inputs: TeamInputs, run: Run) -> TaskResult:
        """One task. An error that an agent may make is its result."""
        agent = self.agents[task.name]
        payload = {
            "task": task.description, "request": requested(task, agent.gives, board.results),
            "data": board.table_for(task), "question": inputs.question,
            "context": board.context_for(task, inputs.context),
            "cautions": board.cautions_for(task),
        }  # fmt: skip
        clock = self.clocks[task.name]
        began = (await run.call(clock, {}))["seconds"]
        told = {"task": task, "agent_description": agent.label}
        try:
            outputs = await run.call(agent, payload, task.description)
            status, finding = "done", outputs["finding"]
        except StepFailed as failure:
            if not isinstance(failure.root, CommandError | PortError):
                raise
            status = "failed"
            finding = Finding(output_type=agent.gives, response=str(failure.root))
        ended = (await run.call(clock, {}))["seconds"]
        seconds = round(ended - began, 3)
        return TaskResult.model_validate(
            {**told, "status": status, "finding": finding, "seconds": seconds}
        )


class _Board:
    """Where the tasks of one call stand."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self.open = list(tasks)
        self.results: dict[int, TaskResult] = {}
        self.changes: list[str] = []
        self._dropped: list[Task] = []

    def ready(self) -> list[Task]:
        """The open tasks whose dependency is done, in the order of their numbers."""
        done = {number for number, each in self.results.items() if each.status == "done"}
        able = [each for each in self.open if each.data_dependency in {None, *done}]
        return sorted(able, key=lambda each: each.task_id)

    def keep(self, results: Sequence[TaskResult]) -> None:
        self.results |= {each.task.task_id: each for each in results}
        self.open = [each for each in self.open if each.task_id not in self.results]

    def change(self, tasks: Sequence[Task], changes: Sequence[str]) -> None:
        """Go on with these open tasks."""
        kept = {each.task_id for each in tasks}
        self._dropped += [each for each in self.open if each.task_id not in kept]
        self.open = list(tasks)
        self.changes += changes

    def table_for(self, task: Task) -> str:
        """The nearest table among what the task depends on; "" without one."""
        at = task.data_dependency
        while at is not None and at in self.results:
            table = self.results[at].finding.table
            if table is not None and table.artifact:
                return table.artifact
            at = self.results[at].task.data_dependency
        return ""

    def context_for(self, task: Task, context: str) -> str:
        """What is known beside the data, what the task before found, and the warnings of all that
        the task builds on."""
        at = task.data_dependency
        before = [_found(self.results[at])] if at in self.results else []
        warned = [f"Warning: {each.text}" for each in self.cautions_for(task)]
        return "\n".join(filter(None, [context, *before, *warned]))

    def cautions_for(self, task: Task) -> tuple[Caution, ...]:
        """The warnings of all that the task builds on, each once."""
        at, found = task.data_dependency, dict[Caution, None]()
        while at is not None and at in self.results:
            found |= dict.fromkeys(self.results[at].finding.cautions)
            at = self.results[at].task.data_dependency
        return tuple(found)

    def outputs(self, stopped: str) -> TeamOutputs:
        """All results; what was never done is skipped, and says why."""
        why = stopped or "what it depends on was not done"
        left = [_undone(task, "skipped", why) for task in self.open]
        left += [_undone(task, "dropped", "dropped from the list") for task in self._dropped]
        taken = set(self.results)
        more = [each for each in left if each.task.task_id not in taken]
        results = sorted((*self.results.values(), *more), key=lambda each: each.task.task_id)
        return TeamOutputs(results=tuple(results), changes=tuple(self.changes), stopped=stopped)


def _found(result: TaskResult) -> str:
    """What a task found, in words, for the one that builds on it."""
    finding = result.finding
    said = " ".join(each.text for each in finding.insights) or finding.response
    asked = result.task.description.rstrip(". ?")
    return f"Task {result.task.task_id} ({asked}) found: {said[:_SAID]}"


def _undone(task: Task, status: Any, why: str) -> TaskResult:
    return TaskResult(task=task, status=status, finding=Finding(output_type="text", response=why))
