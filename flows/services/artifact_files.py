"""The artifacts of a run in the form that people open: a picture, a CSV file, else as it is."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flows.core.artifacts import Artifact, SavedFile, open_file
from flows.data.results.safe_csv import write_csv
from flows.data.tables import ResultTable
from flows.errors import ToolError

_PICTURES: Final = ("png", "svg")


@dataclass(frozen=True, slots=True)
class ArtifactFile:
    """A file to be opened: `kind` is its extension."""

    name: str
    kind: str
    title: str
    content: bytes

    @property
    def file_name(self) -> str:
        return f"{self.name}.{self.kind}"


def read_artifact(artifact: Artifact, folder: Path, most: int) -> ArtifactFile:
    """An artifact of the run in the folder, of at most so many bytes.

    Errors: `ToolError` for one that is too large or was changed; `OSError` for one that is gone.
    """
    title = artifact.description or artifact.name
    if artifact.what == "table":
        return ArtifactFile(artifact.name, "csv", title, _csv(artifact, folder, most))
    forms = {each.kind: each for each in artifact.files}
    picture = next((forms[kind] for kind in _PICTURES if kind in forms), None)
    if artifact.what == "figure" and picture is None and "json" in forms:
        drawn = _drawn(_content(forms["json"], folder, most), title)
        return ArtifactFile(artifact.name, "png", title, drawn)
    file = picture or artifact.files[0]
    return ArtifactFile(artifact.name, file.kind, title, _content(file, folder, most))


def read_table(artifact: Artifact, folder: Path, most: int) -> ResultTable:
    """All rows of a table of the run in the folder, whose file has at most so many bytes.

    Errors: as of `read_artifact`; `ValueError` for a file that holds no table.
    """
    return ResultTable.model_validate_json(_content(artifact.files[0], folder, most))


def _csv(artifact: Artifact, folder: Path, most: int) -> bytes:
    for file in artifact.files:
        if file.kind == "csv":
            return _content(file, folder, most)
    table = read_table(artifact, folder, most)
    return write_csv(table.columns, table.rows)


def _drawn(figure: bytes, title: str) -> bytes:
    """A picture of a figure of plotly."""
    from flows.report.pictures.plot import draw_plot

    return draw_plot(json.loads(figure), title)


def _content(file: SavedFile, folder: Path, most: int) -> bytes:
    """The content of a file of the run, as it was written. Errors: `ToolError`, `OSError`."""
    if file.bytes > most:
        raise ToolError(f"it has {file.bytes:,} bytes, more than the {most:,} that are taken")
    with open_file(folder, file.path) as opened:
        content = opened.read(most + 1)
    if hashlib.sha256(content).hexdigest() != file.sha256:
        raise ToolError("it was changed after it was written")
    return content
