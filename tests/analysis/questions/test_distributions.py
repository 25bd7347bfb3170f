"""How many rows lie in ranges that a question lists, or have each value."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.analysis.questions.depots import Depots


@pytest.mark.parametrize(
    "question",
    [
        "how many deliveries had revenue under 500, 500 to 1000, over 1000?",
        "how many deliveries had revenue below 500, between 500 and 1000, and above 1000?",
        "break deliveries down by size: under 500, 500 to 1000, over 1000 dollars - how many?",
    ],
)
def test_ranges_are_counted(depots: Depots, question: str) -> None:
    of = depots.deliveries.revenue
    expected = (int((of < 500).sum()), int(of.between(500, 1000).sum()), int((of > 1000).sum()))
    assert depots.rows(question) == [expected]


def test_decades_are_ages(depots: Depots) -> None:
    decades = depots.workers.age // 10
    expected = tuple(int((decades == each).sum()) for each in (2, 3, 4))
    assert depots.rows("how many workers are in their 20s, 30s and 40s?") == [expected]


def test_ranges_in_the_thousands_of_their_upper_end(depots: Depots) -> None:
    of = depots.deliveries.revenue
    expected = (int((of < 1000).sum()), int(of.between(1000, 2000).sum()))
    asked = "how many deliveries had a revenue under 1k, 1 to 2k"
    assert depots.rows(asked) == [expected]


@pytest.mark.parametrize(
    "question",
    [
        "how many deliveries had 1 crate, 2 crates, 3 crates and so on?",
        "how are the crates spread from 1 to 6?",
        "how are crates distributed?",
    ],
)
def test_each_value_is_counted(depots: Depots, question: str) -> None:
    counts = depots.deliveries.crates.value_counts()
    assert dict(depots.rows(question)) == counts.to_dict()


def test_two_bounds_without_a_count_are_no_ranges(depots: Depots) -> None:
    made = depots.propose("which wards have an average revenue above 1500 or below 100?")
    assert made["sql"] is None or "COUNT" not in made["sql"]


def test_periods_that_no_row_is_in_together(depots: Depots) -> None:
    days = pd.to_datetime(depots.deliveries.delivered).dt.day_of_week
    found = depots.rows("how many deliveries do we get at weekends compared with weekdays?")
    assert {int((days > 4).sum()), int((days < 5).sum())} <= set(found[0])


@pytest.mark.parametrize(
    "question",
    [
        "how many workers earn under 400, 400 to 600 and over 600?",
        "workers by wage group: under 400, 400 to 600, over 600",
        "how many workers have a wage of 0-399, 400-600 and more than 600?",
    ],
)
def test_what_each_earns_in_ranges(depots: Depots, question: str) -> None:
    of = depots.workers.wage
    expected = (int((of < 400).sum()), int(of.between(400, 600).sum()), int((of > 600).sum()))
    assert depots.rows(question) == [expected]
