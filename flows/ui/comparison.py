"""What differs between two runs, on the screen and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.console import Console

from flows.core.chat import Usage
from flows.records.compare import Divergence, PromptDifference, RunComparison
from flows.records.differences import Difference
from flows.records.record import RunRecord
from flows.ui.page import Page, counted, duration
from flows.ui.runs import show_changes
from flows.ui.spending import cost, money, tokens
from flows.ui.terminal_text import as_text, one_line

_VALUE: Final = 60
_LINE: Final = 100
_MOST: Final = 40


def show_comparison(console: Console, found: RunComparison) -> None:
    """Write the comparison: what went in, where they part, what came out."""
    page = Page(console)
    page.rule(" and ".join(run.place.run_id for run in found.runs))
    _lines(page, "Config", _different(found.config))
    _lines(page, "Prompts", _prompts(found.prompts))
    _lines(page, "Code", _code(found.code))
    for run in found.runs:
        if run.changes:
            page.rule(f"Changes of {run.place.run_id}")
            show_changes(page, run)
    page.rule("The first step that differs")
    _show_divergence(page, found.first)
    page.rule("Side by side")
    for label, one, other in _rows(*found.runs):
        _pair(page, label, one, other)
    console.print()


def _lines(page: Page, label: str, lines: Sequence[str]) -> None:
    shown = list(lines[:_MOST])
    if len(lines) > _MOST:
        shown.append(f"… {len(lines) - _MOST} more; --json has all")
    page.block(label, page.wrapped("\n".join(shown)))


def _different(found: Sequence[Difference]) -> list[str]:
    if not found:
        return ["the same"]
    return [f"{each.key}: {_short(each.one)} → {_short(each.other)}" for each in found]


def _short(value: object) -> str:
    return one_line(as_text(value), _VALUE)


def _prompts(found: Sequence[PromptDifference] | None) -> list[str]:
    if found is None:
        return ["not recorded"]
    lines: list[str] = []
    for each in found:
        lines.append(f"{each.prompt}, line {each.line} ({', '.join(each.flows)})")
        lines += [f"  {sign} {one_line(text, _LINE)}" for sign, text in _both(each)]
    return lines or ["the same"]


def _both(each: PromptDifference) -> tuple[tuple[str, str], ...]:
    return ("-", each.one), ("+", each.other)


def _code(found: Sequence[str] | None) -> list[str]:
    if found is None:
        return ["not recorded"]
    return [path or "(the top flow)" for path in found] or ["the same"]


def _show_divergence(page: Page, found: Divergence | None) -> None:
    if found is None:
        page.text("Step", "none: both runs have the same steps with the same outcomes")
        return
    page.text("Step", found.step or "(the top flow)")
    page.text("How", found.what)
    if found.differences:
        _lines(page, "Outcome", _different(found.differences))


def _rows(one: RunRecord, other: RunRecord) -> list[tuple[str, str, str]]:
    """What is put side by side: the outputs' keys, and then the numbers."""
    keys = dict.fromkeys((*one.outputs, *other.outputs))
    outputs = [(key, _output(one, key), _output(other, key)) for key in keys]
    numbers = [
        ("Status", _status(one), _status(other)),
        ("Steps", f"{len(one.steps):,}", f"{len(other.steps):,}"),
        ("Calls", _calls(one.spent.usage), _calls(other.spent.usage)),
        ("Tokens", _tokens(one.spent.usage), _tokens(other.spent.usage)),
        ("Cost", _cost(one.spent.usage), _cost(other.spent.usage)),
        ("Time", duration(one.spent.seconds * 1000), duration(other.spent.seconds * 1000)),
    ]
    return outputs + numbers


def _output(side: RunRecord, key: str) -> str:
    return as_text(side.outputs[key]) if key in side.outputs else "(none)"


def _status(side: RunRecord) -> str:
    return f"{side.status}: {side.reason}" if side.reason else side.status


def _calls(usage: Usage) -> str:
    lost = f", {usage.possibly_billed} of them lost" if usage.possibly_billed else ""
    return counted(usage.model_calls, "model call") + lost


def _tokens(usage: Usage) -> str:
    return tokens(usage) or "none"


def _cost(usage: Usage) -> str:
    """What is known of the cost; what is not is said, and never counted as nothing."""
    known = cost(usage)
    if usage.model_calls and usage.cost is None:
        return f"unknown ({known})" if known else "unknown"
    return known or money(0.0)


def _pair(page: Page, label: str, one: str, other: str) -> None:
    """Both values beside each other, or under each other when they are long or alike."""
    width = (page.width - 3) // 2
    shown = [one_line(each, 400) for each in (one, other)]
    if one == other:
        text = f"{shown[0]}  (both)"
    elif all(len(each) <= width for each in shown):
        text = f"{shown[0]:<{width}} │ {shown[1]}"
    else:
        text = f"1: {shown[0]}\n2: {shown[1]}"
    page.block(one_line(label, 20), page.wrapped(text))
