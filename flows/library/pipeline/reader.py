"""The reader: what the task is, from its text and its tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from flows.analysis.prediction.metrics import PredictionMetric
from flows.analysis.prediction.reading.checking import check_task
from flows.analysis.prediction.task import SAMPLE, TEST, TRAIN, PredictionTask
from flows.core.chat import Finish
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.reply import Reply
from flows.core.run import Run
from flows.data.tables import Table
from flows.library.blocks.agent_chat import AgentChatConfig, agent_chat
from flows.library.blocks.correction import propose
from flows.library.blocks.reading import ReplyProblem, fit, read_object
from flows.library.pipeline.agent import NEEDS, PROMPTS, profiles_text, remember
from flows.library.pipeline.state import PhaseState, StateChange


class ReaderConfig(AgentChatConfig):
    """The keys of a reader."""

    description: str = "Reads what is to be predicted, and how it is judged."
    system_prompt: str = "reader.system.j2"
    human_prompt: str = "reader.human.j2"


class ReadingInputs(Ports):
    """The text of the task, and its tables, as profiles and in words. `fields` are meanings of
    columns that are known otherwise."""

    background: str
    train: Table
    test: Table | None = None
    sample: Table | None = None
    data: str
    fields: dict[str, str] = Field(default={})
    own_metrics: tuple[PredictionMetric, ...] = ()
    suggestions: tuple[str, ...] = ()
    correction: str = ""


class ReaderReply(Reply):
    """The task; `cannot` says why there is none."""

    task: PredictionTask | None = None
    cannot: str = ""


class ReaderFlow(CompositeFlow):
    """Asks a model in the role `task_reading` for the task, and checks it against the tables."""

    role: ClassVar[str] = "reader"
    needs: ClassVar[Mapping[str, str]] = NEEDS
    bounded_by: ClassVar[tuple[str, ...]] = ("turns",)
    Config: ClassVar[type[FlowConfig]] = ReaderConfig
    Inputs: ClassVar[type[Ports]] = PhaseState
    Outputs: ClassVar[type[Ports]] = StateChange

    def __init__(self, config: ReaderConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.chat = agent_chat(
            config, parts, "task_reading", ReadingInputs, ReaderReply, prompts=PROMPTS
        )
        self.subflows = {self.chat.name: self.chat}

    def most_of(self, below: Mapping[str, float]) -> float:
        turns: int = self.config.turns
        return turns * below[self.chat.name]

    async def run(self, inputs: PhaseState, run: Run) -> StateChange:
        profiles = inputs.profiles
        asked = {
            "background": inputs.background,
            **profiles,
            "data": profiles_text(profiles),
            "fields": inputs.fields,
            "own_metrics": inputs.own_metrics,
            "suggestions": inputs.experience.suggestions,
        }
        doubts: tuple[str, ...] = ()
        sources = {each.name: each.source for each in inputs.own_metrics}

        async def check(reply: ReaderReply) -> PredictionTask:
            nonlocal doubts
            if reply.task is None:
                raise ReplyProblem(reply.cannot or '"task" must say what is to be predicted')
            others = (profiles.get(name) for name in (TEST, SAMPLE))
            found = check_task(reply.task, profiles[TRAIN], *others, own_metrics=inputs.own_metrics)
            if found:
                doubts = tuple(found)
                raise ReplyProblem("; ".join(found))
            return reply.task.model_copy(update={"own": sources.get(reply.task.metric, "")})

        task = await propose(
            run, self.chat, asked, _read, check, corrections=self.config.turns - 1,
            speaker="The reader's reply",
        )  # fmt: skip
        result = task.model_dump_json(indent=2)
        told = f"Predict {', '.join(task.targets)} ({task.kind}), judged by {task.metric}."
        return StateChange(
            memory=remember(self, inputs, self.role, result, told, doubts),
            task=task,
            task_problems=task.doubts,
        )


def _read(text: str, finish: Finish) -> ReaderReply:
    return fit(ReaderReply, read_object(text, finish))
