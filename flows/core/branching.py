"""One of several flows, chosen by name when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import ConfigDict, Field

from flows.core.flow import CompositeFlow, Flow, FlowConfig, Ports
from flows.core.run import Run
from flows.errors import LimitReached, PortError, nearest


class BranchingConfig(FlowConfig):
    """The keys of a branching flow."""

    subflows_config: dict[str, Any] = Field(default={}, description="the branches, by name")


class BranchingInputs(Ports):
    """Which branch, and what it gets."""

    branch: str
    branch_input_data: dict[str, Any] = Field(default={})


class BranchingOutputs(Ports):
    """What the branch returned."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    branch_output_data: dict[str, Any]


def find_branch(flow: CompositeFlow, name: str) -> Flow:
    """The subflow of that name. Errors: `PortError` with the branches and the nearest one."""
    found = flow.subflows.get(name)
    if found is None:
        meant = nearest(name, flow.subflows)
        hint = f", did you mean {meant!r}?" if meant else ""
        raise PortError(
            f"{flow.name} has no branch {name!r}{hint} (branches: {', '.join(flow.subflows)})"
        )
    return found


class BranchingFlow(CompositeFlow):
    """Calls the subflow named `branch` with `branch_input_data` as its inputs."""

    branches: ClassVar[bool] = True
    Config: ClassVar[type[FlowConfig]] = BranchingConfig
    Inputs: ClassVar[type[Ports]] = BranchingInputs
    Outputs: ClassVar[type[Ports]] = BranchingOutputs

    async def run(self, inputs: Any, run: Run) -> Mapping[str, Any]:
        try:
            outputs = await run.call(find_branch(self, inputs.branch), inputs.branch_input_data)
        except LimitReached as limit:
            limit.outputs = {"branch_output_data": limit.outputs}
            raise
        return {"branch_output_data": outputs}
