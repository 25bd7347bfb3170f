"""The shared memory of a team: what each agent found, and the task list that follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from flows.core.flow import (
    CompositeFlow,
    Flow,
    FlowConfig,
    Parts,
    Ports,
    Problem,
    Service,
    missing_subflows,
)
from flows.core.run import Run
from flows.library.analyst.action_calls import ActionFailed, ask_action
from flows.library.analyst.actions import Agent, TaskOutcome
from flows.library.analyst.collate import collate
from flows.library.analyst.tasks import entries_of, read_tasks, with_requests
from flows.library.blocks.reading import JsonObject, ReplyProblem
from flows.library.blocks.recall import MemoryConfig, MemoryFlow
from flows.semantics.findings import Task, TaskResult

ACTION = "task_list_update"
# What is kept of an agent, as the seed's table has it; the response of code is in its artifacts.
KEPT = ("agent_description", "sub_task", "status", "response")


class SharedMemoryConfig(FlowConfig):
    """The keys of a shared memory."""

    description: str = "Remembers what was found, and brings the task list up to date."
    subflows_config: dict[str, object] = Field(default={}, description="its action, by name")
    memory: Service | None = Field(default=None, description="its own store; the run's without it")
    corrections: int = Field(default=2, ge=0, le=10, description="corrective messages a reply")
    most_tasks: int = Field(default=20, ge=1, le=100, description="tasks that are open at most")


class SharedMemoryInputs(Ports):
    """The open tasks, all results so far, and the numbers of those that are new."""

    question: str
    agents: tuple[Agent, ...]
    tasks: tuple[Task, ...]
    results: tuple[TaskResult, ...]
    new: tuple[int, ...] = ()


class SharedMemoryOutputs(Ports):
    """The open tasks as they are now, and what was changed of them."""

    tasks: tuple[Task, ...]
    changes: tuple[str, ...] = ()


class SharedMemoryFlow(CompositeFlow):
    """Keeps each outcome in the vector memory and lets a model change the tasks that are open.

    A task that has failed is never done again, and one that is done is never changed.
    """

    needs: ClassVar[Mapping[str, str]] = {"memory": "memory", "data": "data"}
    Config: ClassVar[type[FlowConfig]] = SharedMemoryConfig
    Inputs: ClassVar[type[Ports]] = SharedMemoryInputs
    Outputs: ClassVar[type[Ports]] = SharedMemoryOutputs

    def __init__(self, config: SharedMemoryConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.update = self.subflows[ACTION]
        services = {"store": parts.services.get("memory"), "data": parts.services.get("data")}
        kept = MemoryConfig(description="Keeps the outcome.", source="team")
        self.store = MemoryFlow(kept, Parts("store", services=services))
        self.subflows["store"] = self.store

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        del config
        return missing_subflows("a shared memory", subflows, (ACTION,))

    async def run(self, inputs: SharedMemoryInputs, run: Run) -> SharedMemoryOutputs:
        told = collate(inputs.results)
        for outcome in told:
            if outcome.task_id in inputs.new:
                await run.call(self.store, {"operation": "write", "content": _document(outcome)})
        if not inputs.tasks:
            return SharedMemoryOutputs(tasks=())
        tasks, changes = await self._updated(inputs, told, run)
        return SharedMemoryOutputs(tasks=tasks, changes=changes)

    async def _updated(
        self, inputs: SharedMemoryInputs, told: Sequence[TaskOutcome], run: Run
    ) -> tuple[tuple[Task, ...], tuple[str, ...]]:
        """The open tasks as the model leaves them; as rules do, when it gives nothing usable."""
        asked = {
            "question": inputs.question, "agents": inputs.agents, "tasks": inputs.tasks,
            "conversation": tuple(told),
        }  # fmt: skip

        def read(reply: JsonObject) -> tuple[tuple[Task, ...], tuple[str, ...]]:
            known = [each.task.task_id for each in inputs.results]
            most = self.config.most_tasks
            tasks = read_tasks(entries_of(reply), inputs.agents, known=known, most=most)
            tasks = with_requests(tasks, inputs.tasks)
            refuse_failed(tasks, inputs.results)
            said = reply.get("changes") or ()
            changes = tuple(map(str, said)) if isinstance(said, list | tuple) else (str(said),)
            return tasks, changes or changes_of(inputs.tasks, tasks)

        try:
            return await ask_action(run, self.update, asked, read, self.config.corrections)
        except ActionFailed as error:
            run.notice(f"{error}; only dependencies on failed tasks are changed")
            return rewired(inputs.tasks, inputs.results)


def refuse_failed(tasks: Sequence[Task], results: Sequence[TaskResult]) -> None:
    """Errors: `ReplyProblem` for a task that repeats a failed one, or that waits for one."""
    failed = {
        (each.task.name, _plain(each.task.description)): each.task.task_id
        for each in results
        if each.status == "failed"
    }
    for task in tasks:
        again = failed.get((task.name, _plain(task.description)))
        if again is not None:
            raise ReplyProblem(
                f"task {task.task_id} is task {again} again, which has failed: leave it out, or "
                "describe another way"
            )
        if task.data_dependency in failed.values():
            raise ReplyProblem(
                f"task {task.task_id} depends on task {task.data_dependency}, which has failed: "
                "choose one that is done, or null"
            )


def rewired(
    tasks: Sequence[Task], results: Sequence[TaskResult]
) -> tuple[tuple[Task, ...], tuple[str, ...]]:
    """The tasks with dependencies on failed ones moved to what those worked on."""
    known = {each.task.task_id: each for each in results}
    found, changes = [], []
    for task in tasks:
        at = task.data_dependency
        while at is not None and at in known and known[at].status != "done":
            at = known[at].task.data_dependency
        if at != task.data_dependency:
            changes.append(f"task {task.task_id} now depends on {at}, not {task.data_dependency}")
        found.append(task.model_copy(update={"data_dependency": at}))
    return tuple(found), tuple(changes)


def changes_of(before: Sequence[Task], after: Sequence[Task]) -> tuple[str, ...]:
    """What differs between two lists, in sentences."""
    old, new = {each.task_id: each for each in before}, {each.task_id: each for each in after}
    said = [f"task {each} was dropped" for each in old if each not in new]
    said += [f"task {each} was added" for each in new if each not in old]
    for number in (each for each in new if each in old):
        one, other = old[number], new[number]
        if one.data_dependency != other.data_dependency:
            said.append(f"task {number} now depends on {other.data_dependency}")
        if (one.name, one.description) != (other.name, other.description):
            said.append(f"task {number} was worded anew")
    return tuple(said)


def _document(outcome: TaskOutcome) -> dict[str, object]:
    values = outcome.model_dump(mode="json", include={"name", *KEPT})
    return {"agent": values.pop("name"), **values, "result": outcome.table}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(". ")
