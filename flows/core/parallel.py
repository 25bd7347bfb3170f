"""Steps that run at once, as soon as those that they come after are done."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Problem
from flows.core.ports import ports_model
from flows.core.run import Run
from flows.core.topology import (
    CompositeConfig,
    Step,
    TopologyItem,
    collect,
    make_steps,
    output_problems,
    outputs_of,
    step_problems,
    unknown_flows,
)
from flows.core.transformations import ANY
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

    def output_names(self) -> frozenset[str]:
        return outputs_of(self.steps, self.port_names, self.config.output_interface)

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
            problems.append(Problem("the steps wait for each other in a circle", ("topology",)))
        return problems

    def key_problems(self) -> list[Problem]:
        problems: list[Problem] = []
        written: dict[str, frozenset[str]] = {}
        for step in self.ordered:
            before = [written[name] for name in self.ancestors[step.flow.name]]
            problems += step_problems(step, frozenset(self.port_names).union(*before))
            try:
                written[step.flow.name] = step.names_out()
            except InterfaceError as error:
                written[step.flow.name] = frozenset({ANY})
                at = ("topology", step.index, "output_interface")
                problems.append(Problem(str(error), at))
        problems += self._conflicts(written)
        everything = frozenset(self.port_names).union(*written.values())
        return problems + output_problems(self.config.output_interface, everything)

    def _conflicts(self, written: Mapping[str, frozenset[str]]) -> list[Problem]:
        problems = []
        for index, step in enumerate(self.steps):
            for other in self.steps[:index]:
                if self._ordered(step, other):
                    continue
                both = (written[step.flow.name] & written[other.flow.name]) - {ANY}
                problems += [
                    Problem(
                        f"{other.flow.name} and {step.flow.name} both write {key!r} and neither "
                        "comes after the other; order them with `after`, or rename a key",
                        ("topology", step.index),
                    )
                    for key in sorted(both)
                ]
        return problems

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
        done = {step.flow.name: asyncio.Event() for step in self.steps}
        waiting: dict[str, Waiting] = {}
        places = asyncio.Semaphore(self.config.max_concurrency or len(self.steps))

        async def take(step: Step) -> None:
            name = step.flow.name
            for before in self.ancestors[name]:
                await done[before].wait()
            if waiting.keys() & self.ancestors[name]:
                done[name].set()
                return
            state = dict(given)
            for other in self.ordered:
                if other.flow.name in self.ancestors[name]:
                    state.update(written[other.flow.name])
            async with places:
                payload = step.payload(state, run)
                mine = written[name] = {}
                try:
                    outputs = await run.call(step.flow, payload, step.goal, pick=True)
                except LimitReached as limit:
                    step.merge_partial(mine, limit, run)
                    raise
                except Waiting as question:
                    waiting[name] = question
                    done[name].set()
                    return
            step.merge(mine, outputs, run)
            if step.reset:
                run.reset(step.flow)
            done[name].set()

        try:
            async with asyncio.TaskGroup() as group:
                for step in self.ordered:
                    group.create_task(take(step))
        except BaseExceptionGroup as several:
            raise first_error(several) from several
        for question in waiting.values():
            raise question

    def _joined(self, given: Mapping[str, Any], written: Mapping[str, Values]) -> Values:
        """Inputs and all outputs, later steps over those that they come after."""
        state = dict(given)
        writer: dict[str, Step] = {}
        for step in self.ordered:
            for key in written.get(step.flow.name, ()):
                if key in writer and not self._ordered(step, writer[key]):
                    names = writer[key].flow.name, step.flow.name
                    raise InterfaceError(f"{names[0]} and {names[1]} both wrote {key!r}")
                writer[key] = step
            state.update(written.get(step.flow.name, {}))
        return state


def first_error(several: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error to show of those that were raised together: the first that is a single one."""
    first = several.exceptions[0]
    return first_error(first) if isinstance(first, BaseExceptionGroup) else first
