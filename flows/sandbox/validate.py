"""Looking at code before it runs: whether it can be read at all."""

from __future__ import annotations

from flows.core.sandbox import CodeFault
from flows.sandbox.syntax import UnreadableCode, compiled


def validate(code: str) -> CodeFault | None:
    """What is wrong with the code's syntax, with line and column from 1; None when it is right."""
    try:
        compiled(code, "<code>")
    except UnreadableCode as error:
        return CodeFault(**error.fault)
    return None
