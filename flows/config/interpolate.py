"""`${path.to.value}` in values: OmegaConf's grammar, but no resolver, and never twice.

What an interpolation yields is not read again, is counted, and shares the nodes it names, so that
neither a loop nor a tree of references can grow. `${env:NAME}` alone stays as an `EnvSecret`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from omegaconf.errors import GrammarParseError, OmegaConfBaseException
from omegaconf.grammar_parser import parse as parse_grammar
from omegaconf.grammar_visitor import GrammarVisitor

from flows.config.faults import Faults
from flows.config.limits import DEFAULT_LIMITS, ConfigLimits
from flows.config.secret import ENV, EnvSecret
from flows.config.tree import (
    Entry,
    ListNode,
    Node,
    Path,
    Section,
    ValueNode,
    as_index,
    child,
    dotted,
    is_unknown,
    unknown,
)
from flows.errors import ConfigError, Place, UnknownValue, nearest

KEY = re.compile(r"[^.\[\]]+")
ALLOWED = (
    "${path.to.value}",
    "${.sibling}",
    "${env:NAME} for a secret",
    r"\${ for the text itself",
)


def resolve(
    root: Section, limits: ConfigLimits = DEFAULT_LIMITS, faults: Faults | None = None
) -> Section:
    """The tree with every interpolation replaced by what it names. One that names nothing is kept
    in the `faults`, and unknown in the tree; without them it is raised. Errors: `ConfigError` for
    more than the limits allow."""
    wrong = Faults() if faults is None else faults
    resolution = _Resolution(root, limits, wrong)
    try:
        resolved = resolution.node(root, ())
    except RecursionError as error:
        # Deep values that refer to deep values can use up the stack before a limit is reached.
        raise ConfigError("interpolations nest too deeply", place=root.place) from error
    resolution.measure(resolved, resolved.place, ())
    if faults is None:
        wrong.raise_all()
    assert isinstance(resolved, Section)
    return resolved


def check_closed(text: str, place: Place, path: str = "") -> None:
    """Raise unless the text has at most interpolations of values: no resolver, no secret."""
    if "${" in text:
        _visit(text, _Callbacks(lambda _: "", place, path), place, path)


@dataclass(frozen=True, slots=True)
class _Whole:
    """A container that an interpolation names; it cannot be part of a text."""

    node: Node
    place: Place
    path: str

    def __str__(self) -> str:
        problem = "a mapping or a list cannot be put into a text"
        raise ConfigError(problem, place=self.place, path=self.path)


class _Callbacks:
    """What the grammar's visitor calls: a look-up for names, a refusal for resolvers."""

    def __init__(self, look_up: Any, place: Place, path: str) -> None:
        self.look_up = look_up
        self.place = place
        self.path = path

    # The visitor of the grammar fixes the parameters of both.

    def name(self, key: str, _memo: object = None) -> Any:
        return self.look_up(key)

    def resolver(self, name: str, **_arguments: object) -> NoReturn:
        if name == "env":
            problem = "`${env:NAME}` must stand alone, as the whole value of a secret"
        else:
            problem = f"the resolver `{name}` is not available"
        raise ConfigError(problem, place=self.place, path=self.path, allowed=ALLOWED)


def _visit(text: str, callbacks: _Callbacks, place: Place, path: str) -> Any:
    visitor = GrammarVisitor(callbacks.name, callbacks.resolver, memo=None)
    try:
        return visitor.visit(parse_grammar(text))
    except GrammarParseError as error:
        problem = "an interpolation that cannot be read"
        raise ConfigError(problem, place=place, path=path, allowed=ALLOWED) from error
    except RecursionError as error:
        problem = "interpolations nest too deeply"
        raise ConfigError(problem, place=place, path=path) from error
    except OmegaConfBaseException as error:
        raise ConfigError(str(error), place=place, path=path, allowed=ALLOWED) from error


class _Resolution:
    def __init__(self, root: Section, limits: ConfigLimits, faults: Faults) -> None:
        self.root = root
        self.limits = limits
        self.faults = faults
        self.is_full = False  # a limit is reached
        self.done: dict[Path, Node] = {}
        self.active: list[Path] = []
        self.written = 0
        self.sizes: dict[int, tuple[Node, int]] = {}

    def node(self, node: Node, path: Path) -> Node:
        """The node at the path with everything in it resolved."""
        if isinstance(node, Section):
            return self._section(node, path)
        if isinstance(node, ListNode):
            items = tuple(self.node(item, (*path, i)) for i, item in enumerate(node.items))
            same = all(new is old for new, old in zip(items, node.items, strict=True))
            return node if same else replace(node, items=items)
        if node.literal or not isinstance(node.value, str) or "${" not in node.value:
            return node
        if path not in self.done:
            self.done[path] = self._known(node, node.value, path)
        return self.done[path]

    def _known(self, scalar: ValueNode, text: str, path: Path) -> Node:
        """What the text of a value comes to; unknown for what is wrong."""
        depth = len(self.active)
        try:
            return self._evaluate(scalar, text, path)
        except ConfigError as error:
            if self.is_full:
                raise
            del self.active[depth:]
            self.faults.keep(error)
            return unknown(scalar.place)

    def _section(self, section: Section, path: Path) -> Section:
        entries: dict[str, Entry] = {}
        same = True
        for key, entry in section.entries.items():
            node = self.node(entry.node, (*path, key))
            same = same and node is entry.node
            entries[key] = entry if node is entry.node else Entry(entry.key_place, node)
        return section if same else replace(section, entries=entries)

    def _evaluate(self, scalar: ValueNode, text: str, path: Path) -> Node:
        if ENV.fullmatch(text):
            return replace(scalar, value=EnvSecret(text))
        self._enter(path, scalar.place)
        secrets: list[str] = []
        missing: list[ValueNode] = []

        def look_up(key: str) -> Any:
            found = self._look_up(key, path, scalar.place)
            if is_unknown(found):
                raise UnknownValue(f"`${{{key}}}` is not known", place=scalar.place)
            if not isinstance(found, ValueNode):
                return _Whole(found, scalar.place, dotted(path))
            if isinstance(found.value, EnvSecret):
                secrets.append(found.value)
            if found.is_missing:
                missing.append(found)
            return found.value

        value = _visit(text, _Callbacks(look_up, scalar.place, dotted(path)), scalar.place, "")
        self.active.pop()
        if missing:
            return missing[0]
        if isinstance(value, _Whole):
            self.measure(value.node, scalar.place, path)
            return value.node
        if secrets and not isinstance(value, EnvSecret):
            problem = "a secret must stand alone, it cannot be part of a text"
            raise ConfigError(problem, place=scalar.place, path=dotted(path))
        return self._written(scalar, value, path)

    def _enter(self, path: Path, place: Place) -> None:
        if path in self.active:
            loop = " -> ".join(dotted(each) for each in (*self.active, path))
            raise ConfigError(f"interpolations in a circle: {loop}", place=place, path=dotted(path))
        if len(self.active) >= self.limits.references:
            self.is_full = True
            problem = f"more than {self.limits.references} interpolations lead to one value"
            raise ConfigError(problem, place=place, path=dotted(path))
        self.active.append(path)

    def _written(self, scalar: ValueNode, value: Any, path: Path) -> ValueNode:
        if isinstance(value, str):
            self.written += len(value)
        if self.written > self.limits.text:
            self.is_full = True
            problem = f"interpolations write more than {self.limits.text} characters"
            raise ConfigError(problem, place=scalar.place, path=dotted(path))
        # Resolved again, as a default config and then the run file are, it is not read either.
        return replace(scalar, value=value, literal=isinstance(value, str) and "${" in value)

    def _look_up(self, key: str, path: Path, place: Place) -> Node:
        names = KEY.findall(key)
        dots = len(key) - len(key.lstrip("."))
        if dots > len(path):
            problem = f"`${{{key}}}` leads out of the file"
            raise ConfigError(problem, place=place, path=dotted(path))
        here: Path = path[: len(path) - dots] if dots else ()
        node = self._descend(self.root, here)
        for name in names:
            inner = child(node, name)
            if inner is None and (is_unknown(node) or (isinstance(node, Section) and node.open)):
                return unknown(place)
            if inner is None:
                raise _unknown(key, node, name, place, path)
            index = as_index(name) if isinstance(node, ListNode) else None
            here = (*here, name if index is None else index)
            if isinstance(inner, ValueNode):
                # A value may itself be an interpolation that the rest of the key leads through.
                inner = self.node(inner, here)
            node = inner
        return self.node(node, here)

    def _descend(self, node: Node, path: Path) -> Node:
        for segment in path:
            inner = child(node, segment)
            assert inner is not None
            node = inner
        return node

    def measure(self, node: Node, place: Place, path: Path) -> None:
        """Raise when the node, with all that it shares, is larger than the limit."""
        if self._size(node) > self.limits.nodes:
            self.is_full = True
            problem = f"more than {self.limits.nodes} values, interpolations expanded"
            raise ConfigError(problem, place=place, path=dotted(path))

    def _size(self, node: Node) -> int:
        known = self.sizes.get(id(node))
        if known is not None and known[0] is node:
            return known[1]
        inner: Iterable[Node] = ()
        if isinstance(node, Section):
            inner = (entry.node for entry in node.entries.values())
        elif isinstance(node, ListNode):
            inner = node.items
        size = 1 + sum(self._size(each) for each in inner)
        self.sizes[id(node)] = (node, size)
        return size


def _unknown(key: str, node: Node, name: str, place: Place, path: Path) -> ConfigError:
    names = tuple(node.entries) if isinstance(node, Section) else ()
    problem = f"`${{{key}}}` names nothing: there is no {name!r}"
    meant = nearest(name, names)
    return ConfigError(problem, place=place, path=dotted(path), allowed=names, meant=meant)
