"""One phase: its agents in order, again while it is not good enough."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from pydantic import Field, JsonValue

from flows.analysis.prediction.metrics import PredictionMetric
from flows.analysis.prediction.phases import QUESTIONS, TASKS, TITLES, PhaseName
from flows.analysis.prediction.plan import Experience
from flows.analysis.prediction.task import PredictionTask
from flows.analysis.prediction.work import ColumnChanges, PhaseRecord
from flows.core.flow import CompositeFlow, FlowConfig, Parts, Ports, Problem
from flows.core.function_tool import FunctionTool
from flows.core.run import Run
from flows.data.tables import Table
from flows.errors import CommandError, ConfigError, ModelReplyInvalid, StepFailed, nearest
from flows.library.pipeline.execution import without_sources
from flows.library.pipeline.phase_files import PhaseFilesFlow
from flows.library.pipeline.profiles import ProfileTablesFlow
from flows.library.pipeline.state import PhaseState, StateChange, TableRef, changed
from flows.tools.functions.parse import parse_tool
from flows.tools.functions.shipped import shipped_checks, shipped_tools

_SHOWN_ROWS: Final = 40
# Of a phase, however little time the whole has: a step that is cut has told nothing.
_LEAST_SECONDS: Final = 5.0


class PhaseConfig(FlowConfig):
    """The keys of a phase. Its agents are its subflows, in the order in which they work."""

    description: str = ""
    subflows_config: dict[str, object] = Field(
        default={}, description="its agents, by name, in order"
    )
    phase: PhaseName = Field(description="which phase it is")
    title: str = Field(default="", description="its name in reports; the phase's own without it")
    tools: tuple[str, ...] | None = Field(
        default=None, description="the tools that it may use; all that are documented for it"
    )
    unit_tests: tuple[str, ...] | None = Field(
        default=None, description="the unit tests that it must pass; all that are documented for it"
    )
    own_unit_tests: tuple[Path, ...] = Field(
        default=(), description="Python files with own unit tests, from the run file's folder"
    )
    rules: dict[str, JsonValue] = Field(default={}, description="parameters of its rulebook")
    questions: tuple[str, ...] | None = Field(
        default=None, description="what its report answers; the phase's own without it"
    )
    least_score: float = Field(
        default=3.0, ge=0, le=5, description="with a lower score it is tried again"
    )
    most_tries: int = Field(default=3, ge=1, le=10, description="tries in all")
    share: float = Field(
        default=0.1, gt=0, le=1, description="its part of the time of the whole pipeline"
    )


class PhaseInputs(Ports):
    """What is known when the phase begins. `seconds` is the time of the whole pipeline."""

    number: int = 1
    background: str = ""
    fields: dict[str, str] = Field(default={})
    own_metrics: tuple[PredictionMetric, ...] = ()
    task: PredictionTask | None = None
    tables: dict[str, TableRef]
    made_tools: tuple[FunctionTool, ...] = ()
    earlier: tuple[PhaseRecord, ...] = ()
    seconds: float = 600.0
    library: str = ""


class PhaseOutputs(Ports):
    task: PredictionTask | None = None
    tables: dict[str, TableRef]
    made_tools: tuple[FunctionTool, ...] = ()
    record: PhaseRecord


@dataclass(frozen=True)
class _Try:
    """The state after a try, and its score: the mean over its agents, 0 where the code did not
    run, None where nobody scores."""

    state: PhaseState
    score: float | None
    errors: tuple[str, ...] = ()

    @property
    def rank(self) -> tuple[bool, float]:
        return (self.state.work.ran or not self.state.steps, self.score or 0.0)


class PhaseFlow(CompositeFlow):
    """Has its agents work in order, and scores the try; with too low a score all is done again from
    the tables of the phase's start, with what the try has taught. At the end the best try counts.
    """

    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    bounded_by: ClassVar[tuple[str, ...]] = ("most_tries",)
    Config: ClassVar[type[FlowConfig]] = PhaseConfig
    Inputs: ClassVar[type[Ports]] = PhaseInputs
    Outputs: ClassVar[type[Ports]] = PhaseOutputs

    def __init__(self, config: PhaseConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.agents = dict(parts.subflows)
        self.title = config.title or TITLES[config.phase]
        self.own_tests = tuple(_own_test(parts.base / each) for each in config.own_unit_tests)
        self.profile = ProfileTablesFlow(parts.below("profile"))
        self.files = PhaseFilesFlow(parts.below("phase_files"))
        self.subflows |= {each.name: each for each in (self.profile, self.files)}

    @classmethod
    def wiring(cls, config: PhaseConfig, subflows: Mapping[str, Any]) -> list[Problem]:
        del subflows
        tools = [each.name for each in shipped_tools()]
        tests = [each.name for each in shipped_checks()]
        wrong = [("tools", each, tools) for each in config.tools or () if each not in tools]
        wrong += [
            ("unit_tests", each, tests) for each in config.unit_tests or () if each not in tests
        ]
        return [
            Problem(f"there is no {key[:-1].replace('_', ' ')} {name!r}", (key,),
                    tuple(known), nearest(name, known))
            for key, name, known in wrong
        ]  # fmt: skip

    def most_of(self, below: Mapping[str, float]) -> float:
        tries: int = self.config.most_tries
        return tries * sum(below[name] for name in self.agents)

    async def run(self, inputs: PhaseInputs, run: Run) -> PhaseOutputs:
        config: PhaseConfig = self.config
        start = await self._start(inputs, run)
        experience = Experience()
        best: _Try | None = None
        for number in range(1, config.most_tries + 1):
            done = await self._try(start.model_copy(update={"experience": experience}), run)
            await run.call(self.files, {
                "folder": f"{inputs.number}_{config.phase}", "state": done.state,
                "score": done.score,
            })  # fmt: skip
            if best is None or done.rank > best.rank:
                best = done
            if done.score is None or done.score >= config.least_score:
                break
            run.notice(f"{self.title}: the score is {done.score:.1f} of 5 in try {number}.")
            experience = _learned(done, number + 1)
            start = start.model_copy(update={"memory": done.state.memory})
        assert best is not None
        return self._outputs(best, number, run)

    async def _start(self, inputs: PhaseInputs, run: Run) -> PhaseState:
        """The state with which each try begins."""
        config: PhaseConfig = self.config
        found = await run.call(self.profile, {"tables": inputs.tables})
        profiles: dict[str, Table] = found["profiles"]
        before = {
            f"before_{name}": inputs.tables[name]
            for name in ("train", "test")
            if name in inputs.tables
        }
        return PhaseState(
            phase=config.phase,
            title=self.title,
            description=config.description or TASKS[config.phase],
            background=inputs.background,
            fields=inputs.fields,
            own_metrics=inputs.own_metrics,
            task=inputs.task,
            tables={**inputs.tables, **before},
            profiles=profiles,
            before=profiles,
            tools=self._tools(inputs.made_tools),
            unit_tests=self._unit_tests(),
            own_tests=self.own_tests,
            rules=config.rules,
            questions=QUESTIONS[config.phase] if config.questions is None else config.questions,
            seconds=max(_LEAST_SECONDS, inputs.seconds * config.share),
            library=inputs.library,
            agents=tuple(getattr(each, "role", name) for name, each in self.agents.items()),
            earlier=inputs.earlier,
            made_tools=inputs.made_tools,
        )

    async def _try(self, state: PhaseState, run: Run) -> _Try:
        """The agents, one after the other. An agent without a usable reply ends the try."""
        for name, agent in self.agents.items():
            try:
                outputs = await run.call(agent, state.__dict__)
            except StepFailed as failure:
                if not isinstance(failure.root, CommandError | ModelReplyInvalid):
                    raise
                run.notice(f"{name} could not do its part: {failure.root}")
                return _Try(state, 0.0, (str(failure.root),))
            role = getattr(agent, "role", name)
            state = changed(state, role, StateChange.model_validate(outputs))
            if role == "developer":
                state = await self._profiled(state, run)
            if role == "toolsmith":
                state = state.model_copy(update={"tools": self._tools(state.made_tools)})
        return _Try(state, self._score(state))

    async def _profiled(self, state: PhaseState, run: Run) -> PhaseState:
        """The state with the tables as the developer left them, and what changed in them."""
        found = await run.call(self.profile, {"tables": state.tables})
        profiles: dict[str, Table] = found["profiles"]
        changes = _changes(state.before.get("train"), profiles.get("train"))
        return state.model_copy(update={"profiles": profiles, "changes": changes})

    def _score(self, state: PhaseState) -> float | None:
        if state.steps and not state.work.ran:
            return 0.0
        if not state.scores:
            return None
        return sum(each.score for each in state.scores) / len(state.scores)

    def _tools(self, made: tuple[FunctionTool, ...]) -> tuple[FunctionTool, ...]:
        """Those that the phase allows: of the shipped ones by its config, of made ones by what they
        say of themselves."""
        config: PhaseConfig = self.config
        allowed = [
            each
            for each in shipped_tools()
            if (each.name in config.tools if config.tools is not None
                else config.phase in each.phases)
        ]  # fmt: skip
        allowed += [each for each in made if config.phase in each.phases]
        return without_sources(allowed)

    def _unit_tests(self) -> tuple[str, ...]:
        config: PhaseConfig = self.config
        if config.unit_tests is not None:
            named = list(config.unit_tests)
        else:
            named = [each.name for each in shipped_checks() if config.phase in each.phases]
        return (*named, *(each.name for each in self.own_tests))

    def _outputs(self, best: _Try, tries: int, run: Run) -> PhaseOutputs:
        config: PhaseConfig = self.config
        state = best.state
        weak = best.score is not None and best.score < config.least_score
        if weak:
            run.notice(
                f"{self.title} goes on with the best of {tries} tries, whose score is "
                f"{best.score:.1f} of 5."
            )
        shown = {
            name: table
            for outcome in state.work.outcomes
            for name, table in outcome.made.items()
            if table.total_rows <= _SHOWN_ROWS
        }
        tables = {name: ref for name, ref in state.tables.items() if not name.startswith("before_")}
        record = PhaseRecord(
            phase=config.phase, title=self.title, score=best.score, tries=tries, kept_best=weak,
            plan=state.plan, steps=state.steps, report=state.report, changes=state.changes,
            shown=shown, scores=state.scores, work=state.work,
            tools=tuple(dict.fromkeys(each.tool for each in state.steps if each.tool)),
        )  # fmt: skip
        return PhaseOutputs(
            task=state.task, tables=tables, made_tools=state.made_tools, record=record
        )


def _learned(done: _Try, next_number: int) -> Experience:
    """What a try teaches the next."""
    state = done.state
    return Experience(
        try_number=next_number,
        score=done.score,
        suggestions=tuple(each.suggestion for each in state.scores if each.suggestion),
        errors=(*state.work.errors, *done.errors),
        failed=state.work.failed,
        steps=state.steps,
    )


def _changes(before: Table | None, after: Table | None) -> ColumnChanges:
    if before is None or after is None:
        return ColumnChanges()
    old, new = ([each.name for each in table.columns] for table in (before, after))
    return ColumnChanges(
        added=tuple(each for each in new if each not in old),
        removed=tuple(each for each in old if each not in new),
        rows_before=before.rows,
        rows_after=after.rows,
    )


def _own_test(path: Path) -> FunctionTool:
    """A unit test of a file. Errors: `ConfigError`."""
    try:
        return parse_tool(path.read_text(encoding="utf-8"), origin=path.name)
    except (OSError, UnicodeError, ConfigError) as error:
        raise ConfigError(f"the unit test {path} cannot be used: {error}") from error
