"""Looks at single columns and first rows, in files and databases."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from flows.data.catalog import Catalog


def test_values_and_rows_of_a_file_and_of_a_database(tmp_path: Path) -> None:
    (tmp_path / "fruit.csv").write_text('"order ""x""",n\npear,3\nfig,1\npear,2\n')
    with closing(sqlite3.connect(tmp_path / "farm.db")) as farm, farm:
        farm.execute('CREATE TABLE "sel ect" (a TEXT, b REAL)')
        farm.executemany('INSERT INTO "sel ect" VALUES (?, ?)', [("x", 1.5), (None, 2.0)])
    with Catalog({"fruit": "fruit.csv", "farm": "farm.db"}, tmp_path) as catalog:
        fruit, plots = catalog.tables()
        look = catalog.inspection
        name = fruit.columns[0].name
        assert set(look.values(fruit, name, 2) or ()) == {"pear", "fig"}
        assert look.values(fruit, name, 1) is None
        assert look.rows(fruit, ["n", name], 2) == ((3, "pear"), (1, "fig"))
        assert set(look.values(plots, "a", 9) or ()) == {"x", None}
        assert look.rows(plots, ["b"], 9) == ((1.5,), (2.0,))


@pytest.mark.long("texts of many megabytes")
def test_a_column_with_long_texts_is_not_read_whole(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "books.db")) as books, books:
        books.execute("CREATE TABLE pages (text TEXT)")
        books.executemany(
            "INSERT INTO pages VALUES (?)", [(f"{n}" + "x" * 100_000,) for n in range(4000)]
        )
    with Catalog({"books": "books.db"}, tmp_path) as catalog:
        (pages,) = catalog.tables()
        assert catalog.inspection.values(pages, "text", 5000) is None
