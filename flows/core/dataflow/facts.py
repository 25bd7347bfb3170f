"""What is known of the keys of a state before a run: which can be there, when, and of what kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

ANY: Final = "*"
Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of value that a key can hold, in words, with a value of that kind. An `exact` one is
    this very value; `known` are the keys of a mapping, `declared` gives those of a model."""

    name: str
    sample: Any = field(compare=False, repr=False)
    exact: bool = False
    known: KnownKeys | None = None
    declared: Callable[[], KnownKeys] | None = field(default=None, compare=False, repr=False)

    @property
    def is_mapping(self) -> bool:
        return self.known is not None or self.declared is not None or isinstance(self.sample, dict)

    @property
    def fields(self) -> KnownKeys | None:
        """The keys below it, where they are known."""
        return self.declared() if self.declared is not None else self.known

    def changed(self, fields: KnownKeys | None) -> Kind:
        """The mapping that it is once its keys are others."""
        return Kind("dict", {}, known=fields)


@dataclass(frozen=True, slots=True)
class KeyFact:
    """What is known of one key: its kinds (none of them is unknown), the ways on which it is not
    there, in words, where it was written, and whether it is a true value, where that is sure."""

    kinds: tuple[Kind, ...] = ()
    lacks: tuple[str, ...] = ()
    origins: frozenset[Place] = frozenset()
    truth: bool | None = None

    def may_be(self, truth: bool) -> bool:
        """Whether its value can be a true one, or a false one."""
        if self.truth is not None:
            return self.truth is truth
        return not self.kinds or any(
            bool(each.sample) is truth if each.exact else truth or each.name != "null"
            for each in self.kinds
        )

    @property
    def is_mapping(self) -> bool | None:
        """Whether its value is a mapping; None where that is not known."""
        known = {each.is_mapping for each in self.kinds if each.name != "null"}
        return known.pop() if len(known) == 1 else None


UNKNOWN: Final = KeyFact()


@dataclass(frozen=True, slots=True)
class Gone:
    """A key that nothing gives, at the place where another would have been made of it."""

    source: str
    place: Place
    allowed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class KnownKeys:
    """The keys that a state can have; an `open` one can have any others too. `gone` are keys that
    would be there if the one that they are made of was."""

    facts: Mapping[str, KeyFact] = field(default_factory=dict)
    open: bool = False
    gone: Mapping[str, Gone] = field(default_factory=dict)

    @classmethod
    def named(cls, names: Iterable[str]) -> KnownKeys:
        """Keys of which the names alone are known; `*` among them is any key."""
        found = frozenset(names)
        return cls(dict.fromkeys(sorted(found - {ANY}), UNKNOWN), ANY in found)

    @property
    def names(self) -> frozenset[str]:
        """The names of the keys; `*` among them is any key."""
        return frozenset((*self.facts, ANY) if self.open else self.facts)

    def look(self, path: str, *, nested: bool = True) -> KeyFact | None:
        """What is known of the value at a dotted path; None where there is none. Without `nested`
        the path is the whole name of a key."""
        if (found := self.facts.get(path)) is not None:
            return found
        for head, rest in _splits(path) if nested else ():
            if (above := self.facts.get(head)) is not None:
                return _below(above, rest)
        return UNKNOWN if self.open else None

    def put(self, path: str, fact: KeyFact, *, nested: bool = True) -> KnownKeys:
        """With that value at the path. What may or may not be written joins what is there."""
        if path in self.facts or "." not in path or not nested:
            return self._with(path, _laid_over(self.facts.get(path), fact))
        first, _, rest = path.partition(".")
        heads = [(head, rest) for head, rest in _splits(path) if head in self.facts]
        for head, below in heads[:1]:
            if self.facts[head].is_mapping:
                return self._with(head, _with_below(self.facts[head], below, fact))
        if self.open or any(self.facts[head].is_mapping is not False for head, _ in heads):
            return self._with_doubt((first, *(head for head, _ in heads)), fact)
        made = KeyFact((Kind("dict", {}, known=KnownKeys().put(rest, fact)),), (), fact.origins)
        return self._with(first, made)

    def drop(self, path: str, *, nested: bool = True) -> KnownKeys:
        """Without the value at the path; mappings on the way stay."""
        if path in self.facts:
            kept = {name: fact for name, fact in self.facts.items() if name != path}
            return replace(self, facts=kept)
        for head, rest in _splits(path) if nested else ():
            if (above := self.facts.get(head)) is not None:
                kinds = tuple(
                    each.changed(each.fields.drop(rest)) if each.fields else each
                    for each in above.kinds
                )
                return self._with(head, replace(above, kinds=kinds))
        return self

    def updated(self, other: KnownKeys) -> KnownKeys:
        """These keys with others laid over them; unknown ones may be over any of these."""
        facts = dict(self.facts)
        if other.open:
            facts = {name: replace(fact, kinds=(), truth=None) for name, fact in facts.items()}
        for name, fact in other.facts.items():
            facts[name] = _laid_over(facts.get(name), fact, absent=not self.open)
        gone = {**self.gone, **other.gone} if other.gone else self.gone
        return KnownKeys(facts, self.open or other.open, gone)

    def without(self, name: str, gone: Gone | None) -> KnownKeys:
        """These keys, with the reason why that one is not among them."""
        return self if gone is None else replace(self, gone={**self.gone, name: gone})

    def put_like(self, other: KnownKeys, path: str, fact: KeyFact) -> KnownKeys:
        """With that value at the place that the path has in other keys."""
        heads = [head for head, _ in _splits(path) if head in other.facts]
        if path in other.facts or (len(heads) == 0 and not other.open):
            return self._with(path, fact)
        if len(heads) == 1 and not other.open:
            held = self.facts.get(heads[0], KeyFact((Kind("dict", {}, known=KnownKeys()),)))
            return self._with(heads[0], _with_below(held, path[len(heads[0]) + 1 :], fact))
        return self._with_doubt((path, *(head for head, _ in _splits(path))), fact)

    def _with_doubt(self, names: Iterable[str], fact: KeyFact) -> KnownKeys:
        """With that value in one of these keys: of each is known only where it may be from."""
        changed = {
            name: KeyFact(origins=fact.origins | (before.origins if before else frozenset()))
            for name in names
            for before in (self.facts.get(name),)
        }
        return replace(self, facts={**self.facts, **changed})

    def _with(self, name: str, fact: KeyFact) -> KnownKeys:
        return replace(self, facts={**self.facts, name: fact})


def join_facts(facts: Sequence[KeyFact]) -> KeyFact:
    """What is known of a value that is one of these."""
    if len(facts) == 1:
        return facts[0]
    truths = {each.truth for each in facts}
    return KeyFact(
        join_kinds([each.kinds for each in facts]),
        tuple(dict.fromkeys(way for each in facts for way in each.lacks)),
        frozenset().union(*(each.origins for each in facts)),
        truths.pop() if len(truths) == 1 else None,
    )


def join(ways: Sequence[tuple[str, KnownKeys]]) -> KnownKeys:
    """The keys where several ways come together, each in words."""
    if len(ways) == 1:
        return ways[0][1]
    names = dict.fromkeys(name for _, keys in ways for name in keys.facts)
    facts = {}
    for name in names:
        found = [keys.facts[name] for _, keys in ways if name in keys.facts]
        lacks = [way for way, keys in ways if name not in keys.facts and not keys.open]
        joined = join_facts(found)
        if any(name not in keys.facts and keys.open for _, keys in ways):
            joined = replace(joined, kinds=(), truth=None)
        facts[name] = replace(joined, lacks=tuple(dict.fromkeys((*joined.lacks, *lacks))))
    gone = {name: each for _, keys in ways for name, each in keys.gone.items()}
    return KnownKeys(facts, any(keys.open for _, keys in ways), gone)


def join_kinds(several: Sequence[tuple[Kind, ...]]) -> tuple[Kind, ...]:
    """The kinds of one of these; unknown as soon as one of them is."""
    if not all(several):
        return ()
    found: dict[tuple[str, bool], Kind] = {}
    for each in (kind for kinds in several for kind in kinds):
        before = found.get((each.name, each.exact))
        if before is None:
            found[each.name, each.exact] = each
        elif before.known != each.known:
            both = before.known and each.known and join([("", before.known), ("", each.known)])
            found[each.name, each.exact] = replace(before, known=both)
    return tuple(found.values())


def _laid_over(before: KeyFact | None, after: KeyFact, absent: bool = True) -> KeyFact:
    """What is known of a key after a write that may not happen; `absent` is whether a key that is
    not known is not there."""
    if not after.lacks:
        return after
    if before is None:
        return after if absent else replace(after, kinds=(), lacks=(), truth=None)
    joined = join_facts([before, after])
    return replace(joined, lacks=tuple(way for way in before.lacks if way in after.lacks))


def _below(above: KeyFact, path: str) -> KeyFact | None:
    """What is known of the value at a path below another."""
    if above.is_mapping is False:
        return None
    fields = [each.fields for each in above.kinds if each.name != "null"]
    if not fields or not all(fields):
        return KeyFact(origins=above.origins)
    found = [keys.look(path) for keys in fields if keys is not None]
    there = [each for each in found if each is not None]
    if not there:
        return None
    joined = join_facts(there)
    if len(there) < len(found):
        return KeyFact(origins=joined.origins | above.origins)
    return replace(
        joined, lacks=(*above.lacks, *joined.lacks), origins=joined.origins | above.origins
    )


def _with_below(above: KeyFact, path: str, fact: KeyFact) -> KeyFact:
    """What is known of a mapping after a write below it."""
    kinds = tuple(
        each.changed(each.fields.put(path, fact)) if each.fields else each.changed(None)
        for each in above.kinds
        if each.name != "null"
    )
    return KeyFact(kinds, () if not fact.lacks else above.lacks, above.origins | fact.origins)


def _splits(path: str) -> Iterator[tuple[str, str]]:
    """Each way to cut a path in two at a dot, the shortest head first."""
    at = path.find(".")
    while at != -1:
        yield path[:at], path[at + 1 :]
        at = path.find(".", at + 1)
