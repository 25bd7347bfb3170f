"""Reading and writing values of nested mappings by dotted path.

A path such as `a.b.c` walks mappings, and models as if they were mappings. A key that is written
with a dot in it is found first under its whole name, so that data with such keys is not torn apart.
Reading, writing and taking out all find the same place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, Final

from pydantic import BaseModel

from flows.errors import InterfaceError

MISSING: Final = object()


def get(data: Mapping[str, Any], path: str) -> Any:
    """The value at `path`, or `MISSING`."""
    if path in data:
        return data[path]
    found = locate(data, path)
    if found is None:
        return MISSING
    value: Any = data
    for key in found:
        value = mapping_of(value)[key]
    return value


def locate(data: Mapping[str, Any], path: str) -> tuple[str, ...] | None:
    """The keys that lead to the value at `path`, or None."""
    if path in data:
        return (path,)
    for head, rest in _splits(path):
        inner = data.get(head)
        if is_mapping(inner):
            below = locate(mapping_of(inner), rest)
            if below is not None:
                return (head, *below)
    return None


def put(data: MutableMapping[str, Any], path: str, value: Any) -> None:
    """Set the value at `path`, making the mappings on the way; other values are left alone.

    Mappings on the way are copied, not changed. Errors: `InterfaceError` if there is something
    else than a mapping on the way.
    """
    put_at(data, locate(data, path) or _new_place(data, path), value)


def put_at(data: MutableMapping[str, Any], place: tuple[str, ...], value: Any) -> None:
    """As `put`, for keys that are told apart already."""
    head, *rest = place
    if not rest:
        data[head] = value
        return
    inner = data.get(head)
    copied = {} if inner is None else dict(mapping_of(inner))
    put_at(copied, tuple(rest), value)
    data[head] = copied


def drop(data: MutableMapping[str, Any], path: str) -> Any:
    """Take the value at `path` out and return it, or `MISSING`. Mappings left empty stay."""
    place = locate(data, path)
    if place is None:
        return MISSING
    holder: MutableMapping[str, Any] = data
    for key in place[:-1]:
        holder[key] = dict(mapping_of(holder[key]))
        holder = holder[key]
    return holder.pop(place[-1])


def is_mapping(value: object) -> bool:
    return isinstance(value, (Mapping, BaseModel))


def mapping_of(value: Any) -> Mapping[str, Any]:
    """A mapping, or the fields of a model."""
    fields: Mapping[str, Any] = value.__dict__ if isinstance(value, BaseModel) else value
    return fields


def _new_place(data: Mapping[str, Any], path: str) -> tuple[str, ...]:
    """Where a path that leads nowhere yet is to lead: through the mappings there are."""
    for head, rest in _splits(path):
        if is_mapping(data.get(head)):
            return (head, *_new_place(mapping_of(data[head]), rest))
    keys = tuple(path.split("."))
    held = data.get(keys[0])
    if held is not None and len(keys) > 1:
        raise InterfaceError(
            f"cannot set {path!r}: {keys[0]!r} holds a {type(held).__name__}, not a mapping"
        )
    return keys


def _splits(path: str) -> Iterator[tuple[str, str]]:
    """Each way to cut a path in two at a dot, the shortest head first."""
    at = path.find(".")
    while at != -1:
        yield path[:at], path[at + 1 :]
        at = path.find(".", at + 1)
