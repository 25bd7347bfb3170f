"""Where the config that a program launches is written: in a YAML file that it has read, or in the
program itself."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from flows.config.read import ENDINGS, read, shown
from flows.config.tree import (
    Entry,
    ListNode,
    Node,
    Section,
    ValueNode,
    find,
    key_place_of,
    plain,
    unknown,
)
from flows.errors import ConfigError, Place

UNKNOWN_KEY: Final = "unknown key"
_NOTHING: Final = object()
_READING: Final = ("r", "rb", "rt", None)


class ProgramPlaces:
    """Finds the place of a value of the config by its path and by what it is. A value of which
    there are several in the files, or none, has no place."""

    def __init__(self, program: Path) -> None:
        self.program = program
        self.files: dict[Path, None] = {}
        self.is_noting = False

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note the YAML files that are opened while this lasts."""
        sys.addaudithook(self._note)  # it cannot be taken away, so that it asks whether it is on
        self.is_noting = True
        try:
            yield
        finally:
            self.is_noting = False

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.is_noting and event == "open" and isinstance(arguments[0], str):
            path = Path(arguments[0])
            is_own = path.name.startswith(f".{self.program.stem}-")
            if path.suffix in ENDINGS and arguments[1] in _READING and not is_own:
                self.files[path.absolute()] = None

    def told(self, error: ConfigError, written: Path, values: Mapping[str, Any]) -> str:
        """What is wrong, with its place. `written` is the file that was made of the `values` for
        the check alone: a place in it is none."""
        place = error.place
        if place is not None and Path(place.origin).name == written.name:
            place = self.find(error, values)
        head = f"{place}: " if place else ""
        return head + (f"{error.path}: {error.problem}" if error.path else error.problem)

    def find(self, error: ConfigError, values: Mapping[str, Any]) -> Place | None:
        """The place of what an error is about, where it is sure."""
        path = tuple(error.path.split(".")) if error.path else ()
        value = _value_at(values, path)
        if value is _NOTHING:  # what is missing would stand in the mapping above
            path, value = path[:-1], _value_at(values, path[:-1])
        for begin in range(len(path)):
            rest = path[begin:]
            found = [(root, rest) for root in self._roots() if _is_same(find(root, rest), value)]
            if len(found) == 1:
                root, at = found[0]
                node = find(root, at)
                is_key = error.problem.startswith(UNKNOWN_KEY) or not isinstance(node, ValueNode)
                return key_place_of(root, at) if is_key or node is None else node.place
            if found:
                return None
        return None

    def _roots(self) -> Iterator[Section]:
        """Every mapping in the files and in the program."""
        for file in self.files:
            try:
                yield from _sections(read(file).tree)
            except ConfigError:
                continue  # the program read something else in it, as it was then
        for node in ast.walk(ast.parse(self.program.read_bytes())):
            if isinstance(node, ast.Dict | ast.Call):
                made = _as_node(node, shown(self.program))
                if isinstance(made, Section) and made.entries:
                    yield made


def _sections(node: Node) -> Iterator[Section]:
    if isinstance(node, Section):
        yield node
    inner = (
        [each.node for each in node.entries.values()]
        if isinstance(node, Section)
        else node.items
        if isinstance(node, ListNode)
        else ()
    )
    for each in inner:
        yield from _sections(each)


def _as_node(written: ast.expr, origin: str) -> Node:
    """An expression as a tree; what is no plain value in it is unknown."""
    place = Place(origin, written.lineno, written.col_offset + 1)
    if isinstance(written, ast.Dict):
        entries = {
            str(key.value): Entry(
                Place(origin, key.lineno, key.col_offset + 1), _as_node(value, origin)
            )
            for key, value in zip(written.keys, written.values, strict=True)
            if isinstance(key, ast.Constant)
        }
        return Section(entries, place)
    if isinstance(written, ast.Call):
        named = {
            each.arg: Entry(
                Place(origin, each.lineno, each.col_offset + 1), _as_node(each.value, origin)
            )
            for each in written.keywords
            if each.arg is not None
        }
        return Section(named, place)
    if isinstance(written, ast.List | ast.Tuple):
        return ListNode(tuple(_as_node(each, origin) for each in written.elts), place)
    if isinstance(written, ast.Constant) and isinstance(written.value, str | int | float | None):
        return ValueNode(written.value, place, literal=True)
    return unknown(place)


def _is_same(node: Node | None, value: Any) -> bool:
    """Whether a node may be where the value comes from."""
    if node is None:
        return False
    if isinstance(node, Section):
        return isinstance(value, Mapping) and set(node.entries) <= set(value)
    return bool(plain(node) == value)


def _value_at(values: Any, path: tuple[str, ...]) -> Any:
    for part in path:
        if isinstance(values, Mapping) and part in values:
            values = values[part]
        elif isinstance(values, list) and part.isdigit() and int(part) < len(values):
            values = values[int(part)]
        else:
            return _NOTHING
    return values
