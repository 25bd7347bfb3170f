"""The unit tests of a phase: functions that look at its tables, run in the sandbox."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

from pydantic import Field, JsonValue

from flows.analysis.prediction.plan import UnitTestResult
from flows.analysis.prediction.task import PredictionTask
from flows.core.flow import AtomicConfig, CompositeFlow, FlowConfig, Parts, Ports
from flows.core.function_tool import FunctionTool
from flows.core.observation import Cell
from flows.core.run import Run
from flows.errors import CodeFailed
from flows.library.blocks.outcome import fault_text
from flows.library.pipeline.execution import StepCodeFlow
from flows.library.pipeline.state import TableRef
from flows.tools.functions.shipped import shipped_checks

_RESULTS: Final = "check_results"
_GIVEN: Final = ("task", "rules", "figures")


class UnitTestsInputs(Ports):
    """The names of the tests, what they look at, and own tests beside those that ship."""

    names: tuple[str, ...]
    task: PredictionTask | None = None
    tables: dict[str, TableRef] = Field(default={})
    rules: dict[str, JsonValue] = Field(default={})
    figures: int = 0
    own: tuple[FunctionTool, ...] = ()


class UnitTestsOutputs(Ports):
    results: tuple[UnitTestResult, ...] = ()


class UnitTestsFlow(CompositeFlow):
    """Runs unit tests by their names. One that needs a table which is not there is passed over; one
    that fails by an error of its own has failed, and says so."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data", "sandbox": "sandbox"}
    Config: ClassVar[type[FlowConfig]] = FlowConfig
    Inputs: ClassVar[type[Ports]] = UnitTestsInputs
    Outputs: ClassVar[type[Ports]] = UnitTestsOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Runs the unit tests."), parts)
        self.execute = StepCodeFlow(parts.below("execute"))
        self.subflows = {"execute": self.execute}

    async def run(self, inputs: UnitTestsInputs, run: Run) -> UnitTestsOutputs:
        known = {each.name: each for each in (*shipped_checks(), *inputs.own)}
        tests = [known[name] for name in inputs.names if _has_tables(known[name], inputs.tables)]
        if not tests:
            return UnitTestsOutputs()
        given = {
            "task": inputs.task.model_dump(mode="json") if inputs.task is not None else {},
            "rules": inputs.rules,
            "figures": inputs.figures,
        }
        found = await run.call(self.execute, {
            "code": _code(tests, inputs.tables, given), "tools": tuple(tests),
            "tables": inputs.tables, "purpose": "Run the unit tests",
        })  # fmt: skip
        if found["fault"] is not None:
            raise CodeFailed(f"the unit tests did not run: {fault_text(found['fault'])}")
        shown = found["shown"][_RESULTS]
        return UnitTestsOutputs(results=tuple(_result(shown.columns, row) for row in shown.rows))


def _has_tables(test: FunctionTool, tables: Mapping[str, TableRef]) -> bool:
    needed = [each.name for each in test.parameters if each.frame and each.required]
    return all(name in tables for name in needed)


def _code(
    tests: Sequence[FunctionTool], tables: Mapping[str, TableRef], given: Mapping[str, Any]
) -> str:
    """The calls, each by itself, and a table of what they came to."""
    lines = [
        "import json",
        "import pandas as pd",
        *(f"{name} = json.loads({json.dumps(given[name])!r})" for name in _GIVEN),
        "found = []",
    ]
    for test in tests:
        said = [
            f"{each.name}={each.name}"
            for each in test.parameters
            if each.name in tables or each.name in _GIVEN
        ]
        lines += [
            "try:",
            f"    wrong = {test.name}({', '.join(said)})",
            "except Exception as error:",
            "    wrong = {'message': f'it could not be run: {type(error).__name__}: {error}'}",
            f"found.append(({test.name!r}, wrong or {{}}))",
        ]
    lines += [
        f"{_RESULTS} = pd.DataFrame([",
        "    {'name': name, 'passed': not wrong, 'message': wrong.get('message', ''),",
        "     'advice': wrong.get('advice', ''), 'level': wrong.get('level', 'error'),",
        "     'culprits': json.dumps([str(each) for each in wrong.get('culprits', ())])}",
        "    for name, wrong in found",
        "])",
    ]
    return "\n".join(lines) + "\n"


def _result(columns: Sequence[str], row: Sequence[Cell]) -> UnitTestResult:
    cells = dict(zip(columns, row, strict=True))
    culprits = json.loads(str(cells.pop("culprits")))
    return UnitTestResult.model_validate({**cells, "culprits": culprits})
