"""What a data set of the unseen questions is: raw tables, questions, and each truth in two ways."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

Gold = dict[str, Any]
Frames = dict[str, pd.DataFrame]
DECLINE: Final[Gold] = {"type": "decline"}


@dataclass(frozen=True)
class Question:
    """A question and its truth by pandas. `sql` is the second computation, over the raw files: one
    query, or one for each part; questions that nobody can answer have none."""

    kind: str
    text: str
    gold: Gold
    sql: str | Sequence[str] = ()
    alts: Sequence[Gold] = ()
    unit: str = ""
    ordered: bool = False
    tolerance: float = 0.001


@dataclass(frozen=True)
class Made:
    """The tables as the files hold them, the questions, and `views`: SQL that makes `raw_TABLE`,
    where every cell is text, into what the queries read."""

    tables: Frames
    questions: Sequence[Question]
    views: str
    write: Callable[[Path, str, Frames], list[Path]] | None = None


def write_csv(folder: Path, name: str, tables: Frames) -> list[Path]:
    """A file for each table."""
    del name
    paths = [folder / f"{table}.csv" for table in tables]
    for path, frame in zip(paths, tables.values(), strict=True):
        frame.to_csv(path, index=False)
    return paths


def write_sqlite(folder: Path, name: str, tables: Frames) -> list[Path]:
    """One database with all tables."""
    path = folder / f"{name}.sqlite"
    path.unlink(missing_ok=True)
    with sqlite3.connect(path) as database:
        for table, frame in tables.items():
            frame.to_sql(table, database, index=False)
    database.close()
    return [path]


def one(value: Any) -> Gold:
    return {"type": "scalar", "value": plain(value)}


def several(values: Any) -> Gold:
    return {"type": "set", "values": [plain(each) for each in values]}


def rows(frame: pd.DataFrame | pd.Series) -> Gold:
    """The rows of a frame, or of a series with its groups."""
    if isinstance(frame, pd.Series):
        frame = frame.rename("value").reset_index()
    found = [[plain(each) for each in row] for row in frame.itertuples(index=False)]
    return {"type": "rows", "columns": [str(each) for each in frame.columns], "rows": found}


def pairs(of: Mapping[str, Any]) -> Gold:
    return {
        "type": "rows",
        "columns": ["group", "value"],
        "rows": [[name, plain(value)] for name, value in of.items()],
    }


def parts(*golds: Gold) -> Gold:
    return {"type": "parts", "parts": list(golds)}


def asks(**readings: tuple[str, Gold]) -> Gold:
    """It has to be asked back: for each reading what its option says, and what it gives."""
    return {
        "type": "ask",
        "readings": [
            {"reading": name.replace("_", " "), "regex": regex, "gold": gold}
            for name, (regex, gold) in readings.items()
        ],
    }


def plain(value: Any) -> Any:
    """A cell as JSON has it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, date):  # a moment is one as well
        return str(value)[:10] if str(value)[11:] in ("", "00:00:00") else str(value)
    if isinstance(value, pd.Period):
        return str(value)
    if isinstance(value, float):
        return None if np.isnan(value) else float(f"{value:.10g}")
    return value


def moments(dice: np.random.Generator, first: str, last: str, size: int) -> pd.Series:
    """Days between two, in order."""
    span = pd.date_range(first, last, freq="D")
    return pd.Series(np.sort(dice.choice(span, size)))


def scattered(dice: np.random.Generator, size: int, count: int) -> np.ndarray[Any, Any]:
    """Some of the places of a table."""
    return dice.choice(size, count, replace=False)


def merged(questions: Sequence[Question], *others: Sequence[Question]) -> list[Question]:
    """Questions with the truths of other versions of the tables (doubled rows kept) as
    alternatives."""
    made = []
    for at, question in enumerate(questions):
        more = [g for each in others for g in (each[at].gold, *each[at].alts)]
        alts = [g for g in (*question.alts, *more) if g != question.gold]
        kept = [g for n, g in enumerate(alts) if g not in alts[:n]]
        made.append(replace(question, alts=kept if question.gold["type"] not in _OPEN else ()))
    return made


_OPEN: Final = ("ask", "decline")
