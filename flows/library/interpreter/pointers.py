"""JSON pointers into results: resolving them, and finding the pointers of values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

MOST_LEAVES: Final = 200_000
_DEEPEST: Final = 40
# Elements of a list in which lists are looked for.
_MOST_NESTED: Final = 200


class NoSuchPath(ValueError):
    """A pointer names nothing in a value."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A text, number or truth value of a JSON value, and the pointer to it."""

    path: str
    value: str | int | float | bool


def resolve(data: Any, path: str) -> Any:
    """What stands at a pointer (`/orders/0/total`, "" for the whole). Errors: `NoSuchPath`."""
    if path in ("", "/"):
        return data
    for part in path.removeprefix("/").split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(data, Mapping) and key in data:
            data = data[key]
        elif isinstance(data, list) and key.isdecimal() and int(key) < len(data):
            data = data[int(key)]
        else:
            raise NoSuchPath(f"{path!r} names nothing: there is no {key!r}")
    return data


def leaves_of(data: Any, path: str = "", depth: int = 0) -> Iterator[Leaf]:
    """The values in the order in which they stand."""
    if isinstance(data, Mapping):
        for key, each in data.items():
            if depth < _DEEPEST:
                yield from leaves_of(each, f"{path}/{_escaped(key)}", depth + 1)
    elif isinstance(data, list):
        for number, each in enumerate(data):
            if depth < _DEEPEST:
                yield from leaves_of(each, f"{path}/{number}", depth + 1)
    elif data is not None:
        yield Leaf(path, data)


def lists_of(data: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, list[Any]]]:
    """The lists in a value, from the outside in."""
    if depth > _DEEPEST:
        return
    if isinstance(data, list):
        yield path, data
        for number, each in enumerate(data[:_MOST_NESTED]):
            yield from lists_of(each, f"{path}/{number}", depth + 1)
    elif isinstance(data, Mapping):
        for key, each in data.items():
            yield from lists_of(each, f"{path}/{_escaped(key)}", depth + 1)


def _escaped(key: object) -> str:
    return str(key).replace("~", "~0").replace("/", "~1")
