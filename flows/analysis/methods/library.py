"""The text of the recipes, as the sandbox is given it."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

_HERE = Path(__file__).parent


def _modules() -> list[Path]:
    """The files of recipes: what methods share, and then what each has of its own."""
    return [_HERE / "recipes.py", *sorted(_HERE.glob("*/recipes.py"))]


@lru_cache(maxsize=1)
def library() -> dict[str, tuple[str, frozenset[str]]]:
    """The text of each function and constant, and the names that it uses."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for module in _modules():
        text = module.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            segment = ast.get_source_segment(text, node) or ""
            used = _names(symtable.symtable(segment, module.name, "exec"))
            for name in _made(node):
                found[name] = (segment, used)
    return found


def _names(scope: symtable.SymbolTable) -> frozenset[str]:
    """The names that code takes from its module; what a function only calls so itself is none."""
    own = (each for each in scope.get_symbols() if each.is_global() and each.is_referenced())
    found = frozenset(each.get_name() for each in own)
    return found.union(*map(_names, scope.get_children()))


def _made(node: ast.stmt) -> list[str]:
    """What a statement of a recipe's module defines."""
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if not isinstance(node, ast.Assign):
        return []
    [target] = node.targets
    each = target.elts if isinstance(target, ast.Tuple) else [target]
    return [name.id for name in each if isinstance(name, ast.Name)]


def functions(names: Sequence[str]) -> list[str]:
    """The text of these recipes and of all that they use, in the order of the modules."""
    known = library()
    needed, left = set(), list(names)
    while left:
        name = left.pop()
        if name in known and name not in needed:
            needed.add(name)
            left += known[name][1]
    return list(dict.fromkeys(text for name, (text, _) in known.items() if name in needed))
