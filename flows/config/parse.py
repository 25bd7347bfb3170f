"""YAML text to a tree, event by event: limits hold before anything is built.

Only the parser of PyYAML is used, and the scalar rules of OmegaConf's loader: `yes` and `on` are
true, `012` is ten, `1:30` is ninety, dates stay text. Keys are always text as written. Tags that
could build objects are errors, and so are duplicate keys and a second document.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import yaml
from omegaconf._utils import get_yaml_loader

from flows.config.limits import ConfigLimits
from flows.config.tree import Entry, ListNode, Node, Plain, Section, ValueNode
from flows.errors import ConfigError, Place

CORE = "tag:yaml.org,2002:"
SCALAR_TAGS = frozenset(CORE + name for name in ("str", "int", "float", "bool", "null"))
MERGE_KEY = "<<"


@cache
def _scalar_rules() -> Any:
    """OmegaConf's loader, for its rules only; it never sees a file."""
    return get_yaml_loader()("")


@lru_cache(maxsize=256)
def parse(text: str, origin: str, limits: ConfigLimits) -> Node | None:
    """The tree of the one document in the text, or None when there is no document.

    Who builds many runs includes the same files in each: a tree, which nobody changes, is kept.
    """
    return _Builder(text, origin, limits).document()


class _Builder:
    def __init__(self, text: str, origin: str, limits: ConfigLimits) -> None:
        self.origin = origin
        self.limits = limits
        self.events = self._events(text)
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.open_anchors: set[str] = set()
        self.aliases = 0
        self.nodes = 0

    def _events(self, text: str) -> Iterator[yaml.Event]:
        loader: Any = yaml.SafeLoader(text)
        try:
            while loader.check_event():
                yield loader.get_event()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            raise ConfigError(_explained(error), place=self._at(mark)) from error
        except (ValueError, OverflowError) as error:
            # PyYAML does not check the number of a \U escape or of a %YAML directive.
            mark = loader.get_mark()
            raise ConfigError(f"not valid YAML: {error}", place=self._at(mark)) from error
        finally:
            loader.dispose()

    def _at(self, mark: Any) -> Place:
        if mark is None:
            return Place(self.origin, 1, 1)
        return Place(self.origin, mark.line + 1, mark.column + 1)

    def _refuse(self, problem: str, event: yaml.Event) -> ConfigError:
        return ConfigError(problem, place=self._at(event.start_mark))

    def document(self) -> Node | None:
        root: Node | None = None
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise self._refuse("a second document starts here; one file is one", event)
                root = self._node(next(self.events), 1)
        return root

    def _node(self, event: yaml.Event, depth: int) -> Node:
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if depth > self.limits.depth:
            raise self._refuse(f"nested deeper than {self.limits.depth} levels", event)
        before = self.nodes
        self._count(1, event)
        anchor: str | None = getattr(event, "anchor", None)
        if anchor:
            self.open_anchors.add(anchor)
        node = self._content(event, depth)
        if anchor:
            self.open_anchors.discard(anchor)
            self.anchors[anchor] = (node, self.nodes - before)
        return node

    def _content(self, event: yaml.Event, depth: int) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            return ValueNode(self._value(event), self._at(event.start_mark))
        if isinstance(event, yaml.SequenceStartEvent):
            self._check_tag(event, "seq")
            items: list[Node] = []
            while not isinstance(item := next(self.events), yaml.SequenceEndEvent):
                items.append(self._node(item, depth + 1))
            return ListNode(tuple(items), self._at(event.start_mark))
        self._check_tag(event, "map")
        return self._section(event, depth)

    def _section(self, start: yaml.Event, depth: int) -> Section:
        entries: dict[str, Entry] = {}
        merged: dict[str, Entry] = {}
        while not isinstance(key_event := next(self.events), yaml.MappingEndEvent):
            if _is_merge(key_event):
                event = next(self.events)
                self._merge_into(merged, self._node(event, depth + 1), event)
                continue
            key = self._key(key_event)
            place = self._at(key_event.start_mark)
            if key in entries:
                first = entries[key].key_place
                raise ConfigError(f"duplicate key {key!r}, first in line {first.line}", place=place)
            entries[key] = Entry(place, self._node(next(self.events), depth + 1))
        rest = {key: entry for key, entry in merged.items() if key not in entries}
        return Section({**rest, **entries}, self._at(start.start_mark))

    def _merge_into(self, merged: dict[str, Entry], node: Node, event: yaml.Event) -> None:
        sections = node.items if isinstance(node, ListNode) else (node,)
        for section in sections:
            if not isinstance(section, Section):
                raise self._refuse("`<<` takes a mapping or a list of mappings", event)
            for key, entry in section.entries.items():
                merged.setdefault(key, entry)

    def _key(self, event: yaml.Event) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            raise self._refuse("a key must be plain text", event)
        if event.tag is not None:
            raise self._refuse(f"the tag {event.tag!r} is not allowed on a key", event)
        if not event.value or not event.value.isprintable():
            raise self._refuse("a key must be printable text of one line", event)
        return str(event.value)

    def _alias(self, event: yaml.AliasEvent) -> Node:
        name = event.anchor
        self.aliases += 1
        if self.aliases > self.limits.aliases:
            raise self._refuse(f"more than {self.limits.aliases} aliases", event)
        if name in self.open_anchors:
            raise self._refuse(f"the alias *{name} is part of what it stands for", event)
        if name not in self.anchors:
            raise self._refuse(f"the alias *{name} has no anchor &{name} before it", event)
        node, size = self.anchors[name]
        self._count(size, event)
        return node

    def _count(self, size: int, event: yaml.Event) -> None:
        self.nodes += size
        if self.nodes > self.limits.nodes:
            problem = f"more than {self.limits.nodes} values, aliases expanded"
            raise self._refuse(problem, event)

    def _check_tag(self, event: yaml.Event, name: str) -> None:
        tag = getattr(event, "tag", None)
        if tag not in (None, "!", CORE + name):
            raise self._refuse(f"the tag {_tag_text(tag)} is not allowed", event)

    def _value(self, event: yaml.ScalarEvent) -> Plain:
        rules = _scalar_rules()
        tag = event.tag
        if tag in (None, "!"):
            tag = rules.resolve(yaml.ScalarNode, event.value, event.implicit)
            if tag not in SCALAR_TAGS:
                tag = CORE + "str"
        if tag not in SCALAR_TAGS:
            raise self._refuse(f"the tag {_tag_text(tag)} is not allowed", event)
        if not _is_unicode(event.value):
            raise self._refuse("the text contains half of a surrogate pair", event)
        try:
            value: Plain = rules.construct_object(yaml.ScalarNode(tag, event.value), deep=True)
        except (ValueError, KeyError, IndexError, OverflowError, yaml.YAMLError) as error:
            kind = tag.removeprefix(CORE)
            shown = event.value[:40]
            raise self._refuse(f"{shown!r} cannot be read as {kind}", event) from error
        return value


def _is_merge(event: yaml.Event) -> bool:
    if not isinstance(event, yaml.ScalarEvent) or event.value != MERGE_KEY:
        return False
    return event.tag is None and bool(event.implicit[0])


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _tag_text(tag: str) -> str:
    return "!!" + tag.removeprefix(CORE) if tag.startswith(CORE) else tag


def _explained(error: yaml.MarkedYAMLError) -> str:
    problem = error.problem or error.context or "not valid YAML"
    if "'\\t'" in problem:
        return "a tab: YAML is indented with spaces"
    if problem == "expected the node content, but found '?'":
        return "not valid YAML: inside [ ] and { } write '???' in quotes"
    if problem == "mapping values are not allowed here":
        return "a `:` that starts a second value in this line; quote the text, or indent the key"
    return f"not valid YAML: {problem}"
