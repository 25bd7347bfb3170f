"""One subflow for each element of a list, or for each row of a table."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from time import perf_counter
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import from_json

from flows.core.dataflow.facts import UNKNOWN, KeyFact, KnownKeys, Place, join, join_facts
from flows.core.dataflow.kinds import exact_kinds, misfit
from flows.core.flow import CompositeFlow, Flow, FlowConfig, Parts, Ports, Problem
from flows.core.observation import Observation, Preview
from flows.core.parallel import first_error
from flows.core.ports import PortsSpec, check_ports, ports_model
from flows.core.run import YIELD_SECONDS, Run
from flows.core.trace import Trace, config_place, first_state, follow_call, in_words
from flows.core.values import Values
from flows.errors import LimitReached, PortError, StepFailed, Waiting, nearest

AT_ONCE: Final = 16


class MapConfig(FlowConfig):
    """The keys of a map."""

    subflows_config: dict[str, Any] = Field(default={}, description="the one flow, by its name")
    input_interface: Annotated[PortsSpec, AfterValidator(check_ports)] = Field(
        default=(), description="the inputs: names, or names with types; `over` without it"
    )
    over: str = Field(description="the input that holds the elements: a list, or a table")
    element: str | None = Field(
        default=None,
        alias="as",
        description="the subflow's input that gets an element; without it the element's own keys "
        "are its inputs",
    )
    collect: str | None = Field(
        default=None, description="the output of the subflow that is kept; all without it"
    )
    max_concurrency: int = Field(default=AT_ONCE, ge=1, description="elements at once")
    max_elements: int | None = Field(
        default=None, ge=1, description="a longer list is refused; no limit without it"
    )
    on_failure: Literal["stop", "keep"] = Field(
        default="stop", description="an element that fails ends the flow, or is kept as a failure"
    )


class ElementFailure(BaseModel):
    """An element whose subflow failed: its place in the list, from 0, and the error in words."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    index: int
    error: str


class MapOutputs(Ports):
    """`results` has a place for each element, in their order, null where it failed."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    results: tuple[Any, ...]
    failures: tuple[ElementFailure, ...] = ()


def _over_problems(config: Any) -> Iterator[Problem]:
    """What is wrong where the map has no input of the name of its elements."""
    names = tuple(config.input_interface)
    if names and config.over not in names:
        text = f"the map has no input {config.over!r} to go over"
        yield Problem(text, ("over",), names, nearest(config.over, names))


class MapFlow(CompositeFlow):
    """Calls its subflow once for each element of the input `over`, several at once.

    The subflow also gets the map's other inputs. What it folds (a chat's history, a stack) begins
    anew with each element and is not seen by another. The steps of element 3 stand in the run under
    the subflow's third call, however the elements overtake each other, so that a run that is taken
    up again does only those that are left. When an element waits for a person the others go on.
    """

    bounded_by: ClassVar[tuple[str, ...]] = ("max_elements",)
    spreads: ClassVar[bool] = True
    Config: ClassVar[type[FlowConfig]] = MapConfig
    Outputs: ClassVar[type[Ports]] = MapOutputs

    def __init__(self, config: MapConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        (self.subflow,) = self.subflows.values()
        self.set_inputs(ports_model(self.name, config.input_interface or (config.over,)))

    @classmethod
    def wiring(cls, config: Any, subflows: Mapping[str, Flow]) -> list[Problem]:
        if len(subflows) == 1:
            return []
        text = f"a map has one subflow, and there are {len(subflows)}"
        return [Problem(text, ("subflows_config",)), *_over_problems(config)]

    def follow(self, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
        place, child, config = config_place(self), self.subflow, self.config
        known = first_state(self, given)
        trace.use_all(known)
        for problem in _over_problems(config):
            trace.fault(place, problem)
        each = known.drop(config.over)
        found = _element_of(given.facts.get(config.over, UNKNOWN))
        if (element := config.element) is None:
            each = each.updated(_own_keys(found))
            self._check_keys(each, found, place, trace)
        else:
            each = each.put(element, found)
            self._check_element(element, each, place, trace)
        (*_, returned) = follow_call(child, each, trace)
        if config.collect is not None and returned.look(config.collect) is None:
            text = f"{child.name} has no output {config.collect!r}"
            allowed = tuple(sorted(returned.facts))
            problem = Problem(text, ("collect",), allowed, nearest(config.collect, allowed))
            trace.fault(place, problem)
        return (self.known_outputs(),)

    def _check_element(self, element: str, each: KnownKeys, place: Place, trace: Trace) -> None:
        """Whether the subflow takes the element, and gets its other inputs."""
        child = self.subflow
        ports = child.port_names
        if element not in ports and not child.known_inputs().open:
            text = f"{child.name} has no input {element!r}"
            trace.fault(place, Problem(text, ("as",), ports, nearest(element, ports)))
            return
        for port, needed in child.input_ports.items():
            if needed and port not in each.facts:
                text = f"{child.name} needs the input {port!r}, and nothing gives it"
                trace.fault(place, Problem(text, ("as",)))
        self._check_kind(element, each.facts[element], place, ("as",), trace)

    def _check_keys(self, each: KnownKeys, element: KeyFact, place: Place, trace: Trace) -> None:
        """Whether the subflow takes the element's own keys, and the map's other inputs."""
        child = self.subflow
        for port, needed in child.input_ports.items():
            fact = each.facts.get(port)
            where = min(element.origins, default=None)
            at, path = (place, ("over",)) if where is None else ((), where)
            if needed and (fact.lacks if fact else not each.open):
                text = f"{child.name} needs the input {port!r}, and no element has it"
                if fact is not None:
                    text = f"{child.name} needs the input {port!r}, and not each element has it"
                allowed = tuple(sorted(each.facts))
                trace.fault(at, Problem(text, path, allowed, nearest(port, allowed)), port)
            elif fact is not None:
                self._check_kind(port, fact, at, path, trace)

    def _check_kind(
        self, port: str, fact: KeyFact, place: Place, where: Place, trace: Trace
    ) -> None:
        """Whether the subflow takes each element that is given in the config, and any of others."""
        child, keeps = self.subflow, self.config.on_failure == "keep"
        alone = [KeyFact((each,)) for each in fact.kinds if each.exact]
        for each in alone or [fact]:
            if (said := misfit(child.pick, port, each)) is not None:
                text = f"{child.name} cannot take {in_words(each)} as its input {port!r}: {said}"
                trace.fault(place, Problem(text, where, warning=keeps), port)
                return

    def most_of(self, below: Mapping[str, float]) -> float | None:
        each = sum(below.values())
        most = self.config.max_elements
        return each * most if most is not None else (inf if each else 0)

    async def run(self, inputs: Any, run: Run) -> Values:
        given = dict(inputs.__dict__)
        over, most = self.config.over, self.config.max_elements
        elements = read_elements(over, given.pop(over), run)
        if most is not None and len(elements) > most:
            raise PortError(f"{self.name}: {over!r} has {len(elements)} elements (at most {most})")
        work = _Elements(self, given, elements, run)
        try:
            await work.take_all(min(self.config.max_concurrency, len(elements)))
        except LimitReached as limit:
            limit.outputs = work.outputs()
            raise
        if work.failures:
            first = min(work.failures)
            run.notice(
                f"{self.name}: {len(work.failures)} of {len(elements)} elements failed; the first "
                f"is number {first + 1}: {work.failures[first]}"
            )
        return work.outputs()


def _element_of(over: KeyFact) -> KeyFact:
    """What is known of an element of a list: the kinds of those that the config gives."""
    kinds = [each for each in over.kinds if each.name != "null"]
    lists = [each.sample for each in kinds if each.exact and isinstance(each.sample, list | tuple)]
    if not lists or len(lists) < len(kinds) or not all(lists):
        return KeyFact(origins=over.origins)
    facts = [KeyFact(exact_kinds(each)) for found in lists for each in found]
    return replace(join_facts(facts), origins=over.origins)


def _own_keys(element: KeyFact) -> KnownKeys:
    """The keys of an element that is a mapping; any, where they are not known."""
    fields = [each.fields for each in element.kinds]
    known = [each for each in fields if each is not None]
    if not known or len(known) < len(fields):
        return KnownKeys(open=True)
    return join([("of another element", each) for each in known])


class _Elements:
    """The elements of one call of a map, and what has come of them."""

    def __init__(self, flow: MapFlow, given: Values, elements: Sequence[Any], run: Run) -> None:
        self.flow = flow
        self.given = given
        self.elements = elements
        self.run = run
        self.results: list[Any] = [None] * len(elements)
        self.failures: dict[int, str] = {}
        self.waiting: list[Waiting] = []

    async def take_all(self, at_once: int) -> None:
        """Errors: `StepFailed` with `on_failure: stop`, `LimitReached`, `Waiting` at the end."""
        left = iter(enumerate(self.elements))
        if at_once == 1:
            await self._take(left)
        else:
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(at_once):
                        group.create_task(self._take(left))
            except BaseExceptionGroup as several:
                raise first_error(several) from several
        if self.waiting:
            raise self.waiting[0]

    async def _take(self, left: Iterator[tuple[int, Any]]) -> None:
        """Take elements until none is left. The call follows its element without a pause, so that
        the subflow's calls are counted in the order of the elements."""
        call, child, collect = self.run.call, self.flow.subflow, self.flow.config.collect
        keep = self.flow.config.on_failure == "keep"
        seen = perf_counter()
        for index, element in left:
            try:
                payload = self._payload(index, element)
                outputs = await call(child, payload, pick=True, apart=True, item=True)
            except Waiting as question:
                self.waiting.append(question)
            except StepFailed as failure:
                if not keep:
                    raise
                self.failures[index] = str(failure)
            else:
                self.results[index] = outputs if collect is None else outputs.get(collect)
            if (now := perf_counter()) - seen > YIELD_SECONDS:
                await asyncio.sleep(0)
                seen = now

    def _payload(self, index: int, element: Any) -> Values:
        if (name := self.flow.config.element) is not None:
            return {**self.given, name: element}
        if not isinstance(element, Mapping):
            raise PortError(
                f"{self.flow.name}: element {index + 1} is a {type(element).__name__}, and its "
                "keys are wanted as inputs; say `as: NAME` to give it whole"
            )
        return {**self.given, **element}

    def outputs(self) -> Values:
        failures = tuple(
            ElementFailure(index=index, error=error)
            for index, error in sorted(self.failures.items())
        )
        return {"results": tuple(self.results), "failures": failures}


def read_elements(name: str, value: Any, run: Run) -> Sequence[Any]:
    """The elements that an input stands for: a list's own, or the rows of a table, each by its
    columns. A table that is an artifact of the run is read from there.

    Errors: `PortError` for any other value; `JournalError` for an artifact that is gone.
    """
    if isinstance(value, Observation):
        value = value.table
    if isinstance(value, Preview):
        if value.artifact is None:
            return [dict(zip(value.columns, row, strict=True)) for row in value.rows]
        value = value.artifact
    if isinstance(value, str):
        return _rows_of(name, value, run)
    if isinstance(value, Sequence):
        return value
    raise PortError(f"the input {name!r} is no list and no table, but a {type(value).__name__}")


def _rows_of(name: str, artifact: str, run: Run) -> Sequence[Any]:
    """The rows of a table that is kept in the run as JSON: `columns` and `rows`, or a list."""
    table = from_json(run.read_artifact(artifact))
    if isinstance(table, list):
        return table
    if not (isinstance(table, dict) and {"columns", "rows"} <= table.keys()):
        raise PortError(f"the input {name!r}: the artifact {artifact!r} is no table")
    names = table["columns"]
    return [dict(zip(names, row, strict=True)) for row in table["rows"]]
