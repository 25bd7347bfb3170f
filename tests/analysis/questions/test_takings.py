"""Money that no column calls revenue, how long rows last, and nouns for the same things."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from flows.analysis.questions.reader import read_question
from flows.analysis.requests.sql import sql_of
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics.inference.model import infer_model
from tests.analysis.questions.harvests import names_of

SURE = 0.6


class Quarry:
    """Blocks that were fetched for money, and the halts of saws: made by chance."""

    def __init__(self, folder: Path, seed: int) -> None:
        dice = random.Random(seed)
        self.pits = names_of(dice, 4)
        days = pd.date_range("2023-01-01", "2024-12-31", freq="D")
        self.blocks = pd.DataFrame(
            {
                "Taken out": dice.choices(days, k=400),
                "Pit": dice.choices(self.pits, weights=(5, 3, 2, 1), k=400),
                "Went for": [round(dice.uniform(50, 900), 2) for _ in range(400)],
            }
        )
        begun = [each + pd.Timedelta(minutes=dice.randint(0, 900)) for each in
                 dice.choices(days, k=120)]  # fmt: skip
        lasted = [dice.choice([30, 60, 120, 121, 240]) for _ in begun]
        self.stoppages = pd.DataFrame(
            {
                "stoppage_no": range(500, 620),
                "pit": dice.choices(self.pits, k=120),
                "started": begun,
                "ended": [
                    at + pd.Timedelta(minutes=n) for at, n in zip(begun, lasted, strict=True)
                ],
            }
        )
        self.lasted = pd.Series(lasted)
        told = self.blocks.assign(**{"Went for": self.blocks["Went for"].map("${:,.2f}".format)})
        told.to_csv(folder / "blocks.csv", index=False, date_format="%Y-%m-%d")
        self.stoppages.to_csv(folder / "stoppages.csv", index=False)
        files = {each: str(folder / f"{each}.csv") for each in ("blocks", "stoppages")}
        self.catalog = Catalog(files, folder)
        self.model = infer_model(self.catalog.tables())

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        """What the sure reading of a question gives; a question that is not read fails."""
        read = read_question(question, self.catalog.tables(), self.model)
        assert read is not None, question
        assert read.confidence >= SURE, question
        sql = sql_of(read.query, self.model, self.catalog.tables())
        found = run_unchecked(self.catalog, sql, "duckdb", max_rows=2000, timeout=30)
        return [tuple(each) for each in found.rows]


@contextmanager
def open_quarry(folder: Path, seed: int) -> Iterator[Quarry]:
    made = Quarry(folder, seed)
    with made.catalog:
        yield made


@pytest.fixture(scope="module", params=[2, 9])
def quarry(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Quarry]:
    with open_quarry(tmp_path_factory.mktemp("quarry"), request.param) as opened:
        yield opened


@pytest.mark.parametrize("question", ["total sales", "what was our turnover?", "total revenue"])
def test_the_one_figure_of_money_is_what_is_taken(quarry: Quarry, question: str) -> None:
    ((total,),) = quarry.rows(question)
    assert total == pytest.approx(quarry.blocks["Went for"].sum())


def test_takings_by_group(quarry: Quarry) -> None:
    expected = quarry.blocks.groupby("Pit")["Went for"].sum()
    assert dict(quarry.rows("sales by pit")) == pytest.approx(expected.to_dict())


def test_how_many_lasted_longer_than_two_hours_are_not_those_of_two_hours(quarry: Quarry) -> None:
    ((count,),) = quarry.rows("how many stoppages took more than 2 hours")
    assert count == (quarry.lasted > 120).sum()
    ((count,),) = quarry.rows("how many stoppages took at least 2 hours")
    assert count == (quarry.lasted >= 120).sum()


@pytest.mark.parametrize(
    "question",
    ["average length of a stoppage in minutes", "average stoppage duration in minutes"],
)
def test_the_length_of_a_row_is_the_time_to_its_end(quarry: Quarry, question: str) -> None:
    ((mean,),) = quarry.rows(question)
    assert mean == pytest.approx(quarry.lasted.mean())


@pytest.mark.parametrize("noun", ["breakdowns", "standstills", "interruptions"])
def test_rows_are_called_by_other_nouns_too(quarry: Quarry, noun: str) -> None:
    ((count,),) = quarry.rows(f"how many {noun} were there")
    assert count == len(quarry.stoppages)
