"""Pointing each number of an answer to where it comes from."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field

from flows.core.artifacts import Artifacts
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.run import Run
from flows.data.answers.citations import Citation, Traced
from flows.data.answers.rendering import render
from flows.data.answers.verifier import cite
from flows.library.blocks.results import KeptResults


class CiteInputs(Ports):
    answer: str
    question: str = ""
    cited: tuple[Citation, ...] = Field(
        default=(), description="what is known already of the answer's values"
    )
    among: tuple[str, ...] = Field(
        default=(), description="the results that it may speak of; all of the run without it"
    )


class CiteOutputs(Ports):
    """The answer, without references that are left in it; the origin of each of its numbers."""

    answer: str
    citations: tuple[Citation, ...]
    traced: Traced


class CiteFlow(AtomicFlow):
    """Finds the cell behind each number of an answer among the results of the run so far."""

    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = CiteInputs
    Outputs: ClassVar[type[Ports]] = CiteOutputs

    async def run(self, inputs: CiteInputs, run: Run) -> CiteOutputs:
        artifacts = run.session.artifacts
        answer, citations = await asyncio.to_thread(
            _cited, artifacts, inputs.answer, inputs.question, inputs.cited, inputs.among
        )
        return CiteOutputs(answer=answer, citations=citations, traced=Traced.of(citations))


def _cited(
    artifacts: Artifacts, answer: str, question: str, cited: Sequence[Citation],
    among: Sequence[str],
) -> tuple[str, tuple[Citation, ...]]:  # fmt: skip
    """The answer and its citations. A flow may end with references that it has not rendered."""
    results = KeptResults(artifacts)
    cited = [each for each in cited if answer[each.start : each.end] == each.text]
    if not cited:
        rendered = render(answer, results, strict=False)
        answer, cited = rendered.text, list(rendered.citations)
    return answer, cite(answer, results.latest(among), question, cited)
