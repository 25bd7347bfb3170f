"""Running the tests of a tool in the sandbox, and how each of them ended."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import json
from collections.abc import Iterator
from typing import Any, Final, Literal, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from flows.core.function_tool import FunctionTool
from flows.core.sandbox import CodeFault, Execution
from flows.tools.description.faults import SourceFaults
from flows.tools.functions import harness
from flows.tools.functions.module import HYPOTHESIS, read_module
from flows.tools.functions.source import without_hypothesis

Status = Literal["passed", "failed", "skipped", "not run"]
SECONDS: Final = 120.0
# What the sandbox calls the first piece of code that a process runs.
_FILE: Final = "<code>"


class TestOutcome(BaseModel):
    """How a test ended. `line` is one of the tool's source."""

    __test__ = False  # for pytest: this is no class of tests
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    status: Status
    message: str = ""
    line: int | None = None
    seconds: float = 0.0


class ToolTests(BaseModel):
    """How the tests of a tool ended."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    outcomes: tuple[TestOutcome, ...]
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Whether a test passed, and none failed."""
        statuses = {each.status for each in self.outcomes}
        return "passed" in statuses and statuses <= {"passed", "skipped"}

    @property
    def failures(self) -> tuple[TestOutcome, ...]:
        return tuple(each for each in self.outcomes if each.status in ("failed", "not run"))

    @property
    def report(self) -> str:
        """What did not pass, a line for each test, for whoever mends the tool."""
        return "\n".join(
            f"{each.name}{f' (line {each.line})' if each.line else ''}: {each.message}"
            for each in self.failures
        )


class Execute(Protocol):
    """What runs code in the sandbox: `Sandbox.execute`, or that of a run with its sandbox."""

    async def __call__(self, code: str, /, *, seconds: float | None = None) -> Execution: ...


async def run_tests(
    tool: FunctionTool, execute: Execute, seconds: float | None = SECONDS
) -> ToolTests:
    """Run the tool's tests in one execution, which takes at most so many seconds.

    Errors: those of `execute`; what the tool and its tests do wrong is in the outcomes.
    """
    source = tool.source
    left_out: tuple[str, ...] = ()
    if importlib.util.find_spec(HYPOTHESIS) is None:
        left_out = _tests_with_hypothesis(tool)
        source = without_hypothesis(source, left_out)
    mark = f"#test-{hashlib.sha256(tool.source.encode()).hexdigest()[:16]} "
    order = {
        "tool": tool.name,
        "tests": [each for each in tool.tests if each not in left_out],
        "mark": mark,
        "file": _FILE,
    }
    execution = await execute(f"{source.rstrip()}\n\n\n{_running(order)}\n", seconds=seconds)
    found = {each.name: each for each in _outcomes(tool, execution, mark)}
    for name in left_out:
        found[name] = TestOutcome(
            name=name, status="skipped", message="Hypothesis is not installed"
        )
    outcomes = tuple(found[name] for name in tool.tests)
    return ToolTests(tool=tool.name, outcomes=outcomes, seconds=execution.seconds)


def _running(order: dict[str, Any]) -> str:
    """The line below the source that runs the harness, whose names are apart from the tool's."""
    text = f"{inspect.getsource(harness)}\nrun_tests(names, order)\n"
    names = f'{{"__name__": "tests", "names": globals(), "order": {order!r}}}'
    return f'exec(compile({text!r}, "<tests>", "exec"), {names})'


def _tests_with_hypothesis(tool: FunctionTool) -> tuple[str, ...]:
    """The tests that name what the tool's module imports from Hypothesis."""
    module = read_module(tool.source, SourceFaults(tool.name))
    return tuple(
        each.name
        for each in module.tests
        if any(isinstance(node, ast.Name) and node.id in module.extras for node in ast.walk(each))
    )


def _outcomes(tool: FunctionTool, execution: Execution, mark: str) -> Iterator[TestOutcome]:
    """The tests that were said to have ended; the one that was running when all ended; the rest."""
    begun, ended = "", dict[str, TestOutcome]()
    for line in execution.stdout.splitlines():
        if line.startswith(mark) and (found := _read(line.removeprefix(mark))):
            begun = str(found.get("name", ""))
            if "begun" not in found and (outcome := _outcome(found)) is not None:
                ended[outcome.name] = outcome
    for name in tool.tests:
        if name in ended:
            yield ended[name]
        elif name == begun or not begun:
            yield TestOutcome(name=name, status="failed", **_end(execution))
        else:
            yield TestOutcome(name=name, status="not run", message="an earlier test did not end")


def _read(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _outcome(found: dict[str, Any]) -> TestOutcome | None:
    try:
        return TestOutcome.model_validate(found)
    except ValidationError:
        return None


def _end(execution: Execution) -> dict[str, Any]:
    """Why the execution ended before its tests did."""
    fault: CodeFault | None = execution.fault
    if fault is not None:
        return {"message": f"{fault.type}: {fault.message}", "line": fault.line}
    notes = "; ".join(execution.notes)
    return {"message": notes or f"it ended with {execution.status!r} before the test did"}
