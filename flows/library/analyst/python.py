"""The agent that computes: a plan, code in the sandbox, its correction, what its columns are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.library.analyst.agent import AgentConfig, AgentInputs, AgentOutputs, found
from flows.library.analyst.developer import ACTIONS, Developer
from flows.library.analyst.interpreter import NEEDS, CodeInterpreter, Seconds
from flows.semantics.findings import OutputType


class PythonDataConfig(AgentConfig):
    """The keys of a Python developer."""

    description: str = (
        "Computes what one query cannot with Python over a table: correlations, group comparisons, "
        "rankings, trends, growth, forecasts, outliers, distributions, clusters, tests, new "
        "columns. Gives a table."
    )
    seconds: Seconds = None


class PythonDataAgentFlow(CompositeFlow):
    """Plans, has the code written, runs it, has it corrected, describes the columns it made."""

    required: ClassVar[tuple[str, ...]] = ACTIONS
    gives: ClassVar[OutputType] = "table"
    needs: ClassVar[Mapping[str, str]] = NEEDS
    Config: ClassVar[type[FlowConfig]] = PythonDataConfig
    Inputs: ClassVar[type[Ports]] = AgentInputs
    Outputs: ClassVar[type[Ports]] = AgentOutputs

    def __init__(self, config: PythonDataConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        interpreter = CodeInterpreter(parts, config.seconds)
        self.developer = Developer(
            self.subflows, interpreter, modelling=False, corrections=config.corrections
        )
        self.subflows |= interpreter.subflows

    async def run(self, inputs: AgentInputs, run: Run) -> AgentOutputs:
        written = await self.developer.write_code(inputs, run)
        return found(await self.developer.find(inputs, written, run))
