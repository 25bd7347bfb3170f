"""When a query has to end: after its time, or when somebody says so."""

from __future__ import annotations

import threading
import time


class Deadline:
    """`seconds` from now, or as soon as `stop` is set."""

    def __init__(self, seconds: float, stop: threading.Event | None = None) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds
        self._stop = stop

    def is_over(self) -> bool:
        stopped = self._stop is not None and self._stop.is_set()
        return stopped or time.monotonic() >= self._end


def too_slow(seconds: float) -> str:
    """Why a query was stopped at its deadline."""
    return f"the query took longer than {seconds:.3g} seconds and was stopped"
