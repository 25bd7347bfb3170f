"""Why a measure has changed: which groups have a part in the difference between two periods."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.cli.inside import inside

# What one shop sold in a month: ferns lose in 2021, most of all in the harbour; mosses gain.
_SOLD = {
    ("harbour", "fern"): (40, 10), ("harbour", "moss"): (10, 14),
    ("station", "fern"): (20, 18), ("station", "moss"): (10, 12),
}  # fmt: skip
_PRICE = {"fern": 5, "moss": 2}


def sold() -> Iterator[tuple[date, str, str, int, int]]:
    for year in (2020, 2021):
        for month in range(1, 13):
            for (shop, plant), pieces in _SOLD.items():
                yield date(year, month, 9), shop, plant, pieces[year - 2020], _PRICE[plant]


def nursery(folder: Path) -> str:
    """Sales with what each came to."""
    lines = [f"{day},{shop},{plant},{pieces * price}" for day, shop, plant, pieces, price in sold()]
    text = "\n".join(["sold_on,shop,plant,turnover", *lines])
    (folder / "nursery.csv").write_text(text + "\n")
    return "nursery.csv"


def baskets(folder: Path) -> str:
    """The same with pieces and the price of one, and not what that comes to."""
    lines = [f"{at},{','.join(map(str, each))}" for at, each in enumerate(sold(), 500)]
    text = "\n".join(["order_id,bought,shop,plant,quantity,unit_price", *lines])
    (folder / "orders.csv").write_text(text + "\n")
    return "orders.csv"


def ask(folder: Path, data: str, question: str) -> dict[str, Any]:
    found: dict[str, Any] = inside("ask", question, "--data", data, "--json", cwd=folder).json()
    return found


def effects(found: dict[str, Any]) -> dict[tuple[str, str], Any]:
    """What each group adds to the change, in the order of the rows."""
    assert found["status"] == "answered", found
    group, of, effect = (found["columns"].index(each) for each in ("group", "dimension", "effect"))
    told = [row for row in found["rows"] if row[of] not in ("rows", "rate")]
    return {(row[of], row[group]): row[effect] for row in told}


def codes(found: dict[str, Any]) -> set[str]:
    return {each["code"] for each in found["warnings"]}


RESPONSIBLE = [
    (nursery, "Why did turnover fall in 2021, and which shop is responsible?", "shop"),
    (baskets, "Which plant is responsible for the decline in 2021?", "plant"),
    (baskets, "Which shop contributed most to the fall in sales from 2020 to 2021?", "shop"),
]


@pytest.mark.long("analyses computed over their data")
@pytest.mark.parametrize(("make", "question", "named"), RESPONSIBLE)
def test_the_group_that_is_responsible_is_named_with_its_part(
    tmp_path: Path, make: Callable[[Path], str], question: str, named: str
) -> None:
    """Also where the turnover is quantity times price, which no column holds."""
    found = ask(tmp_path, make(tmp_path), question)
    parts = {
        "shop": {("shop", "harbour"): -1704, ("shop", "station"): -72},
        "plant": {("plant", "fern"): -1920, ("plant", "moss"): 144},
    }
    assert effects(found) == {("all", "all"): -1776, **parts[named]}
    assert list(effects(found))[1:] == list(parts[named])
    first = {"shop": "harbour", "plant": "fern"}[named]
    assert f"By {named}, {first} has the largest part in it" in found["answer"]
    assert "fell from 4080 in 2020 to 2304 in 2021" in found["answer"]
    assert ("metric" in codes(found)) == (make is baskets)
    assert "no_cause" in codes(found)  # a part of a sum is no cause


@pytest.mark.long("each question in a process of its own")
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Why did turnover fall in January 2021?", "fell from 340 in 2020-12"),
        ("What explains the drop in turnover in Q3 2021 compared with the same quarter last year?",
         "fell from 1020 in 2020-Q3 to 576 in 2021-Q3"),
        ("Why did turnover drop from December 2020 to February 2021?", "2021-02"),
        ("Why did turnover in the harbour change in 2021?", "with shop harbour fell from 2640"),
        ("Why did average turnover decrease in 2021?", "average turnover fell from 85 in 2020 to"),
        ("Why did turnover rise in 2021?", "The turnover did not rise. It fell from 4080"),
        ("Why did turnover grow in March 2021?",
         "The turnover did not rise. It is 192 in 2021-02 as in 2021-03."),
        ("Why did the number of rows change in 2021?", "The number of rows did not change"),
    ],
)  # fmt: skip
def test_what_is_compared_is_what_the_question_says(
    tmp_path: Path, question: str, said: str
) -> None:
    found = ask(tmp_path, nursery(tmp_path), question)
    assert found["status"] == "answered", found
    assert said in found["answer"]


@pytest.mark.long("analyses computed over their data")
@pytest.mark.parametrize("how", ["", "average "])
def test_the_parts_add_up_to_the_change(tmp_path: Path, how: str) -> None:
    """Of an average too, although groups of other sizes have come in."""
    dice = Random(11)
    lines = [
        f"{date(2018, 1, 1) + timedelta(days=at)},{dice.choice('abc' if at < 365 else 'abbd')},"
        f"{dice.choice(['x', 'y', ''])},{dice.randint(1, 90) / 4}"
        for at in range(730)
    ]
    text = "\n".join(["day,kind,side,amount", *lines])
    (tmp_path / "takings.csv").write_text(text + "\n")
    found = ask(tmp_path, "takings.csv", f"Why did {how}amount change in 2019?")
    by_column: dict[str, float] = defaultdict(float)
    for (of, _), effect in effects(found).items():
        by_column[of] += effect
    assert set(by_column) == {"all", "kind", "side"}
    for each in ("kind", "side"):
        assert by_column[each] == pytest.approx(by_column["all"])


@pytest.mark.long("analyses computed over their data")
def test_a_year_that_has_only_begun_is_said(tmp_path: Path) -> None:
    days = [date(2018, 1, 1) + timedelta(days=at) for at in range(480)]
    text = "\n".join(["day,kind,amount", *(f"{day},{'ab'[day.day % 2]},7" for day in days)])
    (tmp_path / "takings.csv").write_text(text + "\n")
    found = ask(tmp_path, "takings.csv", "Why did amount fall in 2019?")
    assert "partial_period" in codes(found)


@pytest.mark.long("whole analyses over their data")
@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("Why did turnover fall in 2020?",
         "nothing to compare 2020 with: sold_on begins at 2020-01-09"),
        ("Why did turnover fall in 2031?", "nothing in 2031: sold_on ends at 2021-12-09"),
        ("Why did turnover fall?", "does not say in which year, quarter or month"),
        ("Why did turnover fall in March?", "does not say of which year"),
        ("Why did turnover fall from 2021 to June 2021?", "no period of the same length"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_declined_with_the_reason(
    tmp_path: Path, question: str, reason: str
) -> None:
    found = ask(tmp_path, nursery(tmp_path), question)
    assert found["status"] == "abstained"
    assert reason in found["answer"]


@pytest.mark.long("analyses computed over their data")
def test_years_may_be_whole_numbers(tmp_path: Path) -> None:
    text = "year,field,yield_total\n2015,low,8\n2015,hill,9\n2016,low,3\n2016,hill,10\n"
    (tmp_path / "harvest.csv").write_text(text)
    found = ask(tmp_path, "harvest.csv", "Why did the yield total drop in 2016?")
    assert effects(found)["field", "low"] == -5
    found = ask(tmp_path, "harvest.csv", "Why did the yield total drop in May 2016?")
    assert "holds whole years, and 2016-05" in found["answer"]


@pytest.mark.long("whole analyses over their data")
def test_other_analyses_compute_what_the_data_have_no_column_for(tmp_path: Path) -> None:
    found = ask(tmp_path, baskets(tmp_path), "outliers in revenue")
    assert found["status"] == "answered"
    assert "metric" in codes(found)


@pytest.mark.long("each question in a process of its own")
@pytest.mark.parametrize(
    ("asked", "before", "after"),
    [("Why did the turnover fall last year?", "2020", "2021"),
     ("Why did the turnover fall this year?", "2020", "2021"),
     ("Why did the turnover change last quarter?", "2021-Q2", "2021-Q3"),
     ("Why did the turnover fall in the last month?", "2021-10", "2021-11")],
)  # fmt: skip
def test_a_period_may_be_counted_from_the_last_day_of_the_data(
    asked: str, before: str, after: str, tmp_path: Path
) -> None:
    file = tmp_path / nursery(tmp_path)
    if asked.endswith("last year?"):  # a day of the year after makes that year the last one
        file.write_text(file.read_text() + "2022-01-03,harbour,fern,1\n")
    found = inside("ask", asked, "--data", "nursery.csv", "--json", cwd=tmp_path)
    assert found.code == 0, found.err + found.out
    code = found.json()["code"]
    assert before in code
    assert after in code
