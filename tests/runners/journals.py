"""Journals written row by row, for the tests of what is read from them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from flows.core.journal import Journal
from flows.core.rows import Kind
from flows.core.store import FILE, JournalFile

Told = tuple[Kind, str, dict[str, Any]]
_VERSION_1 = """
CREATE TABLE old (
    seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, address TEXT NOT NULL,
    digest TEXT NOT NULL, body TEXT NOT NULL, at REAL NOT NULL, checksum TEXT NOT NULL
) STRICT
"""
WORST = {"tokens": 500, "cost": 0.02}


def start(title: str = "Demo", **more: Any) -> Told:
    return "start", "", {"spec": {"name": title}, "inputs": {"goal": "Count"}, **more}


def outcome(address: str, used: float = 1.0, **more: Any) -> Told:
    return "outcome", address, {"outputs": {}, "used": used, **more}


def call(address: str, model: str = "gpt") -> Told:
    return "call", address, {"model": model, "worst": WORST}


def end(status: str = "finished", used: float = 1.0, **more: Any) -> Told:
    body = {"status": status, "reason": "", "failed_at": [], "outputs": {}, "used": used}
    return "end", "", {**body, **more}


def write_run(folder: Path, rows: Sequence[Told]) -> None:
    """A run with a journal of its own."""
    folder.mkdir(parents=True)
    journal = Journal.open(folder, create=True)
    add(journal, rows)
    journal.close()


def write_shared(folder: Path, runs: Mapping[str, Sequence[Told]]) -> None:
    """A journal in which many runs stand."""
    folder.mkdir(parents=True, exist_ok=True)
    file = JournalFile(folder, new=True)
    for run_id, rows in runs.items():
        add(Journal(file, run_id), rows)
    file.close()


def add(journal: Journal, rows: Sequence[Told]) -> None:
    for kind, address, body in rows:
        journal.append(kind, address, body.get("id", ""), json.dumps(body))


def make_version_1(folder: Path) -> None:
    """Turn a journal into one as the first version wrote it."""
    (folder / "lock").write_bytes(b"")
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute(_VERSION_1)
        columns = "id, kind, address, digest, body, at, checksum"
        connection.execute(f"INSERT INTO old SELECT {columns} FROM journal")
        connection.execute("DROP TABLE journal")
        connection.execute("DROP TABLE runs")
        connection.execute("ALTER TABLE old RENAME TO journal")
        connection.execute("PRAGMA user_version=1")
    connection.close()


def change_row(folder: Path, kind: str) -> None:
    """Change what a row says, as nothing of ours would."""
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("UPDATE journal SET body='{}' WHERE kind=?", (kind,))
    connection.close()
