"""The keys of a mapping in a file that a person wrote: each is checked, and has its place."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from flows.config.tree import ListNode, Node, Section, ValueNode, plain
from flows.errors import ConfigError, Place, nearest


class Keys:
    """A mapping of a file, read key by key. Every error is a ConfigError with its place.

    `what` names the mapping in messages, such as "a dataset". Keys that are not in `allowed` are
    errors; with `allowed` None any may stand there.
    """

    def __init__(self, node: Node, what: str, allowed: Collection[str] | None = None) -> None:
        if not isinstance(node, Section):
            raise ConfigError(f"{what} must be a mapping (`key: value` lines)", place=node.place)
        self.section = node
        self.what = what
        for key, entry in node.entries.items():
            if allowed is not None and key not in allowed:
                problem = f"{what} has no key {key!r}"
                meant = nearest(key, allowed)
                raise ConfigError(
                    problem, place=entry.key_place, allowed=tuple(allowed), meant=meant
                )

    @property
    def place(self) -> Place:
        return self.section.place

    def __contains__(self, key: str) -> bool:
        return self.node(key) is not None

    def node(self, key: str) -> Node | None:
        """The value of a key; None where it is left out or empty."""
        node = self.section.get(key)
        empty = isinstance(node, ValueNode) and node.value is None
        return None if empty else node

    def place_of(self, key: str) -> Place:
        """Where the value of a key stands; where there is none, the mapping."""
        node = self.section.get(key)
        return node.place if node else self.place

    def text(self, key: str, *, required: bool = False) -> str:
        """The text at a key; empty where it is left out. A number or a date is its text."""
        node = self.node(key)
        if node is None:
            if required:
                raise ConfigError(f"{self.what} needs the key {key!r}", place=self.place)
            return ""
        text = _text(node)
        if text is None or (required and not text):
            raise ConfigError(f"{key!r} must be a text", place=node.place)
        return text

    def flag(self, key: str) -> bool | None:
        """True or false; None where it is left out."""
        node = self.node(key)
        if node is None:
            return None
        if not isinstance(node, ValueNode) or not isinstance(node.value, bool):
            raise ConfigError(f"{key!r} must be true or false", place=node.place)
        return node.value

    def number(self, key: str) -> float | None:
        node = self.node(key)
        if node is None:
            return None
        value = plain(node)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError(f"{key!r} must be a number", place=node.place)
        return value

    def choice(self, key: str, allowed: Collection[str]) -> str:
        """One of the allowed texts, in small letters; empty where it is left out."""
        text = self.text(key)
        if text and text.casefold() not in allowed:
            problem = f"{key!r} cannot be {text!r}"
            place, meant = self.place_of(key), nearest(text, allowed)
            raise ConfigError(problem, place=place, allowed=tuple(allowed), meant=meant)
        return text.casefold()

    def items(self, key: str) -> tuple[Node, ...]:
        """The items of a list; none where it is left out."""
        node = self.node(key)
        if node is None:
            return ()
        if not isinstance(node, ListNode):
            raise ConfigError(f"{key!r} must be a list", place=node.place)
        return node.items

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(texts_of(self.items(key), key))

    def keys(self, key: str, what: str, allowed: Collection[str] | None = None) -> Keys | None:
        """The mapping at a key; None where it is left out."""
        node = self.node(key)
        return None if node is None else Keys(node, what, allowed)


def texts_of(items: tuple[Node, ...], key: str) -> Iterator[str]:
    for item in items:
        text = _text(item)
        if not text:
            raise ConfigError(f"{key!r} must be a list of texts", place=item.place)
        yield text


def _text(node: Node) -> str | None:
    value: Any = plain(node)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, str | int | float) else None
