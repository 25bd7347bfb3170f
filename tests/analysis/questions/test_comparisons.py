"""Two sides compared: the figures of both are the answer, whatever words ask for them."""

from __future__ import annotations

import pytest

from tests.analysis.questions.depots import Depots


@pytest.mark.parametrize(
    "question",
    [
        "did {0} or {1} have the higher revenue?",
        "Does {0} make more revenue than {1}?",
        "revenue of {0} versus {1}",
        "{0} compared to {1}: total revenue",
    ],
)
def test_sums_of_two_values_stand_side_by_side(depots: Depots, question: str) -> None:
    one, two = depots.wards()[:2]
    frame = depots.deliveries
    sums = frame[frame.ward.isin([one, two])].groupby("ward").revenue.sum()
    assert sorted(depots.rows(question.format(one, two))) == sorted(sums.items())


@pytest.mark.parametrize(
    "question",
    [
        "Do men earn more than women here?",
        "do women or men earn less?",
        "are women paid better than men?",
    ],
)
def test_people_are_compared_by_what_each_earns(depots: Depots, question: str) -> None:
    means = depots.workers.groupby("gender").wage.mean()
    found = {row[0]: row[1] for row in depots.rows(question)}
    assert found == {key: pytest.approx(value) for key, value in means.items()}


def test_an_adjective_names_the_measure(depots: Depots) -> None:
    routes = sorted(depots.deliveries.route.unique())
    means = depots.deliveries.groupby("route").satisfaction.mean()
    rows = depots.rows(f"are {routes[0]} customers happier than {routes[1]} customers?")
    found = {row[0]: row[1] for row in rows}
    assert found == {key: pytest.approx(value) for key, value in means.items()}


@pytest.mark.parametrize(
    "question", ["budget versus revenue by ward", "revenue vs budget per ward"]
)
def test_two_measures_of_each_group(depots: Depots, question: str) -> None:
    sums = depots.deliveries.groupby("ward")[["budget", "revenue"]].sum()
    found = {row[0]: set(row[1:]) for row in depots.rows(question)}
    assert found == {key: {row.budget, row.revenue} for key, row in sums.iterrows()}


def test_values_in_several_years(depots: Depots) -> None:
    one, two = depots.wards()[1:3]
    frame = depots.deliveries
    chosen = frame[frame.ward.isin([one, two])]
    means = chosen.groupby(["ward", chosen.delivered.str[:4].astype(int)]).revenue.mean()
    found = depots.rows(f"average revenue of {one} vs {two} in 2021 and 2022")
    assert {row[:2]: pytest.approx(row[2]) for row in found} == dict(means.items())


def test_the_quarter_beside_one_of_a_year_is_of_that_year(depots: Depots) -> None:
    frame = depots.deliveries
    months = frame.delivered.str[:7]
    first = frame[months.between("2022-01", "2022-03")].revenue.sum()
    second = frame[months.between("2022-04", "2022-06")].revenue.sum()
    found = depots.rows("Compare Q1 and Q2 of 2022 - what revenue did we make in each?")
    assert [row[1] for row in found] == [first, second]


def test_more_of_what_is_counted(depots: Depots) -> None:
    one, two = depots.wards()[:2]
    counts = depots.deliveries.ward.value_counts()
    found = depots.rows(f"which ward had more deliveries, {one} or {two}?")
    assert sorted(found) == [(each, counts[each]) for each in (one, two)]


def test_groups_without_names_are_compared_with_each_other(depots: Depots) -> None:
    sums = depots.deliveries.groupby("route").revenue.sum()
    assert sorted(depots.rows("which route brings in more revenue?")) == sorted(sums.items())
