"""Reading what a guest left for the host: nothing is believed, and no link is followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from flows.core.observation import Cell
from flows.core.sandbox import (
    CodeFault,
    Execution,
    MadeFigure,
    MadeFile,
    MadeTable,
    SandboxConfig,
    Variable,
)

_TOTAL_TIMES = 4  # of the largest file: the most that comes back altogether
_MOST_SEEN = 5_000
_DEEPEST = 8
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_SIGNATURES = {"png": b"\x89PNG\r\n\x1a\n", "parquet": b"PAR1", "skops": b"PK"}

Name = Annotated[str, Field(max_length=1000)]
FileName = Annotated[str, Field(pattern=r"^[0-9]{1,6}$")]


class NotBelieved(Exception):
    """What a guest says is not what a guest of ours would say."""


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class _Table(_Told):
    name: Name
    columns: Annotated[tuple[str, ...], Field(max_length=100_000)]
    types: tuple[Name, ...]
    rows: Annotated[tuple[tuple[Cell, ...], ...], Field(max_length=1000)]
    total_rows: Annotated[int, Field(ge=0)]
    file: FileName


class _Figure(_Told):
    name: Name
    title: Name = ""
    kind: Literal["png", "plotly"]
    file: FileName


class _Model(_Told):
    name: Name
    file: FileName


class GuestReport(_Told):
    """What a guest says about a piece of code."""

    status: Literal["ok", "error", "memory"]
    fault: CodeFault | None
    result: Annotated[str, Field(max_length=200_000)]
    folder: FileName
    variables: Annotated[tuple[Variable, ...], Field(max_length=1000)]
    tables: Annotated[tuple[_Table, ...], Field(max_length=100)]
    figures: Annotated[tuple[_Figure, ...], Field(max_length=100)]
    models: Annotated[tuple[_Model, ...], Field(max_length=100)]
    notes: Annotated[tuple[Annotated[str, Field(max_length=2000)], ...], Field(max_length=500)]


def read_report(message: bytes) -> GuestReport:
    """Errors: `NotBelieved`."""
    try:
        return GuestReport.model_validate_json(message)
    except ValidationError as error:
        raise NotBelieved(f"its report is not one: {error.errors()[0]['msg']}") from error


@dataclass
class GuestReader:
    """Reads the files of one guest, from one execution to the next."""

    folder: Path
    config: SandboxConfig
    _seen: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _left: int = 0

    def execution(self, report: GuestReport) -> Execution:
        """The execution with the contents of its files. Errors: `NotBelieved`."""
        self._left = (self.config.file_mb << 20) * _TOTAL_TIMES
        notes = list(report.notes)
        try:
            with _folder(self.folder, "out", report.folder) as opened:
                tables = tuple(self._table(opened, each) for each in report.tables)
                figures = tuple(self._figure(opened, each) for each in report.figures)
                models = tuple(
                    MadeFile(
                        name=each.name, kind="skops", content=self._read(opened, each, "skops")
                    )
                    for each in report.models
                )
            files = self._files(notes)
        except OSError as error:
            raise NotBelieved(f"what it made cannot be read: {error.strerror}") from error
        return Execution(
            status=report.status,
            fault=report.fault,
            result=report.result,
            variables=report.variables,
            tables=tables,
            figures=figures,
            models=models,
            files=files,
            notes=tuple(notes),
        )

    def overlook(self) -> None:
        """Take the files that are there now as known, as after a piece that was only replayed."""
        self._left = 0
        self._files([])

    def _table(self, opened: int, told: _Table) -> MadeTable:
        width = len(told.columns)
        if len(told.types) != width or any(len(row) != width for row in told.rows):
            raise NotBelieved(f"table {told.name!r} has rows of another width")
        content = self._read(opened, told, "parquet")
        return MadeTable(**told.model_dump(exclude={"file"}), parquet=content)

    def _figure(self, opened: int, told: _Figure) -> MadeFigure:
        content = self._read(opened, told, told.kind)
        if told.kind == "png":
            return MadeFigure(name=told.name, title=told.title, png=content)
        try:
            return MadeFigure(name=told.name, title=told.title, plotly=content.decode())
        except UnicodeDecodeError as error:
            raise NotBelieved(f"figure {told.name!r} is no text") from error

    def _read(self, opened: int, told: _Table | _Figure | _Model, kind: str) -> bytes:
        content = self._content(opened, told.file)
        if content is None or not content.startswith(_SIGNATURES.get(kind, b"")):
            raise NotBelieved(f"{told.name!r} is no {kind} file of an allowed size")
        return content

    def _content(self, folder: int, name: str) -> bytes | None:
        """The bytes of a regular file with one name; None for anything else, or for too many."""
        most = min(self.config.file_mb << 20, self._left)
        opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        with os.fdopen(opened, "rb") as file:
            told = os.fstat(opened)
            if not _is_plain(told) or told.st_size > most:
                return None
            content = file.read(most + 1)
        self._left -= len(content)
        return content if len(content) <= most else None

    def _files(self, notes: list[str]) -> tuple[MadeFile, ...]:
        """What the code has written into its folder since the last time."""
        made: list[MadeFile] = []
        left_out: list[str] = []
        for path, folder, name in _walk(self.folder / "work"):
            told = os.lstat(name, dir_fd=folder)
            identity = (told.st_ino, told.st_size, told.st_mtime_ns)
            if not _is_plain(told) or self._seen.get(path) == identity:
                continue
            self._seen[path] = identity
            content = self._content(folder, name) if len(made) < self.config.files else None
            if content is None:
                left_out.append(path)
                continue
            kind = PurePosixPath(path).suffix.lstrip(".").lower()
            made.append(MadeFile(name=path, kind=kind or "bin", content=content))
        if left_out:
            named = ", ".join(left_out[:5]) + (" ..." if len(left_out) > 5 else "")
            notes.append(f"{len(left_out)} files did not come back, too many or too large: {named}")
        return tuple(made)


def _is_plain(told: os.stat_result) -> bool:
    return stat.S_ISREG(told.st_mode) and told.st_nlink == 1 and told.st_uid == os.getuid()


@contextmanager
def _folder(folder: Path, *below: str) -> Iterator[int]:
    opened = os.open(folder, _FOLDER)
    try:
        for name in below:
            deeper = os.open(name, _FOLDER, dir_fd=opened)
            os.close(opened)
            opened = deeper
        yield opened
    finally:
        os.close(opened)


def _walk(folder: Path) -> Iterator[tuple[str, int, str]]:
    """Files below as (path, descriptor of the folder, name); hidden ones are left out.

    It looks at so many entries and no more, since code may leave folders without end.
    """
    with _folder(folder) as opened:
        yield from _files_in(opened, PurePosixPath(), iter(range(_MOST_SEEN)))


def _files_in(
    opened: int, inside: PurePosixPath, left: Iterator[int]
) -> Iterator[tuple[str, int, str]]:
    """The files of a folder, sorted by name, and then those of its folders; each entry that is
    looked at takes one of `left`."""
    with os.scandir(opened) as entries:
        some = [each for each, _ in zip(entries, left, strict=False)]
    shown = sorted((each for each in some if _is_shown(each.name)), key=lambda each: each.name)
    for each in shown:
        if not each.is_dir(follow_symlinks=False):
            yield str(inside / each.name), opened, each.name
    if len(inside.parts) >= _DEEPEST:
        return
    for each in shown:
        if each.is_dir(follow_symlinks=False):
            try:
                below = os.open(each.name, _FOLDER, dir_fd=opened)
            except OSError:  # the code has closed it
                continue
            try:
                yield from _files_in(below, inside / each.name, left)
            finally:
                os.close(below)


def _is_shown(name: str) -> bool:
    return not name.startswith((".", "__pycache__")) and name.isprintable()
