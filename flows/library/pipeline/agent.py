"""What the agents of a pipeline have in common."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

from flows.core.flow import Flow
from flows.core.function_tool import FunctionTool
from flows.data.catalog import describe_text
from flows.data.tables import Table
from flows.library.pipeline.state import AgentMemory, PhaseState
from flows.tools.functions.search import ToolIndex

# The services that an agent which asks a model and runs code may have of its own.
NEEDS: Final = {"model": "model", "data": "data", "sandbox": "sandbox"}
PROMPTS: Final = Path(__file__).parent / "prompts"
_SHORT: Final = 2_000


def remember(
    agent: Flow, state: PhaseState, role: str, result: str, summary: str = "",
    history: Sequence[str] = (), suggestion: str = "",
) -> AgentMemory:  # fmt: skip
    """What an agent leaves in the memory of its phase, in that role."""
    given = state.background if state.task is None else state.task.model_dump_json()
    return AgentMemory(
        role=role,
        description=agent.config.description,
        task=state.description or state.title,
        input=given[:_SHORT],
        summary=summary or result[:_SHORT],
        result=result,
        history=(*_before(state, role), *history),
        suggestion=suggestion,
    )


def _before(state: PhaseState, role: str) -> tuple[str, ...]:
    known = state.memory.get(role)
    return known.history if known is not None else ()


def profiles_text(profiles: Mapping[str, Table]) -> str:
    """The tables in words, for prompts: names and values in it are data."""
    return describe_text(tuple(profiles.values()))


def find_tools(
    words: str, tools: Sequence[FunctionTool], most: int, named: Collection[str] = ()
) -> tuple[FunctionTool, ...]:
    """Those of the tools that are `named`, and of the others those whose documents fit the words
    best: `most` of all, in the order in which they are given."""
    if len(tools) <= most:
        return tuple(tools)
    found = [each.tool.name for each in ToolIndex(tools).search(words, limit=len(tools))]
    order = [*named, *(each for each in found if each not in named)]
    wanted = set(order[: max(most, len(named))])
    return tuple(each for each in tools if each.name in wanted)


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
