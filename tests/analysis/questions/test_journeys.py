"""Where things go, how late they are, how long they take: codes, roles, states and parts of dates
that no reader has seen before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from tests.analysis.questions.voyages import Row, Voyages, open_voyages


@pytest.fixture(scope="module", params=[5, 23])
def voyages(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Voyages]:
    with open_voyages(tmp_path_factory.mktemp("voyages"), request.param) as opened:
        yield opened


@pytest.mark.long("whole analyses over their data")
def test_codes_of_a_shorter_table_refer_to_its_rows(voyages: Voyages) -> None:
    means = voyages.joined().groupby("ship_name").arr_delay.mean()
    found: dict[Any, Any] = dict(voyages.rows("average arrival delay by ship name"))
    assert found == pytest.approx(means.to_dict())


@pytest.mark.parametrize("question", ["number of voyages from {0} to {1}", "voyages {0} {1}"])
def test_from_and_to_are_two_columns(voyages: Voyages, question: str) -> None:
    first, last = voyages.harbours.code[:2]
    frame = voyages.voyages
    count = ((frame.origin == first) & (frame.dest == last)).sum()
    if "from" in question:
        assert voyages.figure(question.format(first, last)) == count
    else:  # Without a word for it, nothing says which of the two is where it goes to.
        made = voyages.analyst.propose(question.format(first, last))
        assert made["sql"] is None or made["confidence"] < 0.95


def test_names_of_where_it_begins(voyages: Voyages) -> None:
    town, code = voyages.harbours.town[2], voyages.harbours.code[2]
    frame = voyages.voyages
    found = voyages.figure(f"median miles from {town}")
    assert found == frame[frame.origin == code].miles.median()


def test_the_field_of_a_role(voyages: Voyages) -> None:
    sums = voyages.joined().groupby("town").guests.sum()
    assert dict(voyages.rows("total guests per destination town")) == sums.to_dict()


@pytest.mark.parametrize(
    ("question", "column", "low"),
    [
        ("how many voyages left more than 30 minutes late?", "dep_delay", 30),
        ("how many voyages arrived late?", "arr_delay", 0),
        ("number of voyages that were more than 20 minutes late on departure", "dep_delay", 20),
        ("how many voyages arrived more than an hour late?", "arr_delay", 60),
    ],
)
def test_late(voyages: Voyages, question: str, column: str, low: int) -> None:
    assert voyages.figure(question) == (voyages.voyages[column] > low).sum()


def test_early(voyages: Voyages) -> None:
    found = voyages.figure("how many voyages departed early?")
    assert found == (voyages.voyages.dep_delay < 0).sum()


@pytest.mark.parametrize(
    "question", ["how many voyages were cancelled?", "number of cancelled voyages"]
)
def test_what_was_planned_and_did_not_happen(voyages: Voyages, question: str) -> None:
    assert voyages.figure(question) == voyages.voyages.dep_time.isna().sum()


def test_the_share_of_what_did_not_happen(voyages: Voyages) -> None:
    found = voyages.figure("what percentage of voyages were cancelled?")
    assert found == pytest.approx(100 * voyages.voyages.dep_time.isna().mean())


def test_a_month_whose_year_stands_in_another_column(voyages: Voyages) -> None:
    frame = voyages.voyages
    chosen = frame[(frame.year == 2021) & (frame.month == 6)]
    rows = voyages.rows("total guests per origin in June 2021")
    found = {row[-2]: row[-1] for row in rows}
    assert found == chosen.groupby("origin").guests.sum().to_dict()


def test_a_quarter_of_such_a_year(voyages: Voyages) -> None:
    frame = voyages.voyages
    count = ((frame.year == 2022) & frame.month.between(4, 6)).sum()
    assert voyages.figure("how many voyages were there in Q2 2022?") == count


def test_the_worst_delay_is_the_longest(voyages: Voyages) -> None:
    means = voyages.voyages.groupby("ship").arr_delay.mean()
    rows = voyages.rows("which ship has the worst average arrival delay?")
    assert rows[0][0] == means.idxmax()


@pytest.mark.parametrize("question", ["which ships never sailed?", "ships without voyages"])
def test_rows_to_which_none_refers(voyages: Voyages, question: str) -> None:
    frame = voyages.ships
    unused = frame[~frame.ship_code.isin(voyages.voyages.ship)].ship_name
    if "sailed" in question:
        made = voyages.analyst.propose(question)
        assert made["sql"] is None or made["confidence"] < 0.9
    else:
        assert [row[0] for row in voyages.rows(question)] == unused.tolist()


def test_not_used_in_a_year(voyages: Voyages) -> None:
    frame = voyages.repairs
    seen = frame[frame.admitted_at.dt.year == 2022].ship_code
    names = voyages.ships[~voyages.ships.ship_code.isin(seen)].ship_name
    found = voyages.rows("which ships had no repairs in 2022?")
    assert sorted(row[0] for row in found) == sorted(names)


def test_the_length_of_a_stay(voyages: Voyages) -> None:
    frame = voyages.repairs.merge(voyages.ships, on="ship_code")
    days = (pd.to_datetime(frame.discharged_at) - frame.admitted_at) / pd.Timedelta(days=1)
    means = days.groupby(frame.ship_name).mean()
    found = {row[0]: row[-1] for row in voyages.rows("average length of stay per ship in days")}
    assert found == pytest.approx(means.to_dict())


def test_after_another_time(voyages: Voyages) -> None:
    frame = voyages.repairs
    late = pd.to_datetime(frame.discharged_at).dt.normalize() > pd.to_datetime(frame.promised_by)
    found = voyages.figure("how many repairs were discharged after the promised date?")
    assert found == late.sum()


@pytest.mark.parametrize(
    "question", ["how many rush repairs were there in 2021?", "number of rush repairs in 2021"]
)
def test_the_name_of_a_flag(voyages: Voyages, question: str) -> None:
    frame = voyages.repairs
    count = ((frame.rush == "Y") & (frame.admitted_at.dt.year == 2021)).sum()
    assert voyages.figure(question) == count


def test_the_busiest_is_counted_by_what_refers_to_it(voyages: Voyages) -> None:
    counts = voyages.repairs.ship_code.value_counts()
    rows = voyages.rows("which 3 ships had the most repairs?")
    names = voyages.ships.set_index("ship_code").ship_name
    assert sorted(counts[each] for each in _codes_of(rows, names)) == sorted(counts.head(3))


def _codes_of(rows: list[Row], names: pd.Series) -> list[str]:
    codes = {name: code for code, name in names.items()}
    return [str(codes.get(row[0], row[0])) for row in rows]
