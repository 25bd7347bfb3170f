"""The chart of an answered question as a file: a page, plotly's JSON, or a picture."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from flows.core.artifacts import Artifact, open_file
from flows.core.result import RunResult
from flows.library.ask.answer import AskAnswer
from flows.services.files import check_ending, check_writable, write_file

ENDINGS: Final = (".html", ".json", ".png")


def check_chart_file(path: Path) -> None:
    """Errors: `UsageError` for a name that says no kind of chart, or where none can be written."""
    check_ending(path, ENDINGS, "chart")
    check_writable(path)


def write_chart(path: Path, answer: AskAnswer, result: RunResult) -> bool:
    """Write what was drawn. Returns whether anything was that the file can hold.

    Errors: `UsageError` for a file that cannot be written.
    """
    content = chart_content(path.suffix.lower(), answer, result)
    if content is not None:
        write_file(path, content)
    return content is not None


def chart_content(ending: str, answer: AskAnswer, result: RunResult) -> bytes | None:
    """The content of a file with that ending (`.html`, `.json`, `.png`); None when nothing was
    drawn that it can hold."""
    chart = answer.chart
    if chart is None:
        return _figure_of_code(ending.lstrip("."), result)
    if ending == ".json":
        return json.dumps(chart.figure, ensure_ascii=False).encode()
    if ending == ".html":
        named = [each for each in result.artifacts if each.name == chart.artifact]
        return _content(result, named[0], "html") if named else None
    from flows.report.pictures.plot import draw_plot

    return draw_plot(dict(chart.figure), chart.title or "")


def _figure_of_code(kind: str, result: RunResult) -> bytes | None:
    """The first figure that code of the run drew, in a form that it has."""
    for each in result.artifacts:
        if each.what == "figure" and any(file.kind == kind for file in each.files):
            return _content(result, each, kind)
    return None


def _content(result: RunResult, artifact: Artifact, kind: str) -> bytes | None:
    for file in artifact.files:
        if file.kind == kind:
            with open_file(result.folder, file.path) as opened:
                return opened.read()
    return None
