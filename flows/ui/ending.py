"""What a run came to, when it is over or waits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from flows.core.chat import Usage
from flows.core.result import RunResult
from flows.ui import shapes
from flows.ui.clean import as_text, one_line, shorten
from flows.ui.page import Page, counted, duration, shown_path
from flows.ui.sources import read_sources, show_sources

_STYLES = {
    "finished": "bold green",
    "unfinished": "bold yellow",
    "waiting": "bold yellow",
    "degraded": "bold red",
    "failed": "bold red",
}
# What a circular flow carries from round to round was on the screen already, or is not a result.
_CARRIED = frozenset(
    {"answer", "status", "citations", "EARLY_EXIT", "goal", "question", "memory", "retrieved"}
    | {"thought", "reasoning", "plan", "criticism", "speak", "command", "command_args"}
    | {"observation", "human_feedback", "human_input", "nobody", "operation", "content"}
    | {"branch", "branch_input_data", "branch_output_data"}
)
_ANSWER_CHARS = 8000
_ANSWER_LINES = 120
_VALUE_CHARS = 2000
_VALUE_LINES = 30
_FILES = 12
_GOES_ON = ("waiting", "failed")


def show_result(console: Console, result: RunResult) -> None:
    """Write the answer, the source of its numbers, what was spent, and how to go on."""
    page = Page(console)
    _show_answer(page, result.outputs)
    show_sources(page, read_sources(result.outputs.get("citations")))
    page.rule(result.status.capitalize(), _STYLES[result.status])
    if result.reason:
        style = "red" if result.status in ("failed", "degraded") else ""
        reason = shorten(result.reason, chars=_VALUE_CHARS, lines=_VALUE_LINES)
        page.block("Reason", page.wrapped(reason, style))
    page.text("Spent", spent(result))
    _show_files(page, result)
    page.text("Run", shown_path(result.folder))
    if result.status in _GOES_ON:
        command = Text(f"flows resume {one_line(result.run_id, 80)}", style="bold cyan")
        page.block("Go on", command)
    console.print()


def spent(result: RunResult) -> str:
    """Rounds, model calls, tokens as far as the provider counts them, and time."""
    parts = [counted(result.rounds, "round")] if result.rounds else []
    parts += [counted(result.usage.model_calls, "model call"), _tokens(result.usage)]
    return " · ".join([*(part for part in parts if part), duration(result.seconds * 1000)])


def _tokens(usage: Usage) -> str:
    if not usage.model_calls:
        return ""
    if usage.input_tokens is None and usage.output_tokens is None:
        return "tokens not counted"
    if not usage.input_tokens and not usage.output_tokens:
        return "no tokens"
    return f"{usage.input_tokens or 0:,} tokens in, {usage.output_tokens or 0:,} out"


def _show_answer(page: Page, outputs: Mapping[str, Any]) -> None:
    answer = outputs.get("answer")
    others = {name: value for name, value in outputs.items() if _is_result(name, value)}
    if not answer and not others:
        return
    page.rule("Answer", "bold green")
    if answer:
        shown = shorten(as_text(answer, indent=2), chars=_ANSWER_CHARS, lines=_ANSWER_LINES)
        page.flush(page.wrapped(shown, flush=True))
    for name, value in others.items():
        found = shapes.as_observation(value)
        if found is not None:
            page.observe(found, "")
        else:
            text = shorten(as_text(value, indent=2), chars=_VALUE_CHARS, lines=_VALUE_LINES)
            page.block(one_line(name, 60), page.wrapped(text))


def _is_result(name: str, value: object) -> bool:
    return name not in _CARRIED and value not in (None, "", (), [], {})


def _show_files(page: Page, result: RunResult) -> None:
    if not result.artifacts:
        return
    lines = [
        f"{shown_path(result.folder / each.path)}  {one_line(each.description, 60)}"
        for each in result.artifacts[:_FILES]
    ]
    if len(result.artifacts) > _FILES:
        lines.append(f"… {len(result.artifacts) - _FILES} more")
    page.block("Files", page.wrapped("\n".join(lines)))
