"""What running code raised, told in the lines of the code, without a frame of this package."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType

from flows.sandbox.report import Fault

_OWN = str(Path(__file__).resolve().parent)
_LONGEST_MESSAGE = 4_000
_LONGEST_TRACEBACK = 20_000


def is_code(filename: str) -> bool:
    return filename.startswith("<code")


def fault_of(error: BaseException, filename: str) -> Fault:
    """The fields of a CodeFault; `filename` is that of the piece that ran."""
    name = type(error).__name__
    message = _message(error)
    try:
        told = _traceback(error)
    except BaseException:  # noqa: BLE001 - an exception's own methods are the code's
        told = f"{name}: {message}"
    fault: Fault = {"type": name[:200], "message": message, "traceback": _middle_cut(told)}
    line = _line(error.__traceback__, filename)
    if isinstance(error, SyntaxError) and error.filename == filename and error.lineno:
        line, fault["column"] = error.lineno, error.offset or None
    fault["line"] = line
    return fault


def _message(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"the code ended itself with exit({error.code!r}), as it may not"
    try:
        text = str(error)
    except BaseException:  # noqa: BLE001
        text = "(its message cannot be shown)"
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + " ..."


def _line(frames: TracebackType | None, filename: str) -> int | None:
    """The innermost line of this piece, or of an earlier one."""
    here, earlier = None, None
    while frames is not None:
        of_frame = frames.tb_frame.f_code.co_filename
        if of_frame == filename:
            here = frames.tb_lineno
        elif is_code(of_frame):
            earlier = frames.tb_lineno
        frames = frames.tb_next
    return here or earlier


def _traceback(error: BaseException) -> str:
    told = traceback.TracebackException.from_exception(error, limit=-60)
    todo: list[traceback.TracebackException] = [told]
    while todo:
        each = todo.pop()
        kept = [frame for frame in each.stack if not frame.filename.startswith(_OWN)]
        each.stack = traceback.StackSummary.from_list(kept)
        following = (each.__cause__, each.__context__, *(getattr(each, "exceptions", None) or ()))
        todo += [other for other in following if other is not None]
    return "".join(told.format()).rstrip()


def _middle_cut(text: str) -> str:
    if len(text) <= _LONGEST_TRACEBACK:
        return text
    half = _LONGEST_TRACEBACK // 2
    return f"{text[:half]}\n  ...\n{text[-half:]}"
