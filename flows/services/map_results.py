"""What `flows map` writes: a line of JSON for each row, to the file that was named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from flows.build.map_rows import ROWS
from flows.core.result import RunResult
from flows.core.values import Values
from flows.records.lookup import find_run
from flows.services.files import check_writable, write_file

# The key of a run's start under which the file is recorded, "" where none was named.
WANTED: Final = "mapped"


def checked_results(path: Path | None) -> Path | None:
    """The file to write. Errors: `UsageError` for one that cannot be."""
    if path is not None:
        check_writable(path, makes_folders=True)
    return path


def wanted_results(runs: Path, run_id: str) -> tuple[list[Values], Path | None] | None:
    """The rows of a recorded map over a file, and the file that was named when it began; None of
    another run. Errors: `JournalError`; `UsageError` for a file that cannot be written any more."""
    recorded = find_run(runs, run_id).rows()
    start = recorded[0].data() if recorded else {}
    if WANTED not in start:
        return None
    return start["inputs"][ROWS], checked_results(Path(start[WANTED]) if start[WANTED] else None)


def write_results(path: Path | None, rows: Sequence[Values], result: RunResult) -> list[Path]:
    """Write a line for each row: its `inputs`, its `outputs` or null, its `error` or null. The file
    is there whole or not at all; it is left alone by a run that has not come to its end.

    Returns the files that were written. Errors: `UsageError`.
    """
    if path is None or "results" not in result.outputs:
        return []
    errors = {each.index: each.error for each in result.outputs["failures"]}
    lines = [
        json.dumps(
            {"inputs": row, "outputs": outputs, "error": errors.get(number)},
            ensure_ascii=False, default=str,
        )
        for number, (row, outputs) in enumerate(zip(rows, result.outputs["results"], strict=True))
    ]  # fmt: skip
    write_file(path, ("\n".join(lines) + "\n").encode(), makes_folders=True)
    return [path]
