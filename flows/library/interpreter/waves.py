"""Carrying out a plan in waves, until all is done or one brings something unexpected."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from flows.core.chat import ToolCall
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Ports
from flows.core.run import Run
from flows.library.interpreter.planning import (
    PlannedCall,
    ResolvedCall,
    Unresolved,
    ready_steps,
    references_in,
    resolved,
)
from flows.library.interpreter.results import ToolResult, data_of
from flows.library.interpreter.toolbox import CallProgress, News, Toolbox, carry_out


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
    """What came of a plan: the news of its calls, the results of each step that was made, and what
    its maker is told of it."""

    news: News
    done: Mapping[str, tuple[ToolResult, ...]]
    note: str


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
    results of steps of plans before, which arguments may refer to.

    Errors: those that end a run.
    """
    names = {each.id for each in steps}
    before = {step: results for step, results in earlier.items() if step not in names}
    done: dict[str, tuple[ToolResult, ...]] = {}
    news = News()
    problems: list[str] = []
    while len(done) < len(steps) and not problems:
        wave = ready_steps(steps, frozenset(done) | frozenset(before))
        calls, problems = await _calls_of(wave, {**before, **done}, resolve, run)
        asked = [
            ToolCall(id=f"{call.step}.{number}", name=call.function, arguments=call.arguments)
            for number, call in enumerate(calls, 1)
        ]
        found = await carry_out(asked, tools, progress, run)
        news = replace(
            news,
            results=(*news.results, *found.results),
            searches=(*news.searches, *found.searches),
            answers=(*news.answers, *found.answers),
        )
        for step in wave:
            made = tuple(
                each
                for each, call in zip(found.results, calls, strict=True)
                if call.step == step.id
            )
            if made:
                done[step.id] = made
            problems += [
                f"{step.id}: {each.name} gave {each.kind}" for each in made if each.kind != "ok"
            ]
    return PlanOutcome(news, done, _note(steps, done, problems))


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
