"""Asking the person about the tasks that are left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Final

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports, Service
from flows.core.human import Human, Question
from flows.core.run import Run
from flows.library.analyst.actions import Agent
from flows.library.analyst.edits import EditRefused, Edits
from flows.semantics.findings import Task, TaskResult

HELP: Final = (
    "Enter goes on, q ends. Else: drop 3; edit 3: new text; add AGENT: text after 2; agents"
)
_ASIDE: Final = ("agents", "help", "?")
_CHARS: Final = 120


class TaskFeedbackConfig(AtomicConfig):
    """The keys of a feedback on tasks."""

    description: str = "Asks the person about the tasks that are left."
    human: Service | None = None


class TaskFeedbackInputs(Ports):
    """The tasks that are open, and what came of the others."""

    question: str = ""
    agents: tuple[Agent, ...]
    tasks: tuple[Task, ...] = ()
    results: tuple[TaskResult, ...] = ()


class TaskFeedbackOutputs(Ports):
    """The tasks to go on with and what the person changed; `stop` when the person ends it."""

    tasks: tuple[Task, ...]
    changes: tuple[str, ...] = ()
    stop: bool = False
    nobody: bool = False


@dataclass(frozen=True, slots=True)
class FeedbackState:
    """What is known from the last time: whether anybody is there, the highest number of a task."""

    nobody: bool = False
    highest: int = -1


class TaskFeedbackFlow(AtomicFlow):
    """Asks until the answer can be done: Enter goes on, `q` ends, `drop`, `edit` and `add` change
    the list, `agents` lists who can be given a task.

    When nobody is there the run waits, or goes on unattended if the person's way of being reached
    says so, and then nobody is asked again.
    """

    needs: ClassVar[Mapping[str, str]] = {"human": "human"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = TaskFeedbackConfig
    Inputs: ClassVar[type[Ports]] = TaskFeedbackInputs
    Outputs: ClassVar[type[Ports]] = TaskFeedbackOutputs

    def __init__(self, config: TaskFeedbackConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.human: Human = parts.service("human", Human)  # type: ignore[type-abstract]

    def initial_state(self) -> FeedbackState:
        return FeedbackState()

    def apply(
        self, state: FeedbackState, inputs: TaskFeedbackInputs, outputs: TaskFeedbackOutputs
    ) -> FeedbackState:
        numbers = (*_numbers(inputs), *(each.task_id for each in outputs.tasks))
        return FeedbackState(state.nobody or outputs.nobody, max((state.highest, *numbers)))

    async def run(self, inputs: TaskFeedbackInputs, run: Run) -> TaskFeedbackOutputs:
        asked: FeedbackState = run.state
        if asked.nobody:
            return TaskFeedbackOutputs(tasks=inputs.tasks, nobody=True)
        key, said_back = run.effect_key, ""
        while True:
            about = [said_back] if said_back else ["Tasks:", *_listed(inputs)]
            text = "\n".join([*about, f"{HELP}: "])
            question = Question(id=key, text=text, context=_context(inputs))
            answer = await run.ask_person(self.human, question)
            if answer.kind == "quit":
                return TaskFeedbackOutputs(tasks=inputs.tasks, stop=True)
            if answer.kind == "nobody":
                run.notice("Nobody is there to answer: the run goes on unattended.")
                return TaskFeedbackOutputs(tasks=inputs.tasks, nobody=True)
            edits = _edits(inputs, asked.highest)
            try:
                if answer.text.casefold().strip() not in _ASIDE:
                    return _done(edits, answer.text)
                said_back = _agents(inputs.agents)
            except EditRefused as refused:
                said_back = f"Nothing was changed: {refused}"
            key += "+"


def _done(edits: Edits, said: str) -> TaskFeedbackOutputs:
    if said.strip():
        edits.apply(said)
    return TaskFeedbackOutputs(tasks=tuple(edits.tasks), changes=tuple(edits.changes))


def _edits(inputs: TaskFeedbackInputs, highest: int) -> Edits:
    done = {each.task.task_id: each.status for each in inputs.results}
    most = max((highest, *_numbers(inputs)))
    return Edits(agents=inputs.agents, tasks=list(inputs.tasks), done=done, highest=most)


def _numbers(inputs: TaskFeedbackInputs) -> tuple[int, ...]:
    tasks = (*inputs.tasks, *(each.task for each in inputs.results))
    return tuple(each.task_id for each in tasks)


def _listed(inputs: TaskFeedbackInputs) -> Iterator[str]:
    """What was done, and what is left, in lines."""
    for each in inputs.results:
        said = _short(f"{each.task.name}: {each.finding.response}")
        yield f"  {each.task.task_id:>2}  {each.status}  {said}"
    for task in inputs.tasks:
        after = "" if task.data_dependency is None else f" after {task.data_dependency}"
        yield f"  {task.task_id:>2}  to do{after}  {_short(f'{task.name}: {task.description}')}"


def _agents(agents: tuple[Agent, ...]) -> str:
    return "Agents:\n" + "\n".join(f"  {each.name}: {_short(each.description)}" for each in agents)


def _context(inputs: TaskFeedbackInputs) -> dict[str, object]:
    """What a person or a program may want to know, as plain data."""
    results = [
        {"task_id": each.task.task_id, "name": each.task.name, "status": each.status,
         "response": _short(each.finding.response)}
        for each in inputs.results
    ]  # fmt: skip
    tasks = [each.model_dump(mode="json") for each in inputs.tasks]
    return {"question": inputs.question, "tasks": tasks, "results": results}


def _short(text: str) -> str:
    said = " ".join(text.split())
    return said if len(said) <= _CHARS else f"{said[: _CHARS - 1].rstrip()}…"
