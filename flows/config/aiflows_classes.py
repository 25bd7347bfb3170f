"""The class that a file of aiflows leaves to its launcher, found in the modules beside the file.

Modules are read as text; nothing of them runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from flows.config.class_text import ClassText, is_for_aiflows, module_text

_MOST_MODULES: Final = 200


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
        tree = module_text(path) if path.stem.isidentifier() else None
        for node in tree.body if tree is not None else ():
            if isinstance(node, ast.ClassDef) and is_for_aiflows(
                ClassText(path.stem, path, node, folder)
            ):
                yield path.stem, node.name


def _folded(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
