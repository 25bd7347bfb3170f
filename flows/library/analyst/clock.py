"""The time of a run as a step, so that it is recorded and told again as it was."""

from __future__ import annotations

from typing import ClassVar

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.run import Run


class ClockOutputs(Ports):
    """Wall time that the run has used so far, in seconds."""

    seconds: float


class ClockFlow(AtomicFlow):
    """Reads the run's clock."""

    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Outputs: ClassVar[type[Ports]] = ClockOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Reads the clock."), parts)

    async def run(self, inputs: Ports, run: Run) -> ClockOutputs:
        del inputs
        return ClockOutputs(seconds=run.used_seconds())
