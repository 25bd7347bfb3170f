"""The charts of a report: figures of the run that are safe to draw, and pictures of them."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Final

from flows.core.artifacts import Artifact, Artifacts, SavedFile, open_file
from flows.data.results.figures import Plotly, checked_plotly, checked_png, figure_json
from flows.errors import JournalError
from flows.report.cleaning import one_line
from flows.report.evidence import walk
from flows.report.figures import safe_figure, title_of
from flows.report.report import Report

# What one figure may add to the page, as plotly's JSON or as a PNG.
MOST_BYTES: Final = 1_500_000


@dataclass(frozen=True, slots=True)
class ReportChart:
    """A figure: as plotly's JSON that can stand in a page, or a PNG in base64, or neither with a
    `problem`. `task` is the number of the task that drew it."""

    key: str
    artifact: str
    task: str
    title: str
    figure: Plotly | None = None
    json: str = ""
    png: str = ""
    problem: str = ""


def charts_of(report: Report, artifacts: Artifacts) -> tuple[ReportChart, ...]:
    """All figures of the tasks. Errors: `JournalError` for one that is gone or was changed."""
    known = {each.name: each for each in artifacts.all() if each.what == "figure"}
    named: dict[str, str] = {}
    for number, result in walk(report.results):
        for name in result.finding.figures:
            if name in known:
                named.setdefault(name, number)
    return tuple(
        chart_of(artifacts, known[name], f"F{place}", task)
        for place, (name, task) in enumerate(named.items(), 1)
    )


def chart_of(artifacts: Artifacts, artifact: Artifact, key: str, task: str = "") -> ReportChart:
    """A figure under a short name. Errors: `JournalError` for one that is gone or was changed."""
    title = one_line(artifact.description)
    forms = {each.kind: each for each in artifact.files}
    problem = "it has no form that a report can show"
    if "json" in forms:
        figure = checked_plotly(_read(artifacts, forms["json"]).decode(), artifact.name)
        title = title_of(figure) or title
        safe = safe_figure(figure)
        content = figure_json(safe) if safe is not None else b""
        if safe is not None and len(content) <= MOST_BYTES:
            return ReportChart(key, artifact.name, task, title, safe, content.decode())
        problem = "it is too large" if safe else "its kind needs the network or a graphics card"
    if "png" in forms:
        if forms["png"].bytes <= MOST_BYTES:
            png = checked_png(_read(artifacts, forms["png"]), artifact.name)
            return ReportChart(key, artifact.name, task, title, png=base64.b64encode(png).decode())
        problem = "it is too large"
    return ReportChart(key, artifact.name, task, title, problem=f"Not shown here: {problem}.")


def _read(artifacts: Artifacts, file: SavedFile) -> bytes:
    """One form of an artifact. Errors: `JournalError` if it is gone or was changed."""
    try:
        with open_file(artifacts.folder, file.path) as opened:
            content = opened.read()
    except OSError as error:
        raise JournalError(f"the artifact {file.path} cannot be read: {error}") from error
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise JournalError(f"the artifact {file.path} was changed after it was written")
    return content
