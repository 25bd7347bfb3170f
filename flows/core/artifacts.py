"""Large results of a run: files in its folder, named in events and journal by a reference."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Mapping
from io import BufferedReader
from pathlib import Path, PurePath
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from flows.errors import JournalError

FOLDER: Final = "artifacts"
PART: Final = ".part"

What = Literal["table", "figure", "code", "model", "report", "file"]
State = Literal["whole", "changed", "missing"]


class Origin(BaseModel):
    """What an artifact was made of: the query or the code that ran, and what it read.

    `inputs` maps the names of sources to the SHA-256 of their content, `artifacts` the names of
    other artifacts of the run to theirs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    query: str | None = None
    code: str | None = None
    inputs: dict[str, str] = {}
    artifacts: dict[str, str] = {}


class SavedFile(BaseModel):
    """A file as it was written: `path` in the run's folder, `kind` its extension."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    path: str
    sha256: str
    bytes: int

    def state(self, folder: Path) -> State:
        """Whether the file in a run's folder is still what was written; links are not followed."""
        return _state(folder, self)


class Artifact(BaseModel):
    """A thing that the run made, in the file `path`; `step` is the address that made it.

    `forms` are other files of the same thing under the same name: a table is JSON, which citations
    read, and Parquet, and CSV.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: str
    path: str
    sha256: str
    bytes: int
    description: str
    step: str
    origin: Origin | None = None
    what: What = "file"
    forms: tuple[SavedFile, ...] = ()

    @property
    def files(self) -> tuple[SavedFile, ...]:
        """All its files, the one that stands for it first."""
        first = SavedFile(kind=self.kind, path=self.path, sha256=self.sha256, bytes=self.bytes)
        return (first, *self.forms)


def write_whole(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write a file so that it is there whole or not at all: temporary, fsync, rename, and fsync
    of the folder, without which the name could be gone after a power cut. Without `durable` it is
    the operating system that decides when the disk gets it."""
    grown = [folder.parent for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    for folder in (path.parent, *grown) if durable else ():
        _sync(folder)


def _sync(folder: Path) -> None:
    """Put the names in a folder on the disk."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def open_file(folder: Path, path: str) -> BufferedReader:
    """A file in a run's folder, to be read. Errors: `OSError`, also for a link or another place."""
    parts = PurePath(path).parts
    if not parts or PurePath(path).is_absolute() or ".." in parts:
        raise OSError(f"{path!r} is not in the folder of the run")
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        kind = os.O_NONBLOCK if last else os.O_DIRECTORY
        try:
            below = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | kind, dir_fd=opened)
        finally:
            os.close(opened)
        opened = below
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(f"{path!r} is no regular file")
    return os.fdopen(opened, "rb")


def _state(folder: Path, file: SavedFile) -> State:
    try:
        with open_file(folder, file.path) as opened:
            if os.fstat(opened.fileno()).st_size != file.bytes:
                return "changed"
            digest = hashlib.file_digest(opened, "sha256").hexdigest()
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "changed"
    return "whole" if digest == file.sha256 else "changed"


class Artifacts:
    """The artifacts of one run, in the order in which their steps were recorded.

    Without `durable` a power cut may take the last of them, as it may the last steps.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.durable = True
        self._saved: dict[str, Artifact] = {}

    def save(
        self,
        step: str,
        stem: str,
        kind: str,
        content: bytes,
        description: str,
        origin: Origin | None = None,
        *,
        what: What = "file",
        forms: Mapping[str, bytes] | None = None,
    ) -> Artifact:
        """Write `content` and return its reference. The same step, stem and kind is the same file.

        `kind` is the file's extension; `forms` are other files of the same thing by theirs.
        Errors: `ValueError` for an extension that is none.
        """
        contents = {kind: content, **(forms or {})}
        for each in contents:
            if not each.isalnum():
                raise ValueError(f"an artifact's kind is letters and digits, not {each!r}")
        short = hashlib.blake2b(f"{step}/{stem}.{kind}".encode(), digest_size=5).hexdigest()
        clean = re.sub(r"[^A-Za-z0-9_]+", "-", stem).strip("-")[:40] or "result"
        name = f"{clean}-{short}"
        first, *others = (self._write(name, each, body) for each, body in contents.items())
        return Artifact(
            name=name,
            description=description,
            step=step,
            origin=origin,
            what=what,
            forms=tuple(others),
            **first.model_dump(),
        )

    def _write(self, name: str, kind: str, content: bytes) -> SavedFile:
        path = self.folder / FOLDER / f"{name}.{kind}"
        write_whole(path, content, durable=self.durable)
        digest = hashlib.sha256(content).hexdigest()
        shown = str(path.relative_to(self.folder))
        return SavedFile(kind=kind, path=shown, sha256=digest, bytes=len(content))

    def sweep(self) -> None:
        """Remove what a killed process had begun to write. Only for whoever holds the run."""
        for part in (self.folder / FOLDER).glob(f".*{PART}"):
            part.unlink(missing_ok=True)

    def register(self, artifact: Artifact) -> None:
        self._saved[artifact.name] = artifact

    def all(self) -> tuple[Artifact, ...]:
        return tuple(self._saved.values())

    def missing(self) -> tuple[str, ...]:
        """The paths of files that are not in the folder any more."""
        paths = [file.path for each in self._saved.values() for file in each.files]
        return tuple(path for path in paths if not os.path.lexists(self.folder / path))

    def find(self, name: str) -> Artifact:
        """The artifact of that name. Errors: `JournalError`."""
        artifact = self._saved.get(name)
        if artifact is None:
            raise JournalError(f"this run has no artifact {name!r}")
        return artifact

    def read(self, name: str) -> bytes:
        """The content of an artifact. Errors: `JournalError` if it is gone or was changed."""
        return self.content(self.find(name))

    def content(self, file: Artifact | SavedFile) -> bytes:
        """The content of a file. Errors: `JournalError` if it is gone or was changed."""
        try:
            with open_file(self.folder, file.path) as opened:
                content = opened.read()
        except OSError as error:
            raise JournalError(f"the artifact {file.path} cannot be read: {error}") from error
        if hashlib.sha256(content).hexdigest() != file.sha256:
            raise JournalError(f"the artifact {file.path} was changed after it was written")
        return content
