"""The command that ends the loop."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.run import Run


class FinishConfig(AtomicConfig):
    """The keys of the finish command."""

    description: str = "Ends the work, with the answer to the goal."


class FinishInputs(Ports):
    answer: str = Field(min_length=1, description="the whole answer, with its numbers")


class FinishOutputs(Ports):
    answer: str
    EARLY_EXIT: bool = True


class FinishFlow(AtomicFlow):
    """Takes the answer and sets the early exit key."""

    Config: ClassVar[type[FlowConfig]] = FinishConfig
    Inputs: ClassVar[type[Ports]] = FinishInputs
    Outputs: ClassVar[type[Ports]] = FinishOutputs

    async def run(self, inputs: FinishInputs, run: Run) -> FinishOutputs:
        del run
        return FinishOutputs(answer=inputs.answer)
