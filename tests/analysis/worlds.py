"""Small worlds with made-up names: tables in real files, and the way to run SQL over them."""

from __future__ import annotations

import csv
import random
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.data.tables import Table

HABITATS = {
    "Marsh": ("Orla", "Bexum", "Tavi"),
    "Dune": ("Quorr", "Silt Runner"),
    "Upper Fen": ("Zan", "Wick", "Mool"),
}
YEARS = range(2001, 2007)


@dataclass(frozen=True)
class Zorb:
    """A row of the made-up table, kept in Python to compute expectations without SQL."""

    name: str
    habitat: str
    year: int
    mass: float
    hatched: int
    seen: str


@dataclass
class World:
    """Tables and a way to run SQL over them."""

    tables: tuple[Table, ...]
    zorbs: list[Zorb]
    run: Any

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.run(sql)[1]]


def make_zorbs(seed: int = 5) -> list[Zorb]:
    dice = random.Random(seed)
    return [
        Zorb(
            name, habitat, year, round(dice.uniform(2, 90), 2), dice.randint(0, 40),
            f"{year}-0{dice.randint(1, 9)}-1{dice.randint(0, 9)}",
        )
        for habitat, names in HABITATS.items() for name in names for year in YEARS
    ]  # fmt: skip


HEADER = ("zorbName", "habitat", "seasonYear", "quillMass", "hatchCount", "first_seen")


def _values(zorb: Zorb) -> tuple[str | int | float, ...]:
    return zorb.name, zorb.habitat, zorb.year, zorb.mass, zorb.hatched, zorb.seen


@contextmanager
def csv_world(folder: Path) -> Iterator[World]:
    """The table `glims` from a CSV file, in DuckDB."""
    zorbs = make_zorbs()
    path = folder / "glims.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(HEADER)
        writer.writerows(_values(zorb) for zorb in zorbs)
    with Catalog({"glims": str(path)}, folder) as catalog:
        tables = catalog.tables()

        def run(sql: str) -> tuple[list[str], list[Any]]:
            found = run_unchecked(catalog, sql, "duckdb", max_rows=1000, timeout=30)
            return list(found.columns), list(found.rows)

        yield World(tables, zorbs, run)


@contextmanager
def sqlite_world(folder: Path) -> Iterator[World]:
    """The tables `brewers` and `kettle_log` in a SQLite file."""
    path = folder / "works.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        CREATE TABLE brewers (brewer_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT,
            sex TEXT, hired TEXT, pay REAL, guild TEXT);
        CREATE TABLE kettle_log (kettle_id INTEGER PRIMARY KEY, label TEXT, litres INTEGER,
            brewer_id INTEGER REFERENCES brewers(brewer_id), grade TEXT);
        INSERT INTO brewers VALUES
            (1, 'Ulla', 'Stamm', 'F', '2011-03-02', 410.5, 'Copper'),
            (2, 'Odo', 'Prell', 'M', '2012-07-19', 388.0, 'Tin'),
            (3, 'Ines', 'Vark', 'F', '2015-01-30', 520.25, 'Copper'),
            (4, 'Tamo', 'Gild', 'M', '2018-11-11', 300.0, NULL);
        INSERT INTO kettle_log VALUES
            (10, 'Big Bertha', 900, 1, 'A'), (11, 'Squat', 120, 1, 'B'),
            (12, 'Tall Tom', 450, 2, 'A'), (13, 'Nipper', 80, 3, 'C'), (14, 'Drum', 450, 3, 'A');
        """
    )
    connection.commit()
    try:
        with Catalog({"works": str(path)}, folder) as catalog:

            def run(sql: str) -> tuple[list[str], list[Any]]:
                cursor = connection.execute(sql)
                return [each[0] for each in cursor.description], cursor.fetchall()

            yield World(catalog.tables(), [], run)
    finally:
        connection.close()
