"""What a run came to as content blocks: its text, pictures and sounds, small texts, and links."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Final

from mcp_types import (
    AudioContent,
    ContentBlock,
    EmbeddedResource,
    ImageContent,
    TextContent,
)

from flows.core.artifacts import Artifact
from flows.errors import ToolError
from flows.records.record import RunRecord
from flows.services.artifact_files import ArtifactFile, read_artifact
from flows.services.run_reply import RunReply
from flows.web.mcp.resources import artifact_link, artifact_uri, file_contents, media_type

MOST_MEDIA: Final = 1 << 20  # bytes of a picture or sound that stands in a result itself
MOST_TEXT: Final = 16 << 10  # bytes of a text that does
_PICTURES: Final = ("image/png", "image/jpeg", "image/gif", "image/webp")


def reply_content(text: str, reply: RunReply, record: RunRecord) -> list[ContentBlock]:
    """The text, and each file of the reply: a picture or a sound as itself, a small text as a
    resource, and a link to what is larger, a table or code, beside the picture too."""
    blocks: list[ContentBlock] = [TextContent(text=text)] if text else []
    for artifact in reply.files:
        blocks += _blocks(artifact, record)
    return blocks


def _blocks(artifact: Artifact, record: RunRecord) -> Iterator[ContentBlock]:
    run_id = record.place.run_id
    link = artifact_link(run_id, artifact)
    file = _small_file(artifact, record)
    kind = media_type(file.kind) if file is not None else ""
    if file is None or artifact.what in ("table", "code"):
        yield link
    elif kind in _PICTURES or kind.startswith("audio/"):
        data = base64.b64encode(file.content).decode()
        is_picture = kind in _PICTURES
        block = ImageContent if is_picture else AudioContent
        yield block(data=data, mime_type=kind)
        yield link
    elif len(file.content) <= MOST_TEXT:
        contents = file_contents(artifact_uri(run_id, artifact.name), kind, file.content)
        yield EmbeddedResource(resource=contents)
    else:
        yield link


def _small_file(artifact: Artifact, record: RunRecord) -> ArtifactFile | None:
    """The file of an artifact; None for one that is too large, or gone, or was changed."""
    try:
        return read_artifact(artifact, record.place.folder, MOST_MEDIA)
    except (ToolError, OSError, ValueError):
        return None
