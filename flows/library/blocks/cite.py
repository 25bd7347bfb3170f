"""Pointing each number of an answer to where it comes from."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from pydantic import ValidationError

from flows.core.artifacts import Artifacts
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.run import Run
from flows.data.citations import Citation, NamedResult, cite
from flows.data.tables import ResultTable


class CiteInputs(Ports):
    answer: str
    question: str = ""


class CiteOutputs(Ports):
    citations: tuple[Citation, ...]


class CiteFlow(AtomicFlow):
    """Finds the cell behind each number of an answer among the results of the run so far."""

    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = CiteInputs
    Outputs: ClassVar[type[Ports]] = CiteOutputs

    async def run(self, inputs: CiteInputs, run: Run) -> CiteOutputs:
        results = await asyncio.to_thread(read_results, run.session.artifacts)
        return CiteOutputs(citations=cite(inputs.answer, results, inputs.question))


def read_results(artifacts: Artifacts) -> list[NamedResult]:
    """The result tables that a run has kept, oldest first."""
    results = []
    for artifact in artifacts.all():
        if artifact.kind != "json":
            continue
        try:
            table = ResultTable.model_validate_json(artifacts.read(artifact.name))
        except ValidationError:  # a JSON artifact of another shape is no result table
            continue
        results.append(NamedResult.of_table(artifact.name, table))
    return results
