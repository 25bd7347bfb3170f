"""Reading and writing values of nested mappings by dotted path.

A path such as `a.b.c` walks mappings. A key that is written with a dot in it is found first under
its whole name, so that data with such keys is not torn apart.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from typing import Any, Final

from pydantic import BaseModel

from flows.errors import InterfaceError

MISSING: Final = object()


def get(data: Mapping[str, Any], path: str) -> Any:
    """The value at `path`, or `MISSING`."""
    if path in data:
        return data[path]
    if "." not in path:
        return MISSING
    head, _, rest = path.partition(".")
    while True:
        inner = data.get(head, MISSING)
        if isinstance(inner, BaseModel):
            inner = inner.__dict__
        if isinstance(inner, Mapping):
            found = get(inner, rest)
            if found is not MISSING:
                return found
        if "." not in rest:
            return MISSING
        more, _, rest = rest.partition(".")
        head = f"{head}.{more}"


def put(data: MutableMapping[str, Any], path: str, value: Any) -> None:
    """Set the value at `path`, making the mappings on the way; other values are left alone."""
    if path in data or "." not in path:
        data[path] = value
        return
    head, _, rest = path.partition(".")
    inner = data.get(head, MISSING)
    if inner is MISSING or inner is None:
        inner = {}
    elif not isinstance(inner, Mapping):
        raise InterfaceError(
            f"cannot set {path!r}: {head!r} holds a {type(inner).__name__}, not a mapping"
        )
    copied = dict(inner)
    put(copied, rest, value)
    data[head] = copied


def drop(data: MutableMapping[str, Any], path: str) -> Any:
    """Take the value at `path` out and return it, or `MISSING`. Mappings left empty stay."""
    if path in data:
        return data.pop(path)
    if "." not in path:
        return MISSING
    head, _, rest = path.partition(".")
    inner = data.get(head, MISSING)
    if not isinstance(inner, Mapping):
        return MISSING
    copied = dict(inner)
    taken = drop(copied, rest)
    if taken is not MISSING:
        data[head] = copied
    return taken
