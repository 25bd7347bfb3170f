"""A question that only a person at a terminal can say yes to."""

from __future__ import annotations

import sys
import termios
from contextlib import suppress

from flows.core.loop import run_coroutine
from flows.human.lines import StandardLines
from flows.human.prompt import is_terminal, show
from flows.human.terminal_text import plain

_YES = frozenset({"y", "yes"})


def somebody_is_there() -> bool:
    """Whether a person can be asked, and see what is asked."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def confirm(question: str) -> bool:
    """Whether the person says yes. Everything else is a no: Enter, Ctrl-C, the end of the input,
    and what was typed before the question was there."""
    if not somebody_is_there():
        return False
    with suppress(termios.error, OSError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    try:
        said = run_coroutine(StandardLines().read(f"{question} [y/N]"))
    except KeyboardInterrupt:
        show("\n")
        return False
    if said is None:
        show("\n")
    return plain(said or "").strip().casefold() in _YES
