"""The steps by which tools are found, tested, kept and counted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.function_tool import FunctionTool
from flows.core.run import Run
from flows.core.sandbox import Execution, Sandbox
from flows.tools.functions.library import ToolLibrary
from flows.tools.functions.registry import REGISTRY, ToolRegistry
from flows.tools.functions.testing import ToolTests, run_tests


class LibraryInputs(Ports):
    """The folder of the library, empty for none, and the phase that tools are wanted for."""

    library: str = ""
    phase: str


class LibraryOutputs(Ports):
    tools: tuple[FunctionTool, ...] = ()


class LibraryFlow(AtomicFlow):
    """Finds the tools that earlier runs have left in the library for a phase."""

    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = LibraryInputs
    Outputs: ClassVar[type[Ports]] = LibraryOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Looks into the library of tools."), parts)

    async def run(self, inputs: LibraryInputs, run: Run) -> LibraryOutputs:
        if not inputs.library:
            return LibraryOutputs()
        library = ToolLibrary(Path(inputs.library))
        found = await asyncio.to_thread(library.tools)
        for each in library.faults:
            run.notice(f"A tool of the library is left out: {each}")
        return LibraryOutputs(tools=tuple(each for each in found if inputs.phase in each.phases))


class ToolTestsInputs(Ports):
    tool: FunctionTool


class ToolTestsOutputs(Ports):
    tests: ToolTests


class ToolTestsFlow(AtomicFlow):
    """Runs the tests of a tool in the sandbox."""

    needs: ClassVar[Mapping[str, str]] = {"sandbox": "sandbox"}
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = ToolTestsInputs
    Outputs: ClassVar[type[Ports]] = ToolTestsOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Tests a tool."), parts)
        self.sandbox: Sandbox = parts.service("sandbox", Sandbox)  # type: ignore[type-abstract]

    async def run(self, inputs: ToolTestsInputs, run: Run) -> ToolTestsOutputs:
        async def execute(code: str, /, *, seconds: float | None = None) -> Execution:
            return await run.execute(self.sandbox, code, seconds=seconds)

        return ToolTestsOutputs(tests=await run_tests(inputs.tool, execute))


class RegisterToolsInputs(Ports):
    """Tools with the outcomes of their tests; those that are in `promoted` stay in the library."""

    tools: tuple[FunctionTool, ...]
    tests: tuple[ToolTests, ...]
    promoted: tuple[str, ...] = ()
    library: str = ""


class RegisterToolsOutputs(Ports):
    """The tools with their versions."""

    tools: tuple[FunctionTool, ...] = ()


class RegisterToolsFlow(AtomicFlow):
    """Registers tools in the folder `tools` of the run, which says how each is called in
    `function_to_schema.json`, and keeps good ones in the library."""

    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = RegisterToolsInputs
    Outputs: ClassVar[type[Ports]] = RegisterToolsOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Registers the tools."), parts)

    async def run(self, inputs: RegisterToolsInputs, run: Run) -> RegisterToolsOutputs:
        library = ToolLibrary(Path(inputs.library)) if inputs.library else None
        registry = ToolRegistry(run.session.folder / REGISTRY, library)
        made = []
        for tool, tests in zip(inputs.tools, inputs.tests, strict=True):
            found = await asyncio.to_thread(registry.register, tool, tests)
            if library is not None and tool.name in inputs.promoted:
                found = await asyncio.to_thread(registry.promote, tool.name)
            made.append(found)
        return RegisterToolsOutputs(tools=tuple(made))


class CountToolsInputs(Ports):
    """How often each tool was used, and how often its code ran."""

    library: str = ""
    uses: dict[str, int] = Field(default={})
    successes: dict[str, int] = Field(default={})


class CountToolsOutputs(Ports):
    counted: int = 0


class CountToolsFlow(AtomicFlow):
    """Counts the calls of tools, where the tools are kept."""

    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = CountToolsInputs
    Outputs: ClassVar[type[Ports]] = CountToolsOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Counts the uses of tools."), parts)

    async def run(self, inputs: CountToolsInputs, run: Run) -> CountToolsOutputs:
        library = ToolLibrary(Path(inputs.library)) if inputs.library else None
        registry = ToolRegistry(run.session.folder / REGISTRY, library)
        counted = await asyncio.to_thread(registry.count, inputs.uses, inputs.successes)
        return CountToolsOutputs(counted=counted)
