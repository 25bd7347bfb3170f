"""The developer: writes code for the steps of a plan, runs it, and mends what fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from flows.analysis.prediction.plan import PlanStep, UnitTestResult
from flows.analysis.prediction.task import PredictionTask
from flows.analysis.prediction.work import PhaseWork, StepOutcome
from flows.core.chat import Finish
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports
from flows.core.function_tool import FunctionTool
from flows.core.reply import Reply
from flows.core.run import Run
from flows.library.blocks.agent_chat import AgentChatConfig, agent_chat
from flows.library.blocks.correction import propose
from flows.library.blocks.outcome import fault_text
from flows.library.blocks.reading import ReplyProblem, fit, read_object
from flows.library.pipeline.agent import (
    NEEDS,
    PROMPTS,
    find_tools,
    profiles_text,
    remember,
    tools_text,
)
from flows.library.pipeline.execution import StepCodeFlow, StepCodeOutputs
from flows.library.pipeline.state import PhaseState, StateChange, TableRef
from flows.library.pipeline.unit_tests import UnitTestsFlow
from flows.sandbox.validate import validate


class DeveloperConfig(AgentChatConfig):
    """The keys of a developer."""

    description: str = "Writes the code of the plan, runs it, and mends what fails."
    system_prompt: str = "developer.system.j2"
    human_prompt: str = "developer.human.j2"
    most_documents: int = Field(
        default=24, ge=1, description="tools whose documents it is told: of the plan, and that fit"
    )
    corrections: int = Field(
        default=3, ge=0, le=20, description="further tries after code or a unit test failed"
    )
    seconds: float | None = Field(
        default=None, gt=0, description="wall time of one step; the phase's without it"
    )


class CodingInputs(Ports):
    """The plan for which code is to be written; after a failure, from which step on, the code that
    there was, what is wrong, and the unit tests that failed."""

    task: PredictionTask
    phase: str
    title: str
    steps: tuple[PlanStep, ...]
    tools: tuple[FunctionTool, ...] = ()
    frames: tuple[str, ...] = ()
    data: str = ""
    documents: str = ""
    from_step: int = 1
    code: tuple[str, ...] = ()
    error: str = ""
    failed: tuple[UnitTestResult, ...] = ()
    correction: str = ""


class CodingReply(Reply):
    """The code of the steps, one text each, from `from_step` (counted from 1) on; or why there can
    be none."""

    code: tuple[str, ...] = ()
    from_step: int = 1
    cannot: str = ""


class DeveloperFlow(CompositeFlow):
    """Asks a model in the role `phase_code` for the code of each step; runs the steps in order, and
    then the phase's unit tests. What fails is asked anew in the role `phase_code_correction`, from
    the step that failed on; of an optional step it is left out."""

    role: ClassVar[str] = "developer"
    needs: ClassVar[Mapping[str, str]] = NEEDS
    bounded_by: ClassVar[tuple[str, ...]] = ("turns", "corrections")
    Config: ClassVar[type[FlowConfig]] = DeveloperConfig
    Inputs: ClassVar[type[Ports]] = PhaseState
    Outputs: ClassVar[type[Ports]] = StateChange

    def __init__(self, config: DeveloperConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.write, self.correct = (
            agent_chat(config, parts, each, CodingInputs, CodingReply, prompts=PROMPTS)
            for each in ("phase_code", "phase_code_correction")
        )
        self.execute = StepCodeFlow(parts.below("execute"))
        self.unit_tests = UnitTestsFlow(parts.below("unit_tests"))
        self.subflows = {
            each.name: each for each in (self.write, self.correct, self.execute, self.unit_tests)
        }

    def most_of(self, below: Mapping[str, float]) -> float:
        config: DeveloperConfig = self.config
        written = below[self.write.name] + config.corrections * below[self.correct.name]
        return config.turns * written

    async def run(self, inputs: PhaseState, run: Run) -> StateChange:
        work = _Work(self, inputs, run)
        await work.write()
        while True:
            await work.execute()
            if work.ran:
                await work.test()
            if not work.problem or not await work.correct():
                break
        done = PhaseWork(
            outcomes=tuple(work.outcomes),
            ran=work.ran,
            checks=work.checks,
            corrections=work.corrections,
            errors=tuple(work.errors),
        )
        result = "\n\n".join(each.code for each in work.outcomes)
        memory = remember(self, inputs, self.role, result, _summary(done), work.errors)
        return StateChange(memory=memory, work=done, tables=work.tables if work.ran else None)


class _Work:
    """The work on one plan while it goes on."""

    def __init__(self, agent: DeveloperFlow, state: PhaseState, run: Run) -> None:
        self.agent, self.state, self.run = agent, state, run
        self.config: DeveloperConfig = agent.config
        self.code: list[str] = []
        self.outcomes: list[StepOutcome] = []
        self.stages: list[dict[str, TableRef]] = [dict(state.tables)]  # before each step
        self.checks: tuple[UnitTestResult, ...] = ()
        self.errors: list[str] = []
        self.problem, self.failed_step = "", 0
        self.corrections = 0

    @property
    def tables(self) -> dict[str, TableRef]:
        return self.stages[-1]

    @property
    def ran(self) -> bool:
        return len(self.outcomes) == len(self.state.steps) and self.failed_step == 0

    async def write(self) -> None:
        """Ask for the code of all steps."""
        reply = await self._ask(self.agent.write, {})
        self.code = list(reply.code)

    async def execute(self) -> None:
        """Run the steps that have not run, to the first that fails."""
        self.problem, self.failed_step = "", 0
        for number in range(len(self.outcomes), len(self.state.steps)):
            step = self.state.steps[number]
            found = await self._run_step(step, self.code[number])
            told = fault_text(found.fault) if found.fault is not None else ""
            if told:
                self.errors.append(f"step {number + 1} ({step.purpose}): {told}")
                if not step.optional:
                    trace = found.fault.traceback if found.fault is not None else ""
                    self.problem, self.failed_step = f"{told}\n{trace}".strip(), number + 1
                    return
                self.run.notice(f"A step is left out: {step.purpose}: {told}")
            for note in found.notes:
                self.run.notice(f"{step.purpose}: {note}")
            status = "left_out" if told else "done"
            self.outcomes.append(StepOutcome.model_validate({
                "step": step, "code": self.code[number], "status": status, "error": told,
                "printed": found.printed, "made": found.shown, "figures": found.figures,
                "cautions": found.cautions,
            }))  # fmt: skip
            self.stages.append(_with_tables(self.tables, found))

    async def test(self) -> None:
        """Run the unit tests of the phase over what the steps made."""
        state = self.state
        found = await self.run.call(self.agent.unit_tests, {
            "names": state.unit_tests, "task": state.task, "tables": self.tables,
            "rules": state.rules, "own": state.own_tests,
            "figures": sum(len(each.figures) for each in self.outcomes),
        })  # fmt: skip
        self.checks = found["results"]
        failed = [each for each in self.checks if not each.passed and each.level == "error"]
        self.problem = "\n".join(f"unit test {e.name}: {e.message} {e.advice}" for e in failed)
        self.errors += [f"unit test {each.name}: {each.message}" for each in failed]

    async def correct(self) -> bool:
        """Ask for other code from the step that failed on; False where there is none."""
        if self.corrections >= self.config.corrections:
            return False
        self.corrections += 1
        begun = self.failed_step or 1
        failed = tuple(each for each in self.checks if not each.passed) if self.ran else ()
        reply = await self._ask(self.agent.correct, {
            "from_step": begun, "code": tuple(self.code), "error": self.problem, "failed": failed,
        })  # fmt: skip
        if not reply.code:
            self.run.notice(f"The code is not mended: {reply.cannot or 'there is no other'}")
            return False
        start = min(max(reply.from_step, 1), begun) - 1
        self.code[start:] = reply.code
        del self.outcomes[start:]
        del self.stages[start + 1 :]
        return True

    async def _ask(self, chat: Any, more: Mapping[str, Any]) -> CodingReply:
        state, most = self.state, self.config.most_documents
        named = list(dict.fromkeys(each.tool for each in state.steps if each.tool))
        asked = {
            "task": state.task,
            "phase": state.phase,
            "title": state.title,
            "steps": state.steps,
            "tools": state.tools,
            "frames": tuple(state.tables),
            "data": profiles_text(state.profiles),
            "documents": tools_text(find_tools(state.plan, state.tools, most, named)),
            **more,
        }
        wanted = len(state.steps)

        async def check(reply: CodingReply) -> CodingReply:
            if not reply.code and reply.cannot:
                return reply
            missing = wanted - (reply.from_step - 1) if more else wanted
            if len(reply.code) != missing:
                raise ReplyProblem(
                    f'"code" must have {missing} texts, one for each step; it has {len(reply.code)}'
                )
            for number, text in enumerate(reply.code, reply.from_step if more else 1):
                if (fault := validate(text)) is not None:
                    raise ReplyProblem(f"the code of step {number}: {fault_text(fault)}")
            return reply

        return await propose(
            self.run, chat, asked, _read, check, corrections=self.config.turns - 1,
            speaker="The developer's reply",
        )  # fmt: skip

    async def _run_step(self, step: PlanStep, code: str) -> StepCodeOutputs:
        seconds = self.config.seconds or self.state.seconds
        found = await self.run.call(self.agent.execute, {
            "code": code, "tools": self.state.tools, "tables": self.tables, "seconds": seconds,
            "purpose": step.purpose,
        }, goal=step.purpose)  # fmt: skip
        return StepCodeOutputs.model_validate(found)


def _with_tables(tables: Mapping[str, TableRef], found: StepCodeOutputs) -> dict[str, TableRef]:
    return {**tables, **found.tables}


def _read(text: str, finish: Finish) -> CodingReply:
    return fit(CodingReply, read_object(text, finish))


def _summary(work: PhaseWork) -> str:
    left_out = sum(each.status == "left_out" for each in work.outcomes)
    passed = sum(each.passed for each in work.checks)
    told = [f"{len(work.outcomes)} steps ran" if work.ran else "The code did not run to its end"]
    told += [f"{left_out} of them were left out"] * bool(left_out)
    told += [f"{passed} of {len(work.checks)} unit tests passed"] * bool(work.checks)
    return ", ".join(told) + "."
