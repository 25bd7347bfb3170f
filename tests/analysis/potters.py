"""A small world of potters, their kilns and fairs, as a SQLite file and as CSV files."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flows.analysis.reading.reader import Reading
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from tests.analysis.statements import read, statement
from tests.analysis.worlds import World

Row = tuple[Any, ...]

# potter_id, name, town, guild, age, wage
POTTERS: list[Row] = [
    (1, "Ada Lorn", "Mirefold", "Red", 34, 210.0),
    (2, "Bram Oke", "Mirefold", "Blue", 51, 340.0),
    (3, "Cato Vint", "Tarnhill", "Red", 27, 180.0),
    (4, "Dena Ross", "Tarnhill", "Green", 45, 305.0),
    (5, "Edda Wick", "Oxley", "Blue", 62, 260.0),
    (6, "Finn Hale", "Oxley", "Red", 22, 150.0),
    (7, "Gwen Hale", "Mirefold", "Red", 39, 275.0),
]
# kiln_id, potter_id, glaze, heat
KILNS: list[Row] = [
    (1, 1, "Ash", 900), (2, 1, "Salt", 1250), (3, 2, "Ash", 1100), (4, 3, "Salt", 980),
    (5, 4, "Lead", 1300), (6, 4, "Ash", 1020), (7, 7, "Salt", 870), (8, 7, "Lead", 1210),
]  # fmt: skip
# fair_id, title, season, year
FAIRS: list[Row] = [
    (1, "Clay Day", "Spring", 2017), (2, "Pot Week", "Autumn", 2017),
    (3, "Mud Fest", "Spring", 2018), (4, "Wheel Show", "Autumn", 2018),
    (5, "Glaze Gala", "Autumn", 2017), (6, "Bowl Ball", "Spring", 2017),
]  # fmt: skip
# stall_id, fair_id, potter_id, fee
STALLS: list[Row] = [
    (1, 1, 1, 20), (2, 1, 2, 35), (3, 2, 1, 25), (4, 3, 4, 60), (5, 5, 4, 40), (6, 5, 5, 15),
]  # fmt: skip
_TABLES: dict[str, tuple[str, list[Row]]] = {
    "potters": ("potter_id INTEGER PRIMARY KEY, name TEXT, town TEXT, guild TEXT, age INTEGER,"
                " wage REAL", POTTERS),
    "kilns": ("kiln_id INTEGER PRIMARY KEY, potter_id INTEGER REFERENCES potters(potter_id),"
              " glaze TEXT, heat INTEGER", KILNS),
    "fairs": ("fair_id INTEGER PRIMARY KEY, title TEXT, season TEXT, year INTEGER", FAIRS),
    "stalls": ("stall_id INTEGER PRIMARY KEY, fair_id INTEGER REFERENCES fairs(fair_id),"
               " potter_id INTEGER REFERENCES potters(potter_id), fee INTEGER", STALLS),
}  # fmt: skip


@contextmanager
def potters_in_sqlite(folder: Path) -> Iterator[World]:
    """The tables in one SQLite file, with declared keys."""
    path = folder / "potters.sqlite"
    connection = sqlite3.connect(path)
    for name, (columns, rows) in _TABLES.items():
        connection.execute(f"CREATE TABLE {name} ({columns})")
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    connection.commit()
    try:
        with Catalog({"potters": str(path)}, folder) as catalog:

            def run(sql: str) -> tuple[list[str], list[Any]]:
                cursor = connection.execute(sql)
                return [each[0] for each in cursor.description], cursor.fetchall()

            yield World(catalog.tables(), [], run)
    finally:
        connection.close()


@contextmanager
def potters_in_files(folder: Path) -> Iterator[World]:
    """The tables as CSV files, read by DuckDB: nothing is declared, the joins are found."""
    sources = {}
    for name, (columns, rows) in _TABLES.items():
        path = folder / f"{name}.csv"
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(each.split()[0] for each in columns.split(","))
            writer.writerows(rows)
        sources[name] = str(path)
    with Catalog(sources, folder) as catalog:

        def run(sql: str) -> tuple[list[str], list[Any]]:
            found = run_unchecked(catalog, sql, "duckdb", max_rows=1000, timeout=30)
            return list(found.columns), list(found.rows)

        yield World(catalog.tables(), [], run)


def ask(question: str, world: World) -> list[Row]:
    """The rows that answer a question."""
    reading = read(question, world.tables)
    assert isinstance(reading, Reading), f"{question}: {reading}"
    return world.rows(statement(reading, world.tables))


def potters(*ids: int) -> list[Row]:
    """The names of potters, as rows."""
    return [(row[1],) for row in POTTERS if row[0] in ids]


def unordered(rows: Sequence[Row]) -> list[str]:
    return sorted(repr(row) for row in rows)
