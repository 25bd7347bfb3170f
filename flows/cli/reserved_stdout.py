"""Standard output for what a command itself says, while code of the user's own runs."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_STDOUT: Final = 1
_STDERR: Final = 2


class ReservedStdout:
    """Standard output of the process, kept for the command from now on: what flows print, and the
    processes that they start, goes to standard error until `release`."""

    def __init__(self) -> None:
        self._before = sys.stdout
        self._outlet: int | None = None
        if self._before is None:
            return
        self._before.flush()
        if _is_stdout(self._before):
            self._outlet = os.dup(_STDOUT)
            _lead_to_stderr()
        sys.stdout = sys.stderr

    def write_line(self, text: str) -> None:
        """Write a line to what was standard output before. Errors: `OSError`."""
        if self._outlet is None:
            print(text, file=self._before, flush=True)
            return
        left = f"{text}\n".encode()
        while left:
            left = left[os.write(self._outlet, left) :]

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Standard output as it was before, for the time of a block."""
        if self._outlet is None:
            reserved, sys.stdout = sys.stdout, self._before
            try:
                yield
            finally:
                sys.stdout = reserved
            return
        self._before.flush()
        os.dup2(self._outlet, _STDOUT)
        sys.stdout = self._before
        try:
            yield
        finally:
            self._before.flush()
            os.dup2(_STDOUT, self._outlet)  # which nobody may read any more
            _lead_to_stderr()
            sys.stdout = sys.stderr

    def release(self) -> None:
        """Give standard output back; more than once does no more."""
        if self._outlet is not None:
            self._before.flush()  # what was printed by way of the stream of before
            os.dup2(self._outlet, _STDOUT)
            os.close(self._outlet)
            self._outlet = None
        sys.stdout = self._before


@contextmanager
def reserved_stdout() -> Iterator[ReservedStdout]:
    """Standard output, reserved for the time of a block."""
    reserved = ReservedStdout()
    try:
        yield reserved
    finally:
        reserved.release()


def _is_stdout(stream: object) -> bool:
    """Whether a stream writes to the file descriptor of standard output."""
    try:
        return isinstance(stream, io.TextIOBase) and stream.fileno() == _STDOUT
    except (OSError, ValueError):  # it has none, or is closed
        return False


def _lead_to_stderr() -> None:
    try:
        os.dup2(_STDERR, _STDOUT)
    except OSError:  # nobody has standard error either
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _STDOUT)
        os.close(nowhere)
