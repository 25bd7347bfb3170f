"""The toolsmith: makes tools for the data at hand, and keeps those that tests and validation bear
out."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field

from flows.analysis import prediction
from flows.analysis.prediction.plan import Planning
from flows.core.chat import Finish
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.function_tool import FunctionTool, call_of
from flows.core.reply import Reply
from flows.core.run import Run
from flows.errors import ConfigError
from flows.library.blocks.agent_chat import AgentChatConfig, agent_chat
from flows.library.blocks.correction import propose
from flows.library.blocks.outcome import fault_text
from flows.library.blocks.reading import ReplyProblem, fit, read_object
from flows.library.pipeline.agent import NEEDS, PROMPTS, profiles_text, remember, tools_text
from flows.library.pipeline.execution import StepCodeFlow
from flows.library.pipeline.state import PhaseState, StateChange
from flows.library.pipeline.tool_steps import LibraryFlow, RegisterToolsFlow, ToolTestsFlow
from flows.sandbox.validate import validate
from flows.tools.functions.parse import parse_tool
from flows.tools.functions.shipped import shipped_tools
from flows.tools.functions.testing import ToolTests

_TRIAL: Final = "trial"
_SHARE: Final = 0.5  # of the phase's seconds, for all trials: the steps need the others


class ToolSmithConfig(AgentChatConfig):
    """The keys of a toolsmith."""

    description: str = "Makes tools for the data at hand."
    system_prompt: str = "toolsmith.system.j2"
    human_prompt: str = "toolsmith.human.j2"
    most_tools: int = Field(default=12, ge=1, le=40, description="drafts that are tried")
    seconds: float = Field(default=60.0, gt=0, description="wall time of the trial of one tool")


class ToolDesignInputs(Ports):
    """What tools are made for, typed for rules and in words for a model."""

    given: Planning
    background: str = ""
    data: str = ""
    documents: str = ""
    experience: str = ""
    correction: str = ""


class DraftReply(BaseModel):
    """A tool as its maker wrote it, and what in the data calls for it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    source: str
    why: str = ""


class ToolDesignReply(Reply):
    tools: tuple[DraftReply, ...] = ()


class ToolSmithFlow(CompositeFlow):
    """Asks a model in the role `tool_design` for tools; those that pass their tests in the sandbox
    and help by a quick validation are registered, and stay in the library for later runs. The
    tools of the library are tried in the same way."""

    role: ClassVar[str] = "toolsmith"
    needs: ClassVar[Mapping[str, str]] = NEEDS
    bounded_by: ClassVar[tuple[str, ...]] = ("turns",)
    Config: ClassVar[type[FlowConfig]] = ToolSmithConfig
    Inputs: ClassVar[type[Ports]] = PhaseState
    Outputs: ClassVar[type[Ports]] = StateChange

    def __init__(self, config: ToolSmithConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.chat = agent_chat(
            config, parts, "tool_design", ToolDesignInputs, ToolDesignReply, prompts=PROMPTS
        )
        self.library = LibraryFlow(parts.below("library"))
        self.test = ToolTestsFlow(parts.below("test_tool"))
        self.trial = StepCodeFlow(parts.below("trial"))
        self.register = RegisterToolsFlow(parts.below("register_tools"))
        own = (self.chat, self.library, self.test, self.trial, self.register)
        self.subflows = {each.name: each for each in own}

    def most_of(self, below: Mapping[str, float]) -> float:
        turns: int = self.config.turns
        return turns * below[self.chat.name]

    async def run(self, inputs: PhaseState, run: Run) -> StateChange:
        if inputs.made_tools:  # of an earlier try, or of an earlier phase
            told = "The tools that were made before are used."
            return StateChange(memory=remember(self, inputs, self.role, told))
        known = await run.call(self.library, {"library": inputs.library, "phase": inputs.phase})
        drafts = await self._design(inputs, run)
        fresh = {each.name for each in drafts}
        kept: list[tuple[FunctionTool, ToolTests]] = []
        said: list[str] = []
        left = inputs.seconds * _SHARE
        for tool in (*drafts, *(each for each in known["tools"] if each.name not in fresh)):
            if left <= 0:
                said.append(f"{tool.name} is not tried: the time for trials is used up")
                continue
            tests: ToolTests = (await run.call(self.test, {"tool": tool}))["tests"]
            if not tests.passed:
                said.append(f"{tool.name} is dropped: its tests fail: {tests.report}")
                continue
            helps, why, seconds = await self._try(tool, inputs, run)
            left -= seconds
            said.append(f"{tool.name} is {'kept' if helps else 'dropped'}: {why}")
            if helps:
                kept.append((tool, tests))
        for each in said:
            run.notice(each)
        made: tuple[FunctionTool, ...] = ()
        if kept:
            done = await run.call(self.register, {
                "tools": tuple(tool for tool, _ in kept), "tests": tuple(test for _, test in kept),
                "promoted": tuple(tool.name for tool, _ in kept), "library": inputs.library,
            })  # fmt: skip
            made = done["tools"]
        result = "\n".join(said) or "No tool was called for."
        return StateChange(
            memory=remember(self, inputs, self.role, result, history=said), made_tools=made
        )

    async def _design(self, state: PhaseState, run: Run) -> tuple[FunctionTool, ...]:
        """The tools that the model writes, each read and found to be valid code."""
        assert state.task is not None
        config: ToolSmithConfig = self.config
        documents = [each for each in shipped_tools() if state.phase in each.phases]
        given = Planning(
            task=state.task, phase=state.phase, **state.profiles, seconds=state.seconds,
            tools=tuple(each.model_copy(update={"source": ""}) for each in documents),
            rules=state.rules, experience=state.experience,
        )  # fmt: skip
        asked = {
            "given": given, "background": state.background, "data": profiles_text(state.profiles),
            "documents": tools_text(documents),
            "experience": "\n".join(state.experience.suggestions),
        }  # fmt: skip
        taken = {each.name for each in shipped_tools()}
        origin = f"{run.session.run_id}/{run.address}"

        async def check(reply: ToolDesignReply) -> tuple[FunctionTool, ...]:
            found: dict[str, FunctionTool] = {}
            for draft in reply.tools[: config.most_tools]:
                tool = _read_tool(draft.source, origin)
                if tool.name in taken or tool.name in found:
                    raise ReplyProblem(f"there is a tool {tool.name} already")
                found[tool.name] = tool
            return tuple(found.values())

        return await propose(
            run, self.chat, asked, _read, check, corrections=config.turns - 1,
            speaker="The toolsmith's reply",
        )  # fmt: skip

    async def _try(
        self, tool: FunctionTool, state: PhaseState, run: Run
    ) -> tuple[bool, str, float]:
        """Whether the target is learned better with what the tool makes, what was seen, and how
        many seconds that took."""
        assert state.task is not None
        config: ToolSmithConfig = self.config
        judge = trial_tool()
        made = tuple(f"tried_{each}" for each in tool.gives)
        variables = frozenset(state.tables)
        try:
            call = call_of(tool, {}, variables, made)
        except ValueError as error:
            return False, str(error), 0.0
        task = state.task.model_dump(mode="json", include=set(_TOLD))
        arguments = {"train": "train", "tried": "tried_train", "task": task}
        judged = call_of(judge, arguments, variables | set(made), (_TRIAL,))
        done = await run.call(self.trial, {
            "code": f"{call}\n{judged}\n", "tools": (tool, judge), "tables": state.tables,
            "seconds": min(config.seconds, state.seconds), "purpose": f"Try {tool.name}",
        }, goal=f"Tries {tool.name}.")  # fmt: skip
        if done["fault"] is not None:
            return False, fault_text(done["fault"]), done["seconds"]
        table = done["shown"][_TRIAL]
        row = dict(zip(table.columns, table.rows[0], strict=True))
        return bool(row["kept"]), str(row["says"]), done["seconds"]


_TOLD: Final = ("targets", "identifier", "kind", "metric", "group", "time")


@cache
def trial_tool() -> FunctionTool:
    """What says in the sandbox whether the columns of a tool help."""
    source = Path(next(iter(prediction.__path__))) / "toolsmith" / "trial.py"
    return parse_tool(source.read_text(encoding="utf-8"), _TRIAL)


def _read_tool(source: str, origin: str) -> FunctionTool:
    """Errors: `ReplyProblem` that says what is wrong with the source."""
    if (fault := validate(source)) is not None:
        raise ReplyProblem(f"the source of a tool is no valid code: {fault_text(fault)}")
    try:
        tool = parse_tool(source, origin)
    except ConfigError as error:
        raise ReplyProblem(f"the source of a tool cannot be used: {error}") from error
    if needed := [each.name for each in tool.parameters if each.required and not each.frame]:
        raise ReplyProblem(f"the tool {tool.name} needs {needed[0]}; give it a default")
    return tool


def _read(text: str, finish: Finish) -> ToolDesignReply:
    return fit(ToolDesignReply, read_object(text, finish))
