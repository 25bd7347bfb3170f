"""What the agents of a pipeline have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Final

from flows.core.flow import CompositeFlow, FlowConfig, Ports
from flows.core.function_tool import FunctionTool
from flows.data.catalog import describe_text
from flows.data.tables import Table
from flows.library.blocks.agent_chat import AgentChatConfig
from flows.library.pipeline.state import AgentInputs, AgentMemory, AgentOutputs

PROMPTS: Final = Path(__file__).parent / "prompts"
_SHORT: Final = 2_000


class PipelineAgent(CompositeFlow):
    """An agent of a phase: it is given the state, and gives what it changes in it."""

    role: ClassVar[str]
    needs: ClassVar[Mapping[str, str]] = {
        "model": "model", "data": "data", "sandbox": "sandbox",
    }  # fmt: skip
    Config: ClassVar[type[FlowConfig]] = AgentChatConfig
    Inputs: ClassVar[type[Ports]] = AgentInputs
    Outputs: ClassVar[type[Ports]] = AgentOutputs

    def remember(
        self, state: AgentInputs, result: str, summary: str = "", history: Sequence[str] = (),
        suggestion: str = "",
    ) -> AgentMemory:  # fmt: skip
        """What it leaves in the memory of its phase."""
        given = state.background if state.task is None else state.task.model_dump_json()
        return AgentMemory(
            role=self.role,
            description=self.config.description,
            task=state.description or state.title,
            input=given[:_SHORT],
            summary=summary or result[:_SHORT],
            result=result,
            history=(*_before(state, self.role), *history),
            suggestion=suggestion,
        )


def _before(state: AgentInputs, role: str) -> tuple[str, ...]:
    known = state.memory.get(role)
    return known.history if known is not None else ()


def profiles_text(profiles: Mapping[str, Table]) -> str:
    """The tables in words, for prompts: names and values in it are data."""
    return describe_text(tuple(profiles.values()))


def tools_text(tools: Sequence[FunctionTool]) -> str:
    """The documents of tools in short: how each is called, what for, what it takes."""
    return "\n".join(_tool_text(each) for each in tools)


def _tool_text(tool: FunctionTool) -> str:
    arguments = ", ".join(
        f"{each.name}: {each.type}" + (f" = {each.default}" if each.default else "")
        for each in tool.parameters
    )
    gives = f" -> {', '.join(tool.gives)}" if tool.gives else ""
    told = [f"{tool.name}({arguments}){gives}", f"  {tool.purpose}"]
    told += [f"  {each.name}: {each.description}" for each in tool.parameters if each.description]
    return "\n".join(told)
