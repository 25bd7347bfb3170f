"""The artifacts of a recorded run, and whether their files are still what was written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.core.artifacts import Artifact, Origin, State

_HASH = 8


@dataclass(frozen=True, slots=True)
class KeptArtifact:
    """An artifact and the state of each of its files, in the order of `artifact.files`."""

    artifact: Artifact
    states: tuple[State, ...]

    @property
    def state(self) -> State:
        """The worst of its files' states."""
        worst: tuple[State, ...] = ("missing", "changed", "whole")
        return next(each for each in worst if each in self.states)

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.artifact.files)

    def as_json(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        files = [
            {**file.model_dump(), "state": state}
            for file, state in zip(self.artifact.files, self.states, strict=True)
        ]
        shown = self.artifact.model_dump(exclude={"forms"})
        return {**shown, "state": self.state, "files": files}


def look_at(folder: Path, artifacts: Iterable[Artifact]) -> list[KeptArtifact]:
    """Read all files of the artifacts, to compare them with their hashes."""
    return [
        KeptArtifact(each, tuple(file.state(folder) for file in each.files)) for each in artifacts
    ]


def first_line(origin: Origin | None) -> str:
    """The first line of the query or the code that made an artifact."""
    text = "" if origin is None else origin.query or origin.code or ""
    return text.strip().partition("\n")[0].strip()


def read_from(origin: Origin | None) -> list[str]:
    """What it was made from, each with the beginning of its hash."""
    if origin is None:
        return []
    made_of = {**origin.inputs, **origin.artifacts}
    return [f"{name} {digest[:_HASH]}" for name, digest in made_of.items()]
