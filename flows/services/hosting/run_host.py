"""Runs of run files for many people at once, in one process, with the data open between them."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from flows.build.plan import RunPlan
from flows.build.restoration import recorded_plan
from flows.core.events import Listener
from flows.core.history import read_history
from flows.core.human import Question
from flows.core.journal import Journal, has_begun, load
from flows.core.pause import Choice as PauseChoice
from flows.core.pause import Pause
from flows.core.result import OpenQuestion, RunResult
from flows.core.rows import Row
from flows.records.lookup import RunPlace, find_run
from flows.runners import door
from flows.runners.answer import (
    check_answer,
    meant_question,
    open_journal_to_answer,
    question_of,
    record_answer,
)
from flows.runners.fork import ForkSource, fork_place
from flows.runners.local import run_plan, run_with
from flows.services import run_reply
from flows.services.hosting.hosted_flow import HostedFile
from flows.services.hosting.journals import SharedJournals
from flows.services.hosting.open_plans import OpenPlans
from flows.services.hosting.run_thread import RunThread
from flows.services.run_reply import PersonQuestion

AT_ONCE: Final = 64
# What the record of a run adds to its plan, or what each run has of its own.
_OF_A_RUN: Final = frozenset({"run_id", "resumed", "epoch", "inputs", "folder", "allowed"})
_DETACHED: Final = "human=detached"


class Fork(NamedTuple):
    """A new run from the step `at` of another, with `settings` as overrides of its config."""

    run_id: str
    at: str
    settings: tuple[str, ...] = ()


class RunHost:
    """Begins runs and goes on with them, at most `at_once` at the same time, in a thread of its
    own, so that the caller's event loop stays free. Its methods may be called from any event loop;
    to cancel one ends its run as one that can be gone on with.

    A run file is built once, and its data stay open for all its runs. People are asked by leaving
    the question in the run's journal (`human=detached`).
    """

    def __init__(self, *, trust: Sequence[str] = (), at_once: int = AT_ONCE) -> None:
        self._trust = tuple(trust)
        self._plans = OpenPlans(trust)
        self._journals = SharedJournals()
        self._pauses: dict[str, Pause] = {}
        self._thread = RunThread()
        self._free = asyncio.Semaphore(at_once)

    async def plan(self, file: HostedFile) -> RunPlan:
        """What the file was built to. Errors: `ConfigError`."""
        return await self._thread.do(self._plans.plan(file))

    async def inputs_of(self, file: HostedFile) -> frozenset[str]:
        """The names of the inputs that its flow takes. Errors: `ConfigError`."""
        return frozenset((await self.plan(file)).flow.port_names)

    async def runs_folder(self, file: HostedFile) -> Path:
        """The folder that its runs are made in. Errors: `ConfigError`."""
        return (await self.plan(file)).runs_folder

    async def open_question(self, file: HostedFile, run_id: str) -> PersonQuestion | None:
        """The question that a run waits with. Errors: `UsageError` for an unknown run."""
        folder = await self.runs_folder(file)
        history = read_history(find_run(folder, run_id).rows())
        return run_reply.question_of([OpenQuestion.of(row) for row in history.open_questions()])

    async def begin(
        self,
        file: HostedFile,
        inputs: Mapping[str, Any],
        *,
        run_id: str,
        more: Mapping[str, Any] | None = None,
        listeners: Sequence[Listener] = (),
        journal: Path | None = None,
    ) -> RunResult:
        """Run the file with these inputs. `more` is recorded at the run's start; `listeners` are
        called in the thread of the runs. Its journal is one of its own, or that of the folder
        `journal`, which it shares with others. Errors: `ConfigError`, `JournalError`; what goes
        wrong in the run is in the result."""
        return await self._thread.do(self._begin(file, inputs, run_id, more, listeners, journal))

    async def go_on(
        self,
        file: HostedFile,
        run: str | RunPlace,
        *,
        answer: str | None = None,
        step: str | None = None,
        command: str | None = None,
        listeners: Sequence[Listener] = (),
    ) -> RunResult:
        """Go on with a run, with the answer to its question, or to that of the step, or with a
        command to its session (`set Executor.sql.max_rows=50`). The run is named by its id, or by
        its place; of one that shares its journal an answer is recorded before.

        A run of another version of the file goes on with what it recorded. Errors: `UsageError` for
        an answer that is refused and a run that is unknown; `JournalError`, `ConfigError`.
        """
        if command is not None:
            return await self._thread.do(self._carry_out(file, run, command, step, listeners))
        return await self._thread.do(self._go_on(file, run, answer, step, listeners))

    async def record_answer(
        self, file: HostedFile, run: str | RunPlace, answer: str, step: str | None = None
    ) -> None:
        """Record the answer to the question of a run that waits, without going on with it.

        Errors: `UsageError` for an answer that is refused and a run that is unknown; `JournalError`
        while another process runs it.
        """
        await self._thread.do(self._record_answer(file, run, answer, step))

    async def stop_step(self, run_id: str) -> bool:
        """End the step of a run that a person can stop, such as the turn of a conversation, and no
        more of the run; False where there is none."""

        async def stop() -> bool:
            pause = self._pauses.get(run_id)
            return pause is not None and pause.stop_step()

        return await self._thread.do(stop())

    async def check_fork(self, place: RunPlace, fork: Fork) -> None:
        """Errors: `UsageError` for a step that the run at the place has not; `ConfigError` for a
        setting; `JournalError`."""
        await self._thread.do(self._check_fork(place, fork))

    async def fork(
        self,
        file: HostedFile,
        place: RunPlace,
        fork: Fork,
        *,
        run_id: str,
        listeners: Sequence[Listener] = (),
    ) -> RunResult:
        """Run a fork of the run at the place, under its own id, with a journal of its own. Errors:
        as of `check_fork`."""
        return await self._thread.do(self._fork(file, place, fork, run_id, listeners))

    async def aclose(self) -> None:
        """Close all data, and end the thread."""
        await self._thread.do(self._close_plans())
        await self._thread.aclose()

    async def _begin(
        self,
        file: HostedFile,
        inputs: Mapping[str, Any],
        run_id: str,
        more: Mapping[str, Any] | None,
        listeners: Sequence[Listener],
        journal: Path | None,
    ) -> RunResult:
        async with self._free, self._plans.use(file) as built:
            plan = built.with_inputs(inputs)
            await plan.check_ready()
            with self._paused(run_id) as pause:
                if journal is None:
                    _clear_unbegun(plan.runs_folder / run_id)
                    return await run_plan(
                        plan, run_id=run_id, listeners=listeners, more=more, pause=pause
                    )
                plan = replace(plan, runs_folder=journal)
                with self._journals.journal(journal, run_id, plan.durability) as record:
                    return await run_with(
                        plan, record, run_id, listeners=listeners, more=more, pause=pause
                    )

    async def _go_on(
        self,
        file: HostedFile,
        run: str | RunPlace,
        answer: str | None,
        step: str | None,
        listeners: Sequence[Listener],
    ) -> RunResult:
        async with self._free, self._plans.use(file) as plan:
            place = _placed(plan, run)
            question: Row | None = None
            if answer is not None:
                question = meant_question(place, answer, step)
            with self._paused(place.run_id) as pause, self._shared(plan, place) as journal:
                start = (place.rows() if journal is None else journal.rows)[0].data()
                if not is_of(start, plan):
                    return await door.go_on(
                        self._recorded(place), place, question, answer or "",
                        listeners=listeners, pause=pause, journal=journal,
                    )  # fmt: skip
                again = plan.with_inputs(start["inputs"])
                if place.shared:
                    again = replace(again, runs_folder=place.journal)
                return await door.go_on_with(
                    again, place, question, answer or "",
                    listeners=listeners, pause=pause, journal=journal,
                )  # fmt: skip

    async def _carry_out(
        self,
        file: HostedFile,
        run: str | RunPlace,
        command: str,
        step: str | None,
        listeners: Sequence[Listener],
    ) -> RunResult:
        async with self._free, self._plans.use(file) as plan:
            place = _placed(plan, run)
            recorded = self._recorded(place)
            with self._paused(place.run_id) as pause, self._shared(plan, place) as journal:
                return await door.carry_out(
                    recorded, place, command, step,
                    listeners=listeners, pause=pause, journal=journal,
                )  # fmt: skip

    @contextmanager
    def _shared(self, plan: RunPlan, place: RunPlace) -> Iterator[Journal | None]:
        """The journal of a run that shares its file with others; None of one that has its own."""
        if not place.shared:
            yield None
            return
        with self._journals.journal(place.journal, place.run_id, plan.durability) as journal:
            yield journal

    @contextmanager
    def _paused(self, run_id: str) -> Iterator[Pause]:
        """A pause for a run, by which its steps can be stopped while it runs."""
        pause = self._pauses[run_id] = Pause(_go_on_at_once)
        try:
            yield pause
        finally:
            del self._pauses[run_id]

    def _recorded(
        self, place: RunPlace, overrides: Sequence[str] = (), *, anew: bool = False
    ) -> RunPlan:
        """The plan that a run recorded. Its questions are left in the journal, also of one that
        asked at a terminal."""
        human = place.rows()[0].data()["spec"].get("human") or {}
        asks = () if human.get("_target_") == "human.detached" else (_DETACHED,)
        name = place.run_id if place.shared else None
        return recorded_plan(place.journal, name, (*asks, *overrides), trust=self._trust, anew=anew)

    async def _fork(
        self,
        file: HostedFile,
        place: RunPlace,
        fork: Fork,
        run_id: str,
        listeners: Sequence[Listener],
    ) -> RunResult:
        async with self._free:
            runs_folder = (await self._plans.plan(file)).runs_folder
            _clear_unbegun(runs_folder / run_id)
            recorded = self._recorded(place, fork.settings, anew=True)
            plan = replace(recorded, runs_folder=runs_folder)
            return await fork_place(place, fork.at, plan, listeners=listeners, run_id=run_id)

    async def _check_fork(self, place: RunPlace, fork: Fork) -> None:
        plan = self._recorded(place, fork.settings, anew=True)
        try:
            ForkSource(place, fork.at, plan)
        finally:
            await plan.aclose()

    async def _record_answer(
        self, file: HostedFile, run: str | RunPlace, answer: str, step: str | None
    ) -> None:
        async with self._plans.use(file) as plan:
            place = _placed(plan, run)
            with self._shared(plan, place) as journal:
                if journal is not None:
                    asked = question_of(journal.history, step)
                    check_answer(Question.model_validate_json(asked.body), answer)
                    await record_answer(journal, asked, answer)
                    return
            question = meant_question(place, answer, step)
            own = await open_journal_to_answer(place, question, plan.durability)
            try:
                await record_answer(own, question, answer)
            finally:
                own.close()

    async def _close_plans(self) -> None:
        self._journals.close()
        await self._plans.aclose()


def is_of(start: Mapping[str, Any], plan: RunPlan) -> bool:
    """Whether the recorded start of a run says that it was made of the plan as it is now."""
    now = json.loads(plan.record_text)
    return all(start.get(key) == now[key] for key in now if key not in _OF_A_RUN)


def _placed(plan: RunPlan, run: str | RunPlace) -> RunPlace:
    """Where a run is kept. Errors: `UsageError` for one that is unknown."""
    return run if isinstance(run, RunPlace) else find_run(plan.runs_folder, run)


async def _go_on_at_once(_: str) -> PauseChoice:
    return "go on"


def _clear_unbegun(folder: Path) -> None:
    """Remove the folder of a run whose process ended before it had recorded anything.

    Errors: `JournalError` for a journal that cannot be read.
    """
    if folder.is_dir() and not (has_begun(folder) and load(folder)):
        shutil.rmtree(folder)
