"""The data transformations that a key interface can name, as aiflows has them.

Each is a frozen config model with `apply(data, context) -> data`; `data` is a fresh mapping that
may be changed. A key that must be there and is not raises `InterfaceError` with the keys there are.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Protocol

from pydantic import BaseModel, ConfigDict, Field, field_validator

from flows.config.json_faults import json_fault
from flows.core import keys
from flows.core.values import Values
from flows.errors import InterfaceError, nearest

ANY: Final = "*"


@dataclass(frozen=True, slots=True)
class InterfaceContext:
    """What an interface may know beside the data: the step's goal, the ports, a way to show."""

    goal: str
    ports: tuple[str, ...]
    show: Callable[[str], None]
    messages: Callable[[], tuple[str, ...]]


class Transformation(Protocol):
    def apply(self, data: Values, context: InterfaceContext) -> Values: ...

    def names(self, available: frozenset[str]) -> frozenset[str]:
        """The top-level keys after `apply`, for the check before a run; `*` is any key.

        Raises `InterfaceError` when a key that must be there cannot be.
        """
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


class KeyMatchInput(_Settings):
    """Keep just the ports that the step's flow declares."""

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        return {port: data[port] for port in context.ports if port in data}

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return available


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

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return _need(available, self.input_key) | {_head(self.output_key)}


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

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return _need(available, self.input_key) | {_head(self.output_key)}


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

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return _need(available, self.input_key) | {_head(self.output_key or self.input_key)}


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

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return _need(available, self.input_key) | {_head(self.output_key or self.input_key)}


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

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return (_need(available, self.input_key) - {self.input_key}) | {ANY}


class PrintPreviousMessages(_Settings):
    """Show the chat of the composite's steps so far, and leave the data as it is."""

    last_message_only: bool = False

    def apply(self, data: Values, context: InterfaceContext) -> Values:
        shown = context.messages()
        for message in shown[-1:] if self.last_message_only else shown:
            context.show(message)
        return data

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return available


class KeyRename(_Settings):
    """Move values to other keys; dotted paths on both sides, a missing source is left out."""

    old_key2new_key: dict[str, str]

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        taken = [(new, keys.drop(data, old)) for old, new in self.old_key2new_key.items()]
        return _put_all(data, taken)

    def names(self, available: frozenset[str]) -> frozenset[str]:
        kept = available - set(self.old_key2new_key)
        return kept | _targets(available, self.old_key2new_key)


class KeyCopy(_Settings):
    """Copy values to other keys, mappings and lists too."""

    old_key2new_key: dict[str, str]

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        taken = [(new, keys.get(data, old)) for old, new in self.old_key2new_key.items()]
        return _put_all(data, taken)

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return available | _targets(available, self.old_key2new_key)


class KeySet(_Settings):
    """Set keys to fixed values."""

    key2value: dict[str, Any]

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        return _put_all(data, copy.deepcopy(self.key2value).items())

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return available | {_head(path) for path in self.key2value}


class KeySelect(_Settings):
    """Keep just these keys; each must be there."""

    keys_to_select: tuple[str, ...]

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        selected: Values = {}
        for path in self.keys_to_select:
            value = required(data, path)
            keys.put_at(selected, keys.locate(data, path) or (path,), value)
        return selected

    def names(self, available: frozenset[str]) -> frozenset[str]:
        kept: set[str] = set()
        for path in self.keys_to_select:
            _need(available, path)
            # A key that is written with a dot in it is selected under its whole name.
            places = {path, *_starts(path)}
            kept |= places & available if ANY not in available else places
        return frozenset(kept)


class KeyDelete(_Settings):
    """Take keys away, mappings too; a missing one is left out."""

    keys_to_delete: tuple[str, ...]

    def apply(self, data: Values, _: InterfaceContext) -> Values:
        for path in self.keys_to_delete:
            keys.drop(data, path)
        return data

    def names(self, available: frozenset[str]) -> frozenset[str]:
        return available - set(self.keys_to_delete)


def _put_all(data: Values, values: Iterable[tuple[str, Any]]) -> Values:
    for path, value in values:
        if value is not keys.MISSING:
            keys.put(data, path, value)
    return data


def _head(path: str) -> str:
    return path.partition(".")[0]


def can_hold(available: frozenset[str], path: str) -> bool:
    """Whether a state with these top-level keys can have a value at `path`."""
    return not available.isdisjoint((ANY, path, *_starts(path)))


def _starts(path: str) -> Iterator[str]:
    parts = path.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts)))


def _need(available: frozenset[str], path: str) -> frozenset[str]:
    if not can_hold(available, path):
        required(dict.fromkeys(available), path)
    return available


def _targets(available: frozenset[str], renamed: Mapping[str, str]) -> frozenset[str]:
    """Where values come to stand, of those sources that can be there."""
    return frozenset(_head(new) for old, new in renamed.items() if can_hold(available, old))
