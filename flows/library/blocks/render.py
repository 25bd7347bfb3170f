"""Putting cells in the place of the references of a text, or saying which of them name none."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.run import Run
from flows.data.answers.citations import Citation
from flows.data.answers.rendering import render
from flows.errors import CitationError
from flows.library.blocks.results import KeptResults


class RenderConfig(AtomicConfig):
    """The keys of a rendering flow."""

    description: str = "Puts the cells into the answer."


class RenderInputs(Ports):
    text: str


class RenderOutputs(Ports):
    """The text with its cells, and where they stand. A reference that names no cell stays as it is
    written, and is a `problem`."""

    text: str
    cited: tuple[Citation, ...] = ()
    problem: str = ""


class RenderFlow(AtomicFlow):
    """Renders a text strictly from the results of the run so far."""

    Config: ClassVar[type[FlowConfig]] = RenderConfig
    Inputs: ClassVar[type[Ports]] = RenderInputs
    Outputs: ClassVar[type[Ports]] = RenderOutputs

    async def run(self, inputs: RenderInputs, run: Run) -> RenderOutputs:
        results = KeptResults(run.session.artifacts)
        try:
            rendered = await asyncio.to_thread(render, inputs.text, results)
        except CitationError as error:
            left = await asyncio.to_thread(render, inputs.text, results, strict=False)
            return RenderOutputs(text=left.text, cited=left.citations, problem=str(error))
        return RenderOutputs(text=rendered.text, cited=rendered.citations)
