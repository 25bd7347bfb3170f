"""The planner: what a phase does, in four rounds from a look at the data to typed steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final, Literal

from pydantic import Field

from flows.analysis.prediction.plan import Planning, PlanStep
from flows.core.chat import Finish
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.function_tool import call_of
from flows.core.reply import Reply
from flows.core.run import Run
from flows.library.blocks.agent_chat import AgentChatConfig
from flows.library.blocks.chat import CORRECTION, ChatConfig, ChatFlow
from flows.library.blocks.correction import propose
from flows.library.blocks.reading import ReplyProblem, fit, read_object
from flows.library.pipeline.agent import (
    NEEDS,
    PROMPTS,
    find_tools,
    profiles_text,
    remember,
    tools_text,
)
from flows.library.pipeline.state import PhaseState, StateChange

Round = Literal["preview", "plan", "order", "steps"]
ROLES: Final[dict[str, str]] = {
    "preview": "data_preview", "plan": "phase_planning", "order": "plan_ordering",
    "steps": "plan_steps",
}  # fmt: skip
_ROUNDS: Final = ("preview", "plan", "order")  # before the steps


class PhasePlannerConfig(AgentChatConfig):
    """The keys of a planner."""

    description: str = "Plans what the phase does."
    system_prompt: str = "planner.system.j2"
    human_prompt: str = "planner.human.j2"
    most_steps: int = Field(default=30, ge=1, description="steps of a plan")
    most_documents: int = Field(
        default=24, ge=1, description="tools whose documents it is told; of more, those that fit"
    )


class PlanningInputs(Ports):
    """One round of the planning: what it is about, typed for rules and in words for a model."""

    round: Round
    given: Planning
    title: str
    goal: str = ""
    background: str = ""
    data: str = ""
    tools: str = ""
    earlier: str = ""
    experience: str = ""
    correction: str = ""


class StepsReply(Reply):
    """The plan as steps."""

    steps: tuple[PlanStep, ...]


class PhasePlannerFlow(CompositeFlow):
    """Asks a model in four rounds of one chat: a look at the data, the plan, the plan in order, the
    plan as steps, each of which is a call of a tool that the phase allows, or code."""

    role: ClassVar[str] = "planner"
    needs: ClassVar[Mapping[str, str]] = NEEDS
    bounded_by: ClassVar[tuple[str, ...]] = ("turns",)
    Config: ClassVar[type[FlowConfig]] = PhasePlannerConfig
    Inputs: ClassVar[type[Ports]] = PhaseState
    Outputs: ClassVar[type[Ports]] = StateChange

    def __init__(self, config: PhasePlannerConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        keys = ChatConfig(
            role=ROLES["plan"],
            description=config.description,
            system_prompt=config.system_prompt,
            human_prompt=config.human_prompt,
            max_tokens=config.max_tokens,
        )
        below = Parts(
            "planning", services=parts.services, prompt_folders=(*parts.prompt_folders, PROMPTS)
        )
        self.chat = ChatFlow(keys, below, PlanningInputs, role_of=lambda each: ROLES[each.round])
        self.subflows = {self.chat.name: self.chat}

    def most_of(self, below: Mapping[str, float]) -> float:
        """Each of the rounds once, and the steps as often as they are refused."""
        turns: int = self.config.turns
        return (len(_ROUNDS) + turns) * below[self.chat.name]

    async def run(self, inputs: PhaseState, run: Run) -> StateChange:
        asked = self._asked(inputs)
        run.reset(self.chat)
        said: dict[str, str] = {}
        for each in _ROUNDS:
            reply = await run.call(self.chat, {**asked, "round": each, CORRECTION: ""})
            said[each] = reply["api_output"]

        async def check(reply: StepsReply) -> tuple[PlanStep, ...]:
            if problem := self._problem(reply.steps, inputs):
                raise ReplyProblem(problem)
            return reply.steps

        steps = await propose(
            run, self.chat, {**asked, "round": "steps"}, _read, check,
            corrections=self.config.turns - 1, speaker="The planner's reply", new_chat=False,
        )  # fmt: skip
        plan = said["order"] or said["plan"]
        told = f"{len(steps)} steps: " + "; ".join(each.purpose for each in steps[:6])
        return StateChange(
            memory=remember(self, inputs, self.role, plan, told, tuple(said.values())),
            preview=said["preview"],
            plan=plan,
            steps=steps,
        )

    def _asked(self, state: PhaseState) -> dict[str, Any]:
        assert state.task is not None
        given = Planning(
            task=state.task,
            phase=state.phase,
            **state.profiles,
            tools=tuple(each.model_copy(update={"source": ""}) for each in state.tools),
            seconds=state.seconds,
            rules=state.rules,
            experience=state.experience,
        )
        about = " ".join((state.description, state.background, _experience_text(state)))
        return {
            "given": given,
            "title": state.title,
            "goal": state.description,
            "background": state.background,
            "data": profiles_text(state.profiles),
            "tools": tools_text(find_tools(about, state.tools, self.config.most_documents)),
            "earlier": "\n\n".join(f"# {each.title}\n{each.report}" for each in state.earlier),
            "experience": _experience_text(state),
        }

    def _problem(self, steps: tuple[PlanStep, ...], state: PhaseState) -> str:
        """What is wrong with steps; "" for nothing."""
        if len(steps) > self.config.most_steps:
            return f"{len(steps)} steps are too many; {self.config.most_steps} fit"
        tools = {each.name: each for each in state.tools}
        variables = set(state.tables)
        for number, step in enumerate(steps, 1):
            if not step.tool:
                variables |= set(step.into)
                continue
            tool = tools.get(step.tool)
            if tool is None:
                allowed = ", ".join(tools) or "none"
                return f"step {number}: this phase has no tool {step.tool!r} (it has: {allowed})"
            try:
                call_of(tool, step.arguments, frozenset(variables), step.into)
            except ValueError as error:
                return f"step {number}: {error}"
            variables |= set(step.into or tool.gives)
        return ""


def _read(text: str, finish: Finish) -> StepsReply:
    return fit(StepsReply, read_object(text, finish))


def _experience_text(state: PhaseState) -> str:
    known = state.experience
    if known.try_number == 1:
        return ""
    failed = [f"unit test {each.name}: {each.message} {each.advice}" for each in known.failed]
    return "\n".join(f"- {each}" for each in (*known.suggestions, *known.errors, *failed))
