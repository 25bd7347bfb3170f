"""Code of a step as a program that runs by itself: the tools that it calls, then what it says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.core.function_tool import FunctionTool
from flows.core.sandbox import CodeFault
from flows.sandbox.syntax import UnreadableCode, compiled
from flows.tools.functions.source import code_of

_FUTURE: Final = "from __future__ import annotations\n"


def named_tools(code: str, tools: Sequence[FunctionTool]) -> tuple[FunctionTool, ...]:
    """The tools that the code names; none of code that cannot be read."""
    try:
        names = compiled(code, "<step>").names
    except UnreadableCode:
        return ()
    return tuple(each for each in tools if each.name in names)


def program_of(code: str, tools: Sequence[FunctionTool]) -> str:
    """The code after the sources of the tools that it names, without their tests."""
    used = named_tools(code, tools)
    if not used:
        return code
    sources = (code_of(each).replace(_FUTURE, "").strip("\n") for each in used)
    return "\n\n\n".join([_FUTURE.strip(), *sources, code])


def of_code(fault: CodeFault, code: str, program: str) -> CodeFault:
    """A fault of the program with its line as a line of the code; one in a tool has none."""
    if fault.line is None:
        return fault
    line = fault.line - (program.count("\n") - code.count("\n"))
    if line > 0:
        return fault.model_copy(update={"line": line})
    return fault.model_copy(update={"line": None, "column": None})
