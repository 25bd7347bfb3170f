"""A flow whose agents do tasks one after the other, so that one plan serves every list of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from flows.core.flow import CompositeFlow, FlowConfig, Ports
from flows.core.run import Run
from flows.semantics.findings import Finding
from flows.semantics.request import Request


class Work(BaseModel):
    """A task for the subflow `agent`. `on` says of which earlier task's table, or is the name of a
    result; the run's own tables without it. `request` is what the task asks for, where that is
    known."""

    model_config = ConfigDict(frozen=True)

    agent: str
    task: str
    on: int | str | None = None
    request: Request | None = None


class WorksInputs(Ports):
    works: tuple[Work, ...]


class WorksOutputs(Ports):
    findings: tuple[Finding, ...]


class WorksConfig(FlowConfig):
    subflows_config: dict[str, Any] = Field(default={})


class WorksFlow(CompositeFlow):
    Config: ClassVar[type[FlowConfig]] = WorksConfig
    Inputs: ClassVar[type[Ports]] = WorksInputs
    Outputs: ClassVar[type[Ports]] = WorksOutputs

    async def run(self, inputs: WorksInputs, run: Run) -> dict[str, Any]:
        findings: list[Finding] = []
        for work in inputs.works:
            given = {
                "task": work.task, "data": _data(work, findings), "request": work.request,
            }  # fmt: skip
            findings.append((await run.call(self.subflows[work.agent], given))["finding"])
        return {"findings": tuple(findings)}


def _data(work: Work, findings: Sequence[Finding]) -> str:
    """The name of the result that a task works on."""
    if not isinstance(work.on, int):
        return work.on or ""
    table = findings[work.on].table
    assert table is not None
    return table.artifact or ""
