"""Cases that have to stay right: a file of what was, held beside what is now."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from flows.config.json_faults import json_fault
from flows.errors import UsageError

_VERSION: Final = 1


class Identified(Protocol):
    """A case with an id."""

    @property
    def id(self) -> Any: ...


class Judged(Protocol):
    """A case with its verdict, of whatever kind it is."""

    @property
    def case(self) -> Identified: ...
    @property
    def verdict(self) -> str: ...
    def as_json(self) -> dict[str, object]: ...


J = TypeVar("J", bound=Judged)


def read_golden(path: Path) -> frozenset[str]:
    """The cases that were right; none when there is no file yet. Errors: `UsageError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return frozenset()
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    try:
        found = json.loads(text)
        names = found["right"]
        if found["version"] != _VERSION or not all(isinstance(each, str) for each in names):
            raise ValueError("another version")
    except (ValueError, TypeError, KeyError) as error:
        raise UsageError(f"{path} is no file of golden cases: {json_fault(error)}") from error
    return frozenset(names)


def name_of(judged: Judged) -> str:
    """What a case is called in the file."""
    return id_text(judged.case.id)


def id_text(identity: object) -> str:
    """An id as JSON, which stays the same when other cases are added."""
    return json.dumps(identity, ensure_ascii=False, sort_keys=True)


def lost(golden: frozenset[str], judged: Sequence[J]) -> list[J]:
    """Those that were right and are not any more, in the order of the cases."""
    missing = golden - {name_of(each) for each in judged if each.verdict == "right"}
    return list({name_of(each): each for each in judged if name_of(each) in missing}.values())


def golden_text(golden: frozenset[str], judged: Sequence[Judged]) -> str:
    """The file's text with all that are right now; those of other case files stay in it."""
    names = golden | {name_of(each) for each in judged if each.verdict == "right"}
    return json.dumps({"version": _VERSION, "right": sorted(names)}, indent=1, ensure_ascii=False)
