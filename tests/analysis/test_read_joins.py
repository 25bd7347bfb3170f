"""Which of several tables words speak of: names of the things next to them, things beside things,
what is counted and added up, where rows of two tables belong together."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.analysis.reading.confidence import confidence
from flows.analysis.reading.reader import Reading
from flows.data.catalog import Catalog
from flows.data.tables import Table
from tests.analysis.statements import read, statement

Rows = list[tuple[Any, ...]]
GARDENS: Rows = [
    (1, "Abbey Yard", "Brix", 2, 1900), (2, "Mill Green", "Brix", 4, 1850),
    (3, "Rose Court", "Aldon", 3, 1975), (4, "Lake Walk", "Corley", 3, 1820),
]  # fmt: skip
KEEPERS: Rows = [
    (11, "Ann", 64, 1), (12, "Ben", 31, 1), (13, "Cleo", 45, 2), (14, "Dan", 22, 3),
    (15, "Eva", 66, 3), (16, "Finn", 28, 3),
]  # fmt: skip
PLANTS: Rows = [
    (21, "Fern", 1, 4.5, 12.0), (22, "Oak", 2, 80.0, 0.5), (23, "Lily", 2, 6.0, 1.5),
    (24, "Ivy", 3, 2.5, 2.0), (25, "Pine", 4, 40.0, 3.0), (26, "Moss", 3, 1.0, 9.5),
]  # fmt: skip
VISITS: Rows = [
    (31, 11, 21, 15), (32, 11, 22, 40), (33, 13, 22, 25), (34, 14, 24, 90), (35, 15, 26, 10),
    (36, 14, 25, 35),
]  # fmt: skip
TOWN = {key: town for key, _, town, *_ in GARDENS}
NAMED = {key: name for key, name, *_ in GARDENS}
OLD = {key for key, _, age, _ in KEEPERS if age > 60}
KEPT_BY_OLD = {plant for _, keeper, plant, _ in VISITS if keeper in OLD}

_SCHEMA = """
CREATE TABLE gardens (garden_id INTEGER PRIMARY KEY, gard_name TEXT, town TEXT,
    bench_count INTEGER, laid_out INTEGER);
CREATE TABLE keepers (keeper_id INTEGER PRIMARY KEY, name TEXT, age INTEGER,
    garden_id INTEGER REFERENCES gardens (garden_id));
CREATE TABLE plants (plant_id INTEGER PRIMARY KEY, name TEXT,
    garden_id INTEGER REFERENCES gardens (garden_id), cost REAL, harvest REAL);
CREATE TABLE visits (visit_id INTEGER PRIMARY KEY,
    keeper_id INTEGER REFERENCES keepers (keeper_id),
    plant_id INTEGER REFERENCES plants (plant_id), minutes INTEGER);
"""


@pytest.fixture(scope="module")
def park(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[tuple[Table, ...], Any]]:
    folder = tmp_path_factory.mktemp("park")
    connection = sqlite3.connect(folder / "park.sqlite")
    connection.executescript(_SCHEMA)
    for name, rows in (
        ("gardens", GARDENS), ("keepers", KEEPERS), ("plants", PLANTS), ("visits", VISITS),
    ):  # fmt: skip
        marks = ", ".join("?" * len(rows[0]))
        connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
    connection.commit()
    try:
        with Catalog({"park": str(Path(folder) / "park.sqlite")}, folder) as catalog:
            yield catalog.tables(), connection
    finally:
        connection.close()


ASKED: dict[str, Rows] = {
    # things beside things are shown by their names
    "Show the names of keepers and their gardens.": [(k[1], NAMED[k[3]]) for k in KEEPERS],
    "What are the ages of the oldest and youngest keepers?": [(66, 22)],
    # the names are those of the things that stand next to them
    "What are the names of plants visited by keepers older than 60?": [
        (each[1],) for each in PLANTS if each[0] in KEPT_BY_OLD
    ],
    "List the names of gardens with at least 3 keepers.": [("Rose Court",)],
    # `all` of them are one group, where the figure is one of each
    "What is the average cost of all plants in the gardens of Brix?": [
        (sum(p[3] for p in PLANTS if TOWN[p[2]] == "Brix") / 3,)
    ],
    # a column that says how many is added up
    "What is the total number of benches in the gardens in Brix?": [(6,)],
    "How many different keepers made visits?": [(len({each[1] for each in VISITS}),)],
    # beside an average, what is counted is what is averaged
    "What is the number and average age of the keepers in the garden with the fewest benches?": [
        (2, (64 + 31) / 2)
    ],
    "Show the names of gardens of keepers under 30.": [("Rose Court",)],
    "Which garden has the most harvest?": [("Abbey Yard",)],
    "How many keepers does each garden have? List garden id and keeper count.": [
        (2, 1), (1, 2), (3, 3)
    ],
    # in an order of what is not shown
    "List the distinct towns of the gardens ordered by bench count.": [
        ("Brix",), ("Aldon",), ("Corley",)
    ],
    "List the names of gardens in the order of their laid out starting from the most recent one.": [
        ("Rose Court",), ("Abbey Yard",), ("Mill Green",), ("Lake Walk",)
    ],
    "Show all keeper ids older than 60.": [(11,), (15,)],
}  # fmt: skip


@pytest.mark.parametrize("question", ASKED)
def test_words_speak_of_the_table_that_is_named(
    question: str, park: tuple[tuple[Table, ...], sqlite3.Connection]
) -> None:
    tables, connection = park
    reading = read(question, tables)
    assert isinstance(reading, Reading)
    got = connection.execute(statement(reading, tables)).fetchall()
    expected = ASKED[question]
    if "order" in question:
        assert got == expected
    else:
        assert sorted(map(sorted_cells, got)) == sorted(map(sorted_cells, expected))


def sorted_cells(row: tuple[Any, ...]) -> list[str]:
    """The cells of a row in an order of their own, as columns may stand in any order."""
    return sorted(map(str, row))


def test_of_words_none_is_more_than_another(
    park: tuple[tuple[Table, ...], sqlite3.Connection],
) -> None:
    tables, _ = park
    reading = read("Which plants are greater than any plant in Brix?", tables)
    assert not isinstance(reading, Reading) or ">" not in statement(reading, tables)


def test_what_a_reading_loses_makes_it_less_sure() -> None:
    signs = {"doubt": 0.1, "link": 1.0, "weakest link": 1.0, "words": 0.8}
    for lost in ("different lost", "each lost", "extreme lost", "tested and shown"):
        assert confidence({**signs, lost: 1.0}) < confidence(signs)
