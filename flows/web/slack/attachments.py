"""The files of an answer: figures, tables and reports of its run, and objects of S3."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flows.errors import FlowsError, ToolError
from flows.services.artifact_files import read_artifact
from flows.services.run_reply import RunReply
from flows.web.slack.settings import AttachmentSettings

_S3: Final = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/[^\s<>\"'`|)\]]+")
_TRAILING: Final = ".,;:!?"
_S3_SECONDS: Final = 20
_CHUNK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file to attach: `name` is that of the file, `key` tells it from the others of an answer."""

    key: str
    name: str
    title: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Attached:
    """The files of an answer, and in words why others are missing."""

    files: tuple[Attachment, ...] = ()
    missing: tuple[str, ...] = ()


async def attachments_of(
    reply: RunReply, folder: Path, settings: AttachmentSettings, *, whole: bool
) -> Attached:
    """The files of a reply whose run is in the folder; its whole text too, unless it is shown
    `whole`."""
    return await asyncio.to_thread(_attachments, reply, folder, settings, whole)


def _attachments(
    reply: RunReply, folder: Path, settings: AttachmentSettings, whole: bool
) -> Attached:
    found: list[Attachment] = []
    missing: list[str] = []
    if not whole:
        found.append(Attachment("answer", "answer.md", "The whole answer", reply.text.encode()))
    for artifact in reply.files:
        try:
            file = read_artifact(artifact, folder, settings.max_bytes)
            found.append(Attachment(file.name, file.file_name, file.title, file.content))
        except (FlowsError, OSError, ValueError) as error:
            missing.append(f"{artifact.name}: {error}")
    for reference in s3_references(reply.text):
        if not is_allowed(reference, settings.s3):
            missing.append(f"{reference} is in no folder whose objects may be attached")
            continue
        try:
            name = reference.rpartition("/")[2]
            content = read_s3(reference, settings.max_bytes)
            found.append(Attachment(reference, name, name, content))
        except (FlowsError, OSError) as error:
            missing.append(f"{reference}: {error}")
    left = found[settings.most :]
    missing += [f"{each.name} is one file too many" for each in left]
    return Attached(tuple(found[: settings.most]), tuple(missing))


def s3_references(text: str) -> Iterator[str]:
    """The objects of S3 that a text names, each once."""
    found = (each.rstrip(_TRAILING) for each in _S3.findall(text))
    yield from dict.fromkeys(found)


def is_allowed(reference: str, prefixes: Sequence[str]) -> bool:
    """Whether an object lies below one of the prefixes. What a result names is the word of a model
    or of data, so that nothing else is read with the keys of this machine."""
    if ".." in reference.split("/") or "//" in reference.removeprefix("s3://"):
        return False
    return any(reference.startswith(f"{each.rstrip('/')}/") for each in prefixes)


def read_s3(reference: str, most: int) -> bytes:
    """The content of an object of at most so many bytes, with the keys and the endpoint of the
    environment. Errors: `ToolError`; `OSError` when it cannot be had."""
    from pyarrow.fs import FileType, S3FileSystem

    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    scheme, _, host = (endpoint or "").rpartition("://")
    system = S3FileSystem(
        endpoint_override=host or None,
        scheme=scheme or "https",
        region=os.environ.get("AWS_DEFAULT_REGION") or os.environ.get("AWS_REGION"),
        connect_timeout=_S3_SECONDS,
        request_timeout=_S3_SECONDS,
    )
    path = reference.removeprefix("s3://")
    info = system.get_file_info(path)
    if info.type != FileType.File:
        raise ToolError("there is no such object")
    if info.size > most:
        raise ToolError(f"it has {info.size:,} bytes, more than the {most:,} that are attached")
    pieces: list[bytes] = []
    with system.open_input_stream(path) as stream:
        while sum(map(len, pieces)) <= most and (piece := stream.read(_CHUNK)):
            pieces.append(piece)
    return b"".join(pieces)[:most]
