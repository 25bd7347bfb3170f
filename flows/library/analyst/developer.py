"""What the agents that compute share: a plan, code in the sandbox, its correction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flows.core.flow import Flow
from flows.core.run import Run
from flows.core.sandbox import CodeFault
from flows.core.values import Values
from flows.data.tables import Table
from flows.errors import CodeFailed
from flows.library.analyst.action_calls import ask_action
from flows.library.analyst.agent import AgentInputs
from flows.library.analyst.interpreter import CodeInterpreter
from flows.library.analyst.writing import (
    made_by_code,
    read_code,
    read_plan,
    rows_words,
    told_fault,
    with_new_columns,
)
from flows.library.blocks.correction import TrialFailed
from flows.library.blocks.outcome import fault_text
from flows.semantics.findings import Finding

ACTIONS: Final = (
    "plan_generation",
    "python_code_generation",
    "python_code_correction",
    "data_dictionary_generator",
)
# What is wrong with code that ran and gave nothing that others can work on.
_NOTHING: Final = CodeFault(type="NoResult", message="the code made no data frame called result")


@dataclass(frozen=True, slots=True)
class Written:
    """Code that ran: its plan, its text, and what it gave."""

    plan: tuple[str, ...]
    code: str
    gave: Values


class Developer:
    """Has code planned, written, run, corrected, and the columns that it made described.

    Its actions are subflows of its agent. `modelling` says that the code is to learn a model;
    `corrections` are the further tries after a fault.
    """

    def __init__(
        self,
        subflows: Mapping[str, Flow],
        interpreter: CodeInterpreter,
        *,
        modelling: bool,
        corrections: int,
    ) -> None:
        self.plan, self.write, self.correct, self.describe = (subflows[name] for name in ACTIONS)
        self.interpreter = interpreter
        self.modelling = modelling
        self.corrections = corrections

    async def write_code(self, inputs: AgentInputs, run: Run) -> Written:
        """Code that ran to its end. Errors: `Cannot`; `CodeFailed` when no correction helped."""
        looked = await run.call(self.interpreter.look, {"data": inputs.data})
        table: Table | None = looked["table"]
        most = self.corrections
        of_task = {
            "task": inputs.task, "request": inputs.request, "modelling": self.modelling,
            "data": table,
        }  # fmt: skip
        told = {**of_task, "question": inputs.question, "context": inputs.context}
        plan = await ask_action(run, self.plan, told, read_plan, most)
        code = await ask_action(run, self.write, {**told, "plan": plan}, read_code, most)
        try:
            return await self._tried(plan, code, inputs, run)
        except TrialFailed as failed:
            if not most:
                raise failed.failure from failed
            wrong = {**of_task, "plan": plan, **failed.inputs}
        return await ask_action(
            run, self.correct, wrong, read_code, most - 1,
            lambda corrected: self._tried(plan, corrected, inputs, run),
        )  # fmt: skip

    async def _tried(
        self, plan: tuple[str, ...], code: str, inputs: AgentInputs, run: Run
    ) -> Written:
        """The code with what it gave. Errors: `TrialFailed` when it fails or gives no table."""
        gave, wrong_with = await self.interpreter.execute(code, inputs.data, run)
        if gave is not None and gave["observation"].table is not None:
            return Written(plan, code, gave)
        fault = wrong_with or _NOTHING
        run.notice(f"The code failed: {fault_text(fault)}")
        failure = CodeFailed(f"the code failed: {fault_text(fault)}")
        raise TrialFailed(failure, code=code, error=told_fault(fault))

    async def find(self, inputs: AgentInputs, written: Written, run: Run) -> Finding:
        """What the code found, with what its new columns are."""
        gave, observation = written.gave, written.gave["observation"]
        made = {"task": inputs.task, "code": written.code}
        dictionary = await with_new_columns(
            run, self.describe, made, gave["dictionary"], made_by_code(gave["dictionary"]),
            observation.table, self.corrections,
        )  # fmt: skip
        return Finding(
            output_type="model" if self.modelling else "table",
            response=rows_words(observation.table),
            plan=written.plan,
            code=written.code,
            table=observation.table,
            dictionary=dictionary,
            figures=observation.figures,
            cautions=observation.cautions,
            data_used=((inputs.data,) if inputs.data else ()) + tuple(gave["sources"]),
        )
