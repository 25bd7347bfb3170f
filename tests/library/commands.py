"""Commands that a user may have written: they fail in some way, or return something else."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.observation import Observation
from flows.core.run import Run
from flows.errors import (
    ModelUnreachable,
    QueryFailed,
    QueryRefused,
    RecallError,
    SourceError,
    ToolError,
)

ERRORS = {
    each.__name__: each
    for each in (
        ToolError,
        SourceError,
        QueryRefused,
        QueryFailed,
        ModelUnreachable,
        RecallError,
        ValueError,
    )
}


class RaiseConfig(AtomicConfig):
    error: str = "ToolError"
    seconds: float = 0.0


class RaiseOutputs(Ports):
    observation: Observation


class Raise(AtomicFlow):
    """Raises an error, or takes too long."""

    Config: ClassVar[type[FlowConfig]] = RaiseConfig
    Outputs: ClassVar[type[Ports]] = RaiseOutputs

    async def run(self, inputs: Ports, run: Run) -> RaiseOutputs:
        await asyncio.sleep(self.config.seconds)
        raise ERRORS[self.config.error]("it did not work, for a reason")


class GiveInputs(Ports):
    what: str = ""
    times: int = 1
    flag: bool | None = None


class GiveOutputs(Ports):
    value: Any = None
    other: Any = None


class Give(AtomicFlow):
    """Gives its input back, without an observation."""

    Inputs: ClassVar[type[Ports]] = GiveInputs
    Outputs: ClassVar[type[Ports]] = GiveOutputs

    async def run(self, inputs: GiveInputs, run: Run) -> GiveOutputs:
        return GiveOutputs(value=inputs.what * inputs.times, other={"flag": inputs.flag})


class Nothing(AtomicFlow):
    """Returns nothing at all."""

    async def run(self, inputs: Ports, run: Run) -> Ports:
        return Ports()


class SayOutputs(Ports):
    observation: str
    EARLY_EXIT: bool = False


class Say(AtomicFlow):
    """Its observation is a plain text."""

    Inputs: ClassVar[type[Ports]] = GiveInputs
    Outputs: ClassVar[type[Ports]] = SayOutputs

    async def run(self, inputs: GiveInputs, run: Run) -> SayOutputs:
        return SayOutputs(observation=inputs.what * inputs.times)
