"""What may become a document of the memory: ids, texts, metadata, names of collections."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence

from flows.errors import RecallError

Scalar = str | int | float | bool

_INT_RANGE = range(-(2**63), 2**63)


def collection_name(project: str) -> str:
    """A name that Chroma takes, the project's own where possible and never that of another."""
    if re.fullmatch(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,126}[a-zA-Z0-9]", project):
        return project
    slug = re.sub(r"[^a-zA-Z0-9]+", "-", project).strip("-")[:80]
    mark = hashlib.sha256(project.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{slug}-{mark}" if slug else f"project-{mark}"


def documents_by_id(ids: Sequence[str], texts: Sequence[str], max_chars: int) -> dict[str, str]:
    """The texts that say something, under their ids; of one id the last. Errors: RecallError."""
    if len(ids) != len(texts):
        raise RecallError(f"{len(ids)} ids for {len(texts)} texts; each text needs one")
    documents: dict[str, str] = {}
    for id_, text in zip(ids, texts, strict=True):
        if not id_:
            raise RecallError("an id is empty; each text needs one of its own")
        if text.strip():
            documents[encodable(id_)] = _cut(encodable(text), max_chars)
    return documents


def checked_metadata(metadata: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """A copy of metadata that the store can keep unchanged. Errors: RecallError names the key."""
    checked: dict[str, Scalar] = {}
    for key, value in metadata.items():
        if not isinstance(key, str) or not key or key.startswith(("chroma:", "#")):
            raise RecallError(f"{key!r} cannot be a key of metadata; use a plain name")
        if not _keepable(value):
            raise RecallError(
                f"metadata {key!r} is {value!r} ({type(value).__name__}); allowed are text, whole"
                " numbers of 64 bits, finite numbers, true and false"
            )
        checked[encodable(key)] = encodable(value) if isinstance(value, str) else value
    return checked


def encodable(text: str) -> str:
    """The text with lone surrogates replaced, so that it can be stored as UTF-8."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _keepable(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, int):
        return value in _INT_RANGE
    return isinstance(value, str)


def _cut(text: str, max_chars: int) -> str:
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars]}\n[cut: the first {max_chars:,} of {len(text):,} characters]"
