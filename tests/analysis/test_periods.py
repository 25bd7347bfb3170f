"""Periods of the calendar in questions, over tables of random names, against a count in Python."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.semantics.model import Calendar
from flows.semantics.models import SemanticModels
from flows.semantics.tables import meant

LAST = date(2024, 6, 15)
NOUNS = ("parcel", "voucher", "ticket", "visit", "shipment", "lease")
MEASURES = ("worth", "mileage", "tonnage", "outlay")
DATES = ("closed_on", "sealed", "stamp_date", "booked_at")
Test = Callable[[date], bool]


@dataclass(frozen=True)
class Ledger:
    """A table of one day and one amount a row, under random names."""

    noun: str
    measure: str
    when: str
    rows: tuple[tuple[date, int], ...]
    catalog: Catalog

    def ask(self, question: str, **calendar: Any) -> dict[str, Any]:
        """The proposal for a question in which `{rows}` and `{amount}` are the names."""
        model = SemanticModels(self.catalog).model()
        model = model.model_copy(update={"calendar": Calendar(**calendar)})
        tables = meant(self.catalog.tables(), model)
        said = question.format(rows=f"{self.noun}s", amount=self.measure, when=self.when)
        return Analyst(tables, model, answer_above=0.4, ask_above=0.2).propose(said)

    def cell(self, question: str, **calendar: Any) -> Any:
        made = self.ask(question, **calendar)
        assert made["sql"], (question, made["cannot"], made["clarify"])
        [row] = run_query(self.catalog, made["sql"], max_rows=100, timeout=30).rows
        return row[0]


@pytest.fixture(params=range(3))
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Ledger:
    chance = Random(request.param)
    noun, measure, when = (chance.choice(each) for each in (NOUNS, MEASURES, DATES))
    days = [LAST - timedelta(days=chance.randint(1, 900)) for _ in range(150)] + [LAST]
    rows = tuple((day, chance.randint(1, 500)) for day in days)
    lines = [f"{noun}_id,{when},{measure}"]
    lines += [f"{100 + n},{day},{amount}" for n, (day, amount) in enumerate(rows)]
    (tmp_path / f"{noun}s.csv").write_text("\n".join(lines) + "\n")
    return Ledger(noun, measure, when, rows, Catalog({f"{noun}s": f"{noun}s.csv"}, tmp_path))


def within(first: str, behind: str) -> Test:
    return lambda day: date.fromisoformat(first) <= day < date.fromisoformat(behind)


PHRASES: list[tuple[str, Test]] = [
    ("in March 2024", within("2024-03-01", "2024-04-01")),
    ("in Q2 2023", within("2023-04-01", "2023-07-01")),
    ("in the second quarter of 2023", within("2023-04-01", "2023-07-01")),
    ("last year", within("2023-01-01", "2024-01-01")),
    ("in the last year", within("2023-01-01", "2024-01-01")),
    ("this year", within("2024-01-01", "2025-01-01")),
    ("last quarter", within("2024-01-01", "2024-04-01")),
    ("in the last 3 months", within("2024-03-01", "2024-06-01")),
    ("in the past two weeks", within("2024-06-02", "2024-06-16")),
    ("in the last 90 days", within("2024-03-18", "2024-06-16")),
    ("year to date", within("2024-01-01", "2024-06-16")),
    ("quarter to date", within("2024-04-01", "2024-06-16")),
    ("since May 2024", within("2024-05-01", "2030-01-01")),
    ("since September", within("2023-09-01", "2030-01-01")),
    ("since last month", within("2024-05-01", "2024-06-16")),
    ("before March 2023", within("1900-01-01", "2023-03-01")),
    ("after Q1 2024", within("2024-04-01", "2030-01-01")),
    ("until February 2023", within("1900-01-01", "2023-03-01")),
    ("between January and March 2024", within("2024-01-01", "2024-04-01")),
    ("from November 2023 to February 2024", within("2023-11-01", "2024-03-01")),
    ("on weekends", lambda day: day.weekday() >= 5),
    ("on weekdays", lambda day: day.weekday() < 5),
    ("on Tuesdays", lambda day: day.weekday() == 1),
]


@pytest.mark.long("each way to say a period, over a set of data of its own")
@pytest.mark.parametrize(("phrase", "test"), PHRASES, ids=[each for each, _ in PHRASES])
def test_a_period_takes_its_rows(phrase: str, test: Test, ledger: Ledger) -> None:
    amounts = [amount for day, amount in ledger.rows if test(day)]
    assert ledger.cell(f"How many {{rows}} were there {phrase}?") == len(amounts)
    assert ledger.cell(f"What is the total {{amount}} {phrase}?") == (sum(amounts) or None)


@pytest.mark.long("whole analyses over their data")
def test_a_year_and_a_quarter_of_the_fiscal_calendar(ledger: Ledger) -> None:
    by_year = [day for day, _ in ledger.rows if within("2023-07-01", "2024-07-01")(day)]
    last = [day for day, _ in ledger.rows if within("2022-07-01", "2023-07-01")(day)]
    quarter = [day for day, _ in ledger.rows if within("2024-02-01", "2024-05-01")(day)]
    for phrase in ("in fiscal year 2024", "in FY2024", "in FY 2024", "this fiscal year"):
        assert ledger.cell(f"How many {{rows}} {phrase}?", fiscal_start=7) == len(by_year), phrase
    assert ledger.cell("How many {rows} last fiscal year?", fiscal_start=7) == len(last)
    assert ledger.cell("How many {rows} last fiscal quarter?", fiscal_start=2) == len(quarter)
    assert ledger.cell("How many {rows} in FY2023?") == ledger.cell("How many {rows} in 2023?")


@pytest.mark.long("whole analyses over their data")
def test_a_week_begins_on_the_day_that_the_calendar_says(ledger: Ledger) -> None:
    """The last day is a Saturday: the last of a week from Sunday, and not of one from Monday."""
    first, after = date(2024, 6, 9), date(2024, 6, 16)
    sundays = [day for day, _ in ledger.rows if first <= day < after]
    mondays = [day for day, _ in ledger.rows if date(2024, 6, 10) <= day]
    asked = "How many {rows} were there this week?"
    assert ledger.cell(asked, week_start="sunday") == len(sundays)
    assert ledger.cell(asked) == len(mondays)
    made = ledger.ask("total {amount} by week", week_start="sunday")
    rows = run_query(ledger.catalog, made["sql"], max_rows=1000, timeout=30).rows
    wanted: dict[str, int] = {}
    for day, amount in ledger.rows:
        week = str(day - timedelta(days=day.isoweekday() % 7))
        wanted[week] = wanted.get(week, 0) + amount
    assert {str(week)[:10]: amount for week, amount in rows} == wanted


def test_figures_by_fiscal_year(ledger: Ledger) -> None:
    made = ledger.ask("total {amount} by fiscal year", fiscal_start=4)
    rows = run_query(ledger.catalog, made["sql"], max_rows=100, timeout=30).rows
    wanted: dict[int, int] = {}
    for day, amount in ledger.rows:
        year = day.year + (day.month >= 4)
        wanted[year] = wanted.get(year, 0) + amount
    assert {int(str(year)): amount for year, amount in rows} == wanted


def test_today_is_what_the_calendar_says_and_is_told(ledger: Ledger) -> None:
    asked = "How many {rows} last year?"
    years = [day.year for day, _ in ledger.rows]
    assert ledger.cell(asked) == years.count(2023)
    assert ledger.cell(asked, today=date(2023, 5, 1)) == years.count(2022)
    assert ledger.cell(asked, today="clock") == years.count(date.today().year - 1)
    told = ledger.ask(asked)["warnings"]
    assert [each["text"] for each in told if each["code"] == "today"] == [
        "Today is taken to be 2024-06-15, the last date in the data."
    ]


def test_an_end_of_an_order_is_no_period(ledger: Ledger) -> None:
    made = ledger.ask("What is the last day of {when}?")
    assert "BETWEEN" not in (made["sql"] or "")


def test_a_statistic_is_of_the_rows_of_a_period(ledger: Ledger) -> None:
    made = ledger.ask("Give me summary statistics of {amount} in the last 3 months")
    assert ">= pd.Timestamp('2024-03-01')" in made["code"]
    assert "< pd.Timestamp('2024-06-01')" in made["code"]


TWO = "ref,opened,closed,fee\n" + "".join(
    f"{n},2024-0{1 + n % 3}-1{n % 9},2024-0{4 + n % 3}-0{1 + n % 9},{n * 3}\n" for n in range(40)
)


@pytest.mark.long("whole analyses over their data")
def test_of_several_times_the_one_that_is_named_or_a_question_back(tmp_path: Path) -> None:
    (tmp_path / "cases.csv").write_text(TWO)
    catalog = Catalog({"cases": "cases.csv"}, tmp_path)
    model = SemanticModels(catalog).model()
    tables = meant(catalog.tables(), model)
    analyst = Analyst(tables, model, answer_above=0.4, ask_above=0.2)
    named = analyst.propose("How many cases were closed in April 2024?")["sql"]
    assert named is not None
    assert '"closed"' in named
    unnamed = analyst.propose("How many cases in April 2024?")
    main = model.datasets[0].time
    if unnamed["sql"] is not None:
        assert f'"{main}"' in unnamed["sql"]
    else:
        assert unnamed["clarify"] or unnamed["cannot"]
