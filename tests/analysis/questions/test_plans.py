"""Planned beside actual, ranges in words, vague figures, and correlations by what words mean."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.questions.reader import QuestionReading, read_question
from flows.analysis.requests.sql import sql_of
from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.models import SemanticModels

_TEAMS = ("Zormik", "Balten", "Rupgash")


@dataclass(frozen=True)
class Foundry:
    """Castings of teams, with what was planned and what came of it."""

    catalog: Catalog
    tables: tuple[Table, ...]
    model: SemanticModel
    castings: pd.DataFrame

    def read(self, question: str) -> QuestionReading:
        reading = read_question(question, self.tables, self.model)
        assert reading is not None, question
        return reading

    def rows(self, question: str) -> list[tuple[object, ...]]:
        reading = self.read(question)
        assert reading.confidence > 0.6, (question, reading.cost, reading.query)
        sql = sql_of(reading.query, self.model, self.tables)
        return list(run_query(self.catalog, sql, max_rows=5000, timeout=30).rows)

    def propose(self, question: str) -> dict[str, Any]:
        return Analyst(self.tables, self.model, 0.4, 0.2).propose(question)


@pytest.fixture(scope="module", params=[2, 17])
def foundry(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Foundry]:
    dice = random.Random(request.param)
    size = 120
    planned = [dice.randint(40, 90) for _ in range(size)]
    castings = pd.DataFrame({
        "casting_id": range(700, 700 + size),
        "team": [dice.choice(_TEAMS) for _ in range(size)],
        "planned_pieces": planned,
        "actual_pieces": [each + dice.randint(-9, 7) for each in planned],
        "pour_delay": [dice.randint(0, 90) for _ in range(size)],
        "cool_delay": [dice.randint(0, 90) for _ in range(size)],
        "haul_km": [dice.randint(10, 400) for _ in range(size)],
        "shipped_on": [None if dice.random() < 0.2 else "2024-02-03" for _ in range(size)],
    })  # fmt: skip
    folder = tmp_path_factory.mktemp("foundry")
    castings.to_csv(folder / "castings.csv", index=False)
    with Catalog({"castings": "castings.csv"}, folder) as catalog:
        model = SemanticModels(catalog).model()
        yield Foundry(catalog, tuple(catalog.tables()), model, castings)


@pytest.mark.parametrize(
    ("question", "test"),
    [
        ("how many castings beat the plan?", "actual_pieces > planned_pieces"),
        ("in how many cases did a team miss its target?", "actual_pieces < planned_pieces"),
        ("how many castings stayed within plan", "actual_pieces <= planned_pieces"),
        ("how many castings met their goal", "actual_pieces >= planned_pieces"),
    ],
)
def test_rows_are_held_against_their_plan(foundry: Foundry, question: str, test: str) -> None:
    assert foundry.rows(question) == [(len(foundry.castings.query(test)),)]


def test_over_on_and_under_plan_are_counted_apart(foundry: Foundry) -> None:
    of = foundry.castings
    excess = of.actual_pieces - of.planned_pieces
    expected = ((excess > 0).sum(), (excess == 0).sum(), (excess < 0).sum())
    assert foundry.rows("how many castings were over plan, on plan and under plan") == [expected]


def test_who_was_most_above_the_plan(foundry: Foundry) -> None:
    sums = foundry.castings.groupby("team")[["planned_pieces", "actual_pieces"]].sum()
    expected = (sums.actual_pieces - sums.planned_pieces).idxmin()
    assert foundry.rows("which team fell short of plan the most?")[0][0] == expected


def test_what_was_planned(foundry: Foundry) -> None:
    expected = foundry.castings.planned_pieces.sum()
    assert foundry.rows("what did we plan to make in the whole year?") == [(expected,)]


def test_ranges_that_are_told_by_their_ends(foundry: Foundry) -> None:
    of = foundry.castings.haul_km
    expected = ((of <= 50).sum(), ((of > 50) & (of <= 200)).sum(), (of > 200).sum())
    asked = "how many castings have a haul km up to 50, up to 200, and more than that?"
    assert foundry.rows(asked) == [expected]


def test_what_never_happened_has_no_time(foundry: Foundry) -> None:
    expected = foundry.castings.shipped_on.isna().sum()
    assert foundry.rows("how many castings were never shipped?") == [(expected,)]


def test_a_factor_that_is_stated_is_taken(foundry: Foundry) -> None:
    found = foundry.rows("average haul km in miles (1 mile = 1.6 km)")
    assert found[0][0] == pytest.approx(foundry.castings.haul_km.mean() / 1.6)


@pytest.mark.parametrize("question", ["what's the average delay?", f"how did {_TEAMS[0]} do?"])
def test_what_may_be_several_figures_is_asked(foundry: Foundry, question: str) -> None:
    asked = foundry.propose(question)["clarify"]
    assert asked is not None
    assert 2 <= len(asked["options"]) <= 4


def test_a_correlation_of_what_words_mean(foundry: Foundry) -> None:
    made = foundry.propose("do castings that pour with delay go far? correlation of pour delay "
                           "and haul")  # fmt: skip
    assert made["request"]["method"] == "correlation"


def test_groups_alone_are_asked_for_with_their_number(foundry: Foundry) -> None:
    made = foundry.propose("castings per team")
    assert made["request"]["metrics"]
