"""Requests as they are after an endpoint refused a part of an earlier one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import combinations

from flows.explain.body_parts import document_of
from flows.models.refusals import refusals_of, without


def without_refused(body: bytes) -> Iterator[tuple[bytes, str]]:
    """The body as it is where the endpoint has refused some of what it may refuse, and what that
    is. Nothing for a body that JSON would not be written as again."""
    document = document_of(body)
    form = document.get("response_format", {})
    if _written(document) != body or not isinstance(form, dict):
        return
    tried = {body}
    able = refusals_of(document)
    for count in range(1, len(able) + 1):
        for refused in combinations(able, count):
            other = _written(without(document, refused))
            if other not in tried:
                tried.add(other)
                yield other, ", ".join(refused)


def _written(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
