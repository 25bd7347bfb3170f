"""Carrying out the tool calls of one reply: functions, searches, questions to the person."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from pydantic_core import to_jsonable_python

from flows.analysis.functions.decision import PersonAnswer, SearchResult
from flows.core.chat import ToolCall
from flows.core.flow import Flow
from flows.core.observation import Observation
from flows.core.parallel import first_error
from flows.core.run import Run
from flows.core.values import Values
from flows.errors import CommandError, PortError, StepFailed, ToolError, Waiting, nearest
from flows.library.interpreter.ask import AskPersonFlow
from flows.library.interpreter.builtin import ABOUT, ASK, READ, RECALL, REVISE, STRATEGY
from flows.library.interpreter.call import CallFlow, KeepFlow
from flows.library.interpreter.config import PlanRecord
from flows.library.interpreter.consent import ConsentFlow
from flows.library.interpreter.results import ResultSummary, ToolResult
from flows.library.interpreter.revise import ReviseFlow, told_searches
from flows.library.interpreter.stack import Stack, StackEntry
from flows.tools.sources.arguments import check_call
from flows.tools.sources.results import observation_of

_SIGNS: Final = frozenset({"observation", "EARLY_EXIT"})
_REVISION: Final = ("questions", "limit", "function_class", "prune")
T = TypeVar("T")


@dataclass(frozen=True)
class Toolbox:
    """The flows that carry calls out. `calls` are those for functions of the store, by the effect
    of the function; `subflows` are functions that are flows; `sessions` is there where the run has
    a memory. At most `parallel` calls are made at once."""

    revise: ReviseFlow
    ask: AskPersonFlow
    consent: ConsentFlow
    strategy: Flow
    read: Flow
    keep: KeepFlow
    calls: Mapping[str, CallFlow]
    subflows: Mapping[str, Flow]
    max_chars: int
    parallel: int
    sessions: Flow | None = None


@dataclass
class CallProgress:
    """What a run has done so far. `results` are those with a number, in its order."""

    about: str = ""
    today: str = ""
    channel: str = ""
    calls_left: int = 0
    searches_left: int = 0
    turn: int = 0
    results: list[ToolResult] = field(default_factory=list)
    called: list[str] = field(default_factory=list)
    used: dict[int, str] = field(default_factory=dict)
    searches: list[SearchResult] = field(default_factory=list)
    answers: list[PersonAnswer] = field(default_factory=list)
    summaries: list[ResultSummary] = field(default_factory=list)
    made: dict[str, int] = field(default_factory=dict)
    plan: list[PlanRecord] = field(default_factory=list)
    nobody: bool = False

    def begin(self, key: str, function: str) -> int:
        """The number of a call that is made now; `key` is what it is known by."""
        self.calls_left -= 1
        number = len(self.used) + 1
        self.used[number] = function
        self.made[key] = number
        self.called.append(function)
        return number


@dataclass(frozen=True, slots=True)
class News:
    """What came of the calls of one reply."""

    results: tuple[ToolResult, ...] = ()
    searches: tuple[SearchResult, ...] = ()
    answers: tuple[PersonAnswer, ...] = ()


async def carry_out(
    calls: Sequence[ToolCall], tools: Toolbox, progress: CallProgress, run: Run
) -> News:
    """Make the calls: functions at once, then searches, then questions to the person. Each is a
    step of its own; what goes wrong in one is its result. Before any is made the person is asked
    about those that change something, about all in one question.

    Errors: those that end a run, as `LimitReached` and `Waiting`.
    """
    stack: Stack = run.state_of(tools.revise)
    before = len(progress.searches), len(progress.answers)
    found, jobs = await _begin(calls, stack, tools, progress, run)
    done = await all_at_once([partial(each.work, run) for each in jobs.values()], tools.parallel)
    for (place, job), (observation, artifact) in zip(jobs.items(), done, strict=True):
        found[place] = await _result(job, observation, artifact, tools, run)
    progress.results += [each for _, each in sorted(found.items()) if each.number]
    for place, call in enumerate(calls):
        if place not in found and call.name == REVISE:
            found[place] = await _revise(call, tools, progress, run)
    for place, call in enumerate(calls):
        if place not in found:
            found[place] = await _ask(call, tools, progress, run)
    return News(
        tuple(found[place] for place in range(len(calls))),
        tuple(progress.searches[before[0] :]),
        tuple(progress.answers[before[1] :]),
    )


async def all_at_once(jobs: Sequence[Callable[[], Coroutine[Any, Any, T]]], most: int) -> list[T]:
    """The results of the jobs in their order; they begin in it, and at most `most` run at once.
    When one waits for a person, the others go on to their ends before `Waiting` is raised; when one
    fails, the others are cancelled."""
    waiting: list[Waiting] = []
    results: dict[int, T] = {}
    places = asyncio.Semaphore(most)

    async def take(place: int, job: Callable[[], Coroutine[Any, Any, T]]) -> None:
        try:
            async with places:
                results[place] = await job()
        except Waiting as question:
            waiting.append(question)

    try:
        async with asyncio.TaskGroup() as group:
            for place, job in enumerate(jobs):
                group.create_task(take(place, job))
    except BaseExceptionGroup as several:
        raise first_error(several) from several
    if waiting:
        raise waiting[0]
    return [results[place] for place in range(len(jobs))]


async def _begin(
    calls: Sequence[ToolCall], stack: Stack, tools: Toolbox, progress: CallProgress, run: Run
) -> tuple[dict[int, ToolResult], dict[int, _CallJob]]:
    """The results of calls that are refused, and the work of those that are made, with their
    numbers; both by their places. Searches and questions are in neither."""
    found: dict[int, ToolResult] = {}
    ready: dict[int, StackEntry] = {}
    for place, call in enumerate(calls):
        if call.name in (REVISE, ASK) and stack.find(call.name) is not None:
            continue
        entry = stack.find(call.name)
        refusal = await _refusal(call, entry, stack, tools, progress, run)
        if not refusal and len(ready) >= progress.calls_left:
            refusal = "no calls are left: answer with what you know"
        if refusal or entry is None:
            found[place] = _refused(call, refusal)
        else:
            ready[place] = entry
    asked = {place: each for place, each in ready.items() if each.function.changing}
    refusals = await _consent([(each, calls[n].arguments) for n, each in asked.items()], tools, run)
    refused = dict(zip(asked, refusals, strict=True))
    jobs: dict[int, _CallJob] = {}
    for place, entry in ready.items():
        call = calls[place]
        if refusal := refused.get(place) or _repeated(call, entry, progress):
            found[place] = _refused(call, refusal)
            continue
        number = progress.begin(call_key(entry, call.arguments), entry.id)
        jobs[place] = _CallJob(call, number, _work(call, entry, tools, progress))
    return found, jobs


async def _refusal(
    call: ToolCall,
    entry: StackEntry | None,
    stack: Stack,
    tools: Toolbox,
    progress: CallProgress,
    run: Run,
) -> str:
    """Why a call cannot be made, whatever the person says of it; "" where it can."""
    if entry is None:
        return _unknown(call.name, stack)
    if entry.function.unapproved:
        return await _approve(entry, tools, progress, run)
    try:
        check_call(entry.described, call.arguments)
    except ToolError as error:
        return str(error)
    return _repeated(call, entry, progress)


def _repeated(call: ToolCall, entry: StackEntry, progress: CallProgress) -> str:
    """Why a function that only works something out is not called again."""
    earlier = progress.made.get(call_key(entry, call.arguments))
    if earlier is None or entry.function.effect != "pure":
        return ""
    return f"this was called before, with the same arguments: see the result of call {earlier}"


def call_key(entry: StackEntry, arguments: Mapping[str, Any]) -> str:
    """What a call is known by: its function and its arguments."""
    return json.dumps([entry.id, to_jsonable_python(arguments)], sort_keys=True)


async def _consent(
    calls: Sequence[tuple[StackEntry, Mapping[str, Any]]], tools: Toolbox, run: Run
) -> list[str]:
    """Why the person does not allow each of the calls; "" where they do."""
    if not calls:
        return []
    asked = [
        {"function": entry.function, "arguments": arguments, "pinned": entry.pinned}
        for entry, arguments in calls
    ]
    consent = await run.call(tools.consent, {"calls": asked})
    return [each.refusal for each in consent["decisions"]]


async def _approve(entry: StackEntry, tools: Toolbox, progress: CallProgress, run: Run) -> str:
    """Ask the person to approve a function that its server has changed, and load it as it is now;
    what the model is told of that."""
    (refusal,) = await _consent([(entry, {})], tools, run)
    if refusal:
        return refusal
    await revise({"load": (entry.id,)}, tools, progress, run)
    return (
        f"{entry.name} is approved as it is now: read its description and arguments, then call it"
    )


def _unknown(name: str, stack: Stack) -> str:
    names = [each.name for each in stack.entries]
    meant = nearest(name, names)
    hint = f"; did you mean {meant!r}?" if meant else ""
    return (
        f"{name[:64]!r} is not among the functions that can be called{hint} (functions: "
        f"{', '.join(names)})"
    )


def _refused(call: ToolCall, text: str) -> ToolResult:
    return ToolResult(
        call_id=call.id, name=call.name, arguments=call.arguments, kind="error", text=text
    )


Work = Callable[[Run], Coroutine[Any, Any, tuple[Observation, str]]]


@dataclass(frozen=True, slots=True)
class _CallJob:
    """A call that is made, its number, and its work."""

    call: ToolCall
    number: int
    work: Work


async def _result(
    job: _CallJob, found: Observation, artifact: str, tools: Toolbox, run: Run
) -> ToolResult:
    """The result of a call; a long one is kept as an artifact."""
    call = job.call
    if not artifact and len(found.text) > tools.max_chars:
        kept = await run.call(tools.keep, {"name": call.name, "observation": found})
        found, artifact = kept["observation"], kept["artifact"]
    run.count_command(found.kind)
    return ToolResult.of(
        call.id, call.name, call.arguments, found, number=job.number, artifact=artifact
    )


def _work(call: ToolCall, entry: StackEntry, tools: Toolbox, progress: CallProgress) -> Work:
    """How a function of the stack is called."""
    name = entry.function.name
    if entry.pinned and name == ABOUT:
        about = progress.about or "Nothing is said about what there is."

        async def tell(run: Run) -> tuple[Observation, str]:
            del run
            return Observation(kind="ok", text=about), ""

        return tell
    if entry.pinned and name == STRATEGY:
        return _step(tools.strategy, call.name, dict(call.arguments))
    if entry.pinned and name == READ:
        results = tuple(progress.results)
        return _step(tools.read, call.name, {**call.arguments, "results": results})
    if entry.pinned and name == RECALL and tools.sessions is not None:
        where = {"operation": "recall", "channel": progress.channel}
        return _step(tools.sessions, call.name, {**call.arguments, **where})
    if entry.pinned and name in tools.subflows:
        return _step(tools.subflows[name], call.name, dict(call.arguments))
    flow = tools.calls[entry.function.effect]

    async def invoke(run: Run) -> tuple[Observation, str]:
        given = {"id": entry.id, "arguments": call.arguments}
        outputs = await run.call(flow, given, f"Calls {call.name}.")
        return outputs["observation"], outputs["artifact"]

    return invoke


def _step(flow: Flow, name: str, payload: Mapping[str, Any]) -> Work:
    """The call of a flow whose errors are observations."""

    async def work(run: Run) -> tuple[Observation, str]:
        try:
            outputs = await run.call(flow, payload)
        except StepFailed as failure:
            if not isinstance(failure.root, CommandError | PortError):
                raise
            return Observation(kind="error", text=f"{name} failed: {failure.root}"), ""
        return observed(outputs), ""

    return work


def observed(outputs: Values) -> Observation:
    """What a flow found: its `observation`, or whatever it returned."""
    found = outputs.get("observation")
    if isinstance(found, Observation):
        return found
    return observation_of({key: each for key, each in outputs.items() if key not in _SIGNS})


async def _revise(call: ToolCall, tools: Toolbox, progress: CallProgress, run: Run) -> ToolResult:
    before: Stack = run.state_of(tools.revise)
    entry = before.find(REVISE)
    if progress.searches_left <= 0:
        return _refused(call, "no searches are left: use the functions that you have")
    try:
        given = {key: each for key, each in call.arguments.items() if each is not None}
        assert entry is not None  # the caller has looked
        check_call(entry.described, given)
    except ToolError as error:
        return _refused(call, str(error))
    progress.searches_left -= 1
    asked: Values = {key: given[key] for key in _REVISION if key in given}
    outputs = await revise(asked, tools, progress, run)
    stack: Stack = run.state_of(tools.revise)
    text = told_searches(tools.revise.outputs_type.model_validate(outputs), stack, before)  # type: ignore[arg-type]
    return ToolResult(
        call_id=call.id, name=call.name, arguments=call.arguments, text=text,
        kind="error" if outputs["problem"] else "ok",
    )  # fmt: skip


async def revise(
    asked: Mapping[str, Any], tools: Toolbox, progress: CallProgress, run: Run
) -> Values:
    """Search for functions and load them; the calls since the last time are told to the stack."""
    payload = {**asked, "turn": progress.turn, "called": tuple(progress.called)}
    outputs = await run.call(tools.revise, payload)
    progress.called.clear()
    progress.searches += outputs["searches"]
    return outputs


async def _ask(call: ToolCall, tools: Toolbox, progress: CallProgress, run: Run) -> ToolResult:
    if progress.nobody:
        return _refused(call, "nobody is there to answer: go on without")
    given = {key: each for key, each in call.arguments.items() if each is not None}
    try:
        answered = await run.call(tools.ask, given)
    except StepFailed as failure:
        if not isinstance(failure.root, PortError):
            raise
        return _refused(call, str(failure.root))
    if answered["nobody"]:
        progress.nobody = True
        return _refused(call, "nobody is there to answer: go on without")
    question, answer = str(given["question"]), str(answered["answer"])
    progress.answers.append(PersonAnswer(question=question, answer=answer))
    return ToolResult(
        call_id=call.id, name=call.name, arguments=call.arguments, text=f"The person says: {answer}"
    )
