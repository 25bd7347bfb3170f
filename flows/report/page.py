"""A report as one HTML page: it opens offline, and runs nothing but the scripts that it names.

The page's policy allows no script, style or image but those whose hash it holds, and no request.
Every text is escaped where it is put in; figures are data that the page's own script draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup

from flows.core.artifacts import Artifacts
from flows.data.results.figures import plotly_js
from flows.report.charts import ReportChart, charts_of
from flows.report.cleaning import clean, one_line
from flows.report.evidence import Evidences, evidences, walk
from flows.report.ledger import Checked, cautions_of, checked, facts_of, ledger_of, tally
from flows.report.models import model_views
from flows.report.page_tables import anchor, marks, table_views
from flows.report.policy import page_policy, styles_of
from flows.report.prose import blocks_of, spans_of
from flows.report.report import Report
from flows.report.tasks import anchor_of, task_tree
from flows.semantics.findings import Told

_ANSWERED: Final = {
    "answered": "Answered", "partly": "Partly answered", "unanswered": "Not answered",
}  # fmt: skip
_SECTIONS: Final = (
    ("summary", "Summary"), ("cautions", "Read with care"), ("charts", "Charts"),
    ("insights", "Insights"), ("models", "Models"), ("passages", "Documents"),
    ("tasks", "Method"), ("evidence", "Evidence"), ("limits", "Limits"), ("record", "Record"),
)  # fmt: skip


def html_page(report: Report, artifacts: Artifacts, found: Evidences | None = None) -> bytes:
    """The whole page. Errors: `JournalError` for an artifact that is gone or was changed."""
    found = found or evidences(report, artifacts)
    charts = charts_of(report, artifacts)
    drawn = any(each.json for each in charts)
    scripts = ([plotly_js()] if drawn else []) + [_resource("report.js")]
    style = _resource("report.css")
    values = {
        **_head(report, found),
        **_body(report, found, charts),
        "policy": Markup(page_policy(scripts, style)),
        "style": Markup(style),
        "scripts": [Markup(each) for each in scripts],
        "styles": styles_of(scripts[0]) if drawn else [],
        "anchor": anchor,
        "marks": marks,
    }
    shown = {name for name, _ in _SECTIONS if values.get(name)} | {"evidence", "record"}
    values["contents"] = [each for each in _SECTIONS if each[0] in shown]
    return _template().render(values).encode("utf-8")


def _head(report: Report, found: Evidences) -> dict[str, object]:
    """The question, how it was read, whether it is answered and how far that is checked."""
    verdict: Checked = checked(report, found)
    return {
        "question": one_line(report.question, 2_000),
        "made_at": report.made_at,
        "understood": [clean(each) for each in report.understood],
        "answered": report.answered,
        "answered_text": _ANSWERED[report.answered],
        "checked": verdict,
        "summary": blocks_of(report.summary, found, len(report.passages)),
        "cautions": cautions_of(report),
        "limits": [clean(each) for each in report.limits],
    }


def _body(report: Report, found: Evidences, charts: Sequence[ReportChart]) -> dict[str, object]:
    tasks = task_tree(report, found, charts)
    return {
        "charts": [_chart(each) for each in charts],
        "insights": _insights(report, found),
        "models": model_views(report, found),
        "passages": [
            {"document": one_line(each.document), "where": one_line(each.where),
             "text": clean(each.text)}
            for each in report.passages
        ],
        "tasks": tasks,
        "tasks_text": tally(report),
        "changes": [clean(each) for each in report.changes],
        "tables": table_views(report, found),
        "ledger": ledger_of(report, found),
        "facts": facts_of(report),
        "sources": [
            {"name": one_line(each.name), "kind": each.kind, "rows": f"{each.rows:,}",
             "tables": one_line(", ".join(table.name for table in each.tables)),
             "sha256": each.sha256}
            for each in report.sources
        ],
    }  # fmt: skip


def _chart(chart: ReportChart) -> dict[str, object]:
    return {
        "key": chart.key, "title": chart.title, "task": chart.task, "png": chart.png,
        "anchor": anchor_of(chart.task), "problem": chart.problem,
        "json": Markup(chart.json),
    }  # fmt: skip


def _insights(report: Report, found: Evidences) -> list[dict[str, object]]:
    """What the tasks found in words, without what the summary says again."""
    groups: list[dict[str, object]] = []
    for number, result in walk(report.results):
        told: list[Told] = [
            each for each in result.finding.insights if each.text != report.summary.text
        ]
        if told and result.status == "done":
            groups.append(
                {
                    "anchor": anchor_of(number),
                    "description": one_line(result.task.description),
                    "told": [spans_of(each, found, len(report.passages)) for each in told],
                }
            )
    return groups


@cache
def _template() -> Template:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=False, lstrip_blocks=False
    )
    return environment.from_string(_resource("report.html.j2"))


@cache
def _resource(name: str) -> str:
    text = (files("flows.report") / "templates" / name).read_text("utf-8")
    return text.replace("\r\n", "\n")
