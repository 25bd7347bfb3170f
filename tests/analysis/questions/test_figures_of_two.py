"""Figures made of two: over a join, of two tables, as people shorten and misspell them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest

from flows.analysis.questions.reader import read_question
from flows.analysis.requests.sql import sql_of
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics.inference.model import infer_model
from flows.semantics.model import SemanticModel


@dataclass
class Kilns:
    """Kilns with their room and maker, what is fired in them, and what a firing of a ware costs."""

    kilns: pd.DataFrame
    wares: pd.DataFrame
    firings: pd.DataFrame
    catalog: Catalog
    model: SemanticModel

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        read = read_question(question, self.catalog.tables(), self.model)
        assert read is not None, question
        assert read.confidence >= 0.5, (question, read.cost, read.query)
        sql = sql_of(read.query, self.model, self.catalog.tables())
        found = run_unchecked(self.catalog, sql, "duckdb", max_rows=2000, timeout=30)
        return [tuple(each) for each in found.rows]

    def number(self, question: str) -> float:
        ((value,),) = self.rows(question)
        return float(value)

    def by_name(self, question: str) -> dict[str, float]:
        return {str(row[0]): float(row[-1]) for row in self.rows(question)}

    @property
    def joined(self) -> pd.DataFrame:
        return self.firings.merge(self.kilns, on="kiln_no").merge(self.wares, on="ware_id")


@pytest.fixture(scope="module", params=[5, 23])
def kilns(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Kilns]:
    dice, folder = random.Random(request.param), tmp_path_factory.mktemp("kilns")
    rooms = pd.DataFrame(
        {
            "kiln_no": [f"K{each}" for each in range(8)],
            "kiln": [f"{name} kiln" for name in ("Alvo", "Brem", "Ciro", "Dunt", "Eswa", "Fohr",
                                                 "Gisp", "Hemt")],
            "floor_sqm": [dice.randint(20, 90) for _ in range(8)],
            "maker": dice.choices(["Tarnow", "Vessel", "Quint"], k=8),
            "site": ["Upper", "Lower", "Upper", "Lower"] * 2,
        }
    )  # fmt: skip
    wares = pd.DataFrame(
        {
            "ware_id": [f"W{each}" for each in range(5)],
            "ware": ["Zelt mug", "Orb vase", "Pann dish", "Quill bowl", "Rusk plate"],
            "series": ["Blue", "Blue", "Plain", "Plain", "Red"],
            "ct_per_kg": [dice.randint(40, 900) for _ in range(5)],
        }
    )
    firings = pd.DataFrame(
        {
            "firing_id": range(1, 401),
            "kiln_no": dice.choices(list(rooms.kiln_no[:7]), k=400),
            "ware_id": dice.choices(list(wares.ware_id), k=400),
            "fired_on": [
                f"{dice.choice([2023, 2024])}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"
                for _ in range(400)
            ],
            "good_qty": [dice.randint(10, 90) for _ in range(400)],
            "scrap_qty": [dice.randint(0, 9) for _ in range(400)],
            "kg": [dice.randint(5, 50) for _ in range(400)],
        }
    )
    for name, frame in (("kilns", rooms), ("wares", wares), ("firings", firings)):
        frame.to_csv(folder / f"{name}.csv", index=False)
    paths = {each.stem: str(each) for each in sorted(folder.glob("*.csv"))}
    with Catalog(paths, folder, folder / "profiles") as catalog:
        yield Kilns(rooms, wares, firings, catalog, infer_model(catalog.tables()))


@pytest.mark.long("whole analyses over their data")
def test_a_rate_of_a_quantity_is_a_part_of_good_and_bad(kilns: Kilns) -> None:
    sums = kilns.firings.merge(kilns.kilns, on="kiln_no").groupby("site")[
        ["good_qty", "scrap_qty"]
    ].sum()  # fmt: skip
    expected = (sums.scrap_qty / (sums.good_qty + sums.scrap_qty)).to_dict()
    assert kilns.by_name("scrap rate per site") == pytest.approx(expected)


def test_a_sum_divided_by_that_of_what_it_refers_to_repeats_no_row(kilns: Kilns) -> None:
    of_2024 = kilns.firings[kilns.firings.fired_on.str.startswith("2024")]
    above = of_2024.merge(kilns.kilns, on="kiln_no").groupby("site").kg.sum()
    below = kilns.kilns.groupby("site").floor_sqm.sum()
    found = kilns.by_name("kg per sqm in 2024 by site")
    assert found == pytest.approx((above / below).to_dict())


def test_rows_per_all_that_they_may_refer_to(kilns: Kilns) -> None:
    above = kilns.firings.merge(kilns.kilns, on="kiln_no").groupby("site").size()
    below = kilns.kilns.groupby("site").size()
    found = kilns.by_name("firings per 100 kilns by site")
    assert found == pytest.approx((100 * above / below).to_dict())


def test_a_product_over_a_join_is_told_in_the_unit_that_is_asked(kilns: Kilns) -> None:
    worth = (kilns.joined.kg * kilns.joined.ct_per_kg / 100).groupby(kilns.joined.series).sum()
    found = kilns.by_name("clay bill (kg times price) in euros, by series")
    assert found == pytest.approx(worth.to_dict())


def test_what_one_of_something_costs_in_cents(kilns: Kilns) -> None:
    (price,) = kilns.wares[kilns.wares.ware == "Orb vase"].ct_per_kg
    assert kilns.number("what does a kg cost for Orb vase, in cents?") == price


def test_who_made_a_thing_and_how_big_it_is(kilns: Kilns) -> None:
    row = kilns.kilns.iloc[3]
    assert kilns.rows("which company built K3?") == [(row.maker,)]
    assert kilns.number("how big is Dunt kiln?") == row.floor_sqm


def test_a_group_called_by_two_tables(kilns: Kilns) -> None:
    expected = kilns.joined.groupby("series").good_qty.sum().to_dict()
    assert kilns.by_name("good pieces by ware series") == pytest.approx(expected)


def test_words_written_in_haste(kilns: Kilns) -> None:
    of_site = kilns.joined[kilns.joined.site == "Upper"]
    assert kilns.number("howmuch scrap did we hav at Upper plz") == of_site.scrap_qty.sum()
    best = kilns.joined.groupby("ware").size().idxmax()
    assert kilns.rows("wich ware has most firings")[0][0] == best


def test_the_usual_sum_of_a_day_and_no_decimals(kilns: Kilns) -> None:
    usual = kilns.firings.kg.sum() / kilns.firings.fired_on.nunique()
    assert kilns.number("average kg per day") == pytest.approx(usual)
    read = read_question("total kg without decimals", kilns.catalog.tables(), kilns.model)
    assert read is not None
    assert read.query.decimals == 0
