"""Large results of a run: files in its folder, named in events and journal by a reference."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from flows.errors import JournalError

FOLDER: Final = "artifacts"
PART: Final = ".part"


class Artifact(BaseModel):
    """A file of the run: `path` in the run's folder, `step` the address that made it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    kind: str
    path: str
    sha256: str
    bytes: int
    description: str
    step: str


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all: temporary, fsync, rename, and fsync
    of the folder, without which the name could be gone after a power cut."""
    grown = [folder.parent for folder in path.parents if not folder.exists()]
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}{PART}")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    for folder in (path.parent, *grown):
        _sync(folder)


def _sync(folder: Path) -> None:
    """Put the names in a folder on the disk."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


class Artifacts:
    """The artifacts of one run, in the order in which their steps were recorded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._saved: dict[str, Artifact] = {}

    def save(self, step: str, stem: str, kind: str, content: bytes, description: str) -> Artifact:
        """Write `content` and return its reference. The same step, stem and kind is the same file.

        `kind` is the file's extension. Errors: `ValueError` for one that is none.
        """
        if not kind.isalnum():
            raise ValueError(f"an artifact's kind is letters and digits, not {kind!r}")
        short = hashlib.blake2b(f"{step}/{stem}.{kind}".encode(), digest_size=5).hexdigest()
        clean = re.sub(r"[^A-Za-z0-9_]+", "-", stem).strip("-")[:40] or "result"
        name = f"{clean}-{short}"
        path = self.folder / FOLDER / f"{name}.{kind}"
        write_whole(path, content)
        return Artifact(
            name=name,
            kind=kind,
            path=str(path.relative_to(self.folder)),
            sha256=hashlib.sha256(content).hexdigest(),
            bytes=len(content),
            description=description,
            step=step,
        )

    def sweep(self) -> None:
        """Remove what a killed process had begun to write. Only for whoever holds the run."""
        for part in (self.folder / FOLDER).glob(f".*{PART}"):
            part.unlink(missing_ok=True)

    def register(self, artifact: Artifact) -> None:
        self._saved[artifact.name] = artifact

    def all(self) -> tuple[Artifact, ...]:
        return tuple(self._saved.values())

    def read(self, name: str) -> bytes:
        """The content of an artifact. Errors: `JournalError` if it is gone or was changed."""
        artifact = self._saved.get(name)
        if artifact is None:
            raise JournalError(f"this run has no artifact {name!r}")
        try:
            content = (self.folder / artifact.path).read_bytes()
        except OSError as error:
            raise JournalError(f"the artifact {artifact.path} cannot be read: {error}") from error
        if hashlib.sha256(content).hexdigest() != artifact.sha256:
            raise JournalError(f"the artifact {artifact.path} was changed after it was written")
        return content
