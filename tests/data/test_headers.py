"""Whether the first line of a CSV file is names or a row."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.data.catalog import Catalog


@pytest.mark.parametrize(
    ("text", "names", "rows"),
    [
        ("city,river\nGraz,Mur\nLinz,Donau\n", ("city", "river"), 2),
        ("label,2021,2022\nrent,10,20\nfood,30,40\n", ("label", "2021", "2022"), 2),
        ("city,river\nGraz,Mur\n", ("city", "river"), 1),
        ("name,age\nAda,30\nBeo,40\n", ("name", "age"), 2),
        ("Ada,30\nBeo,40\n", ("column0", "column1"), 2),
        ("Ada,2001\nBeo,2003\n", ("column0", "column1"), 2),
        ("1,2\n3,4\n", ("column0", "column1"), 2),
        ("id,code\n1,007\n2,008\n", ("id", "code"), 2),
    ],
)
def test_the_first_line(tmp_path: Path, text: str, names: tuple[str, ...], rows: int) -> None:
    (tmp_path / "t.csv").write_text(text)
    with Catalog({"t": "t.csv"}, tmp_path) as catalog:
        (table,) = catalog.tables()
    assert tuple(column.name for column in table.columns) == names
    assert table.rows == rows
