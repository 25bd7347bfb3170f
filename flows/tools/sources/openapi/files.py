"""Files beside an OpenAPI document that its references lead into."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from flows.config.limits import ConfigLimits
from flows.config.read import read_text, read_yaml, shown
from flows.errors import ConfigError, Place
from flows.tools.sources.references import REFERENCE, Position, file_of
from flows.tools.text import whole_characters

LIMITS: Final = ConfigLimits(
    bytes=32 * 1024 * 1024, depth=100, aliases=1_000, nodes=2_000_000, text=1
)
_ENDINGS: Final = (".json", ".yaml", ".yml")
_HALF: Final = re.compile(r"\\u[dD][89a-fA-F]")
_MOST_FILES: Final = 500
_MOST_BYTES: Final = 64 * 1024 * 1024  # of all of them


@dataclass
class DocumentFiles:
    """The JSON and YAML files of a document's folder, each read once when a reference leads there.

    Links out of the folder are not followed. There may be 500 files of 64 MB in all.
    """

    folder: Path
    left: int = _MOST_BYTES
    _read: dict[str, Mapping[str, Any] | ConfigError] = field(default_factory=dict)

    def read(self, name: str) -> Mapping[str, Any]:
        """The values of the file of that name. Errors: `ConfigError`, the same each time."""
        if name not in self._read:
            try:
                self._read[name] = self._values(name)
            except ConfigError as error:
                self._read[name] = error
        found = self._read[name]
        if isinstance(found, ConfigError):
            raise ConfigError(found.problem)
        return found

    def path(self, name: str) -> Path:
        return self.folder / name

    def _values(self, name: str) -> Mapping[str, Any]:
        path = self.path(name)
        if path.suffix.lower() not in _ENDINGS:
            raise ConfigError(f"is in no file that ends in {', '.join(_ENDINGS)}")
        try:
            is_inside = path.resolve().is_relative_to(self.folder.resolve())
        except (OSError, RuntimeError, ValueError):
            is_inside = False
        if not is_inside:
            raise ConfigError("is outside of the document's folder")
        if len(self._read) >= _MOST_FILES:
            raise ConfigError(f"is in one more than the {_MOST_FILES} files that are read")
        try:
            text = read_text(path, LIMITS)
            self.left -= len(text)
            if self.left < 0:
                raise ConfigError(f"the files come to more than {_MOST_BYTES:,} bytes")
            return values_of(text, path)
        except ConfigError as error:
            raise ConfigError(f"cannot be followed: {error}") from error


def values_of(text: str, file: Path) -> Mapping[str, Any]:
    """The values of a JSON or YAML text. Errors: `ConfigError` with its place."""
    if text.lstrip()[:1] != "{":
        return read_yaml(text, file, LIMITS).values
    try:
        values: Mapping[str, Any] = json.loads(text)
        if _HALF.search(text):
            values = whole_characters(values)
    except json.JSONDecodeError as error:
        at = Place(shown(file), error.lineno, error.colno)
        raise ConfigError(f"not valid JSON: {error.msg}", place=at) from error
    except (RecursionError, ValueError) as error:  # too deep, or a number of too many digits
        problem = "the JSON is nested too deep, or holds a number that is too long"
        raise ConfigError(problem, place=Place(shown(file))) from error
    return values


def referenced_files(references: frozenset[str], files: DocumentFiles) -> tuple[Path, ...]:
    """All files that can be read of those that a document's references to other files lead into,
    and of those that these refer to, in the order of their names."""
    found: set[str] = set()
    due = [("", references)]
    while due:
        name, outward = due.pop()
        for reference in outward:
            try:
                target = file_of(Position(name), reference)
                if target and target not in found:
                    due.append((target, references_in(files.read(target))))
                    found.add(target)
            except ConfigError:
                continue  # told where an operation needs it
    return tuple(files.path(each) for each in sorted(found))


def references_in(values: Mapping[str, Any]) -> frozenset[str]:
    """The references to other files anywhere in plain data."""
    found: set[str] = set()
    due: list[Any] = [values]
    while due:
        value = due.pop()
        if isinstance(value, Mapping):
            reference = value.get(REFERENCE)
            if isinstance(reference, str) and not reference.startswith("#"):
                found.add(reference)
            due += [each for each in value.values() if isinstance(each, Mapping | list)]
        elif isinstance(value, list):
            due += [each for each in value if isinstance(each, Mapping | list)]
    return frozenset(found)
