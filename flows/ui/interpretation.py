"""The response of an interpreter on a terminal: the answer, and which calls it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import to_jsonable_python
from rich.text import Text

from flows.ui.page import Page
from flows.ui.terminal_text import clean, one_line, shorten

_KEYS: Final = frozenset({"status", "answer", "model_confidence", "calls", "uncited"})
_TITLES: Final = {
    "answered": ("Answer", "bold green"), "partly": ("Answered in part", "bold yellow"),
    "abstained": ("I cannot answer this", "bold yellow"),
}  # fmt: skip
_MOST: Final = 20
_CHARS: Final = 8_000
_LINES: Final = 120


def is_response(outputs: Mapping[str, Any]) -> bool:
    """Whether a run's outputs are those of an interpreter."""
    return outputs.keys() >= _KEYS


def show_response(page: Page, given: Mapping[str, Any]) -> None:
    """The answer, where its values come from, how sure it is, and what is lacking."""
    outputs: Mapping[str, Any] = to_jsonable_python(dict(given), fallback=str)
    page.rule(*_TITLES.get(str(outputs["status"]), _TITLES["answered"]))
    shown = shorten(str(outputs["answer"]), chars=_CHARS, lines=_LINES)
    page.flush(page.wrapped(shown, flush=True))
    if outputs["lacks"]:
        page.text("Lacking", str(outputs["lacks"]), label_style="bold yellow")
    if outputs["citations"]:
        page.block("Sources", _sources(outputs))
    if outputs["uncited"]:
        numbers = ", ".join(one_line(str(each), 30) for each in outputs["uncited"])
        page.text("Beware", f"No result holds {numbers}.", label_style="bold yellow")
    if outputs["calls"]:
        page.block("Calls", _calls(outputs["calls"]))
    said = outputs["model_confidence"]
    more = "" if said == outputs["confidence"] else f"; the model says {said}"
    page.text("Sure", f"{outputs['confidence']} of 100{more}")
    if outputs["strategy"]:
        page.text("Strategy", str(outputs["strategy"]))


def _sources(outputs: Mapping[str, Any]) -> Text:
    functions = {each["number"]: each["function"] for each in outputs["calls"]}
    lines = []
    for each in outputs["citations"][:_MOST]:
        how = f"{each['operation']} of " if each["operation"] else ""
        where = one_line(each["path"] or "its result", 60)
        name = functions.get(each["call"], "")
        value = one_line(str(each["value"]), 40)
        lines.append(f"{value}  {how}{where} of call {each['call']}, {name}")
    return _told(lines, len(outputs["citations"]))


def _calls(calls: list[Mapping[str, Any]]) -> Text:
    lines = []
    for each in calls[:_MOST]:
        given = ", ".join(f"{name}={value!r}" for name, value in each["arguments"].items())
        kind = "" if each["kind"] == "ok" else f"  {each['kind']}"
        lines.append(f"{each['number']}  {each['function']}({one_line(given, 80)}){kind}")
    return _told(lines, len(calls))


def _told(lines: list[str], number: int) -> Text:
    more = [f"… {number - len(lines)} more"] if number > len(lines) else []
    return Text(clean("\n".join([*lines, *more])))
