"""Models, requests and expressions as trees: all their parts, and the same tree with changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from pydantic import BaseModel

T = TypeVar("T")


def parts(node: object) -> Iterator[BaseModel]:
    """The node and everything in it, the outer first."""
    if isinstance(node, BaseModel):
        yield node
        for name in type(node).model_fields:
            yield from parts(getattr(node, name))
    elif isinstance(node, tuple):
        for each in node:
            yield from parts(each)


def changed(node: T, change: Callable[[BaseModel], BaseModel]) -> T:
    """The node with `change` made of it and of everything in it, the inner first.

    What has not changed is the same object as before.
    """
    result: Any = node
    if isinstance(node, BaseModel):
        values = {name: getattr(node, name) for name in type(node).model_fields}
        inner = {name: changed(value, change) for name, value in values.items()}
        new = {name: value for name, value in inner.items() if value is not values[name]}
        said = set(node.model_fields_set)
        copy = node.model_copy(update=new) if new else node
        if new:  # a copy says what it was given, which is not what a file says
            copy.model_fields_set.intersection_update(said)
        result = change(copy)
    elif isinstance(node, tuple):
        items = tuple(changed(each, change) for each in node)
        same = all(new is old for new, old in zip(items, node, strict=True))
        result = node if same else items
    return result  # type: ignore[no-any-return]


def depth(value: object) -> int:
    """How many parts stand in each other at most, without going down by calls of functions."""
    deepest = 0
    open_parts: list[tuple[object, int]] = [(value, 0)]
    while open_parts:
        part, level = open_parts.pop()
        if isinstance(part, BaseModel):
            deepest = max(deepest, level + 1)
            held = (each for name, each in part.__dict__.items() if name != "spans")
            open_parts += [
                (each, level + 1) for each in held if isinstance(each, BaseModel | tuple)
            ]
        elif isinstance(part, tuple):
            open_parts += [(each, level) for each in part if isinstance(each, BaseModel | tuple)]
    return deepest
