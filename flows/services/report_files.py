"""The files that an analysis writes its report to, beside those in the folder of its run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from flows.core.artifacts import open_file
from flows.core.result import RunResult
from flows.records.lookup import find_run
from flows.services.files import check_ending, check_writable, write_file

REPORTS: Final = ("html", "md", "ipynb", "json")
# The key of a run's start under which the files are recorded that were asked for.
WANTED: Final = "reports"


def checked_reports(paths: Iterable[Path]) -> dict[Path, str]:
    """The files to write, with the kind of each. Errors: `UsageError` for one that cannot be."""
    found: dict[Path, str] = {}
    for path in paths:
        ending = check_ending(path, [f".{each}" for each in REPORTS], "report")
        check_writable(path)
        found[path] = ending.removeprefix(".")
    return found


def wanted_reports(runs: Path, run_id: str) -> dict[Path, str]:
    """The files that were asked for when the run began, as `checked_reports` gives them.

    Errors: `JournalError`, `UsageError`.
    """
    rows = find_run(runs, run_id).rows()
    named = rows[0].data().get(WANTED) if rows else None
    return checked_reports(Path(each) for each in named or ())


def write_reports(result: RunResult, reports: Mapping[Path, str]) -> list[Path]:
    """The files that were written, each whole. Errors: `UsageError` for one that cannot be."""
    written = []
    for path, kind in reports.items():
        content = _content(result, kind)
        if content is not None:
            write_file(path, content)
            written.append(path)
    return written


def _content(result: RunResult, kind: str) -> bytes | None:
    """The report of that kind, from the folder of the run; None if there is none."""
    files: Mapping[str, Any] = result.outputs.get("files") or {}
    if kind not in files:
        return None
    with open_file(result.folder, str(files[kind])) as file:
        return file.read()
