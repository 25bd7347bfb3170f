"""The default config that the text of a class for aiflows says: `__default_flow_config = {...}`.

Modules are read as text; nothing of them runs. What is no literal there is not known.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from pathlib import Path
from typing import Final

from flows.config.read import shown
from flows.config.tree import Entry, ListNode, Node, Section, ValueNode
from flows.errors import Place

_NAME: Final = "__default_flow_config"
_MOST_BYTES: Final = 1_000_000


class NotLiteral(Exception):
    """A value that is known only when the code runs."""


def class_text(file: Path, name: str) -> ast.ClassDef | None:
    """The class of that name at the top of a module; None where it is not, or is not read."""
    try:
        found = file.stat()
        if found.st_size > _MOST_BYTES:
            return None
        tree = _tree(file, found.st_mtime_ns, found.st_size)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # what is wrong with a module is told where it is to be run
    classes = (each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name)
    return next(classes, None)


@lru_cache(maxsize=256)
def _tree(file: Path, written: int, size: int) -> ast.Module:
    del written, size
    return ast.parse(file.read_bytes(), str(file))


def written_defaults(file: Path, written: ast.ClassDef) -> Section | None:
    """The default config in the body of a class, with its places; None for one without, and for
    one that is no literal."""
    names = (_NAME, f"_{written.name.lstrip('_')}{_NAME}")
    for each in written.body:
        target = each.targets[0] if isinstance(each, ast.Assign) else getattr(each, "target", None)
        if isinstance(target, ast.Name) and target.id in names:
            value = getattr(each, "value", None)
            if isinstance(value, ast.Dict):
                try:
                    node = _node(value, shown(file))
                except NotLiteral:
                    return None
                return node if isinstance(node, Section) else None
    return None


def _node(value: ast.expr, origin: str) -> Node:
    """The tree of a literal. Errors: `NotLiteral`."""
    place = Place(origin, value.lineno, value.col_offset + 1)
    if isinstance(value, ast.Dict):
        entries: dict[str, Entry] = {}
        for key, inner in zip(value.keys, value.values, strict=True):
            if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                raise NotLiteral
            at = Place(origin, key.lineno, key.col_offset + 1)
            entries[key.value] = Entry(at, _node(inner, origin))
        return Section(entries, place)
    if isinstance(value, ast.List | ast.Tuple):
        return ListNode(tuple(_node(each, origin) for each in value.elts), place)
    try:
        plain = ast.literal_eval(value)
    except ValueError as error:
        raise NotLiteral from error
    if plain is not None and not isinstance(plain, str | int | float | bool):
        raise NotLiteral
    return ValueNode(plain, place)
