"""Ending by a signal: SIGTERM ends a run as Ctrl-C does, with an exit code of its own."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import FrameType
from typing import Final

CTRL_C: Final = 130
TERMINATED: Final = 143


class Stopping:
    """Takes SIGTERM as Ctrl-C from now on. `code` is what a process that was stopped ends with.

    Only the main thread may make one.
    """

    def __init__(self) -> None:
        self.code = CTRL_C
        signal.signal(signal.SIGTERM, self._terminate)

    def _terminate(self, number: int, frame: FrameType | None) -> None:
        del number, frame
        self.code = TERMINATED
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as in the background of a script
            signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.raise_signal(signal.SIGINT)


def end_stopped(code: int) -> None:
    """End a process that was stopped, without waiting for threads that are still at work.

    There are some only if it was told to stop while it was stopping. What a run did is recorded.
    """
    others = [each for each in threading.enumerate() if each is not threading.main_thread()]
    if any(not each.daemon for each in others):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os._exit(code)
