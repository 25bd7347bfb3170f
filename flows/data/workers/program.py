"""The program that runs queries, as a process: how it starts, and with whom it ends.

    python boot.py ... flows.data.workers.program SOCKET PARENT

`SOCKET` is the number of an open socket to the host, whose process is `PARENT`.
"""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections.abc import Sequence
from typing import Final

from flows.sandbox import libc

# What the modules make stays: nothing is gained by looking through it for garbage meanwhile.
_OBJECTS_BETWEEN_COLLECTIONS: Final = 200_000


def main(arguments: Sequence[str]) -> int:
    """Answer requests until the host closes its end. Never returns before that."""
    number, parent = (int(each) for each in arguments)
    _end_with(parent)
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    sys.meta_path.insert(0, _WithoutPandas())
    from flows.data.workers.worker import Worker  # when nothing looks for garbage

    with socket.socket(fileno=number) as connection:
        Worker(connection.makefile("rb"), connection.makefile("wb")).serve()
    os._exit(0)  # at once: a query may still run in a thread


class _WithoutPandas:
    """pyarrow imports pandas where it can, which takes a second, and nothing here needs it."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"no module named {name!r} here", name=name)


def _end_with(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
