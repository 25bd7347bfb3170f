"""The agent that draws: plotly code over a table, run in the sandbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.core.values import Values
from flows.errors import CodeFailed
from flows.library.analyst.action_calls import ask_action
from flows.library.analyst.agent import AgentConfig, AgentInputs, AgentOutputs
from flows.library.analyst.interpreter import NEEDS, CodeInterpreter, Seconds
from flows.library.analyst.writing import (
    read_code,
    told_fault,
)
from flows.library.blocks.correction import TrialFailed
from flows.library.blocks.outcome import fault_text
from flows.semantics.findings import Finding, OutputType


class PlotlyConfig(AgentConfig):
    """The keys of a visualizer."""

    description: str = (
        "Draws a table as an interactive chart: bars, lines over time, scatter plots, histograms, "
        "box plots, pies, heat maps of correlations. Gives a figure."
    )
    seconds: Seconds = None


class PlotlyVisualizerAgentFlow(CompositeFlow):
    """Has chart code written and runs it; what fails goes back with its error."""

    required: ClassVar[tuple[str, ...]] = ("chart_generation",)
    gives: ClassVar[OutputType] = "figure"
    needs: ClassVar[Mapping[str, str]] = NEEDS
    Config: ClassVar[type[FlowConfig]] = PlotlyConfig
    Inputs: ClassVar[type[Ports]] = AgentInputs
    Outputs: ClassVar[type[Ports]] = AgentOutputs

    def __init__(self, config: PlotlyConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.interpreter = CodeInterpreter(parts, config.seconds)
        self.subflows |= self.interpreter.subflows
        self.write = self.subflows[self.required[0]]

    async def run(self, inputs: AgentInputs, run: Run) -> AgentOutputs:
        table = (await run.call(self.interpreter.look, {"data": inputs.data}))["table"]
        asked = {
            "task": inputs.task, "request": inputs.request, "question": inputs.question,
            "context": inputs.context, "data": table, "error": "",
        }  # fmt: skip

        async def drawn(code: str) -> AgentOutputs:
            gave, fault = await self.interpreter.execute(code, inputs.data, run)
            if gave is not None and gave["observation"].figures:
                finding = _finding(inputs, code, gave)
                seen = finding.observation().model_copy(update={"wordless": True})
                return AgentOutputs(observation=seen, finding=finding)
            short = "it made no figure" if fault is None else fault_text(fault)
            run.notice(f"The chart's code failed: {short}")
            told = short if fault is None else told_fault(fault)
            failure = CodeFailed(f"the chart's code failed: {short}")
            raise TrialFailed(failure, error=f"{told}\nThe code was:\n{code}")

        return await ask_action(run, self.write, asked, read_code, self.config.corrections, drawn)


def _finding(inputs: AgentInputs, code: str, gave: Values) -> Finding:
    observation = gave["observation"]
    figures = observation.figures
    many = "A figure was drawn." if len(figures) == 1 else f"{len(figures)} figures were drawn."
    return Finding(
        output_type="figure",
        response=many,
        code=code,
        figures=figures,
        cautions=observation.cautions,
        data_used=((inputs.data,) if inputs.data else ()) + tuple(gave["sources"]),
    )
