"""The tool `validate_python_code`: whether code could be run at all."""

from __future__ import annotations

from typing import ClassVar

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Ports
from flows.core.run import Run
from flows.library.blocks.outcome import fault_text
from flows.sandbox.validate import validate


class ValidatePythonCodeConfig(AtomicConfig):
    """The keys of this tool."""

    description: str = "Tells whether Python code can be run."


class ValidatePythonCodeInputs(Ports):
    code: str


class ValidatePythonCodeOutputs(Ports):
    """`error` says what is wrong and in which line; it is empty where the code is valid."""

    valid: bool
    error: str = ""


class ValidatePythonCodeFlow(AtomicFlow):
    """Compiles code without running it, with all that the sandbox refuses before it runs any."""

    effect: Effect = "pure"
    Config: ClassVar[type[FlowConfig]] = ValidatePythonCodeConfig
    Inputs: ClassVar[type[Ports]] = ValidatePythonCodeInputs
    Outputs: ClassVar[type[Ports]] = ValidatePythonCodeOutputs

    async def run(self, inputs: ValidatePythonCodeInputs, run: Run) -> ValidatePythonCodeOutputs:
        del run
        fault = validate(inputs.code)
        if fault is None:
            return ValidatePythonCodeOutputs(valid=True)
        return ValidatePythonCodeOutputs(valid=False, error=fault_text(fault))
