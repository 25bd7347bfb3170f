"""Tools as a person handles them: which there are, whether they work, which are kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flows.core.function_tool import FunctionTool
from flows.core.sandbox import ProbeFinding, SandboxConfig
from flows.errors import ToolError, UsageError, nearest
from flows.records.lookup import find_run
from flows.sandbox.python import PythonSandbox
from flows.tools.functions.library import ToolLibrary
from flows.tools.functions.registry import REGISTRY, ToolRegistry
from flows.tools.functions.search import ToolIndex
from flows.tools.functions.shipped import read_tool, shipped_checks, shipped_tools
from flows.tools.functions.testing import ToolTests, run_tests

PYTHON: Final = ".py"
_LONGEST: Final = 200_000


@dataclass(frozen=True)
class Promotion:
    """What came of keeping a tool: as it is kept, if its `tests` passed. `added` says that it was
    not there before."""

    tool: FunctionTool
    tests: ToolTests
    sandbox: ProbeFinding
    folder: Path | None = None
    added: bool = False


class ToolService:
    """The tools that are shipped, and those of a library."""

    def __init__(self, library: Path, runs: Path = Path("runs")) -> None:
        self.library = ToolLibrary(library)
        self.runs = runs

    def tools(self) -> tuple[FunctionTool, ...]:
        """The newest version of each, by name: those that are shipped, and those of the library."""
        found = {each.name: each for each in (*self.library.tools(), *shipped_tools())}
        return tuple(found[name] for name in sorted(found))

    @property
    def faults(self) -> tuple[str, ...]:
        """The entries of the library that were left out, and why."""
        return self.library.faults

    def search(self, words: str, phase: str = "", *, checks: bool = False) -> list[FunctionTool]:
        """The tools, or the unit tests of phases, whose documents fit the words, the best first;
        without words all of them. With a `phase`, those that it may use."""
        tools = shipped_checks() if checks else self.tools()
        if words:
            found = ToolIndex(tools).search(words, phase, len(tools))
            return [each.tool for each in found]
        return [each for each in tools if not phase or phase in each.phases]

    def find(self, what: str, version: int | None = None) -> FunctionTool:
        """The tool of that name, of a Python file, or of a run (RUN:NAME). Errors: `UsageError`;
        `ConfigError` with the faults of a file."""
        if what.endswith(PYTHON):
            return read_file(Path(what))
        if ":" in what:
            run, _, name = what.partition(":")
            return self._of_run(run, name)
        known = {each.name: each for each in (*self.tools(), *shipped_checks())}
        if version is not None and what not in {each.name for each in shipped_tools()}:
            try:
                return self.library.find(what, version)
            except ToolError as error:
                raise UsageError(str(error)) from error
        if what not in known:
            raise UsageError(_unknown(what, list(known)))
        return known[what]

    def remove(self, name: str, version: int | None = None) -> tuple[int, ...]:
        """Remove a tool of the library, or one version; returns those that were removed.
        Errors: `UsageError`."""
        try:
            return self.library.remove(name, version)
        except ToolError as error:
            shipped = any(each.name == name for each in shipped_tools())
            raise UsageError(f"{name} is shipped and stays" if shipped else str(error)) from error

    async def promote(self, what: str, seconds: float) -> Promotion:
        """Keep a tool in the library, if its tests pass now. Errors: `UsageError`, `ConfigError`
        for what cannot be read or kept."""
        tool = self.find(what)
        if tool.name in {each.name for each in (*shipped_tools(), *shipped_checks())}:
            raise UsageError(f"a tool named {tool.name} is shipped; give yours another name")
        finding, [tests] = await run_all([tool], seconds)
        if not tests.passed:
            return Promotion(tool, tests, finding)
        before = self.library.all_versions()
        try:
            kept = self.library.add(tool, tests)
        except ToolError as error:
            raise UsageError(str(error)) from error
        folder = self.library.folder / kept.name / str(kept.version)
        return Promotion(kept, tests, finding, folder, kept not in before)

    def _of_run(self, run: str, name: str) -> FunctionTool:
        folder = find_run(self.runs, run).folder / REGISTRY
        made = ToolRegistry(folder, shipped=()).made
        try:
            return made.find(name)
        except ToolError as error:
            raise UsageError(str(error)) from error


def read_file(path: Path) -> FunctionTool:
    """The tool of a Python file. Errors: `UsageError` for one that cannot be read; `ConfigError`
    with its faults."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise UsageError(f"there is no file {path}") from error
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    if len(text) > _LONGEST:
        raise UsageError(f"{path} has {len(text):,} characters; {_LONGEST:,} fit")
    return read_tool(text, str(path), f"file {path.name}")


async def run_all(
    tools: Sequence[FunctionTool],
    seconds: float,
    ended: Callable[[ToolTests], None] | None = None,
) -> tuple[ProbeFinding, list[ToolTests]]:
    """Run the tests of tools in the sandbox, one tool after the other, each for so many seconds at
    most; `ended` is told of each. Returns what the sandbox is here, too. Errors: `SandboxError`."""
    found = []
    async with _sandbox(seconds) as sandbox:
        finding = await sandbox.finding()
        for each in tools:
            tests = await run_tests(each, sandbox.execute, seconds)
            found.append(tests)
            if ended is not None:
                ended(tests)
    return finding, found


@asynccontextmanager
async def _sandbox(seconds: float) -> AsyncIterator[PythonSandbox]:
    sandbox = PythonSandbox(SandboxConfig(seconds=seconds))
    try:
        yield sandbox
    finally:
        await sandbox.aclose()


def _unknown(name: str, known: Sequence[str]) -> str:
    meant = nearest(name, known)
    if meant:
        return f"there is no tool {name!r}\ndid you mean: {meant}"
    return f"there is no tool {name!r}\nall of them: flows tools list"
