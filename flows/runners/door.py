"""The door for programs: a run file in, a result out. `run` waits for it, `arun` is awaited."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from flows.build.builder import build
from flows.build.plan import RunPlan
from flows.build.restoration import recorded_plan
from flows.config.composition import Composed
from flows.config.settings import Choice, Setting
from flows.core.events import Listener
from flows.core.function_description import Function
from flows.core.history import read_history
from flows.core.journal import Journal
from flows.core.loop import asynchronous, synchronous
from flows.core.pause import Pause
from flows.core.result import RunResult
from flows.core.rows import Row
from flows.errors import UsageError
from flows.records.lookup import RunPlace, find_run
from flows.runners.answer import (
    meant_question,
    open_journal_of,
    open_journal_to_answer,
    question_of,
    record_answer,
)
from flows.runners.consent import with_consent
from flows.runners.local import run_plan, run_with


def start_run(
    path: str | Path,
    overrides: Sequence[str] = (),
    *,
    settings: Sequence[Setting | Choice] = (),
    inputs: Mapping[str, Any] | None = None,
    listeners: Sequence[Listener] = (),
    trust: Sequence[str] = (),
    begin: Callable[[RunPlan], Pause | None] | None = None,
    more: Mapping[str, Any] | None = None,
    functions: Sequence[Function] = (),
    base: Path | None = None,
    change: Callable[[Composed], Composed] | None = None,
) -> Coroutine[Any, Any, RunResult]:
    """Build a run file and run it to its end.

    `settings` are values of the config that a program gives, under the overrides; `inputs` are
    those of the flow, over the config's. `begin` is told the plan before it runs, and may give a
    pause for it. `trust` names packages whose dotted names a `_target_` may use, and addresses that
    the file may send secrets to. `more` is recorded at its start. `functions` are given to an agent
    beside those of the file's sources; `base` is the folder that relative paths start from, that of
    the file without it. `change` makes another config of the composed one.

    Raises `ConfigError` when the file is wrong; what goes wrong in the run is in the result.
    """
    built, _ = with_consent(
        trust,
        lambda trusted: build(
            Path(path),
            overrides,
            settings=settings,
            trust=trusted,
            functions=functions,
            base=base,
            change=change,
        ),
    )
    plan = built.with_inputs(inputs or {})
    pause = begin(plan) if begin is not None else None
    return run_and_close(plan, listeners=listeners, pause=pause, more=more)


run = synchronous(start_run, "run")
arun = asynchronous(start_run, "arun")


def start_resume(
    run_id: str,
    *,
    runs: str | Path = "runs",
    answer: str | None = None,
    step: str | None = None,
    listeners: Sequence[Listener] = (),
    trust: Sequence[str] = (),
    begin: Callable[[RunPlan], Pause | None] | None = None,
    functions: Sequence[Function] = (),
    command: str | None = None,
) -> Coroutine[Any, Any, RunResult]:
    """Go on with a run after its last recorded step.

    `answer` is to the question that the run waits with, or that the step at the address `step`
    does. `begin` is told the plan before it runs, and may give a pause for it. `functions` are
    those that its start was given. A `command` (`set Executor.sql.max_rows=50`) is carried out
    first, at the question that the run waits with. Raises `JournalError` if the run cannot go on,
    `UsageError` for an answer or a command that is refused, `ConfigError` for a change that is
    wrong.
    """
    if step is not None and answer is None and command is None:
        raise UsageError("a step is named, and no answer to its question is given")
    place = find_run(Path(runs), run_id)
    question = meant_question(place, answer, step) if answer is not None else None
    shared = place.run_id if place.shared else None
    plan = with_consent(
        trust,
        lambda trusted: recorded_plan(place.journal, shared, trust=trusted, functions=functions),
    )
    pause = begin(plan) if begin is not None else None
    if command is not None:
        return carry_out(plan, place, command, step, listeners=listeners, pause=pause)
    return go_on(plan, place, question, answer or "", listeners=listeners, pause=pause)


resume = synchronous(start_resume, "resume")
aresume = asynchronous(start_resume, "aresume")


async def carry_out(
    plan: RunPlan,
    place: RunPlace,
    command: str,
    step: str | None = None,
    *,
    listeners: Sequence[Listener] = (),
    pause: Pause | None = None,
    journal: Journal | None = None,
) -> RunResult:
    """Carry out a command to a run that waits, and go on with it. Gives the plan's services up.
    `journal` is the run's, where that is open.

    Errors: as of `resume`.
    """
    history = read_history(place.rows())
    if step is not None or not history.open_questions():
        question_of(history, step)  # for its errors
    asked = tuple(row.address for row in history.open_questions())
    from flows.runners.fork import as_fork
    from flows.runners.session_commands import SessionCommands

    commands = SessionCommands(plan, place.folder)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(plan.in_use())
        if journal is None:
            journal = open_journal_of(place, plan.durability)
        stack.callback(journal.close)
        if type(as_fork(journal, place, plan)) is not Journal:
            raise UsageError("a fork cannot be changed while it waits; fork it with the change")
        reply = await commands.carry_out(command, journal.rows, asked)
        if commands.changes:
            plan = await commands.apply(journal, asked)
            stack.push_async_callback(plan.aclose)
            await journal.read_again()
            reply = commands.take_reply()
        told = replace(plan, notes=(*plan.notes, reply))
        return await run_with(
            told, journal, place.run_id, resumed=True, listeners=listeners, pause=pause
        )


async def go_on(
    plan: RunPlan,
    place: RunPlace,
    question: Row | None,
    answer: str,
    *,
    listeners: Sequence[Listener] = (),
    pause: Pause | None = None,
    journal: Journal | None = None,
) -> RunResult:
    """Record the answer to the question, if there is one, and go on with the run. No other process
    comes between the two. Gives the plan's services up."""
    async with plan.in_use():
        return await go_on_with(
            plan, place, question, answer, listeners=listeners, pause=pause, journal=journal
        )


async def go_on_with(
    plan: RunPlan,
    place: RunPlace,
    question: Row | None,
    answer: str,
    *,
    listeners: Sequence[Listener] = (),
    pause: Pause | None = None,
    journal: Journal | None = None,
) -> RunResult:
    """As `go_on`, with a plan that other runs use too: its services stay open. `journal` is the
    run's, where that is open."""
    if journal is not None:
        pass
    elif question is None:
        journal = open_journal_of(place, plan.durability)
    else:
        journal = await open_journal_to_answer(place, question, plan.durability)
    try:
        if question is not None:
            await record_answer(journal, question, answer)
        from flows.runners.fork import as_fork

        record = as_fork(journal, place, plan)
        return await run_with(
            plan, record, place.run_id, resumed=True, listeners=listeners, pause=pause
        )
    finally:
        journal.close()


async def run_and_close(
    plan: RunPlan,
    *,
    listeners: Sequence[Listener] = (),
    pause: Pause | None = None,
    more: Mapping[str, Any] | None = None,
) -> RunResult:
    """Run a plan and give its services up. `more` is recorded at its start."""
    async with plan.in_use():
        return await run_plan(plan, listeners=listeners, pause=pause, more=more)
