"""What is found while the keys of a graph are followed: faults, and what is written and read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from flows.core.dataflow.facts import UNKNOWN, Gone, KeyFact, KnownKeys, Place
from flows.core.flow import Flow, Problem
from flows.errors import nearest

SUBFLOWS: Final = "subflows_config"


@dataclass(slots=True)
class Trace:
    """The faults by the place of their flow, and what is written where and read by something. In a
    `bounded` run a limit ends what has no other end. `when` is said of each fault."""

    found: dict[tuple[Place, Place, str], tuple[Place, Problem]] = field(default_factory=dict)
    written: dict[Place, tuple[Place, Problem, str]] = field(default_factory=dict)
    read: set[Place] = field(default_factory=set)
    alone: set[int] = field(default_factory=set)
    quiet: int = 0
    bounded: bool = False
    when: str = ""

    def fault(self, flow: Place, problem: Problem, about: str = "") -> None:
        """Something is wrong in the flow at that place; said once for what it is about."""
        if not self.quiet:
            key = (flow, problem.where, about or problem.text)
            told = replace(problem, text=problem.text + self.when) if self.when else problem
            self.found.setdefault(key, (flow, told))

    def write(self, flow: Place, unread: Problem, about: str) -> frozenset[Place]:
        """That key is written there, and what is wrong if nothing reads it."""
        place = (*flow, *unread.where)
        self.written.setdefault(place, (flow, unread, about))
        return frozenset({place})

    def use(self, fact: KeyFact | None) -> None:
        """A value is read."""
        if fact is not None:
            self.read |= fact.origins

    def use_all(self, keys: KnownKeys) -> None:
        """Any of the values may be read."""
        for fact in keys.facts.values():
            self.use(fact)

    def follow_each(self, flows: Iterable[Flow]) -> None:
        """Follow what goes on in flows of whose calls nothing is known, each once."""
        for flow in flows if not self.quiet else ():
            if id(flow) not in self.alone:
                self.alone.add(id(flow))
                flow.follow(flow.known_inputs(), self)

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Faults are not kept meanwhile: it is gone through again."""
        self.quiet += 1
        try:
            yield
        finally:
            self.quiet -= 1

    @contextmanager
    def telling(self, when: str) -> Iterator[None]:
        """What is found meanwhile is so only then, in words."""
        before, self.when = self.when, f" ({when})"
        try:
            yield
        finally:
            self.when = before

    def problems(self) -> Iterator[tuple[Place, Problem]]:
        """All that was found, with the place of the flow that has it."""
        yield from self.found.values()
        for place, (flow, unread, about) in self.written.items():
            if place not in self.read:
                yield flow, replace(unread, meant=nearest(about, unread.allowed))


@dataclass(frozen=True, slots=True)
class GraphSpot:
    """A place in the config of a composite's step where keys are read and written. `lost` is how
    a missing key is told of, `readers` the keys that are read behind it, where that is known; in a
    `bare` one the name of the field is not written."""

    trace: Trace
    flow: Place
    where: Place
    lost: str
    readers: tuple[str, ...] = ()
    bare: bool = False

    def at(self, *more: str | int, bare: bool = False) -> GraphSpot:
        """A place below it."""
        return replace(self, where=(*self.where, *more), bare=bare)

    def below(self, field: str, *more: str | int) -> Place:
        """The place of what stands in that field."""
        return (*self.where, *more) if self.bare and more else (*self.where, field, *more)

    def fault(
        self, text: str, where: Place, allowed: KnownKeys | None = None, about: str = ""
    ) -> None:
        """Something is wrong at that place; `allowed` are the keys that there are."""
        names = () if allowed is None else tuple(sorted(allowed.facts))
        meant = nearest(about, names) if about else None
        self.trace.fault(self.flow, Problem(text, where, names, meant), about)

    def wrote(self, key: str, where: Place) -> frozenset[Place]:
        """A key is written at that place by what the config says."""
        text = f"nothing reads the key {key!r} that is written here"
        unread = Problem(text, where, self.readers, warning=True)
        return self.trace.write(self.flow, unread, key)

    def miss(self, keys: KnownKeys, path: str, where: Place, what: str) -> Gone | None:
        """Nothing gives a key that is to be renamed or copied; None where that was said."""
        if path in keys.gone:
            return None
        names = tuple(sorted(keys.facts))
        text = f"nothing gives the key {path!r} to {what}, so it is left out"
        self.trace.write(self.flow, Problem(text, where, names, warning=True), path)
        return Gone(path, (*self.flow, *where), names)

    def need(
        self, keys: KnownKeys, path: str, where: Place, *, read: bool = True
    ) -> tuple[KeyFact, KnownKeys]:
        """What is known of a value that has to be there, and the keys with it."""
        fact = keys.look(path)
        if fact is None:
            self.fault(f"no key {path!r}: {self.lost}", where, keys, path)
        elif fact.lacks:
            self.fault(f"no key {path!r} {either(fact.lacks)}", where, keys, path)
            fact = replace(fact, lacks=())
        else:
            if read:
                self.trace.use(fact)
            return fact, keys
        fact = fact or UNKNOWN
        self.trace.use(fact)
        return fact, keys.put(path, fact)

    def need_kind(
        self, keys: KnownKeys, path: str, where: Place, wanted: str
    ) -> tuple[KeyFact, KnownKeys]:
        """As `need`, for a value that has to be text or a mapping."""
        fact, keys = self.need(keys, path, where)
        fits = [
            each.name == "str" or isinstance(each.sample, str)
            if wanted == "text"
            else each.is_mapping
            for each in fact.kinds
        ]
        if fits and not any(fits):
            text = f"{path!r} must be {wanted}, and it is {in_words(fact)}"
            self.fault(text, where, about=f"{path} {wanted}")
            fact = UNKNOWN
        return fact, keys


def in_words(fact: KeyFact) -> str:
    """The kinds of a value."""
    return " or ".join(dict.fromkeys(each.name for each in fact.kinds)) or "anything"


def either(ways: tuple[str, ...]) -> str:
    """The ways on which something is so."""
    first = ways[:3]
    more = f" (and {len(ways) - 3} more)" if len(ways) > 3 else ""
    return " or ".join(first) + more


def ways_of(flow: Flow, ways: Sequence[KnownKeys]) -> list[tuple[str, KnownKeys]]:
    """What a call of the flow returns, on each way on which it can end, in words: those on which it
    comes to its end are first."""
    if len(ways) == 1:
        return [("", ways[0])]
    ends = (f"when {flow.name} comes to its end", f"when {flow.name} ends early")
    return list(zip(ends, ways, strict=True))


def config_place(flow: Flow) -> Place:
    """Where a flow stands in the config, by its place in the built graph."""
    names = flow.path.split("/") if flow.path else []
    return tuple(part for name in names for part in (SUBFLOWS, name))


def first_state(flow: Flow, given: KnownKeys) -> KnownKeys:
    """What is known of a composite's state before its first step: its ports, each of the declared
    type, or of what is given where none is declared."""
    facts = {}
    for name, declared in flow.known_inputs().facts.items():
        fact = given.facts.get(name, UNKNOWN)
        facts[name] = KeyFact(declared.kinds or fact.kinds, (), fact.origins)
    return KnownKeys(facts, flow.inputs_type.model_config.get("extra") == "allow")


def follow_call(flow: Flow, given: KnownKeys, trace: Trace) -> tuple[KnownKeys, ...]:
    """What a call of the flow with these inputs returns, on each way on which it can end."""
    ways = flow.follow(given, trace)
    return (flow.known_outputs(),) if names_alone(type(flow), "follow", "output_names") else ways


def names_alone(kind: type[Any], follows: str, names: str) -> bool:
    """Whether a class says by names alone what comes out, over what a class above it follows."""
    for each in kind.__mro__:
        if follows in vars(each):
            return False
        if names in vars(each):
            return True
    return False
