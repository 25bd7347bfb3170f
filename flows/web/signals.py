"""How what serves is told to end."""

from __future__ import annotations

import asyncio
import signal
from typing import Final

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def end_signal() -> asyncio.Future[signal.Signals]:
    """The signal that ends the process."""
    loop = asyncio.get_running_loop()
    told: asyncio.Future[signal.Signals] = loop.create_future()

    def take(each: signal.Signals) -> None:
        if not told.done():
            told.set_result(each)

    for each in _SIGNALS:
        loop.add_signal_handler(each, take, each)
    return told
