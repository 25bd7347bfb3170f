"""Periods of the calendar in questions: grouped by, chosen, looked for."""

from __future__ import annotations

import calendar
from collections.abc import Iterator

import pandas as pd
import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.questions.reader import read_question
from flows.analysis.telling.answer import answer
from flows.data.query import run_unchecked
from tests.analysis.questions.harvests import Harvests, open_harvests


@pytest.fixture(scope="module", params=[5, 11])
def harvests(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Harvests]:
    with open_harvests(tmp_path_factory.mktemp("harvests"), request.param) as opened:
        yield opened


@pytest.mark.parametrize("question", ["crates per month", "number of crates by month"])
def test_rows_are_counted_by_month(harvests: Harvests, question: str) -> None:
    counts = harvests.crates.groupby(harvests.crates.packed.dt.strftime("%Y-%m")).size()
    found = [(str(month)[:7], count) for month, count in harvests.rows(question)]
    assert found == list(counts.items())


@pytest.mark.parametrize(
    "question",
    ["on which day of the week are the most crates packed?", "busiest day of the week for crates"],
)
def test_the_weekday_with_the_most_rows(harvests: Harvests, question: str) -> None:
    best = harvests.crates.packed.dt.day_name().value_counts().idxmax()
    assert harvests.rows(question)[0][0] == best


def test_periods_are_called_by_their_names_in_the_order_of_the_calendar(
    harvests: Harvests,
) -> None:
    packed = harvests.crates.packed
    quarters = packed.dt.to_period("Q").astype(str).str.replace("Q", "-Q")
    asked = {
        "how many crates are packed on each weekday?": list(calendar.day_name),
        "number of crates by quarter": sorted(set(quarters)),
        "number of crates by month of the year": list(calendar.month_name)[1:],
    }
    for question, names in asked.items():
        assert [each[0] for each in harvests.rows(question)] == names


@pytest.mark.parametrize(
    ("question", "months"),
    [
        ("total weight in the first half of 2023", range(1, 7)),
        ("total weight in H2 2023", range(7, 13)),
        ("total weight in Q2 and Q3 of 2023", range(4, 10)),
    ],
)
def test_halves_and_lists_of_quarters(harvests: Harvests, question: str, months: range) -> None:
    year = harvests.in_year(2023)
    assert harvests.numbers(question) == [year[year.packed.dt.month.isin(months)].weight.sum()]


@pytest.mark.parametrize(
    "question",
    ["total weight in the last year we have data for", "total weight of the most recent year"],
)
def test_the_last_year_of_the_data(harvests: Harvests, question: str) -> None:
    assert harvests.numbers(question) == [harvests.in_year(2024).weight.sum()]


def test_since_the_start_of_a_year(harvests: Harvests) -> None:
    late = harvests.crates[harvests.crates.packed >= "2023-01-01"]
    asked = "how many crates were there in each quarter since the start of 2023?"
    assert [each[1] for each in harvests.rows(asked)] == list(
        late.groupby(late.packed.dt.to_period("Q")).size()
    )


@pytest.mark.parametrize(
    "question",
    [
        "how many crates of {} were packed in May?",
        "how many crates of {} did we pack in may?",
        "how many crates of {} in May",
        "May crates of {}, how many?",
    ],
)
def test_may_is_a_month_and_is_never_left_out(harvests: Harvests, question: str) -> None:
    grove = harvests.groves()[0]
    crates = harvests.crates
    wanted = ((crates.grove == grove) & (crates.packed.dt.month == 5)).sum()
    assert harvests.numbers(question.format(grove)) == [wanted]


def test_a_bare_measure_is_one_figure_and_a_bare_noun_per_period_is_counted(
    harvests: Harvests,
) -> None:
    analyst = Analyst(harvests.catalog.tables(), harvests.model, 0.4, 0.2)
    late = harvests.crates[harvests.crates.packed.dt.to_period("Q") == "2024Q1"]
    years = harvests.crates.packed.dt.year.value_counts().to_dict()
    wanted = {
        "weight in Q1 2024": [(late.weight.sum(),)],
        "crates per year": sorted(years.items()),
    }
    for question, rows in wanted.items():
        sql = analyst.propose(question)["sql"]
        found = run_unchecked(harvests.catalog, sql, "duckdb", max_rows=50, timeout=30)
        assert [tuple(each) for each in found.rows] == rows, question


def test_nothing_falls_from_monday_to_sunday(harvests: Harvests) -> None:
    question = "how many crates are packed on each weekday?"
    read = read_question(question, harvests.catalog.tables(), harvests.model)
    assert read is not None
    rows = harvests.rows(question)
    told = answer(read.query, harvests.model, ["packed_weekday", "count"], rows)
    assert f"Monday: {rows[0][1]}; Tuesday: {rows[1][1]}" in told


def test_weekends_stand_beside_weekdays(harvests: Harvests) -> None:
    weekend = harvests.crates.packed.dt.day_of_week >= 5
    asked = "how many crates do we pack at weekends compared with weekdays?"
    assert harvests.numbers(asked)[:2] == [weekend.sum(), (~weekend).sum()]


def test_a_verb_says_which_time_is_meant(harvests: Harvests) -> None:
    gone = harvests.crates.dropna(subset="cancelled_on")
    months = pd.to_datetime(gone.cancelled_on).dt.strftime("%Y-%m").value_counts()
    found = harvests.rows("how many cancellations were there in each month?")
    assert {str(month)[:7]: count for month, count in found} == months.to_dict()
    (count,) = harvests.numbers("how many active crates are there?")
    assert count == harvests.crates.cancelled_on.isna().sum()


@pytest.mark.parametrize(
    "question",
    [
        "average number of crates per month",
        "what is the average monthly number of crates?",
        "monthly average number of crates",
        "how many crates per month do we pack on average?",
    ],
)
def test_the_rows_of_a_usual_month(harvests: Harvests, question: str) -> None:
    months = harvests.crates.packed.dt.to_period("M")
    assert harvests.numbers(question) == pytest.approx([months.value_counts().mean()])


def test_the_sum_of_a_usual_month(harvests: Harvests) -> None:
    year = harvests.in_year(2023)
    sums = year.groupby(year.packed.dt.month).weight.sum()
    asked = "what was the average monthly weight in 2023?"
    assert harvests.numbers(asked) == pytest.approx([sums.mean()])


@pytest.mark.parametrize(
    "question",
    [
        "which month of the year is usually our strongest in weight?",
        "which month of the year has the highest weight?",
    ],
)
def test_the_period_that_is_asked_for_is_the_first_by_its_sum(
    harvests: Harvests, question: str
) -> None:
    sums = harvests.crates.groupby(harvests.crates.packed.dt.month_name()).weight.sum()
    assert harvests.rows(question) == [(sums.idxmax(), sums.max())]


@pytest.mark.parametrize("days", [20, 45])
def test_a_share_is_one_of_the_whole_class(harvests: Harvests, days: int) -> None:
    first, second, *_ = harvests.groves()
    crates = harvests.crates[harvests.crates.grove.isin([first, second])]
    quick = (pd.to_datetime(crates.cancelled_on) - crates.packed).dt.days <= days
    asked = f"what share of {first} and {second} crates was cancelled within {days} days?"
    assert harvests.numbers(asked) == pytest.approx([100 * quick.mean()])


def test_a_text_of_quarters_is_a_time(harvests: Harvests) -> None:
    sums = harvests.ledger.groupby("Quarter").Outlay.sum()
    assert harvests.rows("total outlay by quarter") == list(sums.items())
