"""What a person reads before answering. It goes to standard error: standard output may be JSON."""

from __future__ import annotations

import sys
from contextlib import suppress

from flows.human.terminal_text import plain

_CLEAR_LINE = "\r\x1b[K"
_ECHO_CHARS = 200


def prompt_text(question: str) -> str:
    """The question and the place to write the answer."""
    return f"{plain(question).strip()} "


def show(text: str) -> None:
    """Write to standard error, if there is one. A prompt that nobody sees harms nothing."""
    if sys.stderr is None:
        return
    with suppress(OSError, ValueError):  # A pipe that was left, a stream that was closed.
        sys.stderr.write(text)
        sys.stderr.flush()


def clear_line() -> None:
    """Take away what a screen left in the line, such as a status, before a question."""
    if is_terminal(sys.stderr):
        show(_CLEAR_LINE)


def echo(answer: str | None) -> None:
    """Show the answer where a terminal would have echoed it."""
    show(f"{plain(answer or '')[:_ECHO_CHARS]}\n")


def is_terminal(stream: object) -> bool:
    """Whether a standard stream is there, open and a terminal."""
    try:
        return stream is not None and bool(stream.isatty())  # type: ignore[attr-defined]  # a stream
    except ValueError:
        return False
