"""References of a document of plain data, such as `#/components/schemas/Pet`, inside of it and into
files beside it."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol
from urllib.parse import unquote, urlsplit

from flows.errors import ConfigError
from flows.tools.text import plain

REFERENCE: Final = "$ref"
_MOST_STEPS: Final = 32  # references that lead to references
_MOST_SHOWN: Final = 120  # characters of a reference in a message


@dataclass(frozen=True, slots=True)
class Position:
    """Where a value stands: the name of its file, "" for the document itself, and its JSON pointer.

    A file's name is relative to the document's folder, with `/` between folders.
    """

    file: str = ""
    pointer: str = ""

    def below(self, *keys: object) -> Position:
        steps = "".join(f"/{_escaped(str(each))}" for each in keys)
        return Position(self.file, self.pointer + steps)

    def __str__(self) -> str:
        return f"{self.file}#{self.pointer}"


ROOT: Final = Position()


@dataclass(frozen=True, slots=True)
class Resolved:
    """The object that a value is or refers to, and where it stands. `fault` says why a reference
    leads to none; `values` is empty then."""

    values: Mapping[str, Any]
    at: Position
    fault: str = ""


class ReferencedFiles(Protocol):
    """The files that references may lead into."""

    def read(self, name: str) -> Mapping[str, Any]:
        """The values of the file of that name. Errors: `ConfigError` for one that may not be read,
        or cannot."""
        ...


@dataclass(frozen=True)
class SchemaReferences:
    """The document that references lead into, and the `files` beside it. Nothing is fetched: a
    reference to an address is a fault, and without `files` so is one to a file."""

    values: Mapping[str, Any]
    files: ReferencedFiles | None = None

    def resolve(self, value: Any, at: Position = ROOT) -> Resolved:
        """The object that a value, which stands at a position, is or refers to."""
        first, reference = at, ""
        for _ in range(_MOST_STEPS):
            if not isinstance(value, Mapping):
                fault = _said(first, reference, "leads to no object") if reference else ""
                return Resolved({}, at, fault)
            if not isinstance(found := value.get(REFERENCE), str):
                return Resolved(value, at)
            first, reference = at, found
            try:
                at = _target(at, reference)
                value = self._value(at)
            except ConfigError as error:
                return Resolved({}, at, _said(first, reference, error.problem))
        return Resolved({}, at, _said(first, reference, "leads back to itself"))

    def _value(self, at: Position) -> Any:
        """The value at a position. Errors: `ConfigError` where there is none."""
        value: Any = self.values
        if at.file:
            if self.files is None:
                raise ConfigError("is in another file")
            value = self.files.read(at.file)
        for step in at.pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
                value = value[int(key)]
            elif isinstance(value, Mapping) and key in value:
                value = value[key]
            else:
                raise ConfigError("leads nowhere")
        return value


def file_of(at: Position, reference: str) -> str:
    """The file that a reference in a document leads into; "" for the document itself. Errors:
    `ConfigError` for an address, and for a file outside of the document's folder."""
    return _target(at, reference).file


def _target(at: Position, reference: str) -> Position:
    path, _, fragment = reference.partition("#")
    pointer = unquote(fragment)
    if pointer and not pointer.startswith("/"):
        raise ConfigError("is no JSON pointer, which begins with #/")
    if not path:
        return Position(at.file, pointer)
    try:
        parts = urlsplit(path)
    except ValueError:
        raise ConfigError("is no address and no file") from None
    if parts.scheme or parts.netloc:
        raise ConfigError("is at another address, which is not fetched")
    name = posixpath.normpath(posixpath.join(posixpath.dirname(at.file), unquote(path)))
    if name.startswith(("/", "../")) or name in (".", "..") or "\\" in name:
        raise ConfigError("is outside of the document's folder")
    return Position(name, pointer)


def _said(at: Position, reference: str, why: str) -> str:
    shown = plain(reference)[:_MOST_SHOWN]
    return f"the reference {shown!r} at {plain(str(at))} {why}"


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
