"""Tools on a terminal: a table of many, and how their tests ended."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.core.function_tool import FunctionTool
from flows.tools.functions.testing import ToolTests
from flows.ui.page import Page, counted
from flows.ui.terminal_text import clean, one_line

_NAME_CHARS = 40
_PURPOSE_CHARS = 300


def show_tools(console: Console, tools: Sequence[FunctionTool]) -> None:
    """A line for each tool."""
    if not tools:
        page = Page(console)
        page.flush(page.wrapped("There is no tool, or none as asked for.", flush=True))
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for head in ("tool", "version", "calls"):
        table.add_column(Text(head, style="bold"), no_wrap=True)
    table.add_column(Text("purpose", style="bold"))
    for each in tools:
        version = each.origin if each.origin == "shipped" else str(each.version)
        calls = f"{each.successes} of {each.uses}" if each.uses else "-"
        cells = (one_line(each.name, _NAME_CHARS), version, calls)
        purpose = Text(one_line(each.purpose, _PURPOSE_CHARS))
        table.add_row(*(Text(cell) for cell in cells), purpose)
    Page(console).flush(table)


def show_tests(console: Console, tests: ToolTests) -> None:
    """How the tests of a tool ended: a line for it, and what did not pass."""
    status, style = ("passed", "green") if tests.passed else ("failed", "bold red")
    passed = sum(each.status == "passed" for each in tests.outcomes)
    text = f"  {tests.tool}: {passed} of {counted(len(tests.outcomes), 'test')}"
    text += f", {tests.seconds:.1f} s"
    console.print(Text.assemble((status, style), text), soft_wrap=True)
    for line in clean(tests.report).splitlines():
        console.print(Text(f"        {line}"), soft_wrap=True)
