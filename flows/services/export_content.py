"""What an export holds: each artifact under a readable name, with the state of its files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flows.core.artifacts import Artifact, SavedFile, State
from flows.core.result import iso_time


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file of an artifact under the name that it has in the folder. One that is missing or was
    changed after it was written is not copied."""

    path: str
    file: SavedFile
    state: State


@dataclass(frozen=True, slots=True)
class ExportedArtifact:
    """An artifact under a readable `name`; `made` is when its step ended, in seconds since 1970."""

    name: str
    artifact: Artifact
    made: float | None
    files: tuple[ExportedFile, ...]

    def as_json(self) -> dict[str, Any]:
        origin = self.artifact.origin
        files = [
            {
                "path": each.path if each.state == "whole" else None,
                "kind": each.file.kind,
                "sha256": each.file.sha256,
                "bytes": each.file.bytes,
                "state": each.state,
            }
            for each in self.files
        ]
        return {
            "name": self.name,
            "artifact": self.artifact.name,
            "what": self.artifact.what,
            "description": self.artifact.description,
            "step": self.artifact.step,
            "made": None if self.made is None else iso_time(self.made),
            "origin": None if origin is None else origin.model_dump(),
            "files": files,
        }
