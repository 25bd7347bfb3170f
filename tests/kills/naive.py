"""A journal as one would write it in an hour, for showing that the test can see faults."""

from __future__ import annotations

from asyncio import Future
from typing import Final

from flows.core.journal import Journal
from flows.core.rows import Kind

EVERY: Final = 6


class NaiveJournal(Journal):
    """Writes its rows a few at a time, and knows no intents."""

    _kept: tuple[tuple[Kind, str, str, str], ...] = ()

    def append(
        self, kind: Kind, address: str, digest: str, body: str, *, durable: bool = True
    ) -> Future[None] | None:
        if kind != "intent":
            self._kept = (*self._kept, (kind, address, digest, body))
        if len(self._kept) >= EVERY or kind in ("start", "end"):
            self._flush()
        return None

    def close(self) -> None:
        self._flush()
        super().close()

    def _flush(self) -> None:
        kept, self._kept = self._kept, ()
        for row in kept:
            super().append(*row, durable=False)
