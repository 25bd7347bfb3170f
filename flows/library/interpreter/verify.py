"""Checking an answer against the results that it cites."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from flows.analysis.functions.decision import ResultCitation
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.run import Run
from flows.library.interpreter.evidence import verify
from flows.library.interpreter.results import ResultSummary, ToolResult


class VerifyInputs(Ports):
    """An answer, what it cites, and all results of the run with the summaries of some. `said` is
    what the person answered."""

    question: str
    answer: str
    citations: tuple[ResultCitation, ...] = ()
    results: tuple[ToolResult, ...] = ()
    said: tuple[str, ...] = ()
    summaries: tuple[ResultSummary, ...] = ()


class VerifyOutputs(Ports):
    """The citations that hold, those that do not as `problems`, and the numbers without one."""

    citations: tuple[ResultCitation, ...] = ()
    problems: tuple[str, ...] = ()
    uncited: tuple[str, ...] = ()


class VerifyFlow(AtomicFlow):
    """Looks up each cited value in its result, and each number that is not cited in all results."""

    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = VerifyInputs
    Outputs: ClassVar[type[Ports]] = VerifyOutputs

    async def run(self, inputs: VerifyInputs, run: Run) -> VerifyOutputs:
        artifacts = run.session.artifacts

        def check() -> VerifyOutputs:
            results = [each.as_call(artifacts) for each in inputs.results]
            summaries = {each.call: each.text for each in inputs.summaries}
            found = verify(
                inputs.answer, inputs.question, inputs.citations, results, inputs.said, summaries
            )
            return VerifyOutputs(
                citations=found.citations, problems=found.problems, uncited=found.uncited
            )

        return await asyncio.to_thread(check)
