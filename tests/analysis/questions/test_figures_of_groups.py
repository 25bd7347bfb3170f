"""Figures of the figures of groups: an average, or an end, of totals and numbers of each."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pandas as pd
import pytest

from tests.analysis.questions.lendings import Sheet, names, open_sheet


@pytest.fixture(scope="module", params=[2, 3])
def sales(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sheet]:
    dice = random.Random(request.param)
    customers = names(dice, 7)
    rows = [
        (n, dice.choice(customers), pd.Timestamp("2024-01-01") + pd.Timedelta(days=n // 3),
         dice.randint(10, 900))
        for n in range(400)
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["order_id", "customer", "day", "revenue"])
    with open_sheet(tmp_path_factory.mktemp("sales"), "sales", frame) as opened:
        yield opened


def test_an_average_of_groups_is_one_figure(sales: Sheet) -> None:
    by_customer = sales.frame.groupby("customer")
    [(orders,)] = sales.rows("average number of orders per customer")
    assert orders == pytest.approx(by_customer.size().mean())
    [(revenue,)] = sales.rows("average of the total revenue per customer")
    assert revenue == pytest.approx(by_customer.revenue.sum().mean())


def test_the_end_of_totals_is_that_of_one_group(sales: Sheet) -> None:
    totals = sales.frame.groupby("customer").revenue.sum()
    [row] = sales.rows("what is the largest total revenue of a customer?")
    assert row == (totals.idxmax(), totals.max())
    [(_, fewest)] = sales.rows("lowest number of orders per customer")
    assert fewest == sales.frame.groupby("customer").size().min()


@pytest.mark.parametrize(
    "question",
    ["median of the total revenue per customer", "median number of orders per customer"],
)
def test_what_no_query_says_of_groups_is_refused(sales: Sheet, question: str) -> None:
    made = sales.asked(question)
    assert made["sql"] is None
    assert "median" in made["cannot"]


def test_a_number_of_what_each_row_measures_is_no_number_of_rows(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    dice = random.Random(8)
    genres = names(dice, 3)
    rows = [(n, dice.choice(genres), dice.randint(80, 700)) for n in range(150)]
    frame = pd.DataFrame(rows, columns=["book_id", "genre", "pages"])
    with open_sheet(tmp_path_factory.mktemp("books"), "books", frame) as sheet:
        found = dict(sheet.rows("average number of pages per genre"))
    assert found == pytest.approx(frame.groupby("genre").pages.mean().to_dict())


def test_an_average_of_rows_of_each_group_stays_one_for_each(sales: Sheet) -> None:
    means = sales.frame.groupby("customer").revenue.mean()
    assert dict(sales.rows("average revenue per customer")) == pytest.approx(means.to_dict())
