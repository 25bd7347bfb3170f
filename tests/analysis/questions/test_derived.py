"""Measures that are made of others: per client, rates, margins, stays, weighted averages."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pytest

from tests.analysis.questions.bazaars import Bazaars, open_bazaars


@pytest.fixture(scope="module", params=[5, 21])
def bazaars(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Bazaars]:
    with open_bazaars(tmp_path_factory.mktemp("bazaars"), request.param) as opened:
        yield opened


@pytest.mark.parametrize(
    "question", ["average order value", "what is the AOV?", "mean basket size", "revenue per order"]
)
def test_what_an_order_comes_to(bazaars: Bazaars, question: str) -> None:
    assert bazaars.number(question) == pytest.approx(bazaars.orders.worth.mean())


def test_the_typical_order_is_the_one_in_the_middle(bazaars: Bazaars) -> None:
    asked = "What's the typical (median) order value?"
    assert bazaars.number(asked) == pytest.approx(bazaars.orders.worth.median())


@pytest.mark.parametrize(
    "question", ["average spend per client", "how much does a client spend on average?"]
)
def test_an_average_per_client_is_one_figure(bazaars: Bazaars, question: str) -> None:
    of = bazaars.orders
    expected = of.worth.sum() / of.client_id.nunique()
    assert bazaars.number(question) == pytest.approx(expected)


@pytest.mark.parametrize(
    "question",
    [
        "how many orders does a client place on average? by street",
        "average number of orders per client by street",
    ],
)
def test_counts_per_entity_of_each_group(bazaars: Bazaars, question: str) -> None:
    groups = bazaars.orders.groupby("street").client_id
    expected = groups.size() / groups.nunique()
    assert bazaars.figures(question) == pytest.approx(expected.to_dict())


@pytest.mark.parametrize("question", ["profit margin by aisle", "profit margin of each aisle"])
def test_the_margin_takes_the_cost_of_another_table(bazaars: Bazaars, question: str) -> None:
    sums = bazaars.orders.groupby("aisle")[["worth", "expense"]].sum()
    expected = (sums.worth - sums.expense) / sums.worth
    assert bazaars.figures(question) == pytest.approx(expected.to_dict())


def test_the_rate_of_those_who_left(bazaars: Bazaars) -> None:
    staff = bazaars.tables["staff"]
    expected = 100 * (staff.left == "yes").groupby(staff.section).mean()
    found = bazaars.figures("attrition rate by section")
    assert found == pytest.approx(expected.to_dict())


def test_the_rate_of_what_has_ended(bazaars: Bazaars) -> None:
    rentals = bazaars.tables["rentals"]
    expected = 100 * rentals.end_date.notna().groupby(rentals.tier).mean()
    assert bazaars.figures("churn rate by tier") == pytest.approx(expected.to_dict())


def test_a_figure_per_year_is_that_of_each_row(bazaars: Bazaars) -> None:
    staff = bazaars.tables["staff"]
    found = bazaars.number("wage per year of tenure on average")
    assert found == pytest.approx((staff.wage / staff.tenure).mean())


@pytest.mark.parametrize(
    ("question", "days"),
    [
        ("how many days do rentals last on average?", 1),
        ("how many weeks do rentals last on average before they end?", 7),
    ],
)
def test_how_long_something_lasts(bazaars: Bazaars, question: str, days: int) -> None:
    rentals = bazaars.tables["rentals"].dropna(subset=["end_date"])
    lasted = (pd.to_datetime(rentals.end_date) - pd.to_datetime(rentals.start_date)).dt.days
    assert bazaars.number(question) == pytest.approx(lasted.mean() / days)


@pytest.mark.parametrize("question", ["wage-weighted tenure", "average tenure weighted by wage"])
def test_weighted_averages(bazaars: Bazaars, question: str) -> None:
    staff = bazaars.tables["staff"]
    expected = (staff.tenure * staff.wage).sum() / staff.wage.sum()
    assert bazaars.number(question) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("question", "level"),
    [
        ("90th percentile of wage", 0.9),
        ("p95 of wage", 0.95),
        ("what wage do the top 20% of staff start at?", 0.8),
        ("lower quartile of wage", 0.25),
    ],
)
def test_percentiles(bazaars: Bazaars, question: str, level: float) -> None:
    expected = bazaars.tables["staff"].wage.quantile(level)
    assert bazaars.number(question) == pytest.approx(expected)


@pytest.mark.parametrize("question", ["whos our bigest spender", "who is our biggest spender?"])
def test_who_spends_most(bazaars: Bazaars, question: str) -> None:
    sums = bazaars.orders.groupby("client_name").worth.sum()
    assert bazaars.rows(question)[0][0] == sums.idxmax()


@pytest.mark.parametrize("question", ["what's flying off the shelves?", "our best seller"])
def test_what_sells_best(bazaars: Bazaars, question: str) -> None:
    sums = bazaars.orders.groupby("article_name").quantity.sum()
    ((_, most),) = bazaars.rows(question)
    assert most == sums.max()


def test_an_average_of_each_group_is_no_ratio(bazaars: Bazaars) -> None:
    expected = bazaars.tables["staff"].groupby("section").wage.mean()
    found = bazaars.figures("average wage per section")
    assert found == pytest.approx(expected.to_dict())


def test_a_word_that_divides_is_not_left_out(bazaars: Bazaars) -> None:
    assert not bazaars.is_sure("total revenue per zeppelin")
