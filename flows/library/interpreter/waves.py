"""Carrying out a plan in waves, until all is done or one brings something unexpected."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from flows.analysis.functions.decision import FROM
from flows.core.chat import ToolCall
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.run import Run
from flows.library.interpreter.builtin import ASK, REVISE
from flows.library.interpreter.config import PlanLink, PlanRecord
from flows.library.interpreter.planning import (
    PlannedCall,
    ResolvedCall,
    Unresolved,
    ready_steps,
    references_in,
    resolved,
)
from flows.library.interpreter.results import ToolResult, data_of
from flows.library.interpreter.stack import Stack
from flows.library.interpreter.toolbox import CallProgress, News, Toolbox, call_key, carry_out


class ResolveInputs(Ports):
    """The steps of a wave, and the results of the steps that are done, by their ids."""

    steps: tuple[PlannedCall, ...]
    results: Mapping[str, tuple[ToolResult, ...]] = {}


class ResolveOutputs(Ports):
    """The calls of the wave, and what cannot be called and why."""

    calls: tuple[ResolvedCall, ...] = ()
    problems: tuple[str, ...] = ()


class ResolveFlow(AtomicFlow):
    """Puts values of earlier results into the arguments of planned calls."""

    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = ResolveInputs
    Outputs: ClassVar[type[Ports]] = ResolveOutputs

    async def run(self, inputs: ResolveInputs, run: Run) -> ResolveOutputs:
        artifacts = run.session.artifacts

        def resolve() -> ResolveOutputs:
            data = {
                step: [data_of(each.as_call(artifacts)) for each in results if each.kind == "ok"]
                for step, results in inputs.results.items()
            }
            calls: list[ResolvedCall] = []
            problems: list[str] = []
            for step in inputs.steps:
                try:
                    calls += resolved(step, data)
                except Unresolved as problem:
                    problems.append(str(problem))
            return ResolveOutputs(calls=tuple(calls), problems=tuple(problems))

        return await asyncio.to_thread(resolve)


@dataclass(frozen=True, slots=True)
class PlanOutcome:
    """What came of a plan: the news of its calls, the results of each step that was made, what its
    maker is told of it, and its steps as they are recorded."""

    news: News
    done: Mapping[str, tuple[ToolResult, ...]]
    note: str
    steps: tuple[PlanRecord, ...]


async def carry_out_plan(
    steps: Sequence[PlannedCall],
    earlier: Mapping[str, tuple[ToolResult, ...]],
    resolve: ResolveFlow,
    tools: Toolbox,
    progress: CallProgress,
    run: Run,
) -> PlanOutcome:
    """Make the calls of the plan, wave after wave; those of a wave at once. It stops after a wave
    in which a call failed or found nothing, or for which an argument is missing. `earlier` are the
    results of steps of plans before, which arguments may refer to. Equal calls are made once.

    Errors: those that end a run.
    """
    names = {each.id for each in steps}
    before = {step: results for step, results in earlier.items() if step not in names}
    done: dict[str, tuple[ToolResult, ...]] = {}
    held: dict[str, ToolResult] = {}
    news = News()
    problems: list[str] = []
    while len(done) < len(steps) and not problems:
        wave = ready_steps(steps, frozenset(done) | frozenset(before))
        calls, problems = await _calls_of(wave, {**before, **done}, resolve, run)
        stack: Stack = run.state_of(tools.revise)
        keys = _keys(calls, stack)
        held |= _held(calls, keys, stack, progress)
        missing = {key: call for key, call in zip(keys, calls, strict=True) if key not in held}
        asked = [
            ToolCall(id=f"{call.step}.{number}", name=call.function, arguments=call.arguments)
            for number, call in enumerate(missing.values(), 1)
        ]
        found = await carry_out(asked, tools, progress, run)
        held |= dict(zip(missing, found.results, strict=True))
        news = replace(
            news,
            results=(*news.results, *found.results),
            searches=(*news.searches, *found.searches),
            answers=(*news.answers, *found.answers),
        )
        for step in wave:
            made = tuple(
                held[key] for key, call in zip(keys, calls, strict=True) if call.step == step.id
            )
            if made:
                done[step.id] = made
            problems += [
                f"{step.id}: {each.name} gave {each.kind}" for each in made if each.kind != "ok"
            ]
    records = tuple(_record(each, done, run.state_of(tools.revise), progress) for each in steps)
    return PlanOutcome(news, done, _note(steps, done, problems), records)


def _keys(calls: Sequence[ResolvedCall], stack: Stack) -> list[str]:
    """What each call of a wave is known by. Equal calls have the same, but for those that may
    change something, search, or ask the person: each of them is made."""
    keys: list[str] = []
    for number, call in enumerate(calls, 1):
        entry = stack.find(call.function)
        if entry is None or entry.function.changing or entry.function.name in (REVISE, ASK):
            keys.append(f"{call.step}.{number}")
        else:
            keys.append(call_key(entry, call.arguments))
    return keys


def _held(
    calls: Sequence[ResolvedCall], keys: Sequence[str], stack: Stack, progress: CallProgress
) -> dict[str, ToolResult]:
    """The results of equal calls that were made before in this run, of functions that only work
    something out."""
    results = {each.number: each for each in progress.results if each.kind == "ok"}
    found: dict[str, ToolResult] = {}
    for key, call in zip(keys, calls, strict=True):
        entry = stack.find(call.function)
        number = progress.made.get(key, 0)
        if number in results and entry is not None and entry.function.effect == "pure":
            found[key] = results[number]
    return found


def _record(
    step: PlannedCall,
    done: Mapping[str, tuple[ToolResult, ...]],
    stack: Stack,
    progress: CallProgress,
) -> PlanRecord:
    entry = stack.find(step.function)
    taken = {(each[FROM], str(each.get("path") or "")) for each in references_in(step.arguments)}
    sources = {source for source, _ in taken}
    links = [PlanLink(step=source, path=path) for source, path in sorted(taken)]
    links += [PlanLink(step=each) for each in step.after if each not in sources]
    return PlanRecord(
        turn=progress.turn,
        step=step.id,
        function=step.function if entry is None else entry.id,
        after=tuple(links),
        calls=tuple(each.number for each in done.get(step.id, ()) if each.number),
    )


async def _calls_of(
    wave: Sequence[PlannedCall],
    done: Mapping[str, tuple[ToolResult, ...]],
    resolve: ResolveFlow,
    run: Run,
) -> tuple[list[ResolvedCall], list[str]]:
    """The calls of a wave; a step reads the results where an argument refers to one."""
    if not any(True for step in wave for _ in references_in(step.arguments)):
        plain = [
            ResolvedCall(step=each.id, function=each.function, arguments=each.arguments)
            for each in wave
        ]
        return plain, []
    outputs = await run.call(resolve, {"steps": tuple(wave), "results": dict(done)})
    return list(outputs["calls"]), list(outputs["problems"])


def _note(
    steps: Sequence[PlannedCall], done: Mapping[str, tuple[ToolResult, ...]], problems: list[str]
) -> str:
    made = [
        f"{step} is call {' and '.join(str(each.number) for each in results if each.number)}"
        for step, results in done.items()
        if any(each.number for each in results)
    ]
    told = f"Of your plan, {'; '.join(made)}." if made else "Nothing of your plan was called."
    if not problems:
        return f"{told} Now answer, or give a plan for what is still missing."
    left = [each.id for each in steps if each.id not in done]
    more = f" These steps were not made: {', '.join(left)}." if left else ""
    return (
        f"{told} Something unexpected came: {'; '.join(problems)}.{more} Change the plan for what "
        "is still missing, or answer."
    )
