"""The class that a file of aiflows leaves to its launcher, found in the modules beside the file.

Modules are read as text; nothing of them runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_PACKAGES: Final = ("aiflows", "flow_modules")
_MOST_MODULES: Final = 200
_MOST_BYTES: Final = 1_000_000


def foreign_names(tree: ast.Module) -> frozenset[str]:
    """The names that a module imports from aiflows or from a module of the FlowVerse."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and _is_foreign(node.module or ""):
            found += [each.asname or each.name for each in node.names]
        elif isinstance(node, ast.Import):
            names = [each for each in node.names if _is_foreign(each.name)]
            found += [each.asname or each.name.partition(".")[0] for each in names]
    return frozenset(found)


def is_foreign_class(node: ast.ClassDef, names: frozenset[str]) -> bool:
    """Whether a class subclasses one of those names, or of what stands in them."""
    return any(ast.unparse(each).partition(".")[0] in names for each in node.bases)


def class_beside(file: Path) -> str | None:
    """The dotted name of the flow class that a run file without one is of: in a module, or of a
    name, that is the file's own (`reverseNumber.yaml`: `reverse_number.py`, `ReverseNumberFlow`),
    else the only one in the folder. None where that is not one class."""
    known = [(module, name) for module, name in _classes(file.parent)]
    own = _folded(file.stem)
    for wanted in (
        [each for each in known if _folded(each[0]) == own],
        [each for each in known if _folded(each[1]) in (own, f"{own}flow")],
        known,
    ):
        if len(wanted) == 1:
            return ".".join(wanted[0])
    return None


def _classes(folder: Path) -> Iterator[tuple[str, str]]:
    """The module and the name of each class for aiflows in the modules of a folder."""
    for path in sorted(folder.glob("*.py"))[:_MOST_MODULES]:
        if path.stem.isidentifier() and path.is_file() and path.stat().st_size <= _MOST_BYTES:
            try:
                tree = ast.parse(path.read_bytes(), str(path))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue  # the class is not in there
            names = foreign_names(tree)
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and is_foreign_class(node, names):
                    yield path.stem, node.name


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _is_foreign(module: str) -> bool:
    return module.partition(".")[0] in _PACKAGES
