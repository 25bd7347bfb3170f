"""The agent that computes: a plan, code in the sandbox, its correction, what its columns are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from flows.core.flow import FlowConfig, Parts
from flows.core.run import Run
from flows.core.sandbox import CodeFault
from flows.core.values import Values
from flows.data.findings import Finding, OutputType
from flows.data.tables import Table
from flows.errors import CodeFailed
from flows.library.analyst.agent import AgentInputs, AgentOutputs, found
from flows.library.analyst.asking import ask_action
from flows.library.analyst.writing import (
    CodeAgentConfig,
    CodeAgentFlow,
    cautions_of,
    made_by_code,
    read_code,
    read_plan,
    rows_words,
    told_fault,
    with_new_columns,
)
from flows.library.blocks.correction import TrialFailed
from flows.library.blocks.outcome import fault_text


class PythonDataConfig(CodeAgentConfig):
    """The keys of a Python developer."""

    description: str = (
        "Computes what one query cannot with Python over a table: correlations, group comparisons, "
        "rankings, trends, growth, forecasts, outliers, distributions, clusters, tests, new "
        "columns. Gives a table."
    )


# What is wrong with code that ran and gave nothing that others can work on.
_NOTHING: Final = CodeFault(type="NoResult", message="the code made no data frame called result")


@dataclass(frozen=True, slots=True)
class Written:
    """Code that ran: its plan, its text, and what it gave."""

    plan: tuple[str, ...]
    code: str
    gave: Values


class PythonDataAgentFlow(CodeAgentFlow):
    """Plans, has the code written, runs it, has it corrected, describes the columns it made."""

    actions: ClassVar[tuple[str, ...]] = (
        "plan_generation",
        "python_code_generation",
        "python_code_correction",
        "data_dictionary_generator",
    )
    gives: ClassVar[OutputType] = "table"
    modelling: ClassVar[bool] = False
    Config: ClassVar[type[FlowConfig]] = PythonDataConfig

    def __init__(self, config: CodeAgentConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.plan, self.write, self.correct, self.describe = (
            self.subflows[name] for name in self.actions
        )

    async def run(self, inputs: AgentInputs, run: Run) -> AgentOutputs:
        return found(await self._finding(inputs, await self._written(inputs, run), run))

    async def _finding(self, inputs: AgentInputs, written: Written, run: Run) -> Finding:
        gave, observation = written.gave, written.gave["observation"]
        made = {"task": inputs.task, "code": written.code}
        dictionary = await with_new_columns(
            run, self.describe, made, gave["dictionary"], made_by_code(gave["dictionary"]),
            observation.table, self.config.corrections,
        )  # fmt: skip
        return Finding(
            output_type=self.gives,
            response=rows_words(observation.table),
            plan=written.plan,
            code=written.code,
            table=observation.table,
            dictionary=dictionary,
            figures=observation.figures,
            cautions=cautions_of(observation),
            data_used=((inputs.data,) if inputs.data else ()) + tuple(gave["sources"]),
        )

    async def _written(self, inputs: AgentInputs, run: Run) -> Written:
        """Code that ran to its end. Errors: `Cannot`; `CodeFailed` when no correction helped."""
        table: Table | None = (await run.call(self.look, {"data": inputs.data}))["table"]
        most = self.config.corrections
        of_task = {"task": inputs.task, "modelling": self.modelling, "data": table}
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
        gave, wrong_with = await self.execute(code, inputs.data, run)
        if gave is not None and gave["observation"].table is not None:
            return Written(plan, code, gave)
        fault = wrong_with or _NOTHING
        run.notice(f"The code failed: {fault_text(fault)}")
        failure = CodeFailed(f"the code failed: {fault_text(fault)}")
        raise TrialFailed(failure, code=code, error=told_fault(fault))
