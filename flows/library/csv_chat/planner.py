"""The planner: one task for what belongs together, several for reports of different things."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from flows.core.chat import Finish
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.reply import Reply
from flows.core.run import Run
from flows.library.blocks.agent_chat import AgentChatConfig, agent_chat
from flows.library.blocks.correction import propose
from flows.library.blocks.reading import ReplyProblem, fit, read_object
from flows.library.csv_chat.agent import OVER_DATA, PROMPTS
from flows.semantics.request import Request


class PlannerConfig(AgentChatConfig):
    """The keys of a planner."""

    description: str = Field(
        default="Plans the tasks of a question.", description="what the flow is for, in a sentence"
    )
    system_prompt: str = "task_planning.system.j2"
    human_prompt: str = "task_planning.human.j2"
    most_tasks: int = Field(default=8, ge=1, description="more tasks than these are refused")


class PlannerInputs(Ports):
    """The question as the clarifier says it; with its `request` it is one task already."""

    session_id: str = ""
    final_question: str
    request: Request | None = None


class _PlanningInputs(PlannerInputs):
    most_tasks: int = 8
    correction: str = ""


class PlannerReply(Reply):
    """What a planner replies: each task is a whole question."""

    is_complex: Literal["yes", "no"]
    tasks: tuple[str, ...]
    requests: SkipJsonSchema[tuple[Request | None, ...]] = ()


class PlannerOutputs(Ports):
    """As the reply of the model, checked. `requests` are the tasks once more, typed, in the same
    order, where the rules have them."""

    is_complex: Literal["yes", "no"] = "no"
    tasks: tuple[str, ...]
    requests: tuple[Request | None, ...]


class PlannerFlow(CompositeFlow):
    """Asks a model in the role `task_planning`; a question whose request is known is one task, and
    no model is asked."""

    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "data": "data", "semantics": "semantics",
    }  # fmt: skip
    bounded_by: ClassVar[tuple[str, ...]] = ("turns",)
    Config: ClassVar[type[FlowConfig]] = PlannerConfig
    Inputs: ClassVar[type[Ports]] = PlannerInputs
    Outputs: ClassVar[type[Ports]] = PlannerOutputs

    def __init__(self, config: PlannerConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.chat = agent_chat(
            config,
            parts,
            "task_planning",
            _PlanningInputs,
            PlannerReply,
            prompts=PROMPTS,
            context=OVER_DATA,
        )
        self.subflows = {self.chat.name: self.chat}

    def most_of(self, below: Mapping[str, float]) -> float:
        turns: int = self.config.turns
        return turns * below[self.chat.name]

    async def run(self, inputs: PlannerInputs, run: Run) -> PlannerOutputs:
        if inputs.request is not None:
            return PlannerOutputs(tasks=(inputs.final_question,), requests=(inputs.request,))
        config: PlannerConfig = self.config
        reply = await propose(
            run, self.chat, {**inputs.__dict__, "most_tasks": config.most_tasks}, _read,
            self._checked, corrections=config.turns - 1, speaker="The planner's reply",
        )  # fmt: skip
        typed = (*reply.requests, *(None for _ in reply.tasks))[: len(reply.tasks)]
        several = "yes" if len(reply.tasks) > 1 else "no"
        return PlannerOutputs(is_complex=several, tasks=reply.tasks, requests=typed)

    async def _checked(self, reply: PlannerReply) -> PlannerReply:
        """The reply, when its tasks can be done one by one. Errors: `ReplyProblem`."""
        config: PlannerConfig = self.config
        if not reply.tasks or not all(each.strip() for each in reply.tasks):
            raise ReplyProblem('"tasks" must hold at least one question, and no empty one')
        if len(reply.tasks) > config.most_tasks:
            raise ReplyProblem(f'"tasks" may hold at most {config.most_tasks} questions')
        return reply


def _read(text: str, finish: Finish) -> PlannerReply:
    return fit(PlannerReply, read_object(text, finish))
