"""Which process serves the runs of a folder now, for commands that come upon a run of it."""

from __future__ import annotations

import json
import os
import shlex
import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from flows.core.file_lock import is_held
from flows.core.history import read_history
from flows.core.values import Values
from flows.errors import StateConflict
from flows.records.lookup import RunPlace
from flows.services.hosting.store import FILE, OWNERS

ADDRESS: Final = "address.json"

ServiceDoor = Literal["api", "page", "mcp"]


@dataclass(frozen=True, slots=True)
class ServingProcess:
    """A process that serves runs at an address, for programs, for people, or as tools of MCP."""

    pid: int
    url: str
    door: ServiceDoor

    def how_to_go_on(self, run_id: str, body: Values | None) -> str:
        """What to do to go on with a run: with an answer, whose request has that body, or without
        one."""
        if self.door == "page":
            return f"go on with it in its page: {self.url}/#/runs/{run_id}"
        if self.door == "mcp":
            given = json.dumps({"run": run_id, "answer": "TEXT", **_as_answer(body)})
            return f"a client of {self.url} goes on with it by the tool answer: {given}"
        action, sent = ("resume", "") if body is None else ("answer", _quoted(body))
        return (
            "go on with it there, with a token of the service:\n"
            f"curl -X POST {self.url}/api/runs/{run_id}/{action} "
            f'-H "Authorization: Bearer $FLOWS_TOKEN"{sent}'
        )

    def write(self, folder: Path) -> None:
        """Leave a note of it in the folder of its lock. Errors: `OSError`."""
        (folder / ADDRESS).write_text(json.dumps(asdict(self)), "utf-8")


def write_address(state: Path, owner: str, url: str, door: ServiceDoor) -> None:
    """Note where this process serves. Errors: `OSError`."""
    ServingProcess(os.getpid(), url, door).write(state / OWNERS / owner)


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


def refuse_served(
    state: Path, place: RunPlace, answer: str | None = None, step: str | None = None
) -> None:
    """Errors: `StateConflict` for a run whose journal a service holds, which says how to go on with
    it there, with the answer to the question, or to that of the step."""
    run_id = place.run_id
    if is_held(place.journal) and (found := serving_process(state, run_id)) is not None:
        body: Values | None = None
        if answer is not None:
            body = {"text": answer, **({"step": step} if step else {})}
        elif read_history(place.rows()).open_questions():
            body = {"text": "TEXT"}
        raise StateConflict(
            f"a service (process {found.pid}) has the run {run_id}; "
            f"{found.how_to_go_on(run_id, body)}"
        )


def _quoted(body: Values) -> str:
    """A body as options of curl."""
    text = shlex.quote(json.dumps(body, ensure_ascii=False))
    return f' -H "Content-Type: application/json" -d {text}'


def _as_answer(body: Values | None) -> Values:
    """The body of an answer as arguments of the tool."""
    return {"answer" if key == "text" else key: each for key, each in (body or {}).items()}


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
