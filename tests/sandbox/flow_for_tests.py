"""A flow that runs the code it is given, to see the sandbox as a run has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from flows.core.flow import AtomicFlow, Parts, Ports
from flows.core.run import Run
from flows.core.sandbox import Sandbox


class CodeIn(Ports):
    code: str


class TextOut(Ports):
    text: str


class RunCode(AtomicFlow):
    """What the code printed."""

    needs: ClassVar[Mapping[str, str]] = {"sandbox": "sandbox"}
    Inputs: ClassVar[type[Ports]] = CodeIn
    Outputs: ClassVar[type[Ports]] = TextOut

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.sandbox: Sandbox = parts.service("sandbox", Sandbox)  # type: ignore[type-abstract]

    async def run(self, inputs: CodeIn, run: Run) -> TextOut:
        return TextOut(text=(await run.execute(self.sandbox, inputs.code)).stdout)
