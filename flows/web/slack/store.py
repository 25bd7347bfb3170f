"""What the Slack application keeps between two starts, in one SQLite file.

| table | holds |
|---|---|
| `turns` | each message that is answered: who asked, its run, where it is shown, the answer |
| `waiting` | the run that the next message of a person goes on with |
| `uploads` | the files that an answer has attached already |
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from flows.core.file_lock import hold
from flows.errors import JournalError, UsageError
from flows.web.slack.messages import SlackMessage

FILE: Final = "slack.sqlite"
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS turns (
  id TEXT PRIMARY KEY, team TEXT NOT NULL, channel TEXT NOT NULL, user TEXT NOT NULL,
  ts TEXT NOT NULL, text TEXT NOT NULL, thread TEXT NOT NULL, at REAL NOT NULL,
  state TEXT NOT NULL, run_id TEXT NOT NULL DEFAULT '', answers TEXT NOT NULL DEFAULT '',
  shown TEXT NOT NULL DEFAULT '', answer TEXT NOT NULL DEFAULT '') STRICT;
CREATE INDEX IF NOT EXISTS by_person ON turns (channel, user, at);
CREATE INDEX IF NOT EXISTS by_state ON turns (state);
CREATE TABLE IF NOT EXISTS waiting (
  channel TEXT NOT NULL, user TEXT NOT NULL, run_id TEXT NOT NULL, step TEXT NOT NULL,
  question_id TEXT NOT NULL, question TEXT NOT NULL, open_ended INTEGER NOT NULL,
  thread TEXT NOT NULL, shown TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (channel, user)) STRICT;
CREATE TABLE IF NOT EXISTS uploads (turn TEXT NOT NULL, name TEXT NOT NULL,
  PRIMARY KEY (turn, name)) STRICT;
"""
_CONTEXT: Final = """
SELECT text, answer FROM turns WHERE channel = ? AND user = ? AND state = 'answered' AND at < ?
ORDER BY at DESC LIMIT ?"""

TurnState = Literal["new", "running", "answered", "asked", "failed", "dropped"]


@dataclass(frozen=True, slots=True)
class SlackTurn:
    """A message that is answered. `run_id` is its run's, `answers` the address of the step whose
    question it answers, `shown` the timestamp of the message that shows how
    far it is, and then the answer."""

    message: SlackMessage
    thread: str
    state: TurnState = "new"
    run_id: str = ""
    answers: str = ""
    shown: str = ""

    @property
    def id(self) -> str:
        return self.message.id


@dataclass(frozen=True, slots=True)
class WaitingRun:
    """A run that waits for a person. Where it is `open_ended` it waits for whatever is said next;
    else with the question of the `step`, shown in the message `shown`. `at` is in seconds since
    1970."""

    channel: str
    user: str
    run_id: str
    step: str
    question_id: str
    question: str
    open_ended: bool
    thread: str
    shown: str
    at: float


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question that was asked before, and its answer."""

    question: str
    answer: str


class SlackStore:
    """The file of one application, held by one process at a time.

    Errors: `UsageError` when another process has it, or it cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._lock = hold(folder)
        except JournalError as error:
            raise UsageError(f"another `flows slack` works in {folder}") from error
        except OSError as error:
            raise UsageError(f"{folder} cannot be used: {error.strerror}") from error
        try:
            self._db = open_private(folder / FILE)
            self._db.executescript(_SCHEMA)
        except sqlite3.Error as error:
            os.close(self._lock)
            raise UsageError(f"{folder / FILE} cannot be used: {error}") from error

    def close(self) -> None:
        self._db.close()
        os.close(self._lock)

    def add(
        self, message: SlackMessage, thread: str, waiting: WaitingRun | None = None
    ) -> SlackTurn | None:
        """Keep a message that is to be answered; None when it was kept before. As the answer to the
        question of a `waiting` run it takes the place of what waits."""
        run_id, answers = ("", "") if waiting is None else (waiting.run_id, waiting.step)
        row = (
            message.id, message.team, message.channel, message.user, message.ts, message.text,
            thread, time.time(), run_id, answers,
        )  # fmt: skip
        names = "id, team, channel, user, ts, text, thread, at, run_id, answers, state"
        self._db.execute("BEGIN IMMEDIATE")
        done = self._db.execute(
            f"INSERT OR IGNORE INTO turns ({names}) VALUES (?,?,?,?,?,?,?,?,?,?,'new')", row
        )
        if done.rowcount and waiting is not None:
            self.forget(waiting)
        self._db.execute("COMMIT")
        return SlackTurn(message, thread, "new", run_id, answers) if done.rowcount else None

    def claim(self, turn: SlackTurn, waiting: WaitingRun) -> SlackTurn:
        """A turn that was kept is the answer to the question of a waiting run."""
        self._db.execute("BEGIN IMMEDIATE")
        self.forget(waiting)
        claimed = self.begin(turn, run_id=waiting.run_id, answers=waiting.step, shown=turn.shown)
        self._db.execute("COMMIT")
        return claimed

    def unfinished(self) -> list[SlackTurn]:
        """The messages whose answers were not given when the process ended, oldest first."""
        names = "team, channel, user, ts, text, thread, state, run_id, answers, shown"
        rows = self._db.execute(
            f"SELECT {names} FROM turns WHERE state IN ('new', 'running') ORDER BY at"
        )
        return [
            SlackTurn(SlackMessage(team, channel, user, ts, text), thread, *rest)
            for team, channel, user, ts, text, thread, *rest in rows
        ]

    def begin(self, turn: SlackTurn, *, run_id: str, answers: str, shown: str) -> SlackTurn:
        """Note the run of a turn before it begins."""
        self._db.execute(
            "UPDATE turns SET state='running', run_id=?, answers=?, shown=? WHERE id=?",
            (run_id, answers, shown, turn.id),
        )
        return replace(turn, state="running", run_id=run_id, answers=answers, shown=shown)

    def end(self, turn: SlackTurn, state: TurnState, answer: str = "") -> None:
        """Note what a turn came to."""
        self._db.execute("UPDATE turns SET state=?, answer=? WHERE id=?", (state, answer, turn.id))

    def context(self, channel: str, user: str, most: int) -> tuple[AnsweredQuestion, ...]:
        """The last questions of a person in a channel that were answered, oldest first."""
        rows = self._db.execute(_CONTEXT, (channel, user, time.time(), most)).fetchall()
        return tuple(AnsweredQuestion(*row) for row in reversed(rows))

    def wait(self, waiting: WaitingRun) -> None:
        """The next message of the person goes on with this run."""
        self._db.execute(
            "INSERT OR REPLACE INTO waiting VALUES (?,?,?,?,?,?,?,?,?,?)",
            (
                waiting.channel, waiting.user, waiting.run_id, waiting.step,
                waiting.question_id, waiting.question, int(waiting.open_ended), waiting.thread,
                waiting.shown, waiting.at,
            ),
        )  # fmt: skip

    def waiting(self, channel: str, user: str) -> WaitingRun | None:
        """The run that waits for a person in a channel."""
        return self._waiting_where("channel = ? AND user = ?", (channel, user))

    def waiting_by(self, run_id: str) -> WaitingRun | None:
        """The same, by the run."""
        return self._waiting_where("run_id = ?", (run_id,))

    def _waiting_where(self, condition: str, values: Sequence[str]) -> WaitingRun | None:
        row = self._db.execute(f"SELECT * FROM waiting WHERE {condition}", values).fetchone()
        if row is None:
            return None
        channel, user, run_id, step, question_id, question, open_ended, thread, shown, at = row
        return WaitingRun(
            channel, user, run_id, step, question_id, question, bool(open_ended), thread, shown, at
        )

    def forget(self, waiting: WaitingRun) -> bool:
        """The run waits for nobody any more; False when that was so before."""
        done = self._db.execute("DELETE FROM waiting WHERE run_id = ?", (waiting.run_id,))
        return done.rowcount > 0

    def is_uploaded(self, turn: str, name: str) -> bool:
        found = self._db.execute("SELECT 1 FROM uploads WHERE turn=? AND name=?", (turn, name))
        return found.fetchone() is not None

    def add_upload(self, turn: str, name: str) -> None:
        self._db.execute("INSERT OR IGNORE INTO uploads VALUES (?,?)", (turn, name))


def open_private(path: Path) -> sqlite3.Connection:
    """The file, readable by its owner alone: it holds what people said."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection
