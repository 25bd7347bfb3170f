"""YAML text to a tree, event by event: limits hold before anything is built.

What is wrong does not end the reading: the value that it is about is unknown. Where the parser
itself cannot go on, it begins again at the next key that stands at the beginning of a line.

Only the parser of PyYAML is used, and the scalar rules of OmegaConf's loader: `yes` and `on` are
true, `012` is ten, `1:30` is ninety, dates stay text. Keys are always text as written. Tags that
could build objects are errors, and so are duplicate keys and a second document.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any, Final

import yaml
from omegaconf._utils import get_yaml_loader

from flows.config.composition import raise_all
from flows.config.limits import ConfigLimits
from flows.config.tree import Entry, ListNode, Node, Plain, Section, ValueNode, unknown
from flows.config.yaml_faults import TWO_VALUES, explained, fault_mark, next_key
from flows.errors import ConfigError, Place

CORE = "tag:yaml.org,2002:"
SCALAR_TAGS = frozenset(CORE + name for name in ("str", "int", "float", "bool", "null"))
MERGE_KEY = "<<"
_GOES_ON: Final = (":", ",", "[", "{", "|", ">", "-", "+")  # ends of lines that others belong to


@cache
def _scalar_rules() -> Any:
    """OmegaConf's loader, for its rules only; it never sees a file."""
    return get_yaml_loader()("")


@dataclass(frozen=True, slots=True)
class Parsed:
    """The tree of the one document in a text, None when there is no document, and what is wrong
    in it: each problem with its place."""

    tree: Node | None
    problems: tuple[tuple[str, Place], ...]

    def errors(self) -> list[ConfigError]:
        return [ConfigError(problem, place=place) for problem, place in self.problems]


def parse(text: str, origin: str, limits: ConfigLimits) -> Node | None:
    """The tree of the one document in the text, or None when there is no document. Errors:
    `ConfigError`, `CheckError` for all that is wrong."""
    parsed = parse_all(text, origin, limits)
    raise_all(parsed.errors())
    return parsed.tree


@lru_cache(maxsize=256)
def parse_all(text: str, origin: str, limits: ConfigLimits) -> Parsed:
    """What the text says, as far as it can be read, and what is wrong in it.

    Who builds many runs includes the same files in each: a tree, which nobody changes, is kept.
    """
    builder = _Builder(text, origin, limits)
    try:
        tree = builder.document()
    except ConfigError as error:  # a limit, beyond which nothing is read
        place = error.place or Place(origin, 1, 1)
        builder.problems.append((error.problem, place))
        tree = Section({}, place, open=True)
    return Parsed(tree, tuple(builder.problems))


class _Builder:
    def __init__(self, text: str, origin: str, limits: ConfigLimits) -> None:
        self.text = text
        self.origin = origin
        self.limits = limits
        self.problems: list[tuple[str, Place]] = []
        self.events = self._events(text)
        self.resumes: int | None = None  # the line, from 0, that can be read on from
        self.is_cut = False
        self.text_event: yaml.ScalarEvent | None = None  # the last one that was read
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
            mark = fault_mark(error)
            lines = self.text.splitlines()
            line = lines[mark.line] if mark is not None and mark.line < len(lines) else ""
            found = self._unclosed(error) or self._without_colon(error, lines)
            self.problems.append(found or (explained(error, line), self._at(mark)))
            self.resumes = next_key(self.text, mark, loader.flow_level)
        except (ValueError, OverflowError) as error:
            # PyYAML does not check the number of a \U escape or of a %YAML directive.
            mark = loader.get_mark()
            self.problems.append((f"not valid YAML: {error}", self._at(mark)))
            self.resumes = None
        finally:
            loader.dispose()

    def _next(self) -> yaml.Event | None:
        """The next event; None where the parser cannot go on."""
        event = next(self.events, None)
        self.is_cut = event is None
        if isinstance(event, yaml.ScalarEvent):
            self.text_event = event
        return event

    def _without_colon(
        self, error: yaml.MarkedYAMLError, lines: Sequence[str]
    ) -> tuple[str, Place] | None:
        """What is wrong where the line before is neither a key with a value nor a part of one."""
        mark = error.problem_mark
        if error.problem != TWO_VALUES or mark is None or ": " in lines[mark.line][: mark.column]:
            return None
        number = next((at for at in range(mark.line - 1, -1, -1) if lines[at].strip()), None)
        if number is None or ": " in lines[number] or lines[number].rstrip().endswith(":"):
            return None
        column = len(lines[number]) - len(lines[number].lstrip()) + 1
        text = (
            "this line is no `key: value`: a key ends with a `:`, and a space or the line behind it"
        )
        return text, Place(self.origin, number + 1, column)

    def _unclosed(self, error: yaml.MarkedYAMLError) -> tuple[str, Place] | None:
        """What is wrong where the text before is in quotes that end in another line."""
        last = self.text_event
        if last is None or last.style not in ("'", '"') or error.problem_mark is None:
            return None
        begin, end = last.start_mark, last.end_mark
        if begin is None or end is None:
            return None
        if begin.line == end.line or end.line != error.problem_mark.line:
            return None
        text = f"the quote that is opened here is closed in line {end.line + 1}: one is missing"
        return text, self._at(begin)

    def _at(self, mark: Any) -> Place:
        if mark is None:
            return Place(self.origin, 1, 1)
        return Place(self.origin, mark.line + 1, mark.column + 1)

    def _refuse(self, problem: str, event: yaml.Event) -> ConfigError:
        return ConfigError(problem, place=self._at(event.start_mark))

    def _fault(self, problem: str, event: yaml.Event) -> Node:
        """Note what is wrong; what stands for the value that it is about."""
        self.problems.append((problem, self._at(event.start_mark)))
        return unknown(self._at(event.start_mark))

    def document(self) -> Node | None:
        root = self._document()
        last = -1
        while self.is_cut:
            begin = self.resumes if self.resumes is None or self.resumes > last else None
            if not isinstance(root, Section):
                root = Section({}, Place(self.origin, 1, 1), open=True)
            root = replace(root, open=root.open or self._hides_keys(root, begin))
            if begin is None:
                break
            last = begin
            # As many empty lines stand for what was read, so that the places stay what they are.
            lines = self.text.splitlines(keepends=True)
            self.events = self._events("\n" * begin + "".join(lines[begin:]))
            rest = self._document()
            if isinstance(rest, Section):
                root = self._joined(root, rest)
        return root

    def _document(self) -> Node | None:
        """The first document of the events."""
        root: Node | None = None
        documents = 0
        while not isinstance(event := self._next(), yaml.StreamEndEvent) and event is not None:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._fault("a second document starts here; one file is one", event)
                    return replace(root, open=True) if isinstance(root, Section) else root
                root = self._node(self._next(), 1)
                if self.is_cut:
                    break
        return root

    def _hides_keys(self, root: Section, end: int | None) -> bool:
        """Whether keys of the root may stand between the last one that was read and a line."""
        last = max((each.key_place.line or 0 for each in root.entries.values()), default=0)
        lines = self.text.splitlines()
        own = lines[last - 1].rstrip() if last else ""
        below = (" ", "\t") if own.endswith(_GOES_ON) else ()
        return any(each[:1] not in ("", "#", *below) for each in lines[last:end])

    def _joined(self, root: Section, rest: Section) -> Section:
        """The root with the keys that were read behind a fault."""
        entries = dict(root.entries)
        for key, entry in rest.entries.items():
            entries[key] = entry
            if key in root.entries:
                entries[key] = self._twice(key, root.entries[key], entry.key_place)
        return replace(root, entries=entries, open=root.open or rest.open)

    def _twice(self, key: str, first: Entry, place: Place) -> Entry:
        """Note that a key stands there twice; what it is set to is unknown."""
        text = f"duplicate key {key!r}, first in line {first.key_place.line}"
        self.problems.append((text, place))
        return Entry(place, unknown(place))

    def _node(self, event: yaml.Event | None, depth: int) -> Node:
        if event is None:
            return unknown(Place(self.origin, 1, 1))
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
            return self._value(event)
        is_list = isinstance(event, yaml.SequenceStartEvent)
        tag = getattr(event, "tag", None)
        wrong = tag not in (None, "!", CORE + ("seq" if is_list else "map"))
        stands = (
            self._fault(f"the tag {_tag_text(str(tag))} is not allowed", event) if wrong else None
        )
        node = self._list(event, depth) if is_list else self._section(event, depth)
        return stands or node

    def _list(self, start: yaml.Event, depth: int) -> Node:
        items: list[Node] = []
        while not isinstance(item := self._next(), yaml.SequenceEndEvent):
            node = self._node(item, depth + 1)
            if self.is_cut:
                return unknown(self._at(start.start_mark))
            items.append(node)
        return ListNode(tuple(items), self._at(start.start_mark))

    def _section(self, start: yaml.Event, depth: int) -> Section:
        entries: dict[str, Entry] = {}
        merged: dict[str, Entry] = {}
        is_open = False
        last = ""
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            if event is None:
                if last:  # the text that could not be read on from may be a part of it
                    entries[last] = replace(entries[last], node=_opened(entries[last].node))
                break
            if _is_merge(event):
                value = self._next()
                is_open |= not self._merge_into(merged, self._node(value, depth + 1))
            elif (key := self._key(event, depth)) is None:
                self._node(self._next(), depth + 1)
                is_open = True
            else:
                place, first, last = self._at(event.start_mark), entries.get(key), key
                entries[key] = Entry(place, self._node(self._next(), depth + 1))
                if first is not None:
                    entries[key] = self._twice(key, first, place)
            if self.is_cut:
                break
        rest = {key: entry for key, entry in merged.items() if key not in entries}
        top = depth == 1  # what may stand between is found out where it is read on
        is_open |= self.is_cut and not top
        return Section({**rest, **entries}, self._at(start.start_mark), is_open)

    def _merge_into(self, merged: dict[str, Entry], node: Node) -> bool:
        """Add the keys that `<<` brings in; whether all of them are known."""
        sections = node.items if isinstance(node, ListNode) else (node,)
        known = True
        for section in sections:
            if not isinstance(section, Section):
                if not (isinstance(section, ValueNode) and section.is_unknown):
                    problem = "`<<` takes a mapping or a list of mappings"
                    self.problems.append((problem, section.place))
                known = False
                continue
            known = known and not section.open
            for key, entry in section.entries.items():
                merged.setdefault(key, entry)
        return known

    def _key(self, event: yaml.Event, depth: int) -> str | None:
        """The text of a key; None for what cannot be one."""
        if not isinstance(event, yaml.ScalarEvent):
            more = "; a text that begins with `{` or `[` stands in quotes"
            self._fault(f"a key must be plain text{more}", event)
            self._node(event, depth + 1)
            return None
        if event.tag is not None:
            self._fault(f"the tag {event.tag!r} is not allowed on a key", event)
            return None
        if not event.value or not event.value.isprintable():
            odd = next(
                (f", not U+{ord(each):04X}" for each in event.value if not each.isprintable()), ""
            )
            self._fault(f"a key must be printable text of one line{odd}", event)
            return None
        return str(event.value)

    def _alias(self, event: yaml.AliasEvent) -> Node:
        name = event.anchor
        self.aliases += 1
        if self.aliases > self.limits.aliases:
            raise self._refuse(f"more than {self.limits.aliases} aliases", event)
        if name in self.open_anchors:
            return self._fault(f"the alias *{name} is part of what it stands for", event)
        if name not in self.anchors:
            return self._fault(f"the alias *{name} has no anchor &{name} before it", event)
        node, size = self.anchors[name]
        self._count(size, event)
        return node

    def _count(self, size: int, event: yaml.Event) -> None:
        self.nodes += size
        if self.nodes > self.limits.nodes:
            problem = f"more than {self.limits.nodes} values, aliases expanded"
            raise self._refuse(problem, event)

    def _value(self, event: yaml.ScalarEvent) -> Node:
        rules = _scalar_rules()
        tag = event.tag
        if tag in (None, "!"):
            tag = rules.resolve(yaml.ScalarNode, event.value, event.implicit)
            if tag not in SCALAR_TAGS:
                tag = CORE + "str"
        if tag not in SCALAR_TAGS:
            return self._fault(f"the tag {_tag_text(tag)} is not allowed", event)
        if not _is_unicode(event.value):
            return self._fault("the text contains half of a surrogate pair", event)
        try:
            value: Plain = rules.construct_object(yaml.ScalarNode(tag, event.value), deep=True)
        except (ValueError, KeyError, IndexError, OverflowError, yaml.YAMLError):
            kind = tag.removeprefix(CORE)
            return self._fault(f"{event.value[:40]!r} cannot be read as {kind}", event)
        return ValueNode(value, self._at(event.start_mark))


def _closes(line: str) -> bool:
    """Whether a line closes as many brackets as it opens, and opens some."""
    opened = sum(map(line.count, "[{"))
    return 0 < opened == sum(map(line.count, "]}"))


def _opened(node: Node) -> Node:
    """A node to which more may belong than was read."""
    return replace(node, open=True) if isinstance(node, Section) else unknown(node.place)


def _is_merge(event: yaml.Event) -> bool:
    if not isinstance(event, yaml.ScalarEvent) or event.value != MERGE_KEY:
        return False
    return event.tag is None and bool(event.implicit[0])


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _tag_text(tag: str) -> str:
    return "!!" + tag.removeprefix(CORE) if tag.startswith(CORE) else tag
