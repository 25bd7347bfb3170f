"""Code of a step as a program that runs by itself: the tools that it calls, then what it says."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Final

from flows.core.function_tool import FunctionTool
from flows.core.sandbox import CodeFault
from flows.sandbox.syntax import UnreadableCode, compiled

_FUTURE: Final = "from __future__ import annotations"


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
    before = "\n\n\n".join([_FUTURE, *(runnable(each) for each in used)])
    return f"{before}\n\n\n{code}"


def of_code(fault: CodeFault, code: str, program: str) -> CodeFault:
    """A fault of the program with its line as a line of the code; one in a tool has none."""
    if fault.line is None:
        return fault
    line = fault.line - (program.count("\n") - code.count("\n"))
    if line > 0:
        return fault.model_copy(update={"line": line})
    return fault.model_copy(update={"line": None, "column": None})


def runnable(tool: FunctionTool) -> str:
    """The source of a tool without its tests, its module's text and what must stand on top."""
    tree = ast.parse(tool.source)
    lines = tool.source.splitlines()
    left_out: set[int] = set()
    for place, node in enumerate(tree.body):
        is_text = place == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_test = isinstance(node, ast.FunctionDef) and node.name in tool.tests
        is_future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
        if is_text or is_test or is_future:
            first = min([node.lineno, *(each.lineno for each in _decorators(node))])
            left_out.update(range(first, (node.end_lineno or node.lineno) + 1))
    kept = [line for number, line in enumerate(lines, 1) if number not in left_out]
    return "\n".join(kept).strip("\n")


def _decorators(node: ast.stmt) -> list[ast.expr]:
    return node.decorator_list if isinstance(node, ast.FunctionDef) else []
