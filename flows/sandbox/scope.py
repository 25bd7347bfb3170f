"""The names that code finds: the usual libraries, and the tables that it mentions."""

from __future__ import annotations

import builtins
import importlib
import io
import os
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any, NoReturn

from flows.sandbox.columns import read_frame
from flows.sandbox.libraries import NAMES

# The variables of code, whose values are whatever it made.
Variables = dict[str, Any]


class Unused(ModuleType):
    """Stands for a library under its short name until code uses it, which imports it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)

    def __dir__(self) -> list[str]:
        return dir(importlib.import_module(self.__name__))


class Tables(Mapping[str, Any]):
    """The tables of an execution as data frames, each read from its file when it is wanted."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[int, tuple[int, ...]]] = {}
        self._frames: dict[str, Any] = {}

    def offer(self, names: list[str], files: list[int]) -> set[str]:
        """Take new descriptors; returns the tables whose file is another than before."""
        changed = set()
        for name, file in zip(names, files, strict=True):
            told = os.fstat(file)
            identity = (told.st_dev, told.st_ino, told.st_size, told.st_mtime_ns)
            held = self._files.pop(name, None)
            if held is not None:
                os.close(held[0])
            if held is None or held[1] != identity:
                changed.add(name)
                self._frames.pop(name, None)
            self._files[name] = (file, identity)
        for name in [each for each in self._files if each not in names]:
            os.close(self._files.pop(name)[0])
            self._frames.pop(name, None)
        return changed

    def __getitem__(self, name: str) -> Any:
        if name not in self._frames:
            if name not in self._files:
                raise KeyError(f"no table {name!r}; there are: {', '.join(self._files) or 'none'}")
            self._frames[name] = _read(self._files[name][0])
        return self._frames[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"tables: {', '.join(self._files) or 'none'}"


class MainModule:
    """The module `__main__` in which the pieces of one process run."""

    def __init__(self) -> None:
        self.module = ModuleType("__main__")
        self.names: Variables = self.module.__dict__
        self.tables = Tables()
        self.given: Variables = {}
        sys.modules["__main__"] = self.module
        builtins.input = _nobody
        self.names["__builtins__"] = builtins
        self._give("tables", self.tables)
        for name, module in NAMES.items():
            if name != "sns":
                self._give(name, sys.modules.get(module) or Unused(module))

    def prepare(self, mentioned: frozenset[str], changed: set[str]) -> None:
        """Bind what the code mentions. A name that the code has given away itself stays as it is,
        until the file of its table is another one."""
        for name in mentioned & NAMES.keys():
            if isinstance(self.names.get(name), Unused) or (
                name == "sns" and name not in self.names
            ):
                self._give(name, importlib.import_module(NAMES[name]))
        for name in self.tables:
            if name in mentioned and (name in changed or name not in self.names):
                self._give(name, self.tables[name])
        if len(self.tables) == 1 and "df" in mentioned and "df" not in self.tables:
            (only,) = self.tables
            if only in changed or "df" not in self.names:
                # A frame of its own, so that what is done to `df` is not done to the table.
                self._give("df", self.tables[only].copy(deep=False))

    def _give(self, name: str, value: Any) -> None:
        self.names[name] = value
        self.given[name] = value


def _read(file: int) -> Any:
    os.lseek(file, 0, os.SEEK_SET)
    with io.FileIO(os.dup(file)) as raw, io.BufferedReader(raw) as opened:
        return read_frame(opened)


def _nobody(prompt: object = "") -> NoReturn:
    raise EOFError(f"input({prompt!r}) cannot be answered: nobody is at the keyboard of this code")
