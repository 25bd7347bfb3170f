"""Classes as the text of their modules has them: where one is defined, and what it subclasses.

Modules are read as text; nothing of them runs. They lie in a folder, or are installed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

from flows.config.modules import module_beside
from flows.config.own_modules import names_file, split_target
from flows.config.tree import MAKERS
from flows.errors import ConfigError

_MOST_BYTES: Final = 1_000_000
_MOST_IMPORTS: Final = 20
_MOST_BASES: Final = 20
_AIFLOWS: Final = "aiflows."
_VERSE: Final = "flow_modules."


@dataclass(frozen=True, slots=True)
class ClassText:
    """A class where it is defined: the dotted name of its module, that module's file, and the
    folder in which its own imports are looked for first."""

    module: str
    file: Path
    node: ast.ClassDef
    root: Path

    @property
    def name(self) -> str:
        return self.node.name

    @property
    def package(self) -> str:
        """The package that relative names in its default config are of."""
        return self.module if self.file.name == "__init__.py" else self.module.rpartition(".")[0]

    @property
    def base(self) -> str:
        """The dotted name of the first class that it subclasses; "" where the text names none."""
        first = _dotted(self.node.bases[0]) if self.node.bases else ()
        if not first:
            return ""
        tree = module_text(self.file)
        if tree is not None and (bound := _bound(tree, first[0], self.module, self.package)):
            return ".".join([bound, *first[1:]])
        return ".".join([self.module, *first])

    @property
    def base_class(self) -> ClassText | None:
        """That class, where its text is found."""
        return _find(self.base.split("."), self.root, _MOST_IMPORTS) if self.base else None


def find_class(target: str, folder: Path) -> ClassText | None:
    """The class that a `_target_` names: a dotted name of a module in the folder or of an installed
    one, also where that module only imports the class, or a path such as `./shout.py:Shout`. None
    where the text says none, or cannot be read: what is wrong with it is told where it is run."""
    name = MAKERS.sub("", target)
    if names_file(name):
        try:
            file, attribute = split_target(name)
        except ConfigError:
            return None
        path = folder / file
        return _find([path.stem, attribute], path.parent, _MOST_IMPORTS)
    return _find(name.replace(":", ".").split("."), folder, _MOST_IMPORTS)


def lineage(found: ClassText) -> Iterator[ClassText]:
    """A class, then the one that it subclasses, and so on, up to one of aiflows itself, or as far
    as their texts are found."""
    each: ClassText | None = found
    for _ in range(_MOST_BASES):
        if each is None:
            return
        yield each
        each = None if each.base.startswith(_AIFLOWS) else each.base_class


def is_for_aiflows(found: ClassText) -> bool:
    """Whether a class comes from one of aiflows, or of a module of the FlowVerse."""
    return any(each.base.startswith((_AIFLOWS, _VERSE)) for each in lineage(found))


def module_file(name: str, folder: Path) -> Path | None:
    """The file of a module by its dotted name: in the folder, or else where it is installed."""
    return _file_of(name.split("."), folder)


def module_text(file: Path) -> ast.Module | None:
    """The syntax tree of a module; None for one that is not there, too large or no Python."""
    try:
        found = file.stat()
        if found.st_size > _MOST_BYTES:
            return None
        return _tree(file, found.st_mtime_ns, found.st_size)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None  # what is wrong with a module is told where it is to be run


@lru_cache(maxsize=256)
def _tree(file: Path, written: int, size: int) -> ast.Module:
    del written, size
    return ast.parse(file.read_bytes(), str(file))


def _find(parts: Sequence[str], root: Path, imports: int) -> ClassText | None:
    """The class of a dotted name, through at most so many imports."""
    for end in range(len(parts) - 1, 0, -1):
        file = _file_of(parts[:end], root)
        tree = module_text(file) if file is not None else None
        if file is None or tree is None:
            continue
        name, module = parts[end], ".".join(parts[:end])
        for node in _statements(tree.body):
            if isinstance(node, ast.ClassDef) and node.name == name and end == len(parts) - 1:
                return ClassText(module, file, node, root)
        package = module if file.name == "__init__.py" else module.rpartition(".")[0]
        bound = _bound(tree, name, module, package)
        if bound and imports:
            return _find([*bound.split("."), *parts[end + 1 :]], root, imports - 1)
    return None


def _file_of(parts: Sequence[str], root: Path) -> Path | None:
    """The file of a module: in the folder, or else where its package is installed."""
    top = module_beside(parts[0], root)
    if top is None and parts[0].isidentifier():
        spec = PathFinder.find_spec(parts[0])
        where = [*(spec.submodule_search_locations or ()), spec.origin] if spec else []
        top = next((Path(each) for each in where if each), None)
    if top is None:
        return None
    if top.name == "__init__.py":
        top = top.parent
    path = top.joinpath(*parts[1:])
    if path.is_dir():
        return path / "__init__.py"
    return path if len(parts) == 1 else path.with_name(f"{path.name}.py")


def _bound(tree: ast.Module, name: str, module: str, package: str) -> str:
    """The dotted name of what an import at the top of a module binds to the name; "" for none."""
    for node in _statements(tree.body):
        if isinstance(node, ast.Import):
            for each in node.names:
                if (each.asname or each.name.partition(".")[0]) == name:
                    return each.name if each.asname else name
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            start = [*(above if node.level else []), *([node.module] if node.module else [])]
            for each in node.names:
                dotted = ".".join([*start, each.name])
                if (each.asname or each.name) == name and dotted != f"{module}.{name}":
                    return dotted
    return ""


def _statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements at the top of a module, those under `if` and `try` too."""
    for node in body:
        yield node
        for inner in ("body", "orelse", "handlers", "finalbody"):
            if isinstance(node, ast.If | ast.Try):
                for each in getattr(node, inner, ()):
                    block = each.body if isinstance(each, ast.ExceptHandler) else [each]
                    yield from _statements(block)


def _dotted(node: ast.expr) -> tuple[str, ...]:
    """The parts of a name such as `a.b.C`; none for any other expression."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute) and (before := _dotted(node.value)):
        return (*before, node.attr)
    return ()
