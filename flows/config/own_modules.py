"""A Python module beside a run file that is named by its path, as in `./shout.py:Shout`.

It is read once, with all that it imports from its folder, and before any of it runs. What was read
is what runs: never bytecode from the folder, a file that has changed since, or another file.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any, Final

from flows.config.modules import broken
from flows.config.read import shown
from flows.errors import ConfigError

MOST_BYTES: Final = 1_000_000
MOST_MODULES: Final = 200
_NAMED: Final = re.compile(r"(?P<file>[^:]*\.py)(?::(?P<attribute>[^:]*))?")
_HERE: Final = "./"


def names_file(name: str) -> bool:
    """Whether a target is the path of a Python file, with or without what is meant in it."""
    return _NAMED.fullmatch(name) is not None or name.startswith((_HERE, "../", "/"))


def split_target(name: str) -> tuple[str, str]:
    """The file of a target, beginning with `./`, and the name in it, "" for the whole file.

    Errors: `ConfigError` for a path that leads out of the folder, and for a target that is none.
    """
    found = _NAMED.fullmatch(name)
    if found is None:
        raise ConfigError(
            f"{name!r} names no Python file; one beside the run file is ./FILE.py:NAME"
        )
    path, attribute = PurePosixPath(found["file"]), found["attribute"]
    if path.is_absolute() or ".." in path.parts:
        raise ConfigError(
            f"{name!r} leads out of the folder of the run file; code lies in that folder or below"
        )
    if attribute is not None and not attribute.isidentifier():
        raise ConfigError(f"{name!r} names nothing in the file; write {_HERE}{path}:NAME")
    return f"{_HERE}{path}", attribute or ""


@dataclass(frozen=True, slots=True)
class OwnSource:
    """The text of one file, as it was read."""

    file: Path
    data: bytes
    is_package: bool
    tree: ast.Module


@dataclass(frozen=True)
class OwnModule:
    """A module beside a run file, and what it imports from its folder.

    `name` is its path from the run file's folder, such as `./shout.py`; `main` its dotted name
    below its own folder, and `sources` all files by such names.
    """

    name: str
    main: str
    sources: Mapping[str, OwnSource] = field(repr=False)

    @property
    def file(self) -> Path:
        return self.sources[self.main].file

    @property
    def files(self) -> tuple[Path, ...]:
        """The module itself, then what it imports."""
        rest = (each.file for name, each in self.sources.items() if name != self.main)
        return (self.file, *rest)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that can run, with the names that it is imported by."""
        digest = hashlib.sha256(self.main.encode())
        for name in sorted(self.sources):
            digest.update(f"\0{name}\0".encode())
            digest.update(hashlib.sha256(self.sources[name].data).digest())
        return digest.hexdigest()

    @cached_property
    def package(self) -> str:
        """The name of the package that the modules are imported as: of this folder and text."""
        text = f"{self.file}\0{self.digest}"
        return f"own_{hashlib.sha256(text.encode()).hexdigest()[:16]}"

    def load(self) -> ModuleType:
        """Run the module, once in a process. Errors: `ConfigError` with the line that is wrong."""
        whole = f"{self.package}.{self.main}"
        if whole in sys.modules:
            return sys.modules[whole]
        _FINDER.add(self)
        try:
            return import_module(whole)
        except (Exception, SystemExit) as error:
            _FINDER.remove(self)
            raise broken(self.name, error, None) from error
        except BaseException:
            _FINDER.remove(self)
            raise


def own_module_of(module: str) -> OwnModule | None:
    """What the module of that name in `sys.modules` was loaded from; None for any other module."""
    return _FINDER.loaded.get(module.partition(".")[0])


def read_own_module(name: str, folder: Path) -> OwnModule:
    """Read the file of a target such as `./shout.py`, and all that it imports from its folder.

    Errors: `ConfigError` for a file that is not there, leads out of the folder, is too large or is
    no Python.
    """
    root = folder.absolute()
    file = root / PurePosixPath(name)
    if not _is_file_in(file, root):
        raise ConfigError(f"there is no file {name} beside the run file ({shown(root)})")
    main = file.stem
    sources = {main: _read(file, is_package=False)}
    waiting = [main]
    while waiting:
        here = waiting.pop()
        for each in _imports(here, sources[here]):
            if each in sources or (found := _find(each, file.parent, root)) is None:
                continue
            if len(sources) == MOST_MODULES:
                raise ConfigError(f"{name} imports more than {MOST_MODULES} files beside it")
            sources[each] = _read(found, is_package=found.name == "__init__.py")
            waiting.append(each)
    return OwnModule(name, main, sources)


def _is_file_in(file: Path, root: Path) -> bool:
    """Whether it is a file. Errors: `ConfigError` where a link leads out of the folder."""
    if not file.is_file():
        return False
    if not file.resolve().is_relative_to(root.resolve()):
        raise ConfigError(
            f"{shown(file)} is a link out of the folder of the run file; code lies in that folder"
        )
    return True


def _read(file: Path, *, is_package: bool) -> OwnSource:
    with file.open("rb") as opened:
        data = opened.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise ConfigError(f"{shown(file)} is longer than {MOST_BYTES} bytes")
    try:
        tree = ast.parse(data, str(file))
    except SyntaxError as error:
        raise ConfigError(
            f"{shown(file)}:{error.lineno or 1}:{max(error.offset or 1, 1)}: {error.msg}"
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise ConfigError(f"{shown(file)} cannot be read as Python: {error}") from error
    return OwnSource(file, data, is_package, tree)


def _imports(name: str, source: OwnSource) -> Iterator[str]:
    """The dotted names below the folder that the imports of a module may mean."""
    parts = name.split(".")
    package = parts if source.is_package else parts[:-1]
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Import):
            named = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*above, *([node.module] if node.module else [])])
            named = [".".join(filter(None, (start, each.name))) for each in node.names]
        else:
            continue
        for each in named:
            steps = each.split(".")
            yield from (".".join(steps[:end]) for end in range(1, len(steps) + 1))


def _find(name: str, folder: Path, root: Path) -> Path | None:
    if not all(each.isidentifier() for each in name.split(".")):
        return None
    path = folder.joinpath(*name.split("."))
    candidates: Sequence[Path] = (path / "__init__.py", path.with_name(f"{path.name}.py"))
    return next((each for each in candidates if _is_file_in(each, root)), None)


class OwnFinder(MetaPathFinder):
    """Finds the modules that were read, below a package of their own that no other name reaches."""

    def __init__(self) -> None:
        self.loaded: dict[str, OwnModule] = {}

    def add(self, module: OwnModule) -> None:
        if self not in sys.meta_path:
            sys.meta_path.append(self)
        self.loaded[module.package] = module
        root = ModuleType(module.package)
        root.__path__ = []
        sys.modules[module.package] = root

    def remove(self, module: OwnModule) -> None:
        self.loaded.pop(module.package, None)
        for each in [each for each in sys.modules if f"{each}.".startswith(f"{module.package}.")]:
            del sys.modules[each]

    def find_spec(
        self, fullname: str, path: object = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        package, _, name = fullname.partition(".")
        module = self.loaded.get(package)
        source = module.sources.get(name) if module is not None else None
        if module is None or source is None:
            return None
        loader = OwnLoader(module, source)
        spec = spec_from_loader(
            fullname, loader, origin=str(source.file), is_package=source.is_package
        )
        if spec is not None:
            spec.has_location = True
        return spec


class OwnLoader(Loader):
    """Runs the text that was read. Absolute imports in it find the files beside it first."""

    def __init__(self, module: OwnModule, source: OwnSource) -> None:
        self.module = module
        self.source = source

    def exec_module(self, module: ModuleType) -> None:
        names = {**vars(builtins), "__import__": self._import}
        module.__dict__["__builtins__"] = names
        code = compile(self.source.data, str(self.source.file), "exec", dont_inherit=True)
        exec(code, module.__dict__)

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002 - the names of `__import__`
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        package, top = self.module.package, name.partition(".")[0]
        beside = level == 0 and top in self.module.sources
        if not beside or (globals or {}).get("__name__") == f"{package}.{top}":  # not itself
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        found = builtins.__import__(f"{package}.{name}", globals, locals, fromlist or (), 0)
        return found if fromlist else sys.modules[f"{package}.{top}"]


_FINDER: Final = OwnFinder()
