"""What is missing, denied or in a state, rows by key and role, over data of random names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flows.analysis.questions.objections import objections_to
from tests.analysis.questions.brewery import Brewery, open_brewery


@pytest.fixture(scope="module")
def brewery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brewery]:
    with open_brewery(tmp_path_factory.mktemp("brewery"), seed=5) as opened:
        yield opened


@pytest.mark.parametrize(
    "question",
    ["which vats never had a brew?", "vats without brews", "which vats have no brews",
     "which vats are empty?"],
)  # fmt: skip
def test_rows_to_which_none_belong(brewery: Brewery, question: str) -> None:
    vats, used = brewery.frames["vats"], brewery.frames["brews"]["vat_id"]
    unused = vats[~vats["vat_id"].isin(used)]["vat_name"]
    assert sorted(str(row[0]) for row in brewery.rows(question)) == sorted(unused)


def test_rows_to_which_none_belong_are_counted(brewery: Brewery) -> None:
    vats, used = brewery.frames["vats"], brewery.frames["brews"]["vat_id"]
    expected = (~vats["vat_id"].isin(used)).sum()
    assert brewery.rows("how many vats have never been assigned a single brew?") == [(expected,)]


def test_conditions_behind_a_denial_are_of_what_is_denied(brewery: Brewery) -> None:
    vats, brews = brewery.frames["vats"], brewery.frames["brews"]
    with_kveik = brews[brews["yeast"] == "Kveik"]["vat_id"]
    expected = vats[~vats["vat_id"].isin(with_kveik)]["vat_name"]
    found = brewery.rows("which vats have no brews with Kveik?")
    assert sorted(str(row[0]) for row in found) == sorted(expected)


@pytest.mark.parametrize(
    "question",
    ["how many brews have no yeast filled in?", "number of brews without a yeast",
     "for how many brews don't we know the yeast?", "for how many brews is the yeast unknown"],
)  # fmt: skip
def test_values_that_are_missing(brewery: Brewery, question: str) -> None:
    assert brewery.rows(question) == [(brewery.frames["brews"]["yeast"].isna().sum(),)]


@pytest.mark.parametrize(
    ("question", "emptied"),
    [("how many brews are not yet emptied?", False), ("how many brews have been emptied?", True)],
)
def test_what_has_not_happened_has_no_time(brewery: Brewery, question: str, emptied: bool) -> None:
    times = brewery.frames["brews"]["emptied_on"]
    assert brewery.rows(question) == [((times.notna() if emptied else times.isna()).sum(),)]


@pytest.mark.parametrize(
    ("question", "value"),
    [("how many brews spoiled?", "Yes"), ("how many brews have not spoiled?", "No"),
     ("number of unspoiled brews", "No")],
)  # fmt: skip
def test_columns_of_yes_and_no_by_the_root_of_their_name(
    brewery: Brewery, question: str, value: str
) -> None:
    assert brewery.rows(question) == [((brewery.frames["brews"]["spoiled"] == value).sum(),)]


def test_months_in_which_there_were_none(brewery: Brewery) -> None:
    brews = brewery.frames["brews"]
    months = brews["brewed_on"].str[:7]
    upper = brews["vat_id"].map(brewery.frames["vats"].set_index("vat_id")["cellar"]) == "Upper"
    expected = sorted(set(months) - set(months[upper & (brews["yeast"] == "Brett")]))
    found = brewery.rows("in which months of 2023 did Upper not brew any Brett?")
    assert [str(row[0])[:7] for row in found] == expected


def test_rows_that_are_there_twice(brewery: Brewery) -> None:
    assert brewery.rows("how many duplicate brews are in the file?") == [(7,)]


def test_a_row_by_its_key(brewery: Brewery) -> None:
    row = brewery.frames["brews"].iloc[30]
    key = row["brew_id"]
    assert [str(each[0])[:10] for each in brewery.rows(f"when was brew {key} made?")] == [
        row["brewed_on"]
    ]
    people = brewery.frames["brewers"].set_index("brewer_id")
    person = people.loc[row["brewer_id"]]
    assert brewery.rows(f"which brewer has brew {key}") == [
        (person["first_name"], person["last_name"])
    ]


def test_rows_by_what_they_are_to_others(brewery: Brewery) -> None:
    people = brewery.frames["brewers"]
    first, last = people["first_name"], people["last_name"]
    found = brewery.rows(f"who reports to {first[1]} {last[1]}?")
    expected = people[people["manager"] == 2]
    assert sorted(found) == sorted(zip(expected["first_name"], expected["last_name"], strict=True))
    assert brewery.rows(f"who does {first[6]} {last[6]} report to?") == [(first[2], last[2])]


def test_who_does_what_nobody_in_the_data_does(brewery: Brewery) -> None:
    reading = brewery.read("who treats vat 22?")
    assert reading is None or reading.confidence < 0.6
    reading = brewery.read("how many hospitals does Upper have?")
    assert reading is None or reading.confidence < 0.6


@pytest.mark.parametrize(
    ("question", "word"),
    [("how much does a brew cost us?", "cost"), ("what do brewers say about our vats?", "say"),
     ("who owns vat 22?", "owns")],
)  # fmt: skip
def test_what_no_column_can_say_is_named(brewery: Brewery, question: str, word: str) -> None:
    assert objections_to(question, brewery.tables, brewery.model) == (word,)


@pytest.mark.parametrize("question", ["how much do the vats hold?", "who manages the brewers?"])
def test_what_a_column_may_say_is_not_refused(brewery: Brewery, question: str) -> None:
    assert objections_to(question, brewery.tables, brewery.model) == ()
