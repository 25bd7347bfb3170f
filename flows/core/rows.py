"""One row of a run's record, and the checksum that ties it to the row before."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

Kind = Literal[
    "start", "intent", "call", "outcome", "failure", "question", "answer", "change", "limit",
    "stop", "end",
]  # fmt: skip


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


def row_checksum(
    before: str, seq: int, kind: str, address: str, digest: str, body: str, at: float
) -> str:
    """Covers the row's own text and, by `before`, all rows that stand before it."""
    text = f"{before}\x1f{seq}\x1f{kind}\x1f{address}\x1f{digest}\x1f{at!r}\x1f{body}"
    return blake2b(text.encode(), digest_size=12).hexdigest()
