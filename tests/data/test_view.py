"""A table at a glance: shape, types, numbers, gaps and first rows."""

from __future__ import annotations

from pathlib import Path

from flows.data.catalog import Catalog
from flows.data.results.view import csv_view, size_text

ROWS = "city,price,sqm\nBern,100.5,10\nBern,200.5,\nBasel,300.5,30\n"


def test_it_is_what_an_analyst_asks_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "homes.csv").write_text(ROWS)
    with Catalog({"homes": "homes.csv"}, tmp_path) as catalog:
        view = csv_view(catalog.tables()[0])
    assert view.shape == (3, 3)
    assert view.columns == ("city", "price", "sqm")
    assert view.dtypes == {"city": "text", "price": "real", "sqm": "integer"}
    assert view.null_counts == {"city": 0, "price": 0, "sqm": 1}
    assert view.head["sqm"] == (10, None, 30)
    price = view.describe["price"]
    assert (price["count"], price["mean"], price["50%"], price["max"]) == (3, 200.5, 200.5, 300.5)
    assert price["std"] == 100.0
    assert "city" not in view.describe
    text = view.text()
    assert text.startswith("homes: 3 rows, 3 columns")
    for each in ("1 missing", "200.5", "Basel", "75%"):
        assert each in text
    assert not any(line != line.rstrip() for line in text.splitlines())


def test_sizes_read_well() -> None:
    assert [size_text(each) for each in (12, 67_000, 1_250_000)] == ["12 B", "67.0 kB", "1.25 MB"]
