"""The text of the recipes, and of the tools that they call, as the sandbox is given it."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
_PREDICTION: Final = _HERE.parent / "prediction"
# What all code imports.
_IMPORTED: Final = frozenset(["np", "pd", "plt"])
# What stands in the text already, or at its very beginning.
_OWN: Final = ("flows.", "__future__")

# So annotations, which nobody evaluates, use no names.
_UNEVALUATED: Final = "from __future__ import annotations\n"

Library = dict[str, str]


def recipe_files() -> list[Path]:
    """The files of recipes: what methods share, and then what each has of its own."""
    return [_HERE / "recipes.py", *sorted(_HERE.glob("*/recipes.py"))]


def tool_files() -> list[Path]:
    """The files of the tools of a pipeline and of their components, which recipes may call."""
    found = (each for kind in ("components", "tools") for each in (_PREDICTION / kind).glob("*.py"))
    return sorted(each for each in found if each.name != "__init__.py")


@lru_cache(maxsize=1)
def library() -> Library:
    """The text of each import, function, class and constant, by its name."""
    recipes, tools, imports = Library(), Library(), Library()
    for files, found in ((recipe_files(), recipes), (tool_files(), tools)):
        for module in files:
            text = module.read_text(encoding="utf-8")
            lines = text.split("\n")
            for node in ast.parse(text).body:
                if found is tools:
                    imports |= _imports(node)
                if names := _made(node):
                    found |= dict.fromkeys(names, _segment(lines, node))
    tested = {name for name in tools if name.startswith("test_")}  # what tools test themselves by
    return imports | recipes | {name: tools[name] for name in tools if name not in tested}


def _segment(lines: Sequence[str], node: ast.stmt) -> str:
    """The text of a statement of a module, with what decorates it."""
    first = min((each.lineno for each in getattr(node, "decorator_list", ())), default=node.lineno)
    assert node.end_lineno is not None
    *before, last = lines[first - 1 : node.end_lineno]
    return "\n".join([*before, last.encode()[: node.end_col_offset].decode()])


@lru_cache(maxsize=2048)
def used_names(text: str) -> frozenset[str]:
    """The names that a statement of the library takes from its module, or from Python."""
    return _names(symtable.symtable(_UNEVALUATED + text, "<library>", "exec"))


def _imports(node: ast.stmt) -> Library:
    """What a tool imports of other libraries, a line for each name."""
    made: dict[str, ast.stmt] = {}
    if isinstance(node, ast.Import):
        made = {each.asname or each.name: ast.Import([each]) for each in node.names}
    elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(_OWN):
        made = {
            each.asname or each.name: ast.ImportFrom(node.module, [each], 0) for each in node.names
        }
    return {name: ast.unparse(each) for name, each in made.items() if name not in _IMPORTED}


def _names(scope: symtable.SymbolTable) -> frozenset[str]:
    """The names that code takes from its module; what a function only calls so itself is none."""
    own = (each for each in scope.get_symbols() if each.is_global() and each.is_referenced())
    found = frozenset(each.get_name() for each in own)
    return found.union(*map(_names, scope.get_children()))


def _made(node: ast.stmt) -> list[str]:
    """What a statement of a module defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
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
            left += used_names(known[name])
    return list(dict.fromkeys(text for name, text in known.items() if name in needed))
