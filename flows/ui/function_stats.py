"""What functions do to the confidence of answers, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from flows.library.interpreter.response_table import FunctionStats
from flows.ui.terminal_text import one_line

_MOST = 60


def show_stats(console: Console, stats: Sequence[FunctionStats]) -> None:
    """A line for each function, those that lower confidence most first."""
    if not stats:
        console.print("No response was logged here yet.")
        return
    table = Table(box=None, pad_edge=False)
    table.add_column("function")
    for name in ("answers", "cited", "calls", "errors", "empty", "sure", "without it", "effect"):
        table.add_column(name, justify="right")
    for each in stats:
        table.add_row(
            one_line(each.function, _MOST),
            *(f"{n:,}" for n in (each.responses, each.used, each.calls, each.errors, each.empty)),
            f"{each.confidence:.0f}",
            _shown(each.confidence_without, "{:.0f}"),
            _shown(each.effect, "{:+.0f}"),
        )
    console.print(table)


def _shown(value: float | None, form: str) -> str:
    return "" if value is None else form.format(value)
