"""The functions of an index and the words that each is found by."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from flows.core.function_description import FunctionDescription
from flows.tools.catalog.database import FunctionDatabase, read_totals
from flows.tools.catalog.scoring import TermStatistics
from flows.tools.catalog.terms import (
    DESCRIPTION_WEIGHT,
    NAME_WEIGHT,
    PARAMETER_WEIGHT,
    FunctionTerms,
    terms_of,
)

_RANK: Final = f"bm25({NAME_WEIGHT}.0, {DESCRIPTION_WEIGHT}.0, {PARAMETER_WEIGHT}.0)"
# The rows that one search by words may look at: more take longer than they are worth.
_MOST_ROWS: Final = 4_000
_COMMONEST: Final = 3  # words that a function has to hold together, where each alone is too common


@dataclass(frozen=True, slots=True)
class IndexCandidate:
    """A function that holds some of the words that a search wants."""

    number: int
    terms: FunctionTerms


@dataclass(frozen=True, slots=True)
class Filter:
    """The functions that a search is for; an empty one is for all."""

    function_class: str = ""
    namespace: str = ""

    @property
    def condition(self) -> str:
        parts = ["f.class = :class"] if self.function_class else []
        parts += ["f.namespace = :namespace"] if self.namespace else []
        return " AND ".join(parts) or "1"

    @property
    def values(self) -> dict[str, str]:
        return {"class": self.function_class, "namespace": self.namespace}


@dataclass(slots=True)
class Change:
    """What came of adding functions: how many are new, were changed, or stood there already."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0

    def __add__(self, other: Change) -> Change:
        return Change(
            self.added + other.added,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
        )


@dataclass(slots=True)
class _Totals:
    """What a transaction changes of the totals of the index."""

    functions: int = 0
    length: int = 0
    removed: int = 0
    holding: Counter[str] = field(default_factory=Counter)

    def count(self, terms: FunctionTerms, sign: int) -> None:
        counts = terms.counts()
        self.functions += sign
        self.length += sign * counts.total()
        for term in counts:
            self.holding[term] += sign


class FunctionTable:
    """The functions of a database. Each call is one transaction. Not safe in threads.
    Errors: `ToolError`."""

    def __init__(self, database: FunctionDatabase) -> None:
        self._database = database

    def put(self, functions: Iterable[FunctionDescription]) -> Change:
        """Keep the functions, each in place of the one that had its id. Those that are the same
        are left as they are."""
        change = Change()
        with self._database.writing() as db:
            totals = _Totals()
            for function in functions:
                self._put(db, function, change, totals)
            self._count(db, totals)
        return change

    def remove(self, ids: Iterable[str]) -> int:
        """Forget the functions; returns how many there were."""
        totals = _Totals()
        with self._database.writing() as db:
            for id_ in dict.fromkeys(ids):
                row = db.execute("SELECT number FROM functions WHERE id = ?", [id_]).fetchone()
                if row is not None:
                    self._drop(db, row[0], totals)
            self._count(db, totals)
        return -totals.functions

    def get(self, id_: str) -> FunctionDescription | None:
        with self._database.reading() as db:
            row = db.execute("SELECT description FROM functions WHERE id = ?", [id_]).fetchone()
        return None if row is None else FunctionDescription.model_validate_json(row[0])

    def numbered(self, numbers: Sequence[int]) -> dict[int, FunctionDescription]:
        """The functions with these numbers."""
        marks = ",".join("?" * len(numbers))
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT number, description FROM functions WHERE number IN ({marks})", numbers
            ).fetchall()
        return {number: FunctionDescription.model_validate_json(text) for number, text in rows}

    def all(self, wanted: Filter) -> tuple[FunctionDescription, ...]:
        """The functions by their ids."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT description FROM functions f WHERE {wanted.condition} ORDER BY id",
                wanted.values,
            ).fetchall()
        return tuple(FunctionDescription.model_validate_json(text) for (text,) in rows)

    def ids_of(self, source: str) -> list[str]:
        """The ids of the functions that come from a source."""
        sql = "SELECT id FROM functions WHERE json_extract(description, '$.source') = ? ORDER BY id"
        with self._database.reading() as db:
            return [each for (each,) in db.execute(sql, (source,))]

    def ids(self) -> list[str]:
        with self._database.reading() as db:
            return [each for (each,) in db.execute("SELECT id FROM functions ORDER BY id")]

    def count(self) -> int:
        with self._database.reading() as db:
            return read_totals(db).get("functions", 0)

    def numbers(self, wanted: Filter) -> list[int]:
        """The numbers of the functions that the filter lets through."""
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT number FROM functions f WHERE {wanted.condition}", wanted.values
            )
            return [number for (number,) in rows]

    def statistics(self, wanted: Sequence[str]) -> TermStatistics:
        """What the index knows of these words."""
        marks = ",".join("?" * len(wanted))
        with self._database.reading() as db:
            totals = read_totals(db)
            rows = db.execute(
                f"SELECT term, functions FROM holding WHERE term IN ({marks})", list(wanted)
            ).fetchall()
        functions = totals.get("functions", 0)
        return TermStatistics(functions, totals.get("length", 0) / max(functions, 1), dict(rows))

    def candidates(
        self, statistics: TermStatistics, wanted: Filter, limit: int
    ) -> list[IndexCandidate]:
        """Functions that hold words of the statistics, by SQLite's own BM25, the best first.

        The rarest words decide which are looked at; common ones are counted only in those.
        """
        match = _expression(statistics.holding)
        if not match:
            return []
        # The texts are read for the best alone: sorting would carry those of every row along.
        narrowed = (
            f"AND rowid IN (SELECT number FROM functions f WHERE {wanted.condition})"
            if wanted != Filter()
            else ""
        )
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT rowid FROM words WHERE words MATCH :match {narrowed} "
                f"AND rank MATCH '{_RANK}' ORDER BY rank LIMIT :limit",
                {"match": match, "limit": limit, **wanted.values},
            ).fetchall()
        return self.terms([number for (number,) in rows])

    def terms(self, numbers: Sequence[int]) -> list[IndexCandidate]:
        """The words of the functions with these numbers."""
        marks = ",".join("?" * len(numbers))
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT rowid, name, description, parameters FROM words WHERE rowid IN ({marks})",
                list(numbers),
            ).fetchall()
        return [IndexCandidate(number, _terms(fields)) for number, *fields in rows]

    def _put(
        self,
        db: sqlite3.Connection,
        function: FunctionDescription,
        change: Change,
        totals: _Totals,
    ) -> None:
        text = function.model_dump_json()
        digest = hashlib.sha256(text.encode()).digest()[:16]
        row = db.execute(
            "SELECT number, digest FROM functions WHERE id = ?", [function.id]
        ).fetchone()
        if row is not None and row[1] == digest:
            change.unchanged += 1
            return
        if row is not None:
            self._drop(db, row[0], totals)
            change.changed += 1
        else:
            change.added += 1
        terms = terms_of(function)
        number = db.execute(
            "INSERT INTO functions (id, namespace, class, digest, description) "
            "VALUES (?, ?, ?, ?, ?)",
            [function.id, function.namespace, function.function_class, digest, text],
        ).lastrowid
        fields = (terms.name, terms.description, terms.parameters)
        db.execute(
            "INSERT INTO words (rowid, name, description, parameters) VALUES (?, ?, ?, ?)",
            [number, *(" ".join(each) for each in fields)],
        )
        totals.count(terms, 1)

    def _drop(self, db: sqlite3.Connection, number: int, totals: _Totals) -> None:
        fields = db.execute(
            "SELECT name, description, parameters FROM words WHERE rowid = ?", [number]
        ).fetchone()
        totals.count(_terms(fields), -1)
        totals.removed += 1
        db.execute("DELETE FROM words WHERE rowid = ?", [number])
        db.execute("DELETE FROM vectors WHERE number = ?", [number])
        db.execute("DELETE FROM functions WHERE number = ?", [number])

    def _count(self, db: sqlite3.Connection, totals: _Totals) -> None:
        db.executemany(
            "INSERT INTO holding VALUES (?, ?) "
            "ON CONFLICT (term) DO UPDATE SET functions = functions + excluded.functions",
            [each for each in totals.holding.items() if each[1]],
        )
        named = {"functions": totals.functions, "length": totals.length, "removed": totals.removed}
        db.executemany(
            "INSERT INTO totals VALUES (?, ?) "
            "ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
            list(named.items()),
        )


def _terms(fields: Sequence[str]) -> FunctionTerms:
    name, description, parameters = (each.split() for each in fields)
    return FunctionTerms(name, description, parameters)


def _expression(holding: Mapping[str, int]) -> str:
    """What is searched for: any of the rarest words that few functions hold together; where each
    is common, the rarest of them together."""
    known = sorted((count, term) for term, count in holding.items() if count > 0)
    rare, rows = [], 0
    for count, term in known:
        rows += count
        if rows > _MOST_ROWS:
            break
        rare.append(f'"{term}"')
    if rare or not known:
        return " OR ".join(rare)
    return " AND ".join(f'"{term}"' for _, term in known[:_COMMONEST])
