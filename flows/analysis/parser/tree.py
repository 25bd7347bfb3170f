"""A request with other parts, or without the places of its words."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from flows.semantics.node import Node
from flows.semantics.tree import changed

Part = TypeVar("Part", bound=Node)


def substitute(node: Part, old: Node, new: Node) -> Part:
    """A node with another part wherever one equal to `old` stands."""
    return changed(node, lambda each: new if each == old else each)


def unplaced(node: Part) -> Part:
    """A node whose parts stand for no words: their text is not the one that is read now."""
    return changed(node, _without_place)


def _without_place(node: BaseModel) -> BaseModel:
    placed = isinstance(node, Node) and node.spans
    return node.model_copy(update={"spans": ()}) if placed else node
