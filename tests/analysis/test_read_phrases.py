"""Phrases of questions over one made-up table, each answered by hand from the same rows."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from flows.analysis.reading.reader import Reading, Unread
from flows.data.catalog import Catalog
from flows.data.tables import Table
from tests.analysis.statements import read, statement


class Lodge(NamedTuple):
    """A row of the table `lodges`."""

    lodge_id: int
    lodge_name: str
    valley: str
    state: str
    bed_capacity: int
    nightly_price: float
    altitude: int
    year_opened: int
    has_sauna: str
    keeper_lname: str
    view: str


LODGES = [
    Lodge(1, "Grey Owl", "Summ", "CA", 12, 80.5, 900, 1990, "Y", "Ott", "Lake, Summ Water"),
    Lodge(2, "Old Ferry", "Summ", "OR", 30, 45.0, 400, 2004, "N", "Bly", "River, Tarn Water"),
    Lodge(3, "Pine Step", "Vell", "CA", 8, 120.0, 1500, 2011, "Y", "Ott", "Peak"),
    Lodge(4, "Red Moss", "Vell", "WA", 22, 60.0, 1100, 1985, "N", "Ruun", "Peak"),
    Lodge(5, "Salt Barn", "Vell", "CA", 40, 30.0, 250, 2020, "N", "Ott", "Plain"),
    Lodge(6, "Twin Larch", "Hosk", "WA", 16, 95.0, 1300, 2015, "Y", "Bly", "Peak"),
]
Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def lodges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[tuple[Table, ...], Any]]:
    folder = tmp_path_factory.mktemp("lodges")
    connection = sqlite3.connect(folder / "hills.sqlite")
    kinds = {str: "TEXT", int: "INTEGER", float: "REAL"}
    columns = [f"{n} {kinds[type(v)]}" for n, v in LODGES[0]._asdict().items()]
    columns[0] += " PRIMARY KEY"
    connection.execute(f"CREATE TABLE lodges ({', '.join(columns)})")
    connection.executemany(f"INSERT INTO lodges VALUES ({', '.join('?' * len(columns))})", LODGES)
    connection.commit()
    try:
        with Catalog({"hills": str(Path(folder) / "hills.sqlite")}, folder) as catalog:
            yield catalog.tables(), connection
    finally:
        connection.close()


def names(test: Callable[[Lodge], bool]) -> Rows:
    return [(each.lodge_name,) for each in LODGES if test(each)]


BY_VALLEY = Counter(each.valley for each in LODGES)
CASES: list[tuple[str, Rows]] = [
    # superlatives of counts
    ("Which valley has the most lodges?", [("Vell",)]),
    ("Find the valley where the most people stay.", [("Vell",)]),
    ("What are the top 2 valleys by number of lodges?", [("Vell",), ("Summ",)]),
    ("Which keeper last name appears most often?", [("Ott",)]),
    # tests of groups
    ("Which valleys have more than one lodge?", [("Summ",), ("Vell",)]),
    ("Show the states with two or more lodges.", [("CA",), ("WA",)]),
    # verbs and adjectives that speak of a column
    ("Which lodges cost more than 90?", names(lambda x: x.nightly_price > 90)),
    ("names of lodges that can accommodate more than 20 guests",
     names(lambda x: x.bed_capacity > 20)),
    ("What is the name of the lodge that can hold the most people?", [("Salt Barn",)]),
    ("Give the names of the top 2 expensive lodges.", [("Pine Step",), ("Twin Larch",)]),
    ("What is the average and highest altitude?",
     [(sum(x.altitude for x in LODGES) / 6, 1500)]),
    # denial with a verb, either, values of several columns
    ("How many lodges are not located in Vell?", [(3,)]),
    ("How many lodges are in Vell, California?", [(2,)]),
    ("names of lodges that are either in Hosk or opened in 2020",
     [("Salt Barn",), ("Twin Larch",)]),
    ("What are the names of the lodges at Tarn Water?", [("Old Ferry",)]),
    # columns of yes and no
    ("What are the names of the lodges that have a sauna?", names(lambda x: x.has_sauna == "Y")),
    ("How many lodges do not have a sauna?", [(3,)]),
    # ids, names, nouns that say nothing
    ("Show the id and name of the lodge with the maximum altitude.", [(3, "Pine Step")]),
    ("What is the total price amount of lodges in Summ?", [(125.5,)]),
    ("Show the lodges and their valleys for lodges opened before the year of 1990",
     [("Red Moss", "Vell")]),
    ("List the names of all lodges, as well as their valleys, with a price below 50",
     [("Old Ferry", "Summ"), ("Salt Barn", "Vell")]),
    ("What is the number and average altitude of lodges in Vell?", [(3, 950.0)]),
    ("What is the mininum altitude?", [(250,)]),
    ("How many lodges are there in this region?", [(6,)]),
    ("What is the average altitude of all lodges?", [(sum(x.altitude for x in LODGES) / 6,)]),
]  # fmt: skip


def flat(rows: Rows) -> Rows:
    return sorted(tuple(sorted(str(cell) for cell in row)) for row in rows)


@pytest.mark.parametrize(("question", "expected"), CASES, ids=[case[0] for case in CASES])
def test_phrases(lodges: tuple[tuple[Table, ...], Any], question: str, expected: Rows) -> None:
    tables, connection = lodges
    reading = read(question, tables)
    assert isinstance(reading, Reading), str(reading)
    sql = statement(reading, tables)
    assert flat(connection.execute(sql).fetchall()) == flat(expected), reading.explanation


ORDERED: list[tuple[str, Rows]] = [
    ("Sort the valleys by frequency in descending order.", [("Vell",), ("Summ",), ("Hosk",)]),
    ("lodge names sorted by the lodge altitude in descending order",
     [(x.lodge_name,) for x in sorted(LODGES, key=lambda x: -x.altitude)]),
    ("List the names of lodges by ascending price",
     [(x.lodge_name,) for x in sorted(LODGES, key=lambda x: x.nightly_price)]),
    ("names of lodges ordered by altitude from least to greatest",
     [(x.lodge_name,) for x in sorted(LODGES, key=lambda x: x.altitude)]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "expected"), ORDERED, ids=[case[0] for case in ORDERED])
def test_orders(lodges: tuple[tuple[Table, ...], Any], question: str, expected: Rows) -> None:
    tables, connection = lodges
    reading = read(question, tables)
    assert isinstance(reading, Reading), str(reading)
    rows = connection.execute(statement(reading, tables)).fetchall()
    assert [row[:1] for row in rows] == expected, reading.explanation


@pytest.mark.parametrize(
    "question",
    [
        "How many haunted lodges are there?",
        "Which lodges were painted blue?",
        "Show the lodges that the queen of Sweden liked.",
    ],
)
def test_what_no_column_holds_is_not_answered(
    lodges: tuple[tuple[Table, ...], Any], question: str
) -> None:
    assert isinstance(read(question, lodges[0]), Unread)


def test_a_column_that_is_only_mentioned_is_not_shown(
    lodges: tuple[tuple[Table, ...], Any],
) -> None:
    sure = read("What are the names of the lodges in Summ?", lodges[0])
    unsure = read("What are the names of the lodges in Summ with a view?", lodges[0])
    assert isinstance(sure, Reading)
    assert isinstance(unsure, Reading)
    assert unsure.query.show == sure.query.show
    assert unsure.doubt > sure.doubt
