"""Ending what runs on a server when the client's own time is over."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from flows.data.deadline import Deadline

CONNECT_SECONDS = 10
CANCEL_SECONDS = 2
# How long a server has to confirm that it has stopped.
_GRACE_SECONDS = 1.0
_TICK_SECONDS = 0.02


@contextmanager
def stopped_after(
    deadline: Deadline, cancel: Callable[[], object], cut: Callable[[], object]
) -> Iterator[threading.Event]:
    """Cancel when the time is over, and cut the connection if that does not help.

    `cancel` asks the server and may take `CANCEL_SECONDS`; its errors count as no help. The event
    says whether the time was over. A session can undo the server's own timeout, but not this.
    """
    over = threading.Event()
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_TICK_SECONDS):
            if deadline.is_over():
                over.set()
                with suppress(Exception):
                    cancel()
                if not done.wait(_GRACE_SECONDS):
                    cut()
                return

    watcher = threading.Thread(target=watch, name="server-deadline", daemon=True)
    watcher.start()
    try:
        yield over
    finally:
        done.set()
        watcher.join()


def shut(connected: socket.socket) -> None:
    """End both directions, which also wakes a thread that waits for an answer."""
    with suppress(OSError):
        connected.shutdown(socket.SHUT_RDWR)
