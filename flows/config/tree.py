"""The tree of a config: plain values that remember where they were written.

Nodes are immutable, so that aliases and interpolations may share them; a change makes a new root.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from flows.errors import Place

Path = tuple[str | int, ...]


class UnreadValue:
    """A value that a fault keeps from being read: it may be of any type."""

    def __repr__(self) -> str:
        return "unknown"


Plain = str | int | float | bool | None | UnreadValue
UNKNOWN: Final = UnreadValue()

MISSING = "???"
TARGET = "_target_"
DEFAULTS = "defaults"
SUBFLOWS = "subflows_config"
# aiflows names a class method that makes the object; the class is what is meant.
MAKERS = re.compile(r"\.instantiate_(?:from_default_config|from_config|with_overrides)$")


@dataclass(frozen=True, slots=True)
class ValueNode:
    """One value. A `literal` is text as it was typed: neither interpolated nor ever missing."""

    value: Plain
    place: Place
    literal: bool = False

    @property
    def is_missing(self) -> bool:
        return self.value == MISSING and not self.literal

    @property
    def is_unknown(self) -> bool:
        return self.value is UNKNOWN


@dataclass(frozen=True, slots=True)
class Entry:
    """The value of one key, and where the key itself was written."""

    key_place: Place
    node: Node


@dataclass(frozen=True, slots=True)
class Section:
    """A mapping. One that is `open` has other keys too, which a fault keeps from being read."""

    entries: Mapping[str, Entry]
    place: Place
    open: bool = False

    def get(self, key: str) -> Node | None:
        entry = self.entries.get(key)
        return entry.node if entry else None

    def section(self, key: str) -> Section | None:
        node = self.get(key)
        return node if isinstance(node, Section) else None

    @property
    def target(self) -> str | None:
        """The text at `_target_`, if there is one."""
        node = self.get(TARGET)
        return node.value if isinstance(node, ValueNode) and isinstance(node.value, str) else None

    def without(self, key: str) -> Section:
        return replace(self, entries={k: e for k, e in self.entries.items() if k != key})

    def with_entry(self, key: str, entry: Entry) -> Section:
        return replace(self, entries={**self.entries, key: entry})


@dataclass(frozen=True, slots=True)
class ListNode:
    """A list."""

    items: tuple[Node, ...]
    place: Place


Node = ValueNode | Section | ListNode


def dotted(path: Path) -> str:
    """The path as an override writes it: `topology.0.goal`."""
    return ".".join(str(segment) for segment in path)


def plain(node: Node) -> Any:
    """The node as dicts, lists and scalars."""
    if isinstance(node, Section):
        return {key: plain(entry.node) for key, entry in node.entries.items()}
    if isinstance(node, ListNode):
        return [plain(item) for item in node.items]
    return node.value


def planted(value: Any, place: Place, *, literal: bool = False) -> Node:
    """A plain value as a tree in which everything has the same place."""
    if isinstance(value, Mapping):
        inner = {str(k): planted(v, place, literal=literal) for k, v in value.items()}
        return Section({key: Entry(place, node) for key, node in inner.items()}, place)
    if isinstance(value, (list, tuple)):
        return ListNode(tuple(planted(item, place, literal=literal) for item in value), place)
    return ValueNode(value, place, literal)


def child(node: Node, segment: str | int) -> Node | None:
    if isinstance(node, Section):
        return node.get(str(segment))
    if isinstance(node, ListNode):
        index = as_index(segment)
        return node.items[index] if index is not None and index < len(node.items) else None
    return None


def as_index(segment: str | int) -> int | None:
    text = str(segment)
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def find(node: Node, path: Path) -> Node | None:
    """The node at the path, or None."""
    found: Node | None = node
    for segment in path:
        if found is None:
            return None
        found = child(found, segment)
    return found


def merge(under: Node, over: Node) -> Node:
    """Mappings merge, everything else replaces; `???` fills nothing.

    A mapping that names another `_target_` is another thing: nothing of the old one is kept. Under
    a mapping, an unknown value may have been one with other keys.
    """
    if isinstance(over, ValueNode) and over.is_missing:
        return under
    if isinstance(over, Section) and is_unknown(under):
        return replace(over, open=True)
    if not (isinstance(under, Section) and isinstance(over, Section)):
        return over
    below, above = (MAKERS.sub("", each.target or MISSING) for each in (under, over))
    if below != above and MISSING not in (below, above):
        return over
    entries = dict(under.entries)
    for key, entry in over.entries.items():
        held = entries.get(key)
        node = merge(held.node, entry.node) if held else entry.node
        entries[key] = held if held and node is held.node else Entry(entry.key_place, node)
    return Section(entries, over.place, under.open or over.open)


def is_unknown(node: Node | None) -> bool:
    return isinstance(node, ValueNode) and node.is_unknown


def is_open(node: Node | None) -> bool:
    """Whether other keys, or another value, may be there, which a fault keeps from being read."""
    return is_unknown(node) or (isinstance(node, Section) and node.open)


def unknown(place: Place) -> ValueNode:
    """What stands for a value that a fault keeps from being read."""
    return ValueNode(UNKNOWN, place)


def is_unknown_at(root: Node, path: Path) -> bool:
    """Whether a fault keeps the value at the path from being known: that there is one, or which."""
    found: Node | None = root
    for segment in path:
        if found is None or is_unknown(found):
            break
        if isinstance(found, Section) and str(segment) not in found.entries:
            return found.open
        found = child(found, segment)
    return is_unknown(found)


def put(root: Section, path: Path, node: Node, key_place: Place) -> Section:
    """The root with `node` at `path`; mappings that are missing on the way are made."""
    changed = _put(root, path, node, key_place)
    assert isinstance(changed, Section)
    return changed


def _put(here: Node | None, path: Path, node: Node, key_place: Place) -> Node:
    if not path:
        return node
    head, rest = path[0], path[1:]
    if isinstance(here, ListNode):
        index = int(head)
        items = list(here.items)
        items[index] = _put(items[index], rest, node, key_place)
        return replace(here, items=tuple(items))
    if not isinstance(here, Section):
        here = Section({}, key_place, open=is_unknown(here))
    held = here.entries.get(str(head))
    changed = _put(held.node if held else None, rest, node, key_place)
    place = held.key_place if held and rest else key_place
    return here.with_entry(str(head), Entry(place, changed))


def drop(root: Section, path: Path) -> Section:
    """The root without what is at `path`, which must exist."""
    parent = find(root, path[:-1])
    last = path[-1]
    shrunk: Node
    if isinstance(parent, ListNode):
        index = int(last)
        shrunk = replace(parent, items=parent.items[:index] + parent.items[index + 1 :])
    else:
        assert isinstance(parent, Section)
        shrunk = parent.without(str(last))
    if len(path) == 1:
        assert isinstance(shrunk, Section)
        return shrunk
    return _replaced(root, path[:-1], shrunk)


def _replaced(root: Section, path: Path, node: Node) -> Section:
    """Like put, but the place of the key stays what it was."""
    parent = find(root, path[:-1])
    place = parent.entries[str(path[-1])].key_place if isinstance(parent, Section) else node.place
    return put(root, path, node, place)


def leaves(node: Node, path: Path = ()) -> Iterator[tuple[Path, Node]]:
    """Every scalar and every empty container, with its path."""
    if isinstance(node, Section) and node.entries:
        for key, entry in node.entries.items():
            yield from leaves(entry.node, (*path, key))
    elif isinstance(node, ListNode) and node.items:
        for index, item in enumerate(node.items):
            yield from leaves(item, (*path, index))
    else:
        yield path, node


def place_of(root: Node, path: Path) -> Place:
    """Where the value at the path was written; for a path that is not there, what encloses it."""
    found = root
    for segment in path:
        inner = child(found, segment)
        if inner is None:
            break
        found = inner
    return found.place


def key_place_of(root: Node, path: Path) -> Place:
    """Where the key at the end of the path was written; for a list's item, the item."""
    parent = find(root, path[:-1]) if path else None
    if isinstance(parent, Section) and str(path[-1]) in parent.entries:
        return parent.entries[str(path[-1])].key_place
    return place_of(root, path)
