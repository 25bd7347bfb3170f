"""Pictures of a request: what they are by their content, how large they may be, their bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, get_args
from urllib.parse import urlsplit

from flows.core.chat import ChatRequest, ImagePart, MediaType
from flows.errors import JournalError, ModelRefused

MAX_PICTURES: Final = 20
MAX_BYTES: Final = 10_000_000
MAX_BYTES_TOGETHER: Final = 30_000_000
MEDIA_TYPES: Final[tuple[MediaType, ...]] = get_args(MediaType)
_STARTS: Final[tuple[tuple[bytes, MediaType], ...]] = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def media_type_of(content: bytes) -> MediaType | None:
    """The kind of a picture by its first bytes; None for any other content."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _STARTS if content.startswith(start)), None)


def check_picture(name: str, content: bytes) -> MediaType:
    """The kind of a picture. Errors: `ModelRefused` for another content, or too much of it."""
    kind = media_type_of(content)
    if kind is None:
        known = ", ".join(each.removeprefix("image/") for each in MEDIA_TYPES)
        raise ModelRefused(f"{name} is no picture that a model takes; it takes {known}")
    if len(content) > MAX_BYTES:
        raise ModelRefused(
            f"the picture {name} has {len(content):,} bytes, and {MAX_BYTES:,} are allowed"
        )
    return kind


def with_pictures(request: ChatRequest, read: Callable[[str], bytes]) -> ChatRequest:
    """The request with the bytes of the pictures that its messages name; `read` gives those of an
    artifact of the run by its name.

    Errors: `ModelRefused` for an artifact that is none of the run's or no picture, for an address
    that is not of the web, and beyond the limits above.
    """
    images = [image for each in request.messages for image in each.images]
    if not images:
        return request
    if len(images) > MAX_PICTURES:
        raise ModelRefused(f"{len(images)} pictures are more than the {MAX_PICTURES} allowed")
    names = [each.artifact for each in images if _is_artifact(each)]
    pictures = {name: _read(name, read) for name in dict.fromkeys(names)}
    _check_sum(pictures[name] for name in names)
    return replace(request, pictures=pictures)


def _is_artifact(image: ImagePart) -> bool:
    """Whether it names an artifact, and not an address. Errors: `ModelRefused`."""
    if bool(image.url) == bool(image.artifact):
        raise ModelRefused("a picture is given as an artifact of the run or as an address")
    if image.url and (urlsplit(image.url).scheme not in ("http", "https")):
        raise ModelRefused(
            "the address of a picture has to begin with http:// or https://; give a file as an "
            "artifact of the run"
        )
    return not image.url


def _read(name: str, read: Callable[[str], bytes]) -> bytes:
    try:
        content = read(name)
    except JournalError as error:
        raise ModelRefused(f"the picture cannot be sent: {error}") from error
    check_picture(name, content)
    return content


def _check_sum(contents: Iterable[bytes]) -> None:
    total = sum(map(len, contents))
    if total > MAX_BYTES_TOGETHER:
        raise ModelRefused(
            f"the pictures have {total:,} bytes together, and {MAX_BYTES_TOGETHER:,} are allowed"
        )
