"""What the table of responses says of the functions that answers called."""

from __future__ import annotations

from pathlib import Path

from flows.library.interpreter.response_table import FILE, FunctionStats, ResponseTable


def function_stats(
    table: Path | None = None, *, user: str = "", channel: str = ""
) -> list[FunctionStats]:
    """The functions by what they do to confidence, those that lower it most first; none where
    nothing was logged. `table` is the SQLite file, that of the working folder without it; `user`
    and `channel` keep the responses to them alone. Errors: `ToolError`."""
    return ResponseTable(table or FILE).stats(user, channel)
