"""What a question says and the data do not hold is never passed over with a sure answer."""

from __future__ import annotations

import calendar
import random
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest

from flows.analysis.reading.reader import Reading, Unread
from flows.data.catalog import Catalog
from flows.data.tables import Table
from tests.analysis.statements import read, statement

SURE = 0.4


@dataclass(frozen=True)
class Stall:
    """Sales of a stall: a table of rows with a day, a product and a revenue."""

    tables: tuple[Table, ...]
    connection: sqlite3.Connection
    rows: list[tuple[Any, ...]]

    def asked(self, question: str) -> list[tuple[Any, ...]]:
        found = read(question, self.tables)
        assert isinstance(found, Reading), f"{question}: {found}"
        return self.connection.execute(statement(found, self.tables)).fetchall()


@pytest.fixture(scope="module")
def stall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stall]:
    dice = random.Random(3)
    products = ("Lamp", "Desk", "Shelf", "Rug", None)
    rows = [
        (i, f"2024-{dice.randint(1, 12):02d}-{dice.randint(1, 28):02d}", dice.choice(products[:4]),
         round(dice.uniform(5, 300), 2), dice.choice((None, None, None, "Ann", "Ben")))
        for i in range(1, 301)
    ]  # fmt: skip
    path = tmp_path_factory.mktemp("stall") / "stall.db"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "CREATE TABLE sales (sale_id INTEGER PRIMARY KEY, sold_on DATE, product TEXT,"
            " revenue REAL, seller TEXT)"
        )
        database.executemany("INSERT INTO sales VALUES (?, ?, ?, ?, ?)", rows)
    with (
        closing(sqlite3.connect(path)) as connection,
        Catalog({"stall": str(path)}, path.parent) as catalog,
    ):
        yield Stall(catalog.tables(), connection, rows)


@pytest.mark.parametrize(
    "question",
    [
        "What is the total revenue of last summer?",
        "What is the total revenue of women?",
        "How many sales were cancelled?",
        "Which product is best?",
        "What is the salary of Ann?",
        "Which seller earned the highest bonus?",
    ],
)
def test_what_nothing_explains_leaves_no_sure_answer(stall: Stall, question: str) -> None:
    found = read(question, stall.tables, most_doubt=2.5)
    assert isinstance(found, Unread) or found.confidence < SURE, found


def summed(stall: Stall, column: int) -> dict[Any, float]:
    totals: dict[Any, float] = defaultdict(float)
    for row in stall.rows:
        totals[row[column]] += row[3]
    return totals


def test_a_measure_of_each_group_is_added_up(stall: Stall) -> None:
    found = {product: round(total, 2) for product, total in stall.asked("revenue by product")}
    assert found == {k: round(v, 2) for k, v in summed(stall, 2).items()}
    months: dict[str, float] = defaultdict(float)
    for row in stall.rows:
        months[calendar.month_name[int(row[1][5:7])]] += row[3]
    by_month = {month: round(total, 2) for month, total in stall.asked("revenue per month")}
    assert by_month == {k: round(v, 2) for k, v in months.items()}


def test_the_top_of_what_repeats_is_a_top_of_totals(stall: Stall) -> None:
    totals = summed(stall, 2)
    best = sorted(totals, key=lambda each: -totals[each])[:2]
    assert [row[0] for row in stall.asked("top 2 products by revenue")] == best


def test_rows_without_a_value_do_not_come_first(stall: Stall) -> None:
    [(seller,)] = stall.asked("Which seller has the most sales?")
    assert seller in ("Ann", "Ben")
