"""What a word says of rows: an age that is no count, rows of both kinds, names told apart."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.analysis.reading.reader import Reading
from flows.data.catalog import Catalog
from flows.data.tables import Table
from tests.analysis.statements import read, statement

Rows = list[tuple[Any, ...]]
SWIMMERS: Rows = [
    (1, "Ida", 19, "Tarn", "female"),
    (2, "Ole", 34, "Tarn", "male"),
    (3, "Ida", 52, "Weir", "female"),
    (4, "Rhea", 28, "Weir", "female"),
    (5, "Jon", 23, "Weir", "male"),
    (6, "Moe", 61, "Lido", "male"),
]
DIVES: Rows = [(11, 1, 3, 7.5), (12, 1, 2, 8.0), (13, 2, 5, 6.0), (14, 4, 2, 9.0), (15, 4, 3, 9.5)]
AGES = {kind: [row[2] for row in SWIMMERS if row[4] == kind] for kind in ("female", "male")}
YOUNG = Counter(row[3] for row in SWIMMERS if row[2] < 30)


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[tuple[Table, ...], Any]]:
    folder = tmp_path_factory.mktemp("pool")
    connection = sqlite3.connect(folder / "pool.sqlite")
    connection.execute(
        "CREATE TABLE swimmers (swimmer_id INTEGER PRIMARY KEY, name TEXT, age INTEGER, "
        "club TEXT, sex TEXT)"
    )
    connection.execute(
        "CREATE TABLE dives (dive_id INTEGER PRIMARY KEY, swimmer_id INTEGER REFERENCES "
        "swimmers (swimmer_id), height INTEGER, points REAL)"
    )
    connection.executemany("INSERT INTO swimmers VALUES (?, ?, ?, ?, ?)", SWIMMERS)
    connection.executemany("INSERT INTO dives VALUES (?, ?, ?, ?)", DIVES)
    connection.commit()
    try:
        with Catalog({"pool": str(Path(folder) / "pool.sqlite")}, folder) as catalog:
            yield catalog.tables(), connection
    finally:
        connection.close()


ASKED: dict[str, Rows] = {
    "Count the number of swimmers younger than 30 of each club.": sorted(YOUNG.items()),
    "Find the number of swimmers who are under 30 for each club.": sorted(YOUNG.items()),
    "Show the average age for male and female swimmers.": [
        (kind, sum(ages) / len(ages)) for kind, ages in AGES.items()
    ],
    "List the names of all distinct swimmers in alphabetical order.": [
        (name,) for name in sorted({row[1] for row in SWIMMERS})
    ],
    # of a compound the last word says what is counted
    "How many swimmer dives have more than 7 points?": [(sum(row[3] > 7 for row in DIVES),)],
}


@pytest.mark.parametrize("question", ASKED)
def test_what_a_word_says_of_rows(
    question: str, pool: tuple[tuple[Table, ...], sqlite3.Connection]
) -> None:
    tables, connection = pool
    reading = read(question, tables)
    assert isinstance(reading, Reading)
    assert connection.execute(statement(reading, tables)).fetchall() == ASKED[question]
