"""Settling a module when it is imported, whoever imports it and whenever."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Then = Callable[[Any], None]


def when_imported(name: str, then: Then) -> None:
    """Call `then` with the module: now if it is imported already, else right after its import."""
    module = sys.modules.get(name)
    if module is not None:
        then(module)
        return
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    _finder.waiting.setdefault(name, []).append(then)


class _Finder:
    """Finds modules by all the other finders, and calls what waits for them when they have run."""

    def __init__(self) -> None:
        self.waiting: dict[str, list[Then]] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.waiting:
            return None
        for finder in [each for each in sys.meta_path if each is not self]:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return self._settled(spec)
        return None

    def _settled(self, spec: ModuleSpec) -> ModuleSpec:
        loader: Any = spec.loader
        execute = loader.exec_module

        def execute_and_call(module: ModuleType) -> None:
            execute(module)
            for then in self.waiting.pop(spec.name, ()):
                then(module)

        loader.exec_module = execute_and_call
        return spec


_finder = _Finder()
