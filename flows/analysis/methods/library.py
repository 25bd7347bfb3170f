"""The text of the recipes, and of the tools that they call, as the sandbox is given it."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Sequence
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent
_PREDICTION: Final = _HERE.parent / "prediction"
# What all code imports.
_IMPORTED: Final = frozenset(["np", "pd", "plt"])
# What stands in the text already, or at its very beginning.
_OWN: Final = ("flows.", "__future__")

Library = dict[str, tuple[str, frozenset[str]]]


def recipe_files() -> list[Path]:
    """The files of recipes: what methods share, and then what each has of its own."""
    return [_HERE / "recipes.py", *sorted(_HERE.glob("*/recipes.py"))]


def tool_files() -> list[Path]:
    """The files of the tools of a pipeline and of their components, which recipes may call."""
    found = (each for kind in ("components", "tools") for each in (_PREDICTION / kind).glob("*.py"))
    return sorted(each for each in found if each.name != "__init__.py")


@lru_cache(maxsize=1)
def library() -> Library:
    """The text of each import, function, class and constant, and the names that it uses."""
    recipes, tools, imports = Library(), Library(), Library()
    for files, found in ((recipe_files(), recipes), (tool_files(), tools)):
        for module in files:
            text = module.read_text(encoding="utf-8")
            for node in ast.parse(text).body:
                if found is tools:
                    imports |= _imports(node)
                segment = _segment(text, node)
                used = _names(symtable.symtable(_bare(node), module.name, "exec"))
                found |= dict.fromkeys(_made(node), (segment, used))
    tested = {name for name in tools if name.startswith("test_")}  # what tools test themselves by
    return imports | recipes | {name: tools[name] for name in tools if name not in tested}


def _segment(text: str, node: ast.stmt) -> str:
    """The text of a statement, with what decorates it."""
    segment = ast.get_source_segment(text, node) or ""
    lines = text.splitlines()
    first = min((each.lineno for each in getattr(node, "decorator_list", ())), default=node.lineno)
    return "\n".join([*lines[first - 1 : node.lineno - 1], segment])


def _bare(node: ast.stmt) -> str:
    """A statement without its annotations, which nobody evaluates."""
    return ast.unparse(_WithoutAnnotations().visit(deepcopy(node)))


class _WithoutAnnotations(ast.NodeTransformer):
    """Takes the annotations out of code; that of a name becomes one that uses nothing."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)


def _imports(node: ast.stmt) -> Library:
    """What a tool imports of other libraries, a line for each name."""
    made: dict[str, ast.stmt] = {}
    if isinstance(node, ast.Import):
        made = {each.asname or each.name: ast.Import([each]) for each in node.names}
    elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith(_OWN):
        made = {
            each.asname or each.name: ast.ImportFrom(node.module, [each], 0) for each in node.names
        }
    return {
        name: (ast.unparse(each), frozenset())
        for name, each in made.items()
        if name not in _IMPORTED
    }


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
            left += known[name][1]
    return list(dict.fromkeys(text for name, (text, _) in known.items() if name in needed))
