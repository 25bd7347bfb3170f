"""The report: what the team found as files of the run, each with the origin of its numbers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from typing import ClassVar

from pydantic import Field

from flows.core.artifacts import Origin
from flows.core.documents import Passage
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.observation import Caution
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.report.evidence import evidences
from flows.report.json_report import json_page
from flows.report.markdown import markdown_page
from flows.report.notebook import notebook_page
from flows.report.page import html_page
from flows.report.report import Answered, Cost, Report
from flows.report.sources import sources_used
from flows.semantics.findings import TaskResult, Told


class ReportConfig(AtomicConfig):
    """The keys of a report."""

    description: str = Field(
        default="Writes the report.", description="what the flow is for, in a sentence"
    )


class ReportInputs(Ports):
    """All that is told: the question and how it was read, the answer, what the tasks found."""

    question: str
    summary: Told
    understood: tuple[str, ...] = ()
    answered: Answered = "unanswered"
    results: tuple[TaskResult, ...] = ()
    changes: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    cautions: tuple[Caution, ...] = ()
    limits: tuple[str, ...] = ()


class ReportOutputs(Ports):
    """The name of the report's artifact, and its files in the run's folder by their kind."""

    report: str
    files: dict[str, str]


class ReportFlow(AtomicFlow):
    """Writes what was found as a page that opens offline, Markdown, a notebook and JSON."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    Config: ClassVar[type[FlowConfig]] = ReportConfig
    Inputs: ClassVar[type[Ports]] = ReportInputs
    Outputs: ClassVar[type[Ports]] = ReportOutputs

    def __init__(self, config: ReportConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: ReportInputs, run: Run) -> ReportOutputs:
        sources = await asyncio.to_thread(sources_used, self.catalog)
        report = Report(
            run_id=run.session.run_id,
            sources=sources,
            cost=_cost(run),
            made_with=f"analyst-flows {version('analyst-flows')}",
            made_at=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            **inputs.__dict__,
        )
        page, forms = await asyncio.to_thread(_written, report, run)
        origin = Origin(inputs={each.name: each.sha256 for each in sources})
        saved = run.save("report", "html", page, inputs.question[:200], origin, what="report",
                         forms=forms)  # fmt: skip
        return ReportOutputs(
            report=saved.name, files={each.kind: each.path for each in saved.files}
        )


def _written(report: Report, run: Run) -> tuple[bytes, dict[str, bytes]]:
    """The page, and the other forms of it by their extensions."""
    artifacts = run.session.artifacts
    found = evidences(report, artifacts)
    forms = {
        "md": markdown_page(report, artifacts, found),
        "ipynb": notebook_page(report, artifacts, found),
        "json": json_page(report, artifacts, found),
    }
    return html_page(report, artifacts, found), forms


def _cost(run: Run) -> Cost:
    """What the run has used so far; dollars only if the price of each call is known."""
    used = run.session.meter.usage
    return Cost(
        seconds=run.used_seconds(),
        model_calls=used.model_calls,
        input_tokens=used.input_tokens or 0,
        output_tokens=used.output_tokens or 0,
        dollars=None if used.unpriced_calls else used.cost or 0.0,
    )
