"""Finding runs: each has a folder with a journal of its own, or stands in one that many share."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from flows.core.file_lock import LOCK
from flows.core.journal import check_readable, load, open_to_read
from flows.core.migration import version_of
from flows.core.rows import Row
from flows.core.store import FILE
from flows.errors import JournalError, UsageError

LAST: Final = "last"
CLOCK_SECONDS: Final = 2.0  # that the times of files may be behind those in them
_SHOWN = 5
_BEGINNINGS = "SELECT name, number, began FROM runs ORDER BY number"


class RunPlace(NamedTuple):
    """Where a run is kept: its files in `folder`, its rows in the file of the folder `journal`.

    `number` is that of the run in a file that is `shared`. `began` is in seconds since 1970.
    """

    run_id: str
    folder: Path
    journal: Path
    shared: bool
    number: int
    began: float

    def rows(self) -> list[Row]:
        """Its rows, for reading only. Errors: `JournalError`."""
        return load(self.journal, self.run_id if self.shared else None)


def places(runs: Path) -> list[RunPlace]:
    """The runs that are kept in a folder, newest first; damaged ones too."""
    found = [place for folder in (runs, *_folders(runs)) for place in places_in(folder, runs)]
    return sorted(found, key=_age, reverse=True)


def newest(
    runs: Path, find: Callable[[Path, Path], Iterable[RunPlace]] | None = None
) -> Iterator[RunPlace]:
    """The runs of a folder in the order of `places`. A journal is opened only once a run of it may
    be the next: none began after its file was last changed. `find` gives the runs of the journal in
    a folder, as `places_in` does."""
    find = find or places_in
    files = sorted((_last_change(each), each) for each in (runs, *_folders(runs)))
    found: list[RunPlace] = []
    while files or found:
        while files and not (found and found[-1].began > files[-1][0] + CLOCK_SECONDS):
            found += find(files.pop()[1], runs)
            found.sort(key=_age)
        if found:
            yield found.pop()


def find_run(runs: Path, name: str) -> RunPlace:
    """The run of that id, the only one whose id begins so, or the `last` one.

    Errors: `UsageError` naming the runs there are, or those that begin so.
    """
    own = runs / name
    is_folder = Path(name).name == name and name not in ("", "..") and own.is_dir()
    if is_folder and (found := list(places_in(own, runs))) and found[0].run_id == name:
        return found[0]
    if name == LAST and (last := next(newest(runs), None)) is not None:
        return last
    known = places(runs)
    meant = [each for each in known if each.run_id == name]
    if is_folder and not meant:
        return _without_journal(own)
    meant = meant or [each for each in known if name and each.run_id.startswith(name)]
    if len(meant) == 1:
        return meant[0]
    if meant:
        ids = ", ".join(each.run_id for each in meant[:_SHOWN])
        more = f" and {len(meant) - _SHOWN} more" if len(meant) > _SHOWN else ""
        raise UsageError(f"{len(meant)} runs begin with {name!r}: {ids}{more}")
    raise UsageError(f"there is no run {name!r}; {_listed(runs, known)}")


def _listed(runs: Path, known: list[RunPlace]) -> str:
    ids = [each.run_id for each in reversed(known)]
    bare = sorted(each.name for each in _folders(runs) if each.name not in ids)
    last = [*bare, *ids][-_SHOWN:]
    return f"the last are: {', '.join(last)}" if last else f"{runs} has none"


def _folders(runs: Path) -> list[Path]:
    try:
        return [each for each in runs.iterdir() if each.is_dir()]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UsageError(f"the folder of runs cannot be read: {error}") from error


def places_in(folder: Path, runs: Path) -> Iterator[RunPlace]:
    """The runs of the journal in a folder; none without one."""
    if not (folder / FILE).is_file():
        return
    found = _beginnings(folder / FILE)
    # A file that is made for many runs numbers them from 1, also when only one came to stand in it.
    if folder == runs or len(found) > 1 or any(number for _, number, _ in found):
        for name, number, at in found:
            yield RunPlace(name, folder / name, folder, True, number, at)
    else:
        at = found[0][2] if found else _changed(folder / FILE)
        yield RunPlace(folder.name, folder, folder, False, 0, at)


def _beginnings(path: Path) -> list[tuple[str, int, float]]:
    """Names, numbers and first times of the runs in a file; none of one that cannot be read."""
    try:
        with closing(_open(path)) as opened:
            if version_of(opened, path) == 1:
                first = opened.execute("SELECT at FROM journal ORDER BY seq LIMIT 1").fetchone()
                found = [("", 0, first[0] if first else None)]
            else:
                found = opened.execute(_BEGINNINGS).fetchall()
    except (sqlite3.Error, UnicodeDecodeError, JournalError):
        return []
    now = _changed(path)
    return [(str(name), int(number), now if at is None else at) for name, number, at in found]


@contextmanager
def reading(journal: Path) -> Iterator[sqlite3.Connection]:
    """The journal in a folder, for reading only. Errors: `JournalError` when it is damaged."""
    with closing(_open(journal / FILE)) as opened:
        check_readable(opened, journal / FILE)
        yield opened


def _open(path: Path) -> sqlite3.Connection:
    return open_to_read(path)


def _without_journal(folder: Path) -> RunPlace:
    """A run that was stopped before its first row."""
    return RunPlace(folder.name, folder, folder, False, 0, _changed(folder))


def _age(place: RunPlace) -> tuple[float, str]:
    return place.began, place.run_id


def _last_change(folder: Path) -> float:
    """When something was last written to the journal in a folder; 0 without one."""
    return max(_changed(f"{folder}/{each}") for each in (FILE, f"{FILE}-wal", LOCK))


def _changed(path: Path | str) -> float:
    try:
        return os.stat(path).st_mtime  # noqa: PTH116 - of a thousand folders
    except OSError:
        return 0.0
