"""A flow for tests that searches the functions of its run, and calls some of them at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from flows.core.flow import AtomicFlow, Effect, Parts, Ports
from flows.core.function_store import FunctionStore
from flows.core.observation import Observation
from flows.core.run import Run
from flows.tools.sources.invoke import Invocation, invoke_all


class CallInputs(Ports):
    question: str = ""
    calls: list[tuple[str, dict[str, Any]]] = Field(default=[])


class CallOutputs(Ports):
    found: list[str]
    observations: list[Observation]


class CallFunctions(AtomicFlow):
    """Searches for the question, then calls the functions of those ids."""

    effect: Effect = "once"
    needs: ClassVar[Mapping[str, str]] = {"functions": "functions"}
    Inputs = CallInputs
    Outputs = CallOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.functions = parts.service("functions", FunctionStore)  # type: ignore[type-abstract]

    async def run(self, inputs: CallInputs, run: Run) -> CallOutputs:
        found = await self.functions.search(inputs.question)
        calls = [
            Invocation(await self.functions.load(name), arguments, run.save)
            for name, arguments in inputs.calls
        ]
        return CallOutputs(
            found=[each.description.id for each in found],
            observations=await invoke_all(calls, limits=self.functions.limits),
        )
