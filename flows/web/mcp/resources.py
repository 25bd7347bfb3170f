"""Artifacts of runs as resources: by the run's id and the artifact's name, never by a path."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from typing import Any, Final

from mcp_types import BlobResourceContents, Resource, ResourceLink, TextResourceContents

from flows.core.artifacts import Artifact
from flows.data.results.safe_csv import write_csv
from flows.errors import ToolError
from flows.records.record import RunRecord
from flows.services.artifact_files import ArtifactFile, read_artifact, read_table
from flows.services.hosting.artifacts import find_artifact

RUN_TEMPLATE: Final = "flows://run/{run}"
ABOUT_RUN: Final = "How a run stands: status, outputs, question and artifacts, as JSON."
TEMPLATE: Final = "flows://run/{run}/artifact/{name}{?rows}"
ABOUT: Final = (
    "An artifact of a run: a table as CSV (rows=1-100 are its first hundred rows), a figure as a "
    "picture, else the file as it was made."
)
MOST_BYTES: Final = 16 << 20
_URI: Final = re.compile(
    r"flows://run/(?P<run>[\w.-]+)/artifact/(?P<name>[\w.-]+)"
    r"(?:\?rows=(?P<first>\d{1,9})-(?P<last>\d{1,9}))?"
)
_RUN: Final = re.compile(r"flows://run/(?P<run>[\w.-]+)")
_KINDS: Final = {
    "csv": "text/csv",
    "json": "application/json",
    "md": "text/markdown",
    "txt": "text/plain",
    "html": "text/html",
    "py": "text/x-python",
    "sql": "application/sql",
    "svg": "image/svg+xml",
    "png": "image/png",
    "jpg": "image/jpeg",
    "pdf": "application/pdf",
    "ipynb": "application/x-ipynb+json",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "ogg": "audio/ogg",
}
_BINARY: Final = "application/octet-stream"


class ArtifactUri:
    """The address of an artifact; `rows` are the first and last row that are wanted of a table,
    from 1. Errors: `ToolError` for a text that is none."""

    def __init__(self, uri: str) -> None:
        found = _URI.fullmatch(uri)
        if found is None:
            raise ToolError(f"{uri[:200]!r} is no artifact of a run; they are {TEMPLATE}")
        self.run, self.name = found["run"], found["name"]
        self.rows = (int(found["first"]), int(found["last"])) if found["first"] else None
        if self.rows is not None and not 1 <= self.rows[0] <= self.rows[1]:
            raise ToolError("rows=A-B are rows from 1, the first before the last")


def artifact_uri(run_id: str, name: str) -> str:
    """The address of an artifact."""
    return f"flows://run/{run_id}/artifact/{name}"


def run_of(uri: str) -> str | None:
    """The run whose address this is; None for the address of something else."""
    found = _RUN.fullmatch(uri)
    return found["run"] if found is not None else None


def artifact_link(run_id: str, artifact: Artifact) -> ResourceLink:
    """The artifact as a link in a result."""
    return ResourceLink(**_described(run_id, artifact))


def artifact_resource(run_id: str, artifact: Artifact) -> Resource:
    """The artifact as a resource in a list."""
    return Resource(**_described(run_id, artifact))


def _described(run_id: str, artifact: Artifact) -> dict[str, Any]:
    kind = "csv" if artifact.what == "table" else artifact.kind
    return {
        "name": artifact.name,
        "uri": artifact_uri(run_id, artifact.name),
        "description": artifact.description or None,
        "mime_type": media_type(kind),
    }


def media_type(kind: str) -> str:
    """The media type of a file with that extension."""
    return _KINDS.get(kind, _BINARY)


def artifact_content(
    uri: ArtifactUri, record: RunRecord
) -> TextResourceContents | BlobResourceContents:
    """The content of an artifact of the run.

    Errors: `NotFound`; `ToolError` for one that is too large, was changed, or has no rows;
    `OSError`.
    """
    artifact, folder = find_artifact(record, uri.name), record.place.folder
    file = _file(uri, artifact, folder)
    address = artifact_uri(uri.run, uri.name)
    if uri.rows is not None:
        address += f"?rows={uri.rows[0]}-{uri.rows[1]}"
    return file_contents(address, media_type(file.kind), file.content)


def file_contents(
    uri: str, media: str, content: bytes
) -> TextResourceContents | BlobResourceContents:
    """The content of a file as that of a resource: a text, or bytes in base64."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        blob = base64.b64encode(content).decode()
        return BlobResourceContents(uri=uri, mime_type=media, blob=blob)
    return TextResourceContents(uri=uri, mime_type=media, text=text)


def _file(uri: ArtifactUri, artifact: Artifact, folder: Path) -> ArtifactFile:
    if uri.rows is None:
        return read_artifact(artifact, folder, MOST_BYTES)
    if artifact.what != "table":
        raise ToolError(f"{artifact.name} is a {artifact.what}; only a table has rows")
    table = read_table(artifact, folder, MOST_BYTES)
    first, last = uri.rows
    rows = write_csv(table.columns, table.rows[first - 1 : last])
    return ArtifactFile(artifact.name, "csv", artifact.description, rows)
