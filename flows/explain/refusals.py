"""Requests as they are after an endpoint refused a parameter of an earlier one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations
from typing import Final

from flows.explain.body_parts import document_of

_LEFT_OUT: Final = ("response_format", "stream_options")
_RENAMED: Final = {"max_tokens": "max_completion_tokens"}


def without_refused(body: bytes) -> Iterator[tuple[bytes, str]]:
    """The body without each parameter that may have been refused, or with its newer name, and what
    was done to it. Nothing for a body that JSON would not be written as again."""
    document = document_of(body)
    if _written(document) != body:
        return
    able = [name for name in (*_LEFT_OUT, *_RENAMED) if name in document]
    for count in range(1, len(able) + 1):
        for refused in combinations(able, count):
            kept = {
                _RENAMED.get(name, name) if name in refused else name: value
                for name, value in document.items()
                if name not in refused or name in _RENAMED
            }
            yield _written(kept), ", ".join(refused)


def _written(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
