"""Drawing a result: a chart that a model asked for, or the one that fits, from the cells alone."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from pydantic import Field

from flows.core.artifacts import Origin
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.run import Run
from flows.data.results.charts import ChartSpec, fitting_chart, plotly_figure
from flows.data.results.figures import checked_plotly, figure_json, figure_page
from flows.data.tables import ResultTable
from flows.errors import CitationError


class ChartConfig(AtomicConfig):
    """The keys of a chart flow."""

    description: str = "Draws the result."


class ChartInputs(Ports):
    """`result` is the name of a table that the run has kept. Without a `chart` one is chosen."""

    result: str
    chart: ChartSpec | None = None
    title: str = Field(default="", description="the title of a chart that has none")


class ChartOutputs(Ports):
    """What was drawn, plotly's figure of it, and its artifact; `problem` says why there is none."""

    chart: ChartSpec | None = None
    figure: dict[str, Any] = Field(default={})
    artifact: str = ""
    problem: str = ""


class ChartFlow(AtomicFlow):
    """Draws a kept table as a page that opens offline, and as plotly's JSON."""

    Config: ClassVar[type[FlowConfig]] = ChartConfig
    Inputs: ClassVar[type[Ports]] = ChartInputs
    Outputs: ClassVar[type[Ports]] = ChartOutputs

    async def run(self, inputs: ChartInputs, run: Run) -> ChartOutputs:
        artifacts = run.session.artifacts
        table = await asyncio.to_thread(
            lambda: ResultTable.model_validate_json(artifacts.read(inputs.result))
        )
        spec = inputs.chart or fitting_chart(table.columns, table.types, table.rows, inputs.title)
        if spec is None:
            return ChartOutputs(problem="no chart fits this result")
        if not spec.title:
            spec = spec.model_copy(update={"title": inputs.title or inputs.result})
        try:
            figure = plotly_figure(spec, table.columns, table.rows)
        except CitationError as error:
            return ChartOutputs(problem=str(error))
        checked = checked_plotly(figure_json(figure).decode(), "chart")
        page = await asyncio.to_thread(figure_page, checked, spec.title or "Chart")
        origin = Origin(query=table.sql or None, inputs=table.sources)
        kept = run.save(
            "chart", "html", page, spec.title or "chart", origin, what="figure",
            forms={"json": figure_json(figure)},
        )  # fmt: skip
        return ChartOutputs(chart=spec, figure=checked, artifact=kept.name)
