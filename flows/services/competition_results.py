"""The folder that a pipeline writes its submission and its report to, beside that of its run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from flows.core.artifacts import open_file
from flows.core.result import RunResult
from flows.errors import UsageError
from flows.records.lookup import find_run
from flows.services.files import check_writable, write_file

SUBMISSION: Final = "submission.csv"
# The names of the files, by the kinds that the pipeline knows them by.
REPORTS: Final = {"html": "report.html", "ipynb": "report.ipynb"}
# The key of a run's start under which the folder is recorded that was asked for.
WANTED: Final = "results"


def check_folder(out: Path, task: Path | None = None) -> None:
    """Errors: `UsageError` for a folder that nothing can be written to, and for that of the task
    itself, whose files are not written over."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is a file; --out names a folder")
    if task is not None and out.exists() and task.is_dir() and out.samefile(task):
        raise UsageError(f"{out} is the folder of the task; name another one, as: --out {out}/out")
    for name in (SUBMISSION, *REPORTS.values()):
        check_writable(out / name, makes_folders=True)


def wanted_folder(runs: Path, run_id: str) -> Path | None:
    """The folder that was asked for when the run began. Errors: `JournalError`, `UsageError`."""
    rows = find_run(runs, run_id).rows()
    named = rows[0].data().get(WANTED) if rows else None
    if named is None:
        return None
    out = Path(str(named))
    check_folder(out)
    return out


def write_results(result: RunResult, out: Path | None) -> dict[str, Path]:
    """The files that were written, each whole, by their names: what the run has of the submission
    and the report. Errors: `UsageError` for one that cannot be written."""
    if out is None:
        return {}
    contents = {name: _read(result, path) for name, path in _paths(result.outputs)}
    for name, content in contents.items():
        write_file(out / name, content, makes_folders=True)
    return {name: out / name for name in contents}


def _paths(outputs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The names of the files, and where each is in the folder of the run."""
    if submission := outputs.get("submission"):
        yield SUBMISSION, str(submission)
    files: Mapping[str, Any] = outputs.get("files") or {}
    for kind, name in REPORTS.items():
        if kind in files:
            yield name, str(files[kind])


def _read(result: RunResult, path: str) -> bytes:
    with open_file(result.folder, path) as file:
        return file.read()
