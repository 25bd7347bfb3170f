"""A small fleet in a real SQLite file: harbors, captains, vessels, voyages and crews."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flows.analysis.reading.reader import Reading
from flows.core.observation import Cell
from flows.data.catalog import Catalog
from flows.data.tables import Table
from tests.analysis.statements import read, statement

Row = tuple[Cell, ...]

_SCHEMA = """
CREATE TABLE harbor (harbor_id INTEGER PRIMARY KEY, name TEXT, country TEXT, depth REAL);
CREATE TABLE captain (captain_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, age INTEGER);
CREATE TABLE vessel (vessel_id INTEGER PRIMARY KEY, title TEXT, tonnage INTEGER,
    captain_id INTEGER REFERENCES captain(captain_id));
CREATE TABLE voyage (voyage_id INTEGER PRIMARY KEY, vessel_id INTEGER REFERENCES vessel(vessel_id),
    start_harbor_id INTEGER REFERENCES harbor(harbor_id),
    end_harbor_id INTEGER REFERENCES harbor(harbor_id), cargo TEXT, weight INTEGER);
CREATE TABLE licence (captain_id INTEGER REFERENCES captain(captain_id),
    harbor_id INTEGER REFERENCES harbor(harbor_id), PRIMARY KEY (captain_id, harbor_id));
"""

HARBORS = [
    (1, "Ostrel", "Norland", 14.5), (2, "Pell Bay", "Norland", 9.0),
    (3, "Quist", "Sutmark", 22.0), (4, "Rode", "Sutmark", 6.5),
]  # fmt: skip
CAPTAINS = [
    (1, "Ada", "Brandt", 51), (2, "Bo", "Carling", 38), (3, "Cleo", "Brandt", 44),
    (4, "Dag", "Ehrlich", 29),
]  # fmt: skip
VESSELS = [
    (1, "Grey Heron", 900, 1), (2, "Lantern", 250, 1), (3, "Mistral", 4000, 2),
    (4, "Night Tern", 120, 3), (5, "Old Harry", 700, 1),
]  # fmt: skip
VOYAGES = [
    (1, 1, 1, 3, "timber", 300), (2, 1, 3, 1, "salt", 120), (3, 2, 1, 2, "salt", 80),
    (4, 3, 3, 4, "ore", 2500), (5, 3, 4, 3, "grain", 900), (6, 3, 3, 1, "ore", 2100),
    (7, 4, 2, 1, "fish", 15), (8, 1, 1, 4, "timber", 250),
]  # fmt: skip
LICENCES = [(1, 1), (1, 3), (2, 3), (3, 1), (3, 2), (3, 4)]


@dataclass(frozen=True)
class Fleet:
    """The tables of the fleet, and what a question over them gives."""

    tables: tuple[Table, ...]
    connection: sqlite3.Connection

    def reading(self, question: str) -> Reading:
        """The reading of a question, which must be one."""
        found = read(question, self.tables)
        assert isinstance(found, Reading), f"{question}: {found}"
        return found

    def rows(self, question: str) -> list[Row]:
        """The rows that answer a question."""
        sql = statement(self.reading(question), self.tables)
        return [tuple(row) for row in self.connection.execute(sql)]


@contextmanager
def open_fleet(folder: Path) -> Iterator[Fleet]:
    """The fleet in a file of a folder, profiled as any source is."""
    path = folder / "fleet.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(_SCHEMA)
    for name, rows in (
        ("harbor", HARBORS), ("captain", CAPTAINS), ("vessel", VESSELS), ("voyage", VOYAGES),
        ("licence", LICENCES),
    ):  # fmt: skip
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    connection.commit()
    try:
        with Catalog({"fleet": str(path)}, folder) as catalog:
            yield Fleet(catalog.tables(), connection)
    finally:
        connection.close()
