"""The command that ends the loop."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.run import Run
from flows.data.answers.citations import Citation
from flows.data.answers.rendering import render
from flows.library.blocks.results import KeptResults


class FinishConfig(AtomicConfig):
    """The keys of the finish command."""

    description: str = "Ends the work, with the answer to the goal."


class FinishInputs(Ports):
    answer: str = Field(
        min_length=1,
        description="the whole answer; numbers as references such as {{result-1[0].column}}",
    )


class FinishOutputs(Ports):
    """The answer as the person reads it; `cited` are the values that were rendered into it."""

    answer: str
    cited: tuple[Citation, ...] = ()
    EARLY_EXIT: bool = True


class FinishFlow(AtomicFlow):
    """Renders the answer from the cells that it refers to, and sets the early exit key.

    A reference that names no cell is an error that the controller is told, but for the last answer
    at a limit of the run, in which it is left as it is written.
    """

    Config: ClassVar[type[FlowConfig]] = FinishConfig
    Inputs: ClassVar[type[Ports]] = FinishInputs
    Outputs: ClassVar[type[Ports]] = FinishOutputs

    async def run(self, inputs: FinishInputs, run: Run) -> FinishOutputs:
        session = run.session
        results = KeptResults(session.artifacts)
        meter = session.meter
        strict = meter.limits.on_limit != "finalize" or not meter.final
        rendered = await asyncio.to_thread(render, inputs.answer, results, strict=strict)
        return FinishOutputs(answer=rendered.text, cited=rendered.citations)
