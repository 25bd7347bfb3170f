"""The command line: one file a command. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Final

# A command makes some hundred thousand objects that stay: modules, models, patterns. Python would
# look through all of them for garbage after each 700 new ones, which is a tenth of a start.
OBJECTS_BETWEEN_COLLECTIONS: Final = 200_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    # Looking for them reads the metadata of all packages that are installed.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    with stoppable():
        from flows.cli.app import run_app
        from flows.errors import UsageError

    sys.excepthook = show_bug
    given = sys.argv[1:] if arguments is None else arguments
    try:
        code = run_app([as_text(each) for each in given])
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe went away; that is not the command's fault
        silence()
        code = 0
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        code = error.exit_code
    except OSError as error:  # such as a full disk behind standard output
        silence()
        print(f"error: the output cannot be written: {error.strerror}", file=sys.stderr)
        code = UsageError.exit_code
    gc.freeze()  # what is left ends with the process; it need not be looked through for garbage
    sys.exit(code)


@contextmanager
def stoppable() -> Iterator[None]:
    """While modules are imported Ctrl-C ends the process, with a word and no traceback."""
    try:
        yield
    except KeyboardInterrupt:
        from flows.cli.signals import CTRL_C

        print("stopped", file=sys.stderr)
        sys.exit(CTRL_C)


def show_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """An error that nobody foresaw, as Python shows it, but without secrets."""
    import traceback

    from flows.config.redaction import redact_pieces

    if sys.stderr is not None:
        sys.stderr.write(redact_pieces("".join(traceback.format_exception(kind, error, trace))))


def as_text(argument: str) -> str:
    """An argument as the UTF-8 text that it is, whatever the locale made of it.

    Errors: `UsageError` for one that is none.
    """
    from flows.errors import UsageError

    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError as error:
        shown = argument.encode("ascii", "backslashreplace").decode()
        raise UsageError(f"the argument {shown!r} is not UTF-8 text") from error


def silence() -> None:
    """Let nothing more be written to standard output; Python would try again at its exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
