"""Flows of the graph as functions of an agent: a call is a step of the run, as any other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from flows.core.flow import Flow
from flows.core.function_description import FunctionDescription
from flows.core.observation import Observation
from flows.core.run import Run
from flows.errors import CommandError, PortError, StepFailed, ToolError
from flows.tools.description.flow import describe_flow
from flows.tools.sources.results import observation_of

_SIGNS: Final = frozenset({"observation", "EARLY_EXIT"})


class FlowFunction:
    """A flow as a function. It is called in a run: `bound` gives the function for one.

    A flow that is called without a run would be outside of its journal and of its budgets.
    """

    def __init__(self, flow: Flow, namespace: str = "flows", run: Run | None = None) -> None:
        self.flow = flow
        self._namespace = namespace
        self._run = run

    @property
    def description(self) -> FunctionDescription:
        return describe_flow(self.flow, namespace=self._namespace)

    def bound(self, run: Run) -> FlowFunction:
        """The function whose calls are steps of that run, below the flow that makes them."""
        return FlowFunction(self.flow, self._namespace, run)

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        """Errors: `ToolError` without a run; those of a run that end it, as `LimitReached`."""
        if self._run is None:
            raise ToolError(f"{self.flow.name} is a flow, which is called in a run only")
        try:
            outputs = await self._run.call(self.flow, dict(arguments))
        except StepFailed as failure:
            if not isinstance(failure.root, CommandError | PortError):
                raise
            raise ToolError(f"{self.flow.name} failed: {failure.root}") from failure
        found = outputs.get("observation")
        if isinstance(found, Observation):
            return found
        return observation_of({key: each for key, each in outputs.items() if key not in _SIGNS})


def flow_functions(flows: Iterable[Flow], namespace: str = "flows") -> tuple[FlowFunction, ...]:
    """The flows as functions, but for those that this run lacks something for."""
    return tuple(FlowFunction(each, namespace) for each in flows if not each.lacks)
