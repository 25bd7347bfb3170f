"""Which process serves the runs of a folder now, for commands that come upon a run of it."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from flows.core.file_lock import is_held
from flows.errors import StateConflict
from flows.records.lookup import RunPlace
from flows.services.hosting.store import FILE, OWNERS

ADDRESS: Final = "address.json"


@dataclass(frozen=True, slots=True)
class ServingProcess:
    """A process that serves runs at an address."""

    pid: int
    url: str

    def write(self, folder: Path) -> None:
        """Leave a note of it in the folder of its lock. Errors: `OSError`."""
        (folder / ADDRESS).write_text(json.dumps(asdict(self)), "utf-8")


def write_address(state: Path, owner: str, url: str) -> None:
    """Note where this process serves. Errors: `OSError`."""
    ServingProcess(os.getpid(), url).write(state / OWNERS / owner)


def serving_process(state: Path, run_id: str) -> ServingProcess | None:
    """The process that serves the run of that id, by what services keep in the folder `state`;
    None where no service keeps the run, or none that listens is there any more."""
    owner = _owner_of(state / FILE, run_id)
    folder = state / OWNERS / owner if owner else None
    if folder is None or not is_held(folder):
        return None
    try:
        return ServingProcess(**json.loads((folder / ADDRESS).read_text("utf-8")))
    except (OSError, ValueError, TypeError):  # it does not listen yet, or is about to end
        return None


def refuse_served(state: Path, place: RunPlace) -> None:
    """Errors: `StateConflict` for a run whose journal a service holds, which says where it is gone
    on with."""
    run_id = place.run_id
    if is_held(place.journal) and (found := serving_process(state, run_id)) is not None:
        raise StateConflict(
            f"a service (process {found.pid}) has the run {run_id}: answer it at "
            f"{found.url}/api/runs/{run_id}/answer, or go on with it at .../resume, "
            "with a token of the service"
        )


def _owner_of(path: Path, run_id: str) -> str:
    """The name of the process that had a run last; "" for a run that is of no service."""
    if not path.is_file():
        return ""
    try:
        uri = f"{path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as db:
            found = db.execute("SELECT owner FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    except sqlite3.Error:  # of another edition, or no store at all
        return ""
    return str(found[0]) if found else ""
