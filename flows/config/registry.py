"""The names that a `_target_` may use, and what they stand for.

A name is built in, or offered by an installed package through the entry point group
`flows.components`, or a dotted path into a package that the user trusts, which is installed or lies
beside the run file, or the path of a file there, as in `./shout.py:Shout`. Nothing is imported
before a name is resolved.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, EntryPoints, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any

from flows.config.modules import import_trusted, module_beside
from flows.config.outline import check_text, outline_of
from flows.config.own_modules import OwnModule, names_file, read_own_module, split_target
from flows.config.packages import missing_package
from flows.config.read import shown
from flows.config.tree import MAKERS
from flows.errors import ConfigError, Place, nearest

ENTRY_POINTS = "flows.components"
KINDS = (
    "flow",
    "model",
    "memory",
    "documents",
    "entities",
    "vectors",
    "embedder",
    "human",
    "transformation",
    "tool",
    "function_source",
    "interface",
)
DOTTED = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?::[A-Za-z_]\w*)?")


@dataclass(frozen=True, slots=True)
class Preset:
    """A name that means another target with some values fixed."""

    target: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Registered:
    """What a name stands for: `reference` is `module:attribute`, `values` what a preset fixes,
    `source` the package that offers it."""

    kind: str
    name: str
    reference: str
    values: Mapping[str, Any]
    source: str


class Registry:
    """`table` maps (kind, name) to `module:attribute`. An alias whose name ends in a dot stands
    for every name that begins with it. Names of installed packages never hide built-in ones.
    `folder` is that of the run file, where modules of the user's own may be. `permit` says whether
    a file there may be run, and may raise the error that it may not; without it that takes its name
    in `trust`. One that may not is described by its `Outline`. With `dotted_files` a class of a
    module there may be named as in Python too: `shout.Shout` is `./shout.py:Shout`."""

    def __init__(
        self,
        table: Mapping[tuple[str, str], str],
        *,
        aliases: Mapping[str, str] | None = None,
        presets: Mapping[tuple[str, str], Preset] | None = None,
        trust: Sequence[str] = (),
        folder: Path | None = None,
        package: str = "analyst-flows",
        permit: Permit | None = None,
        dotted_files: bool = False,
    ) -> None:
        self.dotted_files = dotted_files
        self.table = dict(table)
        self.aliases = dict(aliases or {})
        self.presets = dict(presets or {})
        self.trust = tuple(trust)
        self.folder = folder
        self.package = package
        self.permit: Permit = permit or (lambda module, _: module.name in self.trust)
        self._own: dict[str, OwnModule] = {}
        self._offers: dict[str, list[EntryPoint]] | None = None
        self._loaded: dict[EntryPoint, object] = {}

    def names(self, kind: str) -> list[str]:
        """Every name of a kind, sorted; asks installed packages, which imports them."""
        own = [name for each, name in (*self.table, *self.presets) if each == kind]
        offered = [
            name
            for name, points in self._offered().items()
            if any(self._kind(point) == kind for point in points)
        ]
        return sorted({*own, *offered})

    def resolve(
        self, kind: str, name: str, *, place: Place | None = None, path: str = ""
    ) -> object:
        """The object that a name of this kind stands for, imported now."""
        found = self.find(kind, name, place=place, path=path)
        module, _, attribute = found.reference.partition(":")
        asked = NameLookup(name, place, path)
        if names_file(found.reference):
            return self._own_code(found.reference, asked, kind)
        trusted = found.source == found.name.partition(".")[0]
        if trusted and kind == "flow":
            self._check_text(module, attribute, asked)
        try:
            value: object = self._imported(module, asked) if trusted else import_module(module)
            for part in attribute.split("."):
                value = getattr(value, part)
        except (ImportError, AttributeError) as error:
            problem = f"{found.name!r} of {found.source} cannot be loaded: {error}"
            if isinstance(error, ModuleNotFoundError):
                problem = missing_package(f"{found.name!r} of {found.source}", error)
            raise asked.error(problem + self._hidden(found.source)) from error
        return value

    def code(self, name: str, *, place: Place | None = None, path: str = "") -> object:
        """A module of a package that the user trusts, or what is in one, by its dotted name.

        Errors: `ConfigError` for a name that is not trusted, and for code that cannot be imported.
        """
        asked = NameLookup(name, place, path)
        if names_file(name):
            return self._own_code(name, asked)
        top = name.partition(".")[0]
        if not re.fullmatch(r"[A-Za-z_]\w*(\.\w+)*", name):
            raise asked.error(f"{name!r} is no dotted name of a module or a function")
        if not self._is_trusted(name):
            raise asked.error(
                f"{name} is code, and nobody has allowed it; allow it with: --trust {top}"
            )
        try:
            return self._imported(name, asked)
        except ModuleNotFoundError as error:
            module, _, attribute = name.rpartition(".")
            if not module:
                raise asked.error(missing_package(name, error)) from error
        try:
            return getattr(self._imported(module, asked), attribute)
        except ModuleNotFoundError as error:
            raise asked.error(missing_package(name, error)) from error
        except AttributeError as error:
            raise asked.error(f"the module {module} has no {attribute!r}") from error

    def _own_code(self, name: str, asked: NameLookup, kind: str = "flow") -> object:
        """A file beside the run file, or what is in it; its `Outline` where it may not be run.

        Errors: `ConfigError`, `UntrustedError`.
        """
        try:
            file, attribute = split_target(name)
            if file not in self._own:
                self._own[file] = read_own_module(file, self.folder or Path.cwd())
            module = self._own[file]
            outline = outline_of(module, attribute, kind) if attribute else module
            if not self.permit(module, asked):
                return outline
            loaded = module.load()
            return getattr(loaded, attribute) if attribute else loaded
        except ConfigError as error:
            if error.place is not None:
                raise
            raise asked.error(error.problem, error.allowed, error.meant) from error
        except AttributeError as error:
            raise asked.error(f"{file} has no {attribute!r}") from error

    def _imported(self, module: str, asked: NameLookup) -> ModuleType:
        """A module of a trusted package. Errors: `ConfigError`; `ModuleNotFoundError`."""
        try:
            return import_trusted(module, self.folder)
        except ConfigError as error:
            raise asked.error(error.problem) from error

    def _check_text(self, module: str, name: str, asked: NameLookup) -> None:
        """Errors: `ConfigError` for what its text says is wrong with a step of a module."""
        try:
            check_text(module, name, self.folder or Path.cwd())
        except ConfigError as error:
            raise asked.error(error.problem) from error

    def _hidden(self, package: str) -> str:
        """A hint, when an installed package has the name of a module beside the run file."""
        beside = module_beside(package, self.folder)
        found = getattr(sys.modules.get(package), "__file__", None)
        if beside is None or found is None or Path(found) in (beside, beside / "__init__.py"):
            return ""
        return f"; {shown(beside)} is hidden by the installed {package}: give it another name"

    def find(
        self, kind: str, name: str, *, place: Place | None = None, path: str = ""
    ) -> Registered:
        """What a name stands for, without importing it unless an installed package offers it."""
        return self._find(kind, name, NameLookup(name, place, path), presets=8)

    def _find(self, kind: str, name: str, asked: NameLookup, presets: int) -> Registered:
        if names_file(name) and not self.is_built_in(kind, name):
            return self._own_file(kind, name, asked)
        name = self.canonical(kind, name)
        preset = self.presets.get((kind, name))
        if preset is not None:
            if presets == 0:
                raise asked.error(f"the preset {name!r} leads to itself")
            found = self._find(kind, preset.target, asked, presets - 1)
            values = {**found.values, **preset.values}
            return Registered(kind, name, found.reference, values, found.source)
        point = self._offer(kind, name, asked)
        reference = self.table.get((kind, name))
        if reference is not None:
            if point is not None:
                both = f"{self.package} and {_package(point)}"
                raise asked.error(f"the {kind} {name!r} is offered by two packages: {both}")
            return Registered(kind, name, reference, {}, self.package)
        if point is not None:
            return Registered(kind, name, point.value, {}, _package(point))
        if DOTTED.fullmatch(name) and self._is_trusted(name):
            return Registered(kind, name, self._reference(name, asked), {}, name.partition(".")[0])
        if self.dotted_files and (file := self._file_of(name)) is not None:
            return self._own_file(kind, file, asked)
        raise self._unknown(kind, name, asked)

    def _file_of(self, name: str) -> str | None:
        """The class of a file beside the run file that a dotted name means, as a path."""
        module, _, attribute = MAKERS.sub("", name).rpartition(".")
        beside = module_beside(module, self.folder) if module.isidentifier() else None
        if beside is None or beside.name != f"{module}.py":
            return None
        return f"./{beside.name}:{attribute}"

    def _own_file(self, kind: str, name: str, asked: NameLookup) -> Registered:
        try:
            file, attribute = split_target(name)
        except ConfigError as error:
            raise asked.error(error.problem) from error
        if not attribute:
            raise asked.error(f"{name!r} is a file; say what is meant in it: {file}:NAME")
        return Registered(kind, f"{file}:{attribute}", f"{file}:{attribute}", {}, file)

    def is_built_in(self, kind: str, name: str) -> bool:
        """Whether this package itself offers the name."""
        return (kind, name) in self.table or (kind, name) in self.presets

    def canonical(self, kind: str, name: str) -> str:
        """The registered spelling of a name: aliases and the makers of aiflows are taken away."""
        if self.is_built_in(kind, name):
            return name
        for spelled in (name, MAKERS.sub("", name)):
            if spelled in self.aliases:
                return self.aliases[spelled]
        prefixes = (each for each in self.aliases if each.endswith(".") and name.startswith(each))
        longest = max(prefixes, key=len, default=None)
        return self.aliases[longest] if longest else name

    def _offered(self) -> dict[str, list[EntryPoint]]:
        if self._offers is None:
            self._offers = {}
            for point in _offered_in(tuple(sys.path)):
                self._offers.setdefault(point.name, []).append(point)
        return self._offers

    def _offer(self, kind: str, name: str, asked: NameLookup) -> EntryPoint | None:
        """The entry point of this kind and name; two packages with the same are an error."""
        points = [each for each in self._offered().get(name, ()) if self._kind(each) == kind]
        packages = sorted({_package(each) for each in points})
        if len(packages) > 1:
            both = " and ".join(packages)
            raise asked.error(f"the {kind} {name!r} is offered by two packages: {both}")
        return points[0] if points else None

    def _kind(self, point: EntryPoint) -> str:
        if point not in self._loaded:
            try:
                self._loaded[point] = point.load()
            except (ImportError, AttributeError) as error:
                problem = f"{point.name!r} of {_package(point)} cannot be loaded: {error}"
                raise ConfigError(problem) from error
        return str(getattr(self._loaded[point], "kind", "flow"))

    def _is_trusted(self, name: str) -> bool:
        return any(name == each or name.startswith(f"{each}.") for each in self.trust)

    def _unknown(self, kind: str, name: str, asked: NameLookup) -> ConfigError:
        names = self.names(kind)
        others_of = f"{_top(name)}."  # of the same package, as those of aiflows
        dotted = [each for each in self.aliases if each.startswith(others_of) and each[-1] != "."]
        meant = nearest(MAKERS.sub("", name), [*names, *dotted])
        if not name:
            return asked.error(f"the name of a {kind} is missing", names)
        problem = f"there is no {kind} named {name!r}"
        others = sorted({each for each, held in (*self.table, *self.presets) if held == name})
        if others:
            problem += f", only a {' and a '.join(others)}"
        elif DOTTED.fullmatch(name) and (
            beside := module_beside(package := _top(name), self.folder)
        ):
            problem = (
                f"{shown(beside)} is Python code beside the run file, which is run only if you "
                f"trust it: --trust {package}"
            )
            return asked.error(problem)
        elif meant is None and DOTTED.fullmatch(name):
            problem += (
                "; an import path is accepted only from a package that you trust:"
                f" --trust {_top(name)}"
            )
        return asked.error(problem, names, meant)

    def _reference(self, name: str, asked: NameLookup) -> str:
        """A trusted dotted path as `module:attribute`; the module is the longest that imports."""
        if ":" in name:
            return name
        parts = MAKERS.sub("", name).split(".")
        for end in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:end])
            try:
                self._imported(module, asked)
            except ModuleNotFoundError:  # what is missing on the way is tried as an attribute
                continue
            return f"{module}:{'.'.join(parts[end:])}"
        top = parts[0]
        beside = f", nor is there a {top}.py or a folder {top} beside the run file"
        where = beside if self.folder else ""
        raise asked.error(f"the package {top!r} is not installed{where}")


@dataclass(frozen=True, slots=True)
class NameLookup:
    """Who asked for a name: what an error has to say about the place."""

    name: str
    place: Place | None
    path: str

    def error(
        self, problem: str, allowed: Sequence[str] = (), meant: str | None = None
    ) -> ConfigError:
        return ConfigError(problem, place=self.place, path=self.path, allowed=allowed, meant=meant)


Permit = Callable[[OwnModule, NameLookup], bool]


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist else point.module


def _top(name: str) -> str:
    return name.partition(".")[0]


@lru_cache(maxsize=2)
def _offered_in(path: tuple[str, ...]) -> EntryPoints:  # noqa: ARG001 - what is kept is kept for it
    """What the packages of this `sys.path` offer; to look through all takes milliseconds."""
    return entry_points(group=ENTRY_POINTS)
