"""Modules of the FlowVerse in `flow_modules/` beside a run file.

Each of them fetches what it depends on when it is imported. What this package serves itself is not
fetched, for a file names it and no network is needed.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Final

FOLDER: Final = "flow_modules"
_LOADING: Final = "aiflows.flow_verse.loading"
_BACKEND: Final = "aiflows.backends.llm_lite"
_NAME: Final = "sync_dependencies"


def serve_programs() -> None:
    """Have a program of the user's own, too, fetch none of those that are served, as long as it
    names no folder to fetch them from."""
    _FINDER.serves_programs = True


def serve_modules(served: Collection[str]) -> None:
    """Have modules of `flow_modules` fetch none of those that are served, such as
    `aiflows/ChatFlowModule`. Nothing is imported now; a script of the user's own, which syncs what
    it wants, is left alone."""
    _FINDER.served = frozenset(served)
    if _FINDER in sys.meta_path:
        return
    sys.meta_path.insert(0, _FINDER)
    if (loaded := sys.modules.get(_LOADING)) is not None:
        _leave_out(loaded, _FINDER)
        package = sys.modules[_LOADING.rpartition(".")[0]]
        setattr(package, _NAME, getattr(loaded, _NAME))


def served_modules(names: Collection[str]) -> list[str]:
    """The modules, such as `aiflows/ChatFlowModule`, that some dotted names are of."""
    parts = (each.split(".") for each in names if each.startswith(f"{FOLDER}."))
    return sorted({f"{each[1]}/{each[2]}" for each in parts})


class VerseFinder(MetaPathFinder):
    """Finds aiflows' module that fetches others, and changes it once it is loaded."""

    def __init__(self) -> None:
        self.served: frozenset[str] = frozenset()
        self.serves_programs = False
        self._looking = False

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        if fullname != _LOADING or self._looking:
            return None
        self._looking = True
        try:
            found = find_spec(fullname)
        finally:
            self._looking = False
        if found is not None and found.loader is not None:
            found.loader = VerseLoader(found.loader, self)
        return found


class BackendFinder(MetaPathFinder, Loader):
    """Puts the backend of ours, which asks through the run's own door, in the place of aiflows'
    own, which imports litellm."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        del path, target
        return ModuleSpec(fullname, self) if fullname == _BACKEND else None

    def exec_module(self, module: ModuleType) -> None:
        ours = import_module("flows.library.aiflows.backend")
        module.__dict__["LiteLLMBackend"] = ours.LiteLLMBackend


def serve_backend() -> None:
    """Have classes for aiflows get that backend. Nothing is imported now."""
    if not any(isinstance(each, BackendFinder) for each in sys.meta_path):
        sys.meta_path.insert(0, BackendFinder())


class VerseLoader(Loader):
    """Loads the module as it is, then puts its function behind ours."""

    def __init__(self, loader: Loader, finder: VerseFinder) -> None:
        self.loader = loader
        self.finder = finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self.loader.exec_module(module)
        _leave_out(module, self.finder)


def _leave_out(module: ModuleType, finder: VerseFinder) -> None:
    """Have the module's function leave out what is served, where a module of `flow_modules` calls
    it. Its lines of progress on standard output, which is the run's, go too."""
    logging.getLogger("aiflows").handlers.clear()
    fetch: Callable[..., Any] = getattr(module, _NAME)

    def sync_dependencies(
        dependencies: Sequence[Mapping[str, Any]], all_overwrite: bool = False
    ) -> Any:
        caller = str(sys._getframe(1).f_globals.get("__name__", ""))
        is_module = caller.startswith(f"{FOLDER}.")
        served = finder.served if is_module or finder.serves_programs else frozenset()
        wanted = [
            each
            for each in dependencies
            if each.get("url") not in served
            or (not is_module and Path(str(each.get("revision"))).is_dir())
        ]
        return fetch(wanted, all_overwrite) if wanted else []

    setattr(module, _NAME, sync_dependencies)


_FINDER: Final = VerseFinder()
