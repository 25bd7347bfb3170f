"""Where a value of a run comes from: from step to step back to where it entered the run.

A composite's outputs come from the steps that it called, and a step's inputs from the steps before
it or from the inputs of the composite above. Which one is told by the value itself: the step whose
recorded outcome holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from flows.core.flow import AtomicFlow
from flows.core.map import MapFlow
from flows.core.parallel import ParallelFlow
from flows.explain.containment import (
    LONG_PART,
    How,
    Path,
    ValuePlace,
    equal_in,
    made_with,
    part_in,
    read_in,
    tells,
    walk_value,
)
from flows.explain.retrace import Retold, RetracedStep
from flows.library.blocks.chat import ChatFlow

SAME: Final = "same value"
FAILURE: Final = "error"
_MOST_LINKS: Final = 60
Look = Callable[[Mapping[str, Any]], ValuePlace | None]
# passes on: it holds the value because it was given it. made: by the step, from its inputs.
Kind = Literal["model", "person", "data", "passes on", "made", "input", "composite"]


@dataclass(frozen=True, slots=True)
class ValueSource:
    """What holds a value: a step's output (its error, when it failed), an input of the run, or,
    with `kind` composite, no step's outcome: then the composite made it by its own code."""

    kind: Literal["step", "input", "composite"]
    step: RetracedStep
    path: Path
    value: Any
    how: How = SAME
    inner: Path = ()


@dataclass(frozen=True, slots=True)
class OriginLink:
    """One link of the way back. `key` is where the value stands in the step's outputs, `how` how
    it stands there and `inner` where in the JSON of a text; `of` is the link, from 0, whose value
    this one explains, by the input `by` of its step."""

    kind: Kind
    source: ValueSource
    of: int | None = None
    by: str = ""

    @property
    def step(self) -> RetracedStep:
        return self.source.step

    @property
    def key(self) -> str:
        return ".".join(self.source.path)

    @property
    def effect(self) -> str | None:
        """What the flow of the step declares to do to the world; None of a composite."""
        flow = self.step.flow
        return flow.effect if isinstance(flow, AtomicFlow) else None


class Origins:
    """Finds where values come from in a run that was retold."""

    def __init__(self, told: Retold) -> None:
        self.told = told

    def of_output(self, step: RetracedStep, path: Path, value: Any) -> ValueSource:
        """What holds an output: the step itself, or one below it when it is a composite, or a
        class that asks a model."""
        if step.flow.atomic:
            return self._inner_source(step, ValueSource("step", step, path, value))
        return self._search(step, path, value, step.ended or self._after_all)

    def of_input(self, step: RetracedStep, path: Path, value: Any) -> ValueSource:
        """What holds an input of a step."""
        if step.above is None:
            return ValueSource("input", step, path, value)
        above = self.told.steps[step.above]
        names = None
        if isinstance(above.flow, ParallelFlow):
            names = above.flow.ancestors[step.flow.name]
        elif isinstance(above.flow, MapFlow):
            names = frozenset()  # an element sees nothing of the others
        return self._search(above, path, value, step.began, names)

    def chain(self, first: ValueSource) -> tuple[OriginLink, ...]:
        """All links back from what holds a value, each place once."""
        links: list[OriginLink] = []
        seen: set[tuple[str, Path]] = set()
        left: list[tuple[ValueSource, int | None, str]] = [(first, None, "")]
        while left and len(links) < _MOST_LINKS:
            source, of, by = left.pop()
            if (at := (source.step.address, source.path)) in seen:
                continue
            seen.add(at)
            kind, onward = self._classify(source)
            links.append(OriginLink(kind, source, of, by))
            before = len(links) - 1
            for path, value in reversed(onward):
                left.append((self.of_input(source.step, path, value), before, ".".join(path)))
        return tuple(links)

    @property
    def _after_all(self) -> int:
        return 2 * len(self.told.steps) + 1

    def _asked_model(self, step: RetracedStep) -> bool:
        asks = isinstance(step.flow, ChatFlow) or step.is_inner
        return asks or bool(self.told.rows_at(step.address, "call"))

    def _classify(self, source: ValueSource) -> tuple[Kind, list[tuple[Path, Any]]]:
        """What a source is, and the inputs of its step to go on with."""
        step, value = source.step, source.value
        if source.kind != "step":
            return source.kind, []
        if self._asked_model(step):
            return "model", []
        if self.told.rows_at(step.address, "answer"):
            return "person", []
        key = source.path[-1]
        place = equal_in(step.inputs, value, key) or (
            equal_in(step.inputs, value) if tells(value) else None
        )
        if place is not None:
            return "passes on", [(place.path, value)]
        if tells(value) and (place := part_in(step.inputs, value)) is not None:
            return "made", [(place.path, _at(step.inputs, place.path))]
        kind: Kind = "data" if "data" in step.flow.needs.values() else "made"
        given: list[tuple[Path, Any]] = [((name,), each) for name, each in step.inputs.items()]
        known = [each for each in given if self.of_input(step, *each).kind != "composite"]
        return kind, known or [each for each in given if tells(each[1])]

    def _search(
        self,
        scope: RetracedStep,
        path: Path,
        value: Any,
        before: int,
        names: frozenset[str] | None = None,
    ) -> ValueSource:
        """What holds a value among the steps that a composite had called by then, the last first,
        and its own inputs: equal under the same key, then anywhere, then as a part of a text."""
        below = [
            step
            for step in reversed(self.told.below(scope.address))
            if step.began < before
            and (step.ended is None or step.ended < before)
            and (names is None or step.flow.name in names)
        ]
        found = (self._look(scope, below, look) for look in _looks(path, value))
        return next(filter(None, found), ValueSource("composite", scope, path, value))

    def _inner_source(self, step: RetracedStep, own: ValueSource) -> ValueSource:
        """Which of the calls of a model that a step has made itself holds its value, the last
        first; the step's own source if none does."""
        inner = self.told.below(step.address)[::-1]
        for look in _looks(own.path, own.value) if inner else ():
            for each in inner:
                if (place := look(held_by(each))) is not None:
                    return self._held(each, place)
        return own

    def _look(
        self, scope: RetracedStep, below: list[RetracedStep], look: Look
    ) -> ValueSource | None:
        """The first place that a look finds: in the steps, or else in the composite's inputs."""
        for step in self._deep(below):
            if (place := look(held_by(step))) is not None:
                return self._held(step, place)
        if (place := look(scope.inputs)) is None:
            return None
        return _through(self.of_input(scope, place.path, _at(scope.inputs, place.path)), place)

    def _deep(self, below: Iterable[RetracedStep]) -> Iterable[RetracedStep]:
        """The steps that came to something; of a composite that did not, those below it."""
        for step in below:
            if step.flow.atomic or step.outputs is not None:
                yield step
            else:
                yield from self._deep(reversed(self.told.below(step.address)))

    def _held(self, step: RetracedStep, place: ValuePlace) -> ValueSource:
        value = _at(held_by(step), place.path)
        if step.flow.atomic:
            own = ValueSource("step", step, place.path, value, place.how, place.inner)
            return self._inner_source(step, own)
        return _through(self.of_output(step, place.path, value), place)


def _looks(path: Path, value: Any) -> list[Look]:
    """The ways to look for a value, the surest first."""
    key = "" if path[-1].isdigit() else path[-1]
    looks: list[Look] = []
    if key:
        looks += [
            lambda held: equal_in(held, value, key),
            lambda held: read_in(held, value, key),
        ]
    if tells(value):
        looks += [lambda held: equal_in(held, value), lambda held: read_in(held, value)]
        looks += [lambda held: part_in(held, value, LONG_PART)]
        looks += [lambda held: made_with(held, value)]
    return looks


def held_by(step: RetracedStep) -> Mapping[str, Any]:
    """What a step came to: its outputs, or its error."""
    return step.outputs if step.outputs is not None else {FAILURE: step.failure}


def _through(source: ValueSource, place: ValuePlace) -> ValueSource:
    """A source that was reached through another text: how that held the value counts."""
    if place.how == SAME or source.how != SAME:
        return source
    return ValueSource(source.kind, source.step, source.path, source.value, place.how, place.inner)


def _at(holder: Mapping[str, Any], path: Path) -> Any:
    return next(value for found, value in walk_value(dict(holder)) if found == path)
