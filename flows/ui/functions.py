"""Functions of an index on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.core.function_description import FunctionDescription
from flows.library.interpreter.response_table import FunctionStats
from flows.services.functions import FoundFunction
from flows.tools.schema import arguments_of_schema
from flows.ui.page import Page
from flows.ui.terminal_text import clean, one_line

_NAME_CHARS = 48
_TEXT_CHARS = 300


def show_matches(console: Console, matches: Sequence[FoundFunction]) -> None:
    """A line for each function that was found, with its score."""
    if not matches:
        _say(console, "No function shares a word with the question.")
        return
    table = _table("score", "id", "class")
    for each in matches:
        _row(table, f"{each.score:.3f}", each.id, each.function_class, each.description)
    Page(console).flush(table)


def show_functions(console: Console, functions: Sequence[FunctionDescription]) -> None:
    """A line for each function."""
    if not functions:
        _say(console, "There is no function. Index some: flows functions index FILE")
        return
    table = _table("id", "class")
    for each in functions:
        _row(table, each.id, each.function_class, each.description)
    Page(console).flush(table)


def show_function(console: Console, function: FunctionDescription) -> None:
    """What the function does and takes."""
    asked = ", and the person is asked before a call" if function.changing else ""
    lines = [
        function.id, "", clean(function.description), "",
        f"class      {function.function_class}", f"effect     {function.effect}{asked}",
        f"source     {clean(function.source)}", f"returns    {clean(function.returns) or '-'}", "",
        *_arguments(function.parameters),
    ]  # fmt: skip
    console.print(Text("\n".join(lines)), soft_wrap=True)


def show_function_stats(console: Console, stats: Sequence[FunctionStats]) -> None:
    """A line for each function, those that lower the confidence of answers most first."""
    if not stats:
        _say(console, "No answer is in the table: flows interpret writes it.")
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(Text("function", style="bold"))
    for head in ("answers", "calls", "errors", "empty", "used", "confidence", "others", "effect"):
        table.add_column(Text(head, style="bold"), justify="right", no_wrap=True)
    for each in stats:
        counts = (each.responses, each.calls, each.errors, each.empty, each.used)
        without = "-" if each.confidence_without is None else f"{each.confidence_without:.1f}"
        effect = "-" if each.effect is None else f"{each.effect:+.1f}"
        cells = (*map(str, counts), f"{each.confidence:.1f}", without, effect)
        table.add_row(Text(one_line(each.function, _NAME_CHARS)), *map(Text, cells))
    Page(console).flush(table)


def _arguments(schema: Mapping[str, Any]) -> list[str]:
    found = arguments_of_schema(schema)
    if not found:
        return ["It takes no arguments."]
    return [
        f"{each.name} ({each.type}{'' if each.required else ', may be left out'})"
        + (f": {clean(each.description)}" if each.description else "")
        for each in found
    ]


def _table(*heads: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for head in heads:
        table.add_column(Text(head, style="bold"), no_wrap=True)
    table.add_column(Text("text", style="bold"))
    return table


def _row(table: Table, *cells: str) -> None:
    *short, text = cells
    names = (Text(one_line(each, _NAME_CHARS)) for each in short)
    table.add_row(*names, Text(one_line(text, _TEXT_CHARS)))


def _say(console: Console, text: str) -> None:
    page = Page(console)
    page.flush(page.wrapped(text, flush=True))
