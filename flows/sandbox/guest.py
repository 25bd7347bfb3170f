"""The process in which code runs: forked from the zygote, behind walls of its own."""

from __future__ import annotations

import ctypes
import io
import linecache
import os
import random
import socket
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.sandbox import faults, frames, libc
from flows.sandbox.collect import Collection, OutputLimits, Snapshot, gather
from flows.sandbox.figures import FigureCollector
from flows.sandbox.imports import when_imported
from flows.sandbox.report import Fault, PieceReport
from flows.sandbox.scope import MainModule, Variables
from flows.sandbox.syntax import Compiled, UnreadableCode, compiled
from flows.sandbox.walls import Walls, raise_walls

_OPEN_FILES = 512
_SEED = 0
# Where scikit-learn looks which libraries its process has, while it is imported.
_OF_IMPORTS = (Path("/proc/self/maps"),)


@dataclass(frozen=True)
class Bounds:
    """What a guest is held to: bytes that it may add, of a file it writes, and that come back.

    It `imports` libraries itself where the zygote has not imported all.
    """

    layers: tuple[str, ...]
    read: tuple[Path, ...]
    memory: int
    imports: bool
    file_bytes: int
    limits: OutputLimits


def settle(folder: Path, output: int, errors: int, bounds: Bounds, in_use: int) -> dict[str, str]:
    """Make the forked process one of its own, behind its walls; returns what they are.

    Its random numbers start from the same seed each time, so that a piece run again makes the same.
    """
    os.setpgid(0, 0)
    libc.end_with_parent()
    os.dup2(output, 1)
    os.dup2(errors, 2)
    os.close(output)
    os.close(errors)
    os.chdir(folder / "work")
    os.environ.update(HOME=str(folder / "work"), TMPDIR=str(folder / "tmp"))
    tempfile.tempdir = None
    random.seed(_SEED)
    when_imported("numpy.random", lambda module: module.seed(_SEED))
    walls = Walls(
        read=(*bounds.read, *(_OF_IMPORTS if bounds.imports else ())),
        write=(folder,),
        memory=bounds.memory,
        file_bytes=bounds.file_bytes,
        open_files=_OPEN_FILES,
        watched=True,
    )
    return raise_walls(walls, bounds.layers, in_use=in_use)


def serve(control: socket.socket, folder: Path, limits: OutputLimits) -> None:
    """Run one piece after another, until the host closes."""
    scope = MainModule()
    session = PieceSession(scope, folder, limits)
    while True:
        try:
            job, passed = frames.receive(control)
        except frames.FrameError:
            return
        report = session.run(job, passed)
        try:
            frames.send(control, report)
        except (frames.FrameError, ValueError):
            for table in report["tables"]:
                table["rows"] = []
            note = "the first rows of tables were left out, since they are too long"
            frames.send(control, {**report, "notes": [*report["notes"], note]})


class PieceSession:
    """The pieces that run in one process, one after another."""

    def __init__(self, scope: MainModule, folder: Path, limits: OutputLimits) -> None:
        self._scope = scope
        self._folder = folder
        self._limits = limits
        self._pieces = 0
        self._figures = FigureCollector()
        self._figures.install()
        self._streams = _stream(1), _stream(2)
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__ = self._streams  # type: ignore[misc]

    def run(self, job: frames.Message, passed: list[int]) -> PieceReport:
        """Run a piece; returns the report that the host reads."""
        self._pieces += 1
        filename = "<code>" if self._pieces == 1 else f"<code {self._pieces}>"
        self._figures.forget()
        collection = Collection(self._fresh_folder(), self._limits)
        made: Variables = {}
        result, fault, memory = None, None, False
        changed = self._scope.tables.offer(job["tables"], passed)
        try:
            piece = compiled(job["code"], filename)
            lines = [f"{line}\n" for line in job["code"].split("\n")]
            linecache.cache[filename] = (len(job["code"]), None, lines, filename)
            self._scope.prepare(piece.names, changed)
            before = Snapshot(self._scope)
            try:
                result = self._execute(piece)
            finally:
                made = before.made(self._scope)
        except UnreadableCode as error:
            fault = error.fault
        except BaseException as error:  # noqa: BLE001 - whatever the code raises is its outcome
            fault = faults.fault_of(error, filename)
            memory = isinstance(error, MemoryError)
            del error
        text = self._gathered(collection, made, result)
        self._flush()
        return _report(collection, text, fault, memory)

    def _execute(self, piece: Compiled) -> Any:
        exec(piece.body, self._scope.names)
        if piece.last is None:
            return None
        return eval(piece.last, self._scope.names)

    def _gathered(self, collection: Collection, made: Variables, result: Any) -> str:
        try:
            return gather(collection, self._scope, made, result, self._figures)
        except BaseException as error:  # noqa: BLE001 - methods of what the code made
            collection.notes.append(f"what was made could not be told: {type(error).__name__}")
            return ""

    def _flush(self) -> None:
        for stream in (sys.stdout, sys.stderr, *self._streams):
            try:
                stream.flush()
            except Exception:  # noqa: BLE001, S112 - the code's own stream
                continue
        sys.stdout, sys.stderr = self._streams
        ctypes.CDLL(None).fflush(None)

    def _fresh_folder(self) -> Path:
        folder = self._folder / "out" / str(self._pieces)
        folder.mkdir()
        return folder


def _stream(descriptor: int) -> io.TextIOWrapper:
    """A stream of lines, so that what was printed is seen also when the process is ended."""
    raw = io.BufferedWriter(io.FileIO(descriptor, "w", closefd=False))
    return io.TextIOWrapper(raw, encoding="utf-8", errors="replace", line_buffering=True)


def _report(collection: Collection, text: str, fault: Fault | None, memory: bool) -> PieceReport:
    return {
        "status": "memory" if memory else "error" if fault else "ok",
        "fault": fault,
        "result": text,
        "folder": collection.folder.name,
        "variables": collection.variables,
        "tables": collection.tables,
        "figures": collection.figures,
        "models": collection.models,
        "notes": collection.notes,
    }
