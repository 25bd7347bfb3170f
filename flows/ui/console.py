"""The console that everything is written to, and what may be done with it."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import TextIO

from rich.console import Console

from flows.human.prompt import is_terminal

PIPED_WIDTH = 100
_NARROWEST = 20


class RunConsole(Console):
    """A console whose reader may leave: the rest is dropped then, and the run goes on."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        with suppress(OSError, ValueError):  # A stream without a descriptor has no pipe to mend.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.file.fileno())
            os.close(nowhere)


def make_console(to_stderr: bool = False) -> Console:
    """A console on standard output or error: in colour on a terminal, plain lines elsewhere.

    Rich honours NO_COLOR, TERM and COLUMNS. A pipe is taken to be 100 columns wide.
    """
    stream = sys.stderr if to_stderr else sys.stdout
    if stream is None:  # The descriptor was closed before the start.
        return RunConsole(file=io.StringIO(), quiet=True)
    make_tolerant(stream)
    terminal = is_terminal(stream)
    return RunConsole(
        stderr=to_stderr,
        force_terminal=None if terminal else False,
        width=None if terminal else _piped_width(),
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=False,
    )


def make_tolerant(stream: TextIO) -> None:
    """Let a stream show `?` for what its encoding cannot write, instead of failing."""
    encoding = (getattr(stream, "encoding", None) or "utf-8").casefold()
    if not encoding.startswith("utf") and isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")


def can_animate(console: Console) -> bool:
    """Whether a line may be written over: only on a real terminal that is more than dumb."""
    if not console.is_terminal or console.is_dumb_terminal or not console.is_interactive:
        return False
    return is_terminal(console.file)


def _piped_width() -> int:
    columns = os.environ.get("COLUMNS", "")
    return max(_NARROWEST, int(columns)) if columns.isascii() and columns.isdigit() else PIPED_WIDTH
