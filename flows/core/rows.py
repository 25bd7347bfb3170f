"""One row of a run's record, and the checksum that ties it to the row before."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any, Final, Literal, NamedTuple

Kind = Literal[
    "start", "intent", "call", "outcome", "failure", "question", "answer", "change", "limit",
    "stop", "end",
]  # fmt: skip
CHECKSUM_LENGTH: Final = 24


class Row(NamedTuple):
    """One row. `seq` counts from 1 in each run, `digest` is that of the step's inputs (of the
    request for a `call`, the question's id for `question` and `answer`), `at` seconds since 1970,
    `body` JSON."""

    seq: int
    kind: str
    address: str
    digest: str
    body: str
    at: float
    checksum: str

    def data(self) -> dict[str, Any]:
        parsed: dict[str, Any] = json.loads(self.body)
        return parsed


def row_text(
    before: str, seq: int, kind: str, address: str, digest: str, body: str, at: float
) -> bytes:
    """The text that a row's checksum covers: its own, and the checksum of the row `before`."""
    return f"{before}\x1f{seq}\x1f{kind}\x1f{address}\x1f{digest}\x1f{at!r}\x1f{body}".encode()


def fields_of(text: bytes) -> tuple[int, str, str, str, float, str]:
    """The seq, kind, address, digest, time and body of a row's text. An address may hold anything;
    a body is JSON, which has no control characters."""
    head, digest, at, body = text.decode().rsplit("\x1f", 3)
    _, seq, kind, address = head.split("\x1f", 3)
    return int(seq), kind, address, digest, float(at), body


def text_checksum(text: bytes) -> str:
    """The checksum of a row's text: `CHECKSUM_LENGTH` hex digits."""
    return blake2b(text, digest_size=CHECKSUM_LENGTH // 2).hexdigest()


def row_checksum(
    before: str, seq: int, kind: str, address: str, digest: str, body: str, at: float
) -> str:
    """Covers the row's own text and, by `before`, all rows that stand before it."""
    return text_checksum(row_text(before, seq, kind, address, digest, body, at))
