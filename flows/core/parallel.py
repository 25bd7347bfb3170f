"""Steps that run at once, as soon as those that they come after are done."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import Any, ClassVar

from pydantic import Field

from flows.core.dataflow.facts import KeyFact, KnownKeys, Place, join
from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Problem, walk
from flows.core.ports import ports_model
from flows.core.run import YIELD_SECONDS, Run
from flows.core.topology import (
    CompositeConfig,
    Step,
    TopologyItem,
    collect,
    follow_others,
    known_outputs,
    make_steps,
    names_of,
    unknown_flows,
)
from flows.core.trace import Trace, config_place, either, first_state, ways_of
from flows.core.values import Values
from flows.errors import InterfaceError, LimitReached, Waiting, nearest


class ParallelItem(TopologyItem):
    """A step that begins when the flows named in `after` are done."""

    after: tuple[str, ...] = Field(default=(), description="flows of this topology")


class ParallelConfig(CompositeConfig):
    """The keys of a parallel flow."""

    topology: tuple[ParallelItem, ...] = Field(default=(), description="each flow once")
    max_concurrency: int | None = Field(default=None, ge=1, description="steps at once")


def ancestors_of(items: Sequence[ParallelItem]) -> dict[str, frozenset[str]] | None:
    """For each flow all that it comes after, near and far; None when they form a circle."""
    after = {item.flow: item.after for item in items}
    known: dict[str, frozenset[str]] = {}
    while len(known) < len(after):
        ready = [
            name for name in after if name not in known and all(n in known for n in after[name])
        ]
        if not ready:
            return None
        for name in ready:
            known[name] = frozenset(after[name]).union(*(known[n] for n in after[name]))
    return known


def _circle(items: Sequence[ParallelItem]) -> list[str]:
    """The flows of a circle, and those between circles."""
    left = {item.flow: set(item.after) for item in items}
    while True:
        awaited = {name for after in left.values() for name in after}
        ends = [
            name for name, after in left.items() if not after & set(left) or name not in awaited
        ]
        if not ends:
            return list(left)
        for name in ends:
            del left[name]


class ParallelFlow(CompositeFlow):
    """Runs the steps of its topology concurrently, each as soon as those in its `after` are done.

    A step sees the inputs and the outputs of the steps that it comes after, and of no others, so
    that what it sees does not depend on timing. Two steps that are not ordered may not write the
    same key. When one step fails the others are cancelled; when one waits for a person the others
    go on, to their ends or to questions of their own.
    """

    Config: ClassVar[type[FlowConfig]] = ParallelConfig

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.set_inputs(ports_model(self.name, config.input_interface))
        self.steps = make_steps(config.topology, self.subflows, parts)
        self.ancestors = ancestors_of(config.topology) or {}
        order = sorted(
            self.steps, key=lambda step: (len(self.ancestors[step.flow.name]), step.index)
        )
        self.ordered = tuple(order)
        # The names that each step comes after, in the order in which their outputs are laid over
        # each other; and the steps that wait for each.
        places = {step.flow.name: place for place, step in enumerate(order)}
        self.before = {
            name: tuple(sorted(names, key=places.__getitem__))
            for name, names in self.ancestors.items()
        }
        # The steps that a worker may do whole.
        self.items = frozenset(
            step.flow.name
            for step in order
            if not any(getattr(each, "spreads", False) for _, each in walk(step.flow))
        )
        self.following: dict[str, list[Step]] = {}
        for step in order:
            for name in {*config.topology[step.index].after}:
                self.following.setdefault(name, []).append(step)

    def output_names(self) -> frozenset[str]:
        return names_of(self.follow(self.known_inputs(), Trace()))

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        problems = unknown_flows(config.topology, subflows)
        names = [item.flow for item in config.topology]
        for index, item in enumerate(config.topology):
            if item.flow in names[:index]:
                problems.append(
                    Problem(
                        f"{item.flow!r} stands in the topology twice", ("topology", index, "flow")
                    )
                )
            problems += [
                Problem(
                    f"there is no step {name!r} to come after",
                    ("topology", index, "after", place),
                    tuple(names),
                    nearest(name, names),
                )
                for place, name in enumerate(item.after)
                if name not in names
            ]
        if not problems and ancestors_of(config.topology) is None:
            circle = ", ".join(_circle(config.topology))
            text = f"the steps {circle} wait for each other in a circle"
            problems.append(Problem(text, ("topology",)))
        return problems

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        place, first = config_place(self), first_state(self, given)
        follow_others(self, self.steps, trace)
        written: dict[str, KnownKeys] = {}
        for step in self.ordered:
            known = first
            for name in self.before[step.flow.name]:
                known = known.updated(written[name])
            _, ways = step.follow(known, place, trace, self.steps)
            written[step.flow.name] = join(ways_of(step.flow, ways))
        self._check_conflicts(written, place, trace)
        last = first
        for step in self.ordered:
            last = last.updated(written[step.flow.name])
        outputs = self.config.output_interface
        return known_outputs([("", last)], outputs, None, place, trace)

    def _check_conflicts(
        self, written: Mapping[str, KnownKeys], place: Place, trace: Trace
    ) -> None:
        """Keys that two steps write of which neither comes after the other. It is a fault if both
        always do; else a warning, as the run may end before, or go another way."""
        writers: dict[str, list[Step]] = {}
        for step in self.steps:
            for key, fact in sorted(written[step.flow.name].facts.items()):
                others = writers.setdefault(key, [])
                for other in others:
                    if not self._ordered(step, other):
                        before = written[other.flow.name].facts[key]
                        problem = _conflict(key, step, fact, other, before)
                        trace.fault(place, problem)
                        trace.use(before)
                others.append(step)

    def _ordered(self, one: Step, other: Step) -> bool:
        names = one.flow.name, other.flow.name
        return names[0] in self.ancestors[names[1]] or names[1] in self.ancestors[names[0]]

    async def run(self, inputs: Any, run: Run) -> Values:
        given = dict(inputs.__dict__)
        written: dict[str, Values] = {}
        try:
            await self._take_all(given, written, run)
        except LimitReached as limit:
            limit.outputs = collect(self._joined(given, written), self.config.output_interface)
            raise
        return collect(self._joined(given, written), self.config.output_interface)

    async def _take_all(self, given: Values, written: dict[str, Values], run: Run) -> None:
        work = _Steps(self, given, written, run)
        try:
            async with asyncio.TaskGroup() as group:
                await work.take_all(group)
        except BaseExceptionGroup as several:
            raise first_error(several) from several
        for question in work.waiting:
            raise question

    def _joined(self, given: Mapping[str, Any], written: Mapping[str, Values]) -> Values:
        """Inputs and all outputs, later steps over those that they come after."""
        state = dict(given)
        writer: dict[str, Step] = {}
        for step in self.ordered:
            outputs = written.get(step.flow.name, {})
            for key in outputs:
                if key in writer and not self._ordered(step, writer[key]):
                    names = writer[key].flow.name, step.flow.name
                    raise InterfaceError(f"{names[0]} and {names[1]} both wrote {key!r}")
                writer[key] = step
            state.update(outputs)
        return state


def _conflict(key: str, step: Step, fact: KeyFact, other: Step, before: KeyFact) -> Problem:
    """What is wrong where both steps write the key."""
    mend = "order them with `after`, or rename a key"
    names, where = f"{other.flow.name} and {step.flow.name}", ("topology", step.index)
    if not (fact.lacks or before.lacks):
        text = f"{names} both write {key!r} and neither comes after the other; {mend}"
        return Problem(text, where)
    ways = tuple(dict.fromkeys((*before.lacks, *fact.lacks)))
    text = (
        f"{names} perhaps both write {key!r} (not {either(ways)}), and neither comes after the "
        f"other, so that the run would end there; {mend}"
    )
    return Problem(text, where, warning=True)


class _Steps:
    """The steps of one call of a parallel flow, of which some are ready, some at work.

    They are taken by workers, each a task that takes one step after the other. A worker more begins
    only when those before it wait for something, so that steps that wait for nothing cost no task
    of their own.
    """

    def __init__(
        self, flow: ParallelFlow, given: Values, written: dict[str, Values], run: Run
    ) -> None:
        self.flow = flow
        self.given = given
        self.written = written
        self.run = run
        self.waiting: list[Waiting] = []
        self.left = {item.flow: len({*item.after}) for item in flow.config.topology}
        self.ready = deque(step for step in flow.ordered if not self.left[step.flow.name])
        self.workers = 0
        self.news = asyncio.Event()

    async def take_all(self, group: asyncio.TaskGroup) -> None:
        """Begin workers until no step is ready and none at work. A step that waits for a person
        keeps those after it from beginning. Errors: as of the steps, by the group."""
        most = self.flow.config.max_concurrency or len(self.flow.steps)
        more = 1
        while self.ready or self.workers:
            count = min(more, len(self.ready), most - self.workers)
            for _ in range(count):
                self.workers += 1
                group.create_task(self._work())
            if count:
                more *= 2
                await asyncio.sleep(0)
            else:
                more = 1
                self.news.clear()
                await self.news.wait()

    async def _work(self) -> None:
        began = perf_counter()
        try:
            while self.ready:
                await self._take(self.ready.popleft())
                if (now := perf_counter()) - began > YIELD_SECONDS:
                    await asyncio.sleep(0)
                    began = now
        finally:
            self.workers -= 1
            self.news.set()

    async def _take(self, step: Step) -> None:
        run, name = self.run, step.flow.name
        state: Mapping[str, Any] = self.given
        if before := self.flow.before[name]:
            state = self.given.copy()
            for other in before:
                state.update(self.written[other])
        payload = step.payload(state, run)
        mine = self.written[name] = {}
        try:
            # What was folded before is known here alone.
            item = name in self.flow.items and not run.states
            outputs = await run.call(step.flow, payload, step.goal, pick=True, item=item)
        except LimitReached as limit:
            step.merge_partial(mine, limit, run)
            raise
        except Waiting as question:
            self.waiting.append(question)
            return
        step.merge(mine, outputs, run)
        if step.reset:
            run.reset(step.flow)
        for following in self.flow.following.get(name, ()):
            self.left[following.flow.name] -= 1
            if not self.left[following.flow.name]:
                self.ready.append(following)
                self.news.set()


def first_error(several: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error to show of those that were raised together: the first that is a single one."""
    first = several.exceptions[0]
    return first_error(first) if isinstance(first, BaseExceptionGroup) else first
