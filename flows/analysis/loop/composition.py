"""The final answer of a goal: one line for each part, from what the commands gave back."""

from __future__ import annotations

import re

from flows.analysis.loop.agents import is_figure
from flows.analysis.loop.goal import GoalPart, Progress
from flows.analysis.loop.overview import overview, profile_answer
from flows.analysis.loop.own_commands import told
from flows.analysis.methods.analyses import study_of
from flows.analysis.methods.answer import Result, narrate, study_answer
from flows.analysis.telling.cells import foreign
from flows.analysis.telling.examples import example_question
from flows.core.sandbox import WARNINGS
from flows.semantics.request import Analysis, Chart

_TEXT = 400
_AGENT_TEXT = 3_000
_WARNINGS = 4


def compose(progress: Progress, *, cited: bool = False) -> str:
    """All answers in the order of the parts, then plainly what was not answered and why.

    When `cited`, numbers are references to the cells of the results that the run keeps.
    """
    parts, tables = progress.parts, progress.tables
    done = [part for part in parts if part.status == "done"]
    lines = [_line(part, progress, cited=cited) for part in done]
    for part in parts:
        if part.status in ("done", "replaced"):
            continue
        why = part.why or (
            "you stopped before it was asked" if progress.stop else "its command gave nothing back"
        )
        if part.unread and part.kind == "search":
            why = f"no table answers it and the search did not help either ({why})"
        why = re.sub(r"\s+", " ", why).strip().rstrip(".")
        lines.append(foreign(f'Not answered: "{part.text}", because {why}.'))
    lost = next((part for part in parts if part.unread and part.status == "failed"), None)
    example = example_question(lost.text, tables, progress.model) if lost else None
    if example:
        lines.append(foreign(f'A question that I can answer here is for example: "{example}"'))
    return (
        "\n".join(dict.fromkeys(lines)) or "There was no question in the goal that I could work on."
    )


def _line(part: GoalPart, progress: Progress, *, cited: bool) -> str:
    tables = progress.tables
    if part.kind == "question":
        return answer_of(part, progress, cited=cited)
    text = part.result.text if part.result else ""
    if part.kind == "study":
        return _studied(part, progress, cited=cited)
    if part.kind in ("agent", "documents"):
        return _by_agent(part, text, cited=cited)
    if part.kind == "command":
        return foreign(f"{part.text.rstrip('?.!')} ({part.command}): {_begin(told(part))}")
    if part.kind == "profile":
        return foreign(profile_answer(part.text, tables))
    if part.kind == "describe":
        return foreign(overview(part.text, tables) or _begin(text))
    return foreign(f"{part.asked} ({part.command}): {_begin(text)}")


def _studied(part: GoalPart, progress: Progress, *, cited: bool) -> str:
    """What a study found, and the figures that it drew."""
    result, request = part.result, part.request
    if result is None or result.table is None or not isinstance(request, Analysis | Chart):
        text = _begin(result.text) if result else "there is no result."
        return foreign(f"{part.text}: {text}")
    study = study_of(request, progress.model, progress.tables)
    table = result.table
    kept = table.artifact if cited else None
    warned = result.kept.get(WARNINGS) if cited else None
    said = study_answer(
        study, table.columns, table.rows, table.total_rows, kept, result.cautions, warned
    )
    names = ", ".join(f"`{name}`" for name in result.figures)
    return f"{said} Drawn in {names}." if names else said


def _by_agent(part: GoalPart, text: str, *, cited: bool) -> str:
    """What an agent of the team said, and what it drew; when `cited`, with its references."""
    result = part.result
    figures = result.figures if result is not None else ()
    warnings = [f"Warning: {each.text}" for each in (result.cautions if result is not None else ())]
    if result is not None and result.wordless and is_figure(part.request):
        names = ", ".join(f"`{name}`" for name in figures)
        drawn = part.how.replace("`", "")
        return foreign(" ".join([f"The {drawn} is in {names}.", *warnings]))
    sentences = result.told if result is not None else ()
    said = foreign(_begin(text, _AGENT_TEXT))
    if sentences and cited:
        said = "\n".join([*sentences, *map(foreign, warnings[:_WARNINGS])])
    names = ", ".join(f"`{name}`" for name in figures if name not in text)
    # What is told of cells says itself what it is about.
    head = "" if sentences and part.kind == "agent" else f"{foreign(part.text.rstrip('?.!'))}: "
    return f"{head}{said}{f' See {names}.' if names else ''}"


def answer_of(part: GoalPart, progress: Progress, *, cited: bool = False) -> str:
    """One part's answer, from the cells of its result."""
    result = part.result
    if result is None:
        return foreign(f"{part.text}: there is no result.")
    table, request = result.table, part.request
    if request is not None and result.kind == "empty":
        found = Result(columns=(), rows=(), total=0, name=None)
    elif table is None or result.kind == "empty":
        return foreign(f"{part.text}: {_begin(result.text)}")
    else:
        name = table.artifact if cited else None
        found = Result(table.columns, table.rows, table.total_rows, name)
    return narrate(request, progress.model, progress.tables, found)


def _begin(text: str, most: int = _TEXT) -> str:
    """The first sentences of a text."""
    text = re.sub(r"\s+", " ", text).strip()
    if len(text) <= most:
        return text
    end = max(text.rfind(". ", 0, most), text.rfind("; ", 0, most))
    return text[: end + 1] if end > 80 else text[:most] + "..."
