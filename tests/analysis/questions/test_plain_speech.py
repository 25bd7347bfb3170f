"""Questions of a gym and a bakery as people type them: links, ranges, sides, courses, changes."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import numpy as np
import pandas as pd
import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.language.phrasebook import Phrases
from flows.analysis.parser.exact import words
from flows.analysis.questions import phrases
from flows.analysis.questions.associations import read_association
from flows.analysis.questions.reader import read_question
from flows.analysis.questions.text import Text
from flows.analysis.questions.vocabulary import vocabulary_of
from flows.analysis.requests.sql import sql_of
from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from flows.semantics.model import SemanticModel
from flows.semantics.tables import meant


@dataclass(frozen=True)
class Halls:
    """Members, their visits, and what was sold at the counter on tickets of many lines."""

    catalog: Catalog
    tables: tuple[Table, ...]
    model: SemanticModel
    frames: dict[str, pd.DataFrame]

    def rows(self, question: str) -> list[tuple[object, ...]]:
        reading = read_question(question, self.tables, self.model)
        assert reading is not None, question
        assert reading.confidence > 0.45, (question, reading.query)
        sql = sql_of(reading.query, self.model, self.tables)
        return [
            tuple(row) for row in run_query(self.catalog, sql, max_rows=1000, timeout=60.0).rows
        ]

    def link(self, question: str) -> str:
        found = read_association(question, self.tables, self.model)
        return "" if found is None else words(found, self.model)


def _frames(chance: np.random.Generator) -> dict[str, pd.DataFrame]:
    def days(n: int) -> pd.Series:
        return pd.Series(
            pd.to_datetime("2023-01-01") + pd.to_timedelta(chance.integers(0, 731, n), "D")
        )

    return {
        "members": pd.DataFrame({
            "member_id": range(1, 61), "born": chance.integers(1950, 2006, 60),
            "has_locker": chance.choice(["yes", "no"], 60),
        }),
        "visits": pd.DataFrame({
            "visit_id": range(1, 801), "member_id": chance.integers(1, 61, 800),
            "day": days(800), "minutes": chance.integers(10, 150, 800),
            "hall": chance.choice(["North", "Mill"], 800),
            "calories": chance.integers(50, 900, 800),
        }),
        "tickets": pd.DataFrame({"ticket_no": range(1, 201), "sold_on": days(200)}),
        "lines": pd.DataFrame({
            "ticket_no": chance.integers(1, 201, 600), "item": chance.choice(["Bar", "Tea"], 600),
            "pieces": chance.integers(1, 9, 600), "amount": chance.gamma(3, 3, 600).round(2),
        }),
    }  # fmt: skip


@pytest.fixture(scope="module", params=[5, 23])
def halls(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Halls:
    folder: Path = tmp_path_factory.mktemp("halls")
    frames = _frames(np.random.default_rng(request.param))
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    catalog = Catalog({each: str(folder / f"{each}.csv") for each in frames}, folder, folder / "p")
    model = infer_model(catalog.tables())
    return Halls(catalog, tuple(meant(catalog.tables(), model)), model, frames)


@pytest.mark.parametrize(
    "question",
    [
        "do longer visits burn more calories? corr please",
        "do more minutes go along with more calories?",
        "is there a link between how long a visit lasts and the calories?",
        "are long visits harder, i.e. how do minutes correlate with calories",
    ],
)
def test_two_figures_are_correlated_in_plain_speech(halls: Halls, question: str) -> None:
    assert halls.link(question) == "correlation of minutes and calories over visits"


def test_a_figure_of_the_row_that_is_referred_to_is_correlated(halls: Halls) -> None:
    asked = "do older members stay longer? correlation of born and minutes"
    made = Analyst(halls.tables, halls.model).propose(asked)
    assert made["code"] is not None
    assert ".map(known['born'])" in made["code"]


@pytest.mark.parametrize(
    "question",
    [
        "how many visits were shorter than half an hour, 30-60 min, longer",
        "visits under 30 minutes, 30 to 60, longer. counts please",
    ],
)
def test_the_last_range_is_what_is_above_the_others(halls: Halls, question: str) -> None:
    of = halls.frames["visits"].minutes
    expected = (int((of < 30).sum()), int(of.between(30, 60).sum()), int((of > 60).sum()))
    assert halls.rows(question) == [expected]


def test_what_comes_after_a_first_stretch(halls: Halls) -> None:
    of = halls.frames["visits"].minutes
    found = halls.rows("how many visits ended in the first 45 minutes and how many after?")
    assert found == [(int((of <= 45).sum()), int((of > 45).sum()))]


def test_signs_of_currencies_stand_before_numbers(halls: Halls) -> None:
    of = halls.frames["lines"].amount
    expected = (int((of < 5).sum()), int(of.between(5, 10).sum()), int((of > 10).sum()))
    asked = "break the lines down by size: below €5, €5 to €10, above €10"
    assert halls.rows(asked) == [expected]


def test_parts_happen_when_their_whole_did(halls: Halls) -> None:
    frame = halls.frames["lines"].merge(halls.frames["tickets"], on="ticket_no")
    expected = frame[frame.sold_on.dt.year == 2023].groupby(frame.sold_on.dt.month).size()
    found = halls.rows("number of lines per month in 2023, cumulated over the year")
    assert [row[1] for row in found] == expected.tolist()
    assert [row[2] for row in found] == expected.cumsum().tolist()


def test_a_season_beside_the_rest_of_the_year(halls: Halls) -> None:
    frame = halls.frames["visits"]
    summer = frame.day.dt.month.isin([6, 7, 8])
    found = halls.rows("average calories in summer vs the rest of the year")[0]
    assert found[:2] == (
        pytest.approx(frame[summer].calories.mean()),
        pytest.approx(frame[~summer].calories.mean()),
    )


def test_two_seasons_are_two_sides(halls: Halls) -> None:
    month = halls.frames["visits"].day.dt.month
    found = halls.rows("visits in summer vs winter")[0]
    assert found[:2] == (int(month.isin([6, 7, 8]).sum()), int(month.isin([12, 1, 2]).sum()))


def test_those_with_and_those_without(halls: Halls) -> None:
    frame = halls.frames["visits"].merge(halls.frames["members"], on="member_id")
    means = frame.groupby("has_locker").minutes.mean()
    for asked in (
        "average minutes: members with a locker and members without",
        "average minutes with and without a locker",
    ):
        assert {row[0]: row[1] for row in halls.rows(asked)} == {
            key: pytest.approx(v) for key, v in means.items()
        }


def test_the_period_before_the_only_one_that_is_named(halls: Halls) -> None:
    year = halls.frames["visits"].day.dt.year
    last, first = int((year == 2024).sum()), int((year == 2023).sum())
    found = halls.rows("did we have more visits in 2024 than the year before?")[0]
    assert found == (last, first, last - first)


def test_the_change_to_the_quarter_before(halls: Halls) -> None:
    counts = halls.frames["visits"].day.dt.to_period("Q").value_counts().sort_index()
    found = halls.rows("visits per quarter and the change to the quarter before")
    assert [row[2] for row in found] == counts.diff()[1:].tolist()


def test_an_index_from_a_year(halls: Halls) -> None:
    sums = halls.frames["visits"].groupby(halls.frames["visits"].day.dt.year).calories.sum()
    found = halls.rows("calories index by year, 2023 = 100")
    assert [row[2] for row in found] == pytest.approx((100 * sums / sums.iloc[0]).tolist())


def test_the_median_of_totals_is_not_that_of_rows(halls: Halls) -> None:
    reading = read_question("median quarterly calories of a member", halls.tables, halls.model)
    assert reading is None or reading.confidence < 0.6


def test_words_of_phrases_are_not_misspelt(halls: Halls) -> None:
    vocabulary = vocabulary_of(halls.model, halls.tables)
    found = set()
    for info in iter_modules(phrases.__path__):
        for table in vars(import_module(f"{phrases.__name__}.{info.name}")).values():
            for phrase in table.phrases() if isinstance(table, Phrases) else ():
                found |= {each for each in phrase if each.isalpha()}
    wrong = [each for each in sorted(found) if Text(each, vocabulary).corrected]
    assert wrong == []


def test_a_percent_sign_behind_nothing_asks_for_percent(halls: Halls) -> None:
    year = halls.frames["visits"].day.dt.year
    first, last = int((year == 2023).sum()), int((year == 2024).sum())
    found = halls.rows("visits 2023 to 2024 up or down, % please")[0]
    assert found == (first, last, pytest.approx(100 * (last - first) / first))


def test_a_stretch_of_days_is_no_comparison(halls: Halls) -> None:
    made = Analyst(halls.tables, halls.model).propose(
        "running total of calories over the days of 2024"
    )
    assert "> 2024" not in str(made["sql"] or made["code"])
    assert made["cannot"] is None
