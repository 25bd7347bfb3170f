"""Changes of figures between periods, and their courses along time."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.analysis.questions.harvests import Harvests, open_harvests


@pytest.fixture(scope="module", params=[6, 21])
def harvests(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Harvests]:
    with open_harvests(tmp_path_factory.mktemp("harvests"), request.param) as opened:
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "how did total weight change from 2022 to 2024, in percent?",
        "By what percentage did the weight go up between 2022 and 2024?",
        "growth of weight from 2022 to 2024",
        "weight in 2024 vs 2022 in percent",
    ],
)
def test_a_percentage_comes_with_both_figures(harvests: Harvests, question: str) -> None:
    first, last = (harvests.in_year(year).weight.sum() for year in (2022, 2024))
    assert harvests.numbers(question) == pytest.approx([first, last, 100 * (last - first) / first])


@pytest.mark.parametrize(
    "question",
    [
        "how much more weight was there in 2024 than in 2023?",
        "total weight in 2024 vs 2023",
        "compare the weight of 2023 with 2024",
    ],
)
def test_two_periods_stand_side_by_side(harvests: Harvests, question: str) -> None:
    first, last = (harvests.in_year(year).weight.sum() for year in (2023, 2024))
    assert harvests.numbers(question) == [last, first, last - first]


def test_halves_are_compared(harvests: Harvests) -> None:
    first, last = ((harvests.in_year(year).packed.dt.month <= 6).sum() for year in (2023, 2024))
    asked = "crates in the first half of 2024 vs the first half of 2023"
    assert harvests.numbers(asked) == [last, first, last - first]


def test_quarters_that_are_texts_are_compared(harvests: Harvests) -> None:
    sums = harvests.ledger.groupby("Quarter").Outlay.sum()
    growth = 100 * (sums["Q4"] / sums["Q1"] - 1)
    found = harvests.numbers("how did outlay change from Q1 to Q4 in percent?")
    assert found[-1] == pytest.approx(growth)
    steps = harvests.rows("quarter over quarter change in outlay")
    assert [each[2] for each in steps] == list(sums.diff().dropna())


@pytest.mark.parametrize("down", [True, False])
def test_the_groups_that_fell_or_rose(harvests: Harvests, down: bool) -> None:
    first, last = (harvests.in_year(y).groupby("grove").weight.sum() for y in (2022, 2024))
    changed = last - first
    wanted = changed[changed < 0] if down else changed[changed > 0]
    verb = "go down" if down else "increase"
    found = harvests.rows(f"in which groves did the total weight {verb} between 2022 and 2024?")
    assert sorted(each[0] for each in found) == sorted(wanted.index)


def test_the_group_that_grew_most(harvests: Harvests) -> None:
    first, last = (harvests.in_year(y).groupby("grove").weight.sum() for y in (2022, 2024))
    found = harvests.rows("which grove grew the most in weight from 2022 to 2024?")
    assert found[0][0] == (last - first).idxmax()


@pytest.mark.parametrize("question", ["year on year growth of weight", "yoy growth of weight"])
def test_growth_from_year_to_year(harvests: Harvests, question: str) -> None:
    sums = harvests.crates.groupby(harvests.crates.packed.dt.year).weight.sum()
    found = {year: growth for year, _, growth in harvests.rows(question)}
    assert found == pytest.approx((100 * sums.pct_change().dropna()).to_dict())


def test_the_first_period_has_not_changed_in_any_group(harvests: Harvests) -> None:
    years = harvests.crates.packed.dt.year.rename("year")
    steps = harvests.crates.groupby(["grove", years]).weight.sum().groupby("grove").diff().dropna()
    found = {row[:2]: row[-1] for row in harvests.rows("change of weight by year and grove")}
    assert found == steps.to_dict()


def test_the_first_of_some_periods_keeps_the_figure_that_the_next_changes_from(
    harvests: Harvests,
) -> None:
    months = [row[0] for row in harvests.rows("monthly growth of weight in 2023")]
    assert len(months) == 12


@pytest.mark.parametrize(
    "question",
    ["cumulative weight by month for 2023", "running total of weight per month in 2023"],
)
def test_a_running_total_is_of_periods(harvests: Harvests, question: str) -> None:
    year = harvests.in_year(2023)
    sums = year.groupby(year.packed.dt.month).weight.sum().cumsum()
    assert [each[-1] for each in harvests.rows(question)] == list(sums)


@pytest.mark.parametrize(
    ("question", "n"),
    [
        ("3 month moving average of weight", 3),
        ("moving average of weight over 6 months", 6),
        ("rolling average of weight over four months", 4),
    ],
)
def test_a_moving_average_is_of_periods(harvests: Harvests, question: str, n: int) -> None:
    months = harvests.crates.packed.dt.to_period("M")
    averages = harvests.crates.groupby(months).weight.sum().rolling(n, min_periods=1).mean()
    assert [each[-1] for each in harvests.rows(question)] == pytest.approx(list(averages))
