"""The table of responses: a row for each answer, and a row for each function that it called."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from flows.errors import ToolError

FILE: Final = Path(".flows") / "responses.sqlite"
_SECONDS: Final = 30.0
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS responses (
    key TEXT PRIMARY KEY, run TEXT NOT NULL, at TEXT NOT NULL, flow TEXT NOT NULL,
    question TEXT NOT NULL, status TEXT NOT NULL, answer TEXT NOT NULL,
    confidence INTEGER NOT NULL, model_confidence INTEGER NOT NULL, strategy TEXT NOT NULL,
    lacks TEXT NOT NULL, citations INTEGER NOT NULL, uncited INTEGER NOT NULL,
    turns INTEGER NOT NULL, user TEXT NOT NULL, channel TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS response_functions (
    key TEXT NOT NULL, function TEXT NOT NULL, calls INTEGER NOT NULL, errors INTEGER NOT NULL,
    empty INTEGER NOT NULL, used INTEGER NOT NULL, PRIMARY KEY (key, function)
);
CREATE INDEX IF NOT EXISTS functions_of_responses ON response_functions (function);
"""


class LoggedFunction(BaseModel):
    """How often an answer called a function, how often in vain, and whether it cites it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    function: str
    calls: int = 0
    errors: int = 0
    empty: int = 0
    used: bool = False


class LoggedResponse(BaseModel):
    """An answer of an interpreter. `at` is the time in UTC (ISO 8601), `key` the same for the same
    step of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    run: str
    at: str
    flow: str = ""
    question: str
    status: str
    answer: str = ""
    confidence: int = 0
    model_confidence: int = 0
    strategy: str = ""
    lacks: str = ""
    citations: int = 0
    uncited: int = 0
    turns: int = 0
    user: str = ""
    channel: str = ""
    functions: tuple[LoggedFunction, ...] = ()


class FunctionStats(BaseModel):
    """What a function does to answers: in how many it was called, their mean confidence, that of
    all others (None when there is no other), and the difference."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    function: str
    responses: int
    calls: int
    errors: int
    empty: int
    used: int
    confidence: float
    confidence_without: float | None = None
    effect: float | None = None


class ResponseTable:
    """Keeps responses in an SQLite file, which processes share."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, response: LoggedResponse) -> None:
        """Write a response, in place of one with the same key. Errors: `ToolError`."""
        row = response.model_dump(exclude={"functions"})
        marks = ", ".join(f":{name}" for name in row)
        with self._open() as db:
            db.execute(f"INSERT OR REPLACE INTO responses VALUES ({marks})", row)
            db.execute("DELETE FROM response_functions WHERE key = ?", (response.key,))
            db.executemany(
                "INSERT INTO response_functions VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (response.key, e.function, e.calls, e.errors, e.empty, int(e.used))
                    for e in response.functions
                ],
            )

    def stats(self, user: str = "", channel: str = "") -> list[FunctionStats]:
        """The functions by what they do to confidence, those that lower it most first. `user` and
        `channel` keep the responses to them alone. Errors: `ToolError`."""
        if not self.path.is_file():
            return []
        where, given = _where(user, channel)
        query = f"""
            WITH chosen AS (SELECT key, confidence FROM responses {where})
            SELECT function, count(*), sum(calls), sum(errors), sum(empty), sum(used),
                   avg(confidence), total(confidence),
                   (SELECT count(*) FROM chosen), (SELECT total(confidence) FROM chosen)
            FROM response_functions JOIN chosen USING (key) GROUP BY function
        """
        with self._open() as db:
            rows = db.execute(query, given).fetchall()
        found = [_stats(*row) for row in rows]
        return sorted(found, key=lambda each: (each.effect or 0.0, each.function))

    def responses(self, limit: int = 100) -> list[LoggedResponse]:
        """The latest responses, the newest first. Errors: `ToolError`."""
        if not self.path.is_file():
            return []
        with self._open() as db:
            db.row_factory = sqlite3.Row
            rows = db.execute(
                "SELECT * FROM responses ORDER BY at DESC, rowid DESC LIMIT ?", (limit,)
            )
            found = [dict(row) for row in rows.fetchall()]
            return [LoggedResponse(**each, functions=_functions(db, each["key"])) for each in found]

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.path, timeout=_SECONDS)) as db:
                db.executescript(_TABLES)
                with db:
                    yield db
        except (sqlite3.Error, OSError) as error:
            raise ToolError(f"the table of responses {self.path} failed: {error}") from error


def _where(user: str, channel: str) -> tuple[str, tuple[str, ...]]:
    asked = [(name, each) for name, each in (("user", user), ("channel", channel)) if each]
    text = " AND ".join(f"{name} = ?" for name, _ in asked)
    return (f"WHERE {text}" if text else "", tuple(each for _, each in asked))


def _stats(
    function: str, responses: int, calls: int, errors: int, empty: int, used: int, mean: float,
    total: float, all_responses: int, all_confidence: float,
) -> FunctionStats:  # fmt: skip
    others = all_responses - responses
    without = (all_confidence - total) / others if others else None
    return FunctionStats(
        function=function,
        responses=responses,
        calls=calls,
        errors=errors,
        empty=empty,
        used=used,
        confidence=round(mean, 1),
        confidence_without=None if without is None else round(without, 1),
        effect=None if without is None else round(mean - without, 1),
    )


def _functions(db: sqlite3.Connection, key: str) -> Sequence[LoggedFunction]:
    query = "SELECT function, calls, errors, empty, used FROM response_functions WHERE key = ?"
    return [
        LoggedFunction(function=name, calls=calls, errors=errors, empty=empty, used=bool(used))
        for name, calls, errors, empty, used in db.execute(query, (key,)).fetchall()
    ]
