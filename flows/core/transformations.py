"""The data transformations that a key interface can name, as aiflows has them.

Each is a frozen config model with `apply(data, context) -> data`; `data` is a fresh mapping that
may be changed. A key that must be there and is not raises `InterfaceError` with the keys there are.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, field_validator

from flows.config.json_faults import json_fault
from flows.core import keys
from flows.core.dataflow.facts import KeyFact, KnownKeys, join
from flows.core.dataflow.kinds import exact_kinds, kinds_of
from flows.core.trace import GraphSpot, Trace
from flows.core.values import Values
from flows.errors import InterfaceError, nearest


@dataclass(frozen=True, slots=True)
class InterfaceContext:
    """What an interface may know beside the data: the step's goal, the ports, a way to show, and
    the state of the flow whose step it is."""

    goal: str
    ports: tuple[str, ...]
    show: Callable[[str], None]
    messages: Callable[[], tuple[str, ...]]
    state: Mapping[str, Any] = field(default_factory=dict)


class Transformation(Protocol):
    def apply(self, data: Values, context: InterfaceContext) -> Values: ...

    def names(self, available: frozenset[str]) -> frozenset[str]:
        """The top-level keys after `apply`, for the check before a run; `*` is any key.

        Raises `InterfaceError` when a key that must be there cannot be.
        """
        ...


@runtime_checkable
class Followed(Protocol):
    """A transformation that tells more of the keys that come out of it than their names."""

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        """What is known of the keys after `apply`. What is wrong is told at the `spot`."""
        ...


def required(data: Mapping[str, Any], path: str) -> Any:
    """The value at `path`, or an `InterfaceError` that names the keys there are."""
    value = keys.get(data, path)
    if value is keys.MISSING:
        known = sorted(data)
        meant = nearest(path, known)
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise InterfaceError(f"no key {path!r}{hint} (there are: {', '.join(known) or 'none'})")
    return value


def required_text(data: Mapping[str, Any], path: str) -> str:
    value = required(data, path)
    if not isinstance(value, str):
        raise InterfaceError(f"{path!r} must be text, it is a {type(value).__name__}")
    return value


class _Settings(BaseModel):
    # There are a dozen of them, of which a graph uses one or two.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    kind: ClassVar[str] = "transformation"

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        del spot
        return known

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return names_after(self, available)


class KeyMatchInput(_Settings):
    """Keep just the ports that the step's flow declares."""

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        return {port: data[port] for port in context.ports if port in data}


class EndOfInteraction(_Settings):
    """Whether a text holds a phrase, whatever the case, as a boolean under `output_key`."""

    input_key: str
    end_of_interaction_string: str = Field(min_length=1)
    output_key: str

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        text = required_text(data, self.input_key)
        found = self.end_of_interaction_string.casefold() in text.casefold()
        keys.put(data, self.output_key, found)
        return data

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        _, known = spot.need_kind(known, self.input_key, spot.below("input_key"), "text")
        made = KeyFact(
            kinds_of(bool), origins=spot.wrote(self.output_key, spot.below("output_key"))
        )
        return known.put(self.output_key, made)


class RegexFirstOccurrenceExtractor(_Settings):
    """The first match of a regular expression, or the fallback's, or None.

    `assert_unique` refuses several matches. `match_group` is the group's number or name.
    """

    input_key: str
    output_key: str
    regex: str
    regex_fallback: str | tuple[str, ...] | None = None
    match_group: int | str = 0
    assert_unique: bool = False
    strip: bool = True

    @field_validator("regex", "regex_fallback")
    @classmethod
    def _compiles(cls, value: Any) -> Any:
        for pattern in (value,) if isinstance(value, str) else value or ():
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"not a regular expression: {error}") from error
        return value

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        text = required_text(data, self.input_key)
        fallback = self.regex_fallback
        patterns = (fallback,) if isinstance(fallback, str) else fallback or ()
        found = None
        for pattern in (self.regex, *patterns):
            matches = list(re.finditer(pattern, text, re.DOTALL))
            if self.assert_unique and len(matches) > 1:
                raise InterfaceError(f"{pattern!r} matches {len(matches)} times, not once")
            if matches:
                found = self._group(matches[0])
                break
        keys.put(data, self.output_key, found.strip() if found and self.strip else found)
        return data

    def _group(self, match: re.Match[str]) -> str | None:
        try:
            return match.group(self.match_group)
        except IndexError:
            pattern = match.re.pattern
            raise InterfaceError(f"{pattern!r} has no group {self.match_group!r}") from None

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        _, known = spot.need_kind(known, self.input_key, spot.below("input_key"), "text")
        origins = spot.wrote(self.output_key, spot.below("output_key"))
        return known.put(self.output_key, KeyFact(kinds_of(str | None), origins=origins))


class Json2Obj(_Settings):
    """JSON text to a value, under `output_key` (the same key without one)."""

    input_key: str
    output_key: str | None = None

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        text = required_text(data, self.input_key)
        try:
            value = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise InterfaceError(f"{self.input_key!r} is not JSON: {json_fault(error)}") from error
        keys.put(data, self.output_key or self.input_key, value)
        return data

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        _, known = spot.need_kind(known, self.input_key, spot.below("input_key"), "text")
        return _put_made(known, self.input_key, self.output_key, KeyFact(), spot)


class Obj2Json(_Settings):
    """A value to JSON text, under `output_key` (the same key without one)."""

    input_key: str
    output_key: str | None = None

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        value = required(data, self.input_key)
        try:
            text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
        except (TypeError, ValueError, RecursionError) as error:
            raise InterfaceError(f"{self.input_key!r} cannot be JSON: {error}") from error
        keys.put(data, self.output_key or self.input_key, text)
        return data

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        _, known = spot.need(known, self.input_key, spot.below("input_key"))
        return _put_made(known, self.input_key, self.output_key, KeyFact(kinds_of(str)), spot)


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _plain(value: object) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} has no JSON form")


class UnNesting(_Settings):
    """Take a mapping out and lay its keys into the top level."""

    input_key: str

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        inner = required(data, self.input_key)
        if not keys.is_mapping(inner):
            raise InterfaceError(f"{self.input_key!r} is a {type(inner).__name__}, not a mapping")
        keys.drop(data, self.input_key)
        return {**data, **keys.mapping_of(inner)}

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        where = spot.below("input_key")
        inner, known = spot.need_kind(known, self.input_key, where, "a mapping")
        fields = [each.fields for each in inner.kinds if each.name != "null"]
        known = known.drop(self.input_key)
        if not fields or not all(fields):
            return known.updated(KnownKeys(open=True))
        return known.updated(join([("", each) for each in fields if each is not None]))


class PrintPreviousMessages(_Settings):
    """Show the chat of the composite's steps so far, and leave the data as it is."""

    last_message_only: bool = False

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        shown = context.messages()
        for message in shown[-1:] if self.last_message_only else shown:
            context.show(message)
        return data


class KeyRename(_Settings):
    """Move values to other keys; dotted paths on both sides, a missing source is left out."""

    old_key2new_key: dict[str, str]

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        taken = [(new, keys.drop(data, old)) for old, new in self.old_key2new_key.items()]
        return _put_all(data, taken)

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        taken = [(old, new, known.look(old)) for old, new in self.old_key2new_key.items()]
        for old, _, _ in taken:
            known = known.drop(old)
        return moved(known, taken, spot, "rename")


class KeyCopy(_Settings):
    """Copy values to other keys, mappings and lists too."""

    old_key2new_key: dict[str, str]

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        taken = [(new, keys.get(data, old)) for old, new in self.old_key2new_key.items()]
        return _put_all(data, taken)

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        taken = [(old, new, known.look(old)) for old, new in self.old_key2new_key.items()]
        return moved(known, taken, spot, "copy")


class KeySet(_Settings):
    """Set keys to fixed values."""

    key2value: dict[str, Any]

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        return _put_all(data, copy.deepcopy(self.key2value).items())

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        for path, value in self.key2value.items():
            origins = spot.wrote(path, spot.below("key2value", path))
            known = known.put(path, KeyFact(exact_kinds(value), origins=origins))
        return known


class KeySelect(_Settings):
    """Keep just these keys; each must be there."""

    keys_to_select: tuple[str, ...]

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        selected: Values = {}
        for path in self.keys_to_select:
            value = required(data, path)
            keys.put_at(selected, keys.locate(data, path) or (path,), value)
        return selected

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        selected = KnownKeys(gone=known.gone)
        for index, path in enumerate(self.keys_to_select):
            if known.look(path) is None:  # which other key was meant is not known
                selected = replace(selected, open=True)
            fact, known = spot.need(known, path, spot.below("keys_to_select", index), read=False)
            selected = selected.put_like(known, path, fact)
        return selected


class KeyDelete(_Settings):
    """Take keys away, mappings too; a missing one is left out."""

    keys_to_delete: tuple[str, ...]

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        for path in self.keys_to_delete:
            keys.drop(data, path)
        return data

    def follow(self, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
        for index, path in enumerate(self.keys_to_delete):
            if known.look(path) is None:
                spot.miss(known, path, spot.below("keys_to_delete", index), "delete")
            known = known.drop(path)
        return known


def _put_all(data: Values, values: Iterable[tuple[str, Any]]) -> Values:
    for path, value in values:
        if value is not keys.MISSING:
            keys.put(data, path, value)
    return data


def names_after(step: Followed, available: frozenset[str]) -> frozenset[str]:
    """The top-level keys that a transformation makes of these. Errors: `InterfaceError`."""
    trace = Trace()
    after = step.follow(KnownKeys.named(available), GraphSpot(trace, (), (), "it is not there"))
    for _, problem in trace.found.values():
        meant = f"; did you mean {problem.meant!r}?" if problem.meant else ""
        there = ", ".join(problem.allowed) or "none"
        raise InterfaceError(f"{problem.text}{meant} (there are: {there})")
    return after.names


def follow_names(step: Transformation, known: KnownKeys, spot: GraphSpot) -> KnownKeys:
    """What is known after a transformation that tells the names alone: it may read any key, and
    change each."""
    spot.trace.use_all(known)
    try:
        return KnownKeys.named(step.names(known.names))
    except InterfaceError as error:
        spot.fault(str(error), spot.where)
        return KnownKeys(open=True)


def moved(
    known: KnownKeys,
    taken: Sequence[tuple[str, str, KeyFact | None]],
    spot: GraphSpot,
    what: str,
    *,
    nested: bool = True,
) -> KnownKeys:
    """The keys with values of others under new names; what nothing gives is left out."""
    for old, new, fact in taken:
        where = spot.below("old_key2new_key", old)
        if fact is None:
            known = known.without(new, spot.miss(known, old, where, what))
        else:
            spot.trace.use(fact)
            made = replace(fact, origins=spot.wrote(new, where))
            known = known.put(new, made, nested=nested)
    return known


def _put_made(
    known: KnownKeys, source: str, target: str | None, fact: KeyFact, spot: GraphSpot
) -> KnownKeys:
    """The keys with what was made of a value, under another name or in its place."""
    where = spot.below("output_key" if target else "input_key")
    return known.put(target or source, replace(fact, origins=spot.wrote(target or source, where)))
