"""What an agent that writes code has it run with."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from flows.core.flow import Flow, Parts
from flows.core.run import Run
from flows.core.sandbox import CodeFault
from flows.core.values import Values
from flows.library.analyst.look import LookFlow
from flows.library.blocks.code import CodeConfig, CodeFlow
from flows.sandbox.validate import validate

# What a flow needs that has an interpreter.
NEEDS: Final = {"data": "data", "sandbox": "sandbox"}

Seconds = Annotated[
    float | None,
    Field(gt=0, description="wall time of one piece of code, if not the sandbox's"),
]


class CodeInterpreter:
    """Code in the sandbox over a kept table or those of the run, as two subflows of its agent:
    `look` tells what the table holds, `code` runs a piece. `seconds` is the wall time of one."""

    def __init__(self, parts: Parts, seconds: float | None) -> None:
        self.look = LookFlow(Parts("look", services=parts.services))
        code = CodeConfig(description="Runs the code.", seconds=seconds)
        self.code = CodeFlow(code, Parts("code", services=parts.services))

    @property
    def subflows(self) -> dict[str, Flow]:
        """Its flows by their names, for the graph of the agent."""
        return {each.name: each for each in (self.look, self.code)}

    async def execute(
        self, code: str, data: str, run: Run
    ) -> tuple[Values | None, CodeFault | None]:
        """What the code gave, or what is wrong with it. Each piece begins with nothing."""
        if (fault := validate(code)) is not None:
            return None, fault
        run.reset(self.code)
        ran = await run.call(self.code, {"code": code, "data": data})
        return (ran, None) if ran["fault"] is None else (None, ran["fault"])
