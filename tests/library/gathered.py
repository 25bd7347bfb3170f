"""A flow that hands findings on as the results of tasks, as a team does."""

from __future__ import annotations

from typing import Any, ClassVar

from flows.core.flow import AtomicFlow, Ports
from flows.core.observation import Observation
from flows.core.run import Run
from flows.semantics.findings import Finding, Task, TaskResult


class Gather(AtomicFlow):
    """The result of a query and the insights of it, and perhaps a task that failed."""

    class Inputs(Ports):
        found: Observation
        task: str
        finding: Finding | None = None
        failed: str = ""

    class Outputs(Ports):
        results: tuple[TaskResult, ...]

    needs: ClassVar[dict[str, str]] = {}

    async def run(self, inputs: Any, run: Run) -> Ports:
        table = Finding(output_type="table", response=inputs.found.text, table=inputs.found.table)
        findings = [("DataProcessorSQLAgent", "done", table)]
        if inputs.finding is not None:
            findings.append(("InsightsGeneratorAgent", "done", inputs.finding))
        if inputs.failed:
            why = Finding(output_type="figure", response=inputs.failed)
            findings.append(("PlotlyVisualizerAgent", "failed", why))
        return self.Outputs(
            results=tuple(
                TaskResult.model_validate(
                    {"task": Task(task_id=n, name=name, description=inputs.task), "status": status,
                     "finding": finding}
                )
                for n, (name, status, finding) in enumerate(findings)
            )
        )  # fmt: skip
