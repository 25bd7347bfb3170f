"""The report of a pipeline as one HTML page: it opens offline, and runs nothing but its scripts.

As with every page here, its policy allows no script, style or image but those whose hash it holds,
and no request; every text is escaped where it is put in.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from flows.core.artifacts import Artifacts
from flows.data.results.figures import plotly_js
from flows.report.charts import ReportChart, chart_of
from flows.report.cleaning import clean, one_line
from flows.report.ledger import run_facts
from flows.report.pipeline.contents import STATUSES, PipelineReport
from flows.report.pipeline.prose import pieces_of
from flows.report.pipeline.views import (
    names_of,
    phase_views,
    score_rows,
    score_text,
    task_facts,
    used_by,
)
from flows.report.policy import page_policy, styles_of

_LOOKS: Final = {"done": "good", "partly": "warn", "failed": "bad"}
# What the pictures of one page may come to, in characters of base64.
_MOST_PICTURES: Final = 24_000_000


def pipeline_page(report: PipelineReport, artifacts: Artifacts) -> bytes:
    """The whole page. Errors: `JournalError` for an artifact that is gone or was changed."""
    charts = _charts(report, artifacts)
    drawn = any(each.json for found in charts for each in found)
    scripts = ([plotly_js()] if drawn else []) + [_resource("report.js")]
    style = _resource("report.css") + _resource("pipeline.css")
    values = {
        **_head(report),
        "phases": phase_views(report),
        "charts": [[_chart(each) for each in found] for found in charts],
        "tools": _tools(report),
        "sources": _sources(report),
        "facts": run_facts(report.run_id, report.made_at, report.made_with, report.cost),
        "policy": Markup(page_policy(scripts, style)),
        "style": Markup(style),
        "scripts": [Markup(each) for each in scripts],
        "styles": styles_of(scripts[0]) if drawn else [],
    }
    return _template().render(values).encode("utf-8")


def _head(report: PipelineReport) -> dict[str, object]:
    """The task, what became of it, and how good it is."""
    task = report.task
    better = "" if task is None else "greater" if task.greater_is_better else "less"
    return {
        "title": one_line(report.title),
        "made_at": report.made_at,
        "status": STATUSES.get(report.status, one_line(report.status)),
        "look": _LOOKS.get(report.status, "bad"),
        "metric": one_line(report.metric),
        "better": better,
        "score": score_text(report.score),
        "rows": f"{report.rows:,}" if report.submission else "",
        "notes": [clean(each) for each in report.notes],
        "background": clean(report.background),
        "told": pieces_of(task.background) if task is not None else (),
        "task_facts": task_facts(task) if task is not None else (),
        "reasons": [(one_line(name), clean(text)) for name, text in task.reasons.items()]
        if task is not None
        else [],
        "doubts": [clean(each) for each in task.doubts] if task is not None else [],
        "fields": [(one_line(name, 80), clean(text)) for name, text in task.fields.items()]
        if task is not None
        else [],
        "scores": score_rows(report),
    }


def _charts(report: PipelineReport, artifacts: Artifacts) -> list[list[ReportChart]]:
    """The figures of each phase; those that would make the page too large are only named."""
    known = {each.name: each for each in artifacts.all() if each.what == "figure"}
    found: list[list[ReportChart]] = []
    number, room = 0, _MOST_PICTURES
    for phase in report.phases:
        own: list[ReportChart] = []
        for name, title in names_of(phase.work.outcomes).items():
            if name not in known:
                continue
            number += 1
            chart = chart_of(artifacts, known[name], f"F{number}")
            chart = replace(chart, title=one_line(title) or chart.title)
            room -= len(chart.png) + len(chart.json)
            if room < 0:
                problem = "Not shown here: the page has no room left."
                chart = replace(chart, png="", json="", problem=problem)
            own.append(chart)
        found.append(own)
    return found


def _chart(chart: ReportChart) -> dict[str, object]:
    return {
        "key": chart.key, "title": chart.title, "png": chart.png, "problem": chart.problem,
        "json": Markup(chart.json),
    }  # fmt: skip


def _tools(report: PipelineReport) -> list[dict[str, object]]:
    """Those that the run made stand first."""
    ordered = sorted(report.tools, key=lambda each: not each.made)
    return [
        {"name": one_line(each.name), "purpose": one_line(each.purpose), "made": each.made,
         "uses": each.uses, "phases": list(used_by(report, each.name)),
         "document": pieces_of(each.document), "code": clean(each.code)}
        for each in ordered
    ]  # fmt: skip


def _sources(report: PipelineReport) -> list[dict[str, str]]:
    return [
        {"name": one_line(each.name), "kind": each.kind, "rows": f"{each.rows:,}",
         "where": one_line(each.where), "sha256": each.sha256}
        for each in report.sources
    ]  # fmt: skip


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=False, lstrip_blocks=False
    )
    return environment.from_string(_resource("pipeline.html.j2"))


@cache
def _resource(name: str) -> str:
    text = (files("flows.report") / "templates" / name).read_text("utf-8")
    return text.replace("\r\n", "\n")
