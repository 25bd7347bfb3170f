"""Names of ends (`min`, `max`), superlatives and periods, over made-up days."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics.inference.model import infer_model
from flows.semantics.tables import meant


class Station:
    """A table of days, and what the analyst answers about it."""

    def __init__(self, folder: Path) -> None:
        dice = random.Random(8)
        days = [date(2021, 1, 1) + timedelta(days=n) for n in range(500)]
        self.frame = pd.DataFrame({
            "obs_day": days,
            "temp_max": [round(dice.uniform(5, 38), 1) for _ in days],
            "temp_min": [round(dice.uniform(-9, 4), 1) for _ in days],
            "stem_length_mm": [round(dice.uniform(2, 60), 1) for _ in days],
            "strain": [dice.choice(("Vell", "Korr", "Usha")) for _ in days],
        })  # fmt: skip
        path = folder / "blooms.csv"
        self.frame.to_csv(path, index=False)
        self.catalog = Catalog({"blooms": str(path)}, folder)
        self.model = infer_model(self.catalog.tables())
        self.analyst = Analyst(meant(self.catalog.tables(), self.model), self.model, 0.4, 0.2)

    def rows(self, question: str) -> list[tuple[object, ...]]:
        made = self.analyst.propose(question)
        assert made["sql"], made
        found = run_unchecked(self.catalog, made["sql"], "duckdb", max_rows=1000, timeout=30)
        return [tuple(row) for row in found.rows]


@pytest.fixture(scope="module")
def station(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Station]:
    station = Station(tmp_path_factory.mktemp("station"))
    with station.catalog:
        yield station


@pytest.mark.parametrize(
    ("question", "column", "largest"),
    [("What was the hottest day?", "temp_max", True),
     ("What was the coldest day?", "temp_min", False)],
)  # fmt: skip
def test_min_is_the_least_where_there_is_a_max(
    station: Station, question: str, column: str, largest: bool
) -> None:
    of = station.frame[column]
    day = station.frame["obs_day"][of.idxmax() if largest else of.idxmin()]
    assert str(day) in [str(cell)[:10] for cell in station.rows(question)[0]]


def test_a_superlative_of_an_average(station: Station) -> None:
    means = station.frame.groupby("strain")["stem_length_mm"].mean()
    found = station.rows("Which strain has the longest stems on average?")
    assert found[0][0] == means.idxmax()


def test_a_time_that_is_a_verb_counts_rows(tmp_path: Path) -> None:
    """`how many members joined each year`: members, and not the days on which they joined."""
    rows = "".join(f"{n},{2023 + n // 4}-03-0{n % 2 + 1},Basic\n" for n in range(10))
    (tmp_path / "members.csv").write_text(f"member_id,joined,plan\n{rows}")
    with Catalog({"members": str(tmp_path / "members.csv")}, tmp_path) as found:
        model = infer_model(found.tables())
        analyst = Analyst(meant(found.tables(), model), model, 0.4, 0.2)
        made = analyst.propose("how many members joined each year?")
        done = run_unchecked(found, made["sql"], "duckdb", max_rows=9, timeout=30)
    assert [row[-1] for row in done.rows] == [4, 4, 2]


def test_rows_per_period_are_counted(station: Station) -> None:
    months = station.frame.groupby(
        pd.to_datetime(station.frame["obs_day"]).dt.to_period("M")
    ).size()
    found = station.rows("blooms per month")
    assert [row[-1] for row in found] == list(months)
