"""Figures that business has names for, units, limits and states, over data with random values."""

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
class Fair:
    """Stalls of a fair with what is in store and rented, adverts for them, and deliveries."""

    stalls: pd.DataFrame
    adverts: pd.DataFrame
    handovers: pd.DataFrame
    catalog: Catalog
    model: SemanticModel

    def rows(self, question: str) -> list[tuple[Any, ...]]:
        read = read_question(question, self.catalog.tables(), self.model)
        assert read is not None, question
        assert read.confidence >= 0.6, (question, read.cost, read.query)
        sql = sql_of(read.query, self.model, self.catalog.tables())
        found = run_unchecked(self.catalog, sql, "duckdb", max_rows=2000, timeout=30)
        return [tuple(each) for each in found.rows]

    def number(self, question: str) -> float:
        ((value,),) = self.rows(question)
        return float(value)

    def by_name(self, question: str) -> dict[str, float]:
        return {str(row[0]): float(row[-1]) for row in self.rows(question)}


@pytest.fixture(scope="module", params=[4, 19])
def fair(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Fair]:
    dice, folder = random.Random(request.param), tmp_path_factory.mktemp("fair")
    rows = 60
    stalls = pd.DataFrame(
        {
            "stall_id": [f"Z{each}" for each in range(rows)],
            "alley": dice.choices(["Korvu", "Zelmo", "Tibra"], k=rows),
            "floor_area_sqm": [dice.randint(5, 90) for _ in range(rows)],
            "rent_eur": [dice.randint(100, 2000) for _ in range(rows)],
            "qty_on_hand": [dice.choice([0, 0, dice.randint(1, 99)]) for _ in range(rows)],
            "reorder_lvl": [dice.randint(10, 60) for _ in range(rows)],
            "unit_cost": [dice.randint(1, 50) for _ in range(rows)],
            "dist_gate_km": [dice.randint(1, 80) / 10 for _ in range(rows)],
            "year_built": [dice.randint(1900, 2020) for _ in range(rows)],
            "has_awning": dice.choices(["yes", "no"], k=rows),
        }
    )
    adverts = pd.DataFrame(
        {
            "advertId": range(200),
            "channel": dice.choices(["Radio", "Poster", "Display"], k=200),
            "impressions": [dice.randint(500, 5000) for _ in range(200)],
            "clicks": [dice.randint(10, 400) for _ in range(200)],
            "spendEUR": [dice.randint(20, 900) for _ in range(200)],
            "revenueEUR": [dice.randint(20, 3000) for _ in range(200)],
        }
    )
    handovers = pd.DataFrame(
        {
            "handover_id": range(300),
            "stall_id": dice.choices(list(stalls.stall_id[:50]), k=300),
            "direction": dice.choices(["IN", "OUT"], k=300),
            "crates": [dice.randint(1, 30) for _ in range(300)],
            "outcome": dice.choices(["absent", "signed", "refused"], k=300),
        }
    )
    frames = {"stalls": stalls, "adverts": adverts, "handovers": handovers}
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    files = {name: str(folder / f"{name}.csv") for name in frames}
    with Catalog(files, folder) as catalog:
        yield Fair(stalls, adverts, handovers, catalog, infer_model(catalog.tables()))


@pytest.mark.parametrize(
    ("question", "above", "below", "scale"),
    [
        ("CTR by channel", "clicks", "impressions", 1),
        ("what is the click-through rate per channel?", "clicks", "impressions", 1),
        ("cost per click by channel", "spendEUR", "clicks", 1),
        ("ROAS by channel", "revenueEUR", "spendEUR", 1),
        ("revenue divided by clicks by channel", "revenueEUR", "clicks", 1),
        ("CPM per channel", "spendEUR", "impressions", 1000),
    ],
)
def test_ratios_with_a_name(fair: Fair, question: str, above: str, below: str, scale: int) -> None:
    sums = fair.adverts.groupby("channel")[[above, below]].sum()
    assert fair.by_name(question) == pytest.approx((sums[above] / sums[below] * scale).to_dict())


def test_a_value_that_is_also_a_command(fair: Fair) -> None:
    spend = fair.adverts.groupby("channel").spendEUR.sum()
    found = fair.number("what share of total spend went to display?")
    assert found == pytest.approx(100 * spend["Display"] / spend.sum())


def test_the_value_of_what_is_in_store(fair: Fair) -> None:
    frame = fair.stalls.assign(worth=fair.stalls.qty_on_hand * fair.stalls.unit_cost)
    assert (
        fair.by_name("total stock value by alley") == frame.groupby("alley").worth.sum().to_dict()
    )


@pytest.mark.parametrize(
    "question", ["which stalls are below their reorder level?", "stalls under the reorder level"]
)
def test_a_limit_says_what_it_is_of(fair: Fair, question: str) -> None:
    low = fair.stalls[fair.stalls.qty_on_hand < fair.stalls.reorder_lvl]
    assert {row[0] for row in fair.rows(question)} == set(low.stall_id)


def test_a_measure_that_is_zero(fair: Fair) -> None:
    none = fair.stalls[fair.stalls.qty_on_hand == 0]
    assert {row[0] for row in fair.rows("which stalls have zero stock?")} == set(none.stall_id)


def test_per_square_meter(fair: Fair) -> None:
    frame = fair.stalls[fair.stalls.alley == "Zelmo"]
    found = fair.number("average rent per square meter in Zelmo")
    assert found == pytest.approx((frame.rent_eur / frame.floor_area_sqm).mean())


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("how many stalls are within 2 km of the gate?", "dist_gate_km <= 2"),
        ("how many stalls have more than 40 square meters?", "floor_area_sqm > 40"),
        ("how many stalls were built before 1950?", "year_built < 1950"),
        ("how many stalls built after 2000 have an awning?",
         "year_built > 2000 and has_awning == 'yes'"),
    ],
)  # fmt: skip
def test_units_and_years_of_rows(fair: Fair, question: str, held: str) -> None:
    assert fair.number(question) == len(fair.stalls.query(held))


def test_other_forms_of_values(fair: Fair) -> None:
    frame = fair.handovers
    assert fair.number("how many absences were there?") == (frame.outcome == "absent").sum()
    out = frame[frame.direction == "OUT"].crates.sum()
    assert fair.number("how many crates went out?") == out
    assert fair.number("total outgoing crates") == out


def test_the_highest_share(fair: Fair) -> None:
    shares = (fair.stalls.has_awning == "yes").groupby(fair.stalls.alley).mean()
    found = fair.rows("which alley has the highest share of stalls with an awning?")
    assert found[0][0] == shares.idxmax()
    assert len(found) == 1


def test_a_difference_between_groups_is_one_of_averages(fair: Fair) -> None:
    means = fair.stalls.groupby("alley").rent_eur.mean()
    assert fair.by_name("how does the rent differ by alley?") == pytest.approx(means.to_dict())


def test_the_longest_average(fair: Fair) -> None:
    means = fair.stalls.groupby("alley").rent_eur.mean()
    (row,) = fair.rows("which alley has the highest average rent?")
    assert row[0] == means.idxmax()
