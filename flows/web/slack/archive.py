"""What was said in the indexed channels, kept so that it can be searched and summed up."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from flows.errors import UsageError
from flows.web.slack.messages import read_message
from flows.web.slack.store import open_private

FILE: Final = "archive.sqlite"
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS messages (
  channel TEXT NOT NULL, ts TEXT NOT NULL, at REAL NOT NULL, thread TEXT NOT NULL,
  user TEXT NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL, reactions INTEGER NOT NULL,
  replies INTEGER NOT NULL, PRIMARY KEY (channel, ts)) STRICT;
CREATE INDEX IF NOT EXISTS by_time ON messages (channel, at);
CREATE TABLE IF NOT EXISTS channels (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, latest TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS digests (day TEXT NOT NULL, channel TEXT NOT NULL, ts TEXT NOT NULL,
  PRIMARY KEY (day, channel)) STRICT;
"""
_FIELDS: Final = "channel, ts, thread, user, name, text, reactions, replies"


@dataclass(frozen=True, slots=True)
class ArchivedMessage:
    """A message that a person wrote. `thread` is the timestamp of the message that its thread
    begins with (empty for one that is in none, or begins one), `name` what the person is called."""

    channel: str
    ts: str
    thread: str
    user: str
    name: str
    text: str
    reactions: int = 0
    replies: int = 0

    @property
    def id(self) -> str:
        return f"{self.channel}:{self.ts}"

    @property
    def at(self) -> float:
        """When it was written, in seconds since 1970."""
        return float(self.ts)


def archived(event: Mapping[str, Any], channel: str, name: str) -> ArchivedMessage | None:
    """A message of a channel's history, if a person wrote it."""
    message = read_message({**event, "channel": channel, "type": "message"}, "", "")
    if message is None or not message.text:
        return None
    reactions = sum(int(each.get("count", 0)) for each in event.get("reactions") or ())
    return ArchivedMessage(
        channel, message.ts, message.thread, message.user, name, message.text, reactions,
        int(event.get("reply_count") or 0),
    )  # fmt: skip


class MessageArchive:
    """The archive in a folder, readable by its owner alone. Several processes may use it.

    Errors: `UsageError` when it cannot be opened.
    """

    def __init__(self, folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._db = open_private(folder / FILE)
            self._db.executescript(_SCHEMA)
        except (sqlite3.Error, OSError) as error:
            raise UsageError(f"{folder / FILE} cannot be used: {error}") from error

    def close(self) -> None:
        self._db.close()

    def latest(self, channel: str) -> str:
        """The timestamp of the last message that was read; "0" before the first."""
        found = self._db.execute("SELECT latest FROM channels WHERE id = ?", (channel,)).fetchone()
        return str(found[0]) if found else "0"

    def names(self) -> dict[str, str]:
        """The channels that were read, names by ids."""
        return dict(self._db.execute("SELECT id, name FROM channels ORDER BY name"))

    def put(
        self, channel: str, name: str, messages: Iterable[ArchivedMessage], since: float
    ) -> tuple[list[ArchivedMessage], list[str]]:
        """Keep all that was said in a channel after `since`: what is kept and not among the
        messages was deleted in Slack, and is here too. Returns the messages that are new or were
        changed, and the ids of those that are gone."""
        given = {each.ts: each for each in messages}
        known = {each.ts: each for each in self.messages(channel, since, float("inf"))}
        changed = [each for ts, each in given.items() if known.get(ts) != each]
        gone = [each for ts, each in known.items() if ts not in given]
        latest = max([*given, self.latest(channel)], key=float)
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany(
            f"INSERT OR REPLACE INTO messages ({_FIELDS}, at) VALUES (?,?,?,?,?,?,?,?,?)",
            [(*_row(each), each.at) for each in changed],
        )
        self._db.executemany(
            "DELETE FROM messages WHERE channel = ? AND ts = ?",
            [(each.channel, each.ts) for each in gone],
        )
        self._db.execute("INSERT OR REPLACE INTO channels VALUES (?,?,?)", (channel, name, latest))
        self._db.execute("COMMIT")
        return changed, [each.id for each in gone]

    def messages(self, channel: str, since: float, until: float) -> list[ArchivedMessage]:
        """What was said in a channel after `since` and until `until`, in seconds since 1970."""
        return list(self._messages(channel, since, until))

    def _messages(self, channel: str, since: float, until: float) -> Iterator[ArchivedMessage]:
        query = f"SELECT {_FIELDS} FROM messages WHERE channel=? AND at>? AND at<=? ORDER BY at"
        for row in self._db.execute(query, (channel, since, min(until, 1e12))):
            yield ArchivedMessage(*row)

    def is_digested(self, day: str, channel: str) -> bool:
        found = self._db.execute("SELECT 1 FROM digests WHERE day=? AND channel=?", (day, channel))
        return found.fetchone() is not None

    def add_digest(self, day: str, channel: str, ts: str) -> None:
        self._db.execute("INSERT OR IGNORE INTO digests VALUES (?,?,?)", (day, channel, ts))


def _row(message: ArchivedMessage) -> tuple[str | int, ...]:
    return (
        message.channel, message.ts, message.thread, message.user, message.name, message.text,
        message.reactions, message.replies,
    )  # fmt: skip
