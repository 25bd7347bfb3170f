"""The tool `execute_python_code`: code that runs in the sandbox over a file of the run's data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.core.sandbox import Sandbox
from flows.data.catalog import Catalog
from flows.library.blocks.frames import Frames
from flows.library.blocks.outcome import fault_of, fault_text
from flows.library.csv_chat.tools.files import table_of
from flows.sandbox.validate import validate


class ExecutePythonCodeConfig(AtomicConfig):
    """The keys of this tool."""

    description: str = "Runs Python code in the sandbox."
    seconds: float | None = Field(default=None, gt=0, description="wall time, if not the sandbox's")


class ExecutePythonCodeInputs(Ports):
    code: str
    csv_file_path: str | None = Field(
        default=None, description="a file of the run's data, which is then the data frame df"
    )


class ExecutePythonCodeOutputs(Ports):
    """`output` is what was printed, `variables` are those that the code made, as they are shown;
    `error` says what ended it early, with its traceback."""

    success: bool
    output: str = ""
    error: str = ""
    variables: Mapping[str, str] = Field(default={})
    stderr: str = ""


class ExecutePythonCodeFlow(AtomicFlow):
    """Runs code by itself, in a session of its own. A fault of the code is an output.

    Errors: `SourceError` for a file that is not of the run's data.
    """

    needs: ClassVar[Mapping[str, str]] = {"data": "data", "sandbox": "sandbox"}
    Config: ClassVar[type[FlowConfig]] = ExecutePythonCodeConfig
    Inputs: ClassVar[type[Ports]] = ExecutePythonCodeInputs
    Outputs: ClassVar[type[Ports]] = ExecutePythonCodeOutputs

    def __init__(self, config: ExecutePythonCodeConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.catalog = parts.service("data", Catalog)
        self.sandbox: Sandbox = parts.service("sandbox", Sandbox)  # type: ignore[type-abstract]

    async def run(self, inputs: ExecutePythonCodeInputs, run: Run) -> ExecutePythonCodeOutputs:
        if (fault := validate(inputs.code)) is not None:
            return ExecutePythonCodeOutputs(success=False, error=fault_text(fault))
        session = run.address or self.name
        frames = Frames.of(self.catalog, run)
        tables: Mapping[str, Path] = {}
        past: tuple[str, ...] = ()
        if inputs.csv_file_path is not None:
            table = table_of(inputs.csv_file_path, self.catalog, await frames.tables())
            tables = await frames.files([table])
            past = (f"df = {table}.copy()\ncsv_path = {inputs.csv_file_path!r}",)
        try:
            done = await run.execute(
                self.sandbox, inputs.code, tables=tables, session=session, past=past,
                seconds=self.config.seconds,
            )  # fmt: skip
        finally:
            await run.forget(self.sandbox, session)
        ended = fault_of(done)
        return ExecutePythonCodeOutputs(
            success=ended is None,
            output=done.stdout,
            error="" if ended is None else f"{fault_text(ended)}\n{ended.traceback}".strip(),
            variables={each.name: each.repr for each in done.variables},
            stderr=done.stderr,
        )
