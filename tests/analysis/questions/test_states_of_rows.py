"""What a date or a missing one says of rows, what nobody did, flags, draws and lengths."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pandas as pd
import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.questions.reader import read_questions
from flows.data.catalog import Catalog
from flows.data.query import run_unchecked
from flows.semantics.inference.model import infer_model
from tests.analysis.questions.couriers import Couriers, word


def _frames(dice: random.Random) -> dict[str, pd.DataFrame]:
    days = pd.date_range("2024-01-01", periods=300)
    halls = pd.DataFrame(
        [(f"H{n}", word(dice, 4), dice.choice(["yes", "no", "Y", "N"])) for n in range(1, 31)],
        columns=["hall_code", "hall_name", "heated"],
    )
    loans, outages = [], []
    for n in range(240):
        out = days[dice.randrange(200)]
        due, back = out + pd.Timedelta(days=28), out + pd.Timedelta(days=dice.randint(3, 50))
        hall = f"H{dice.randint(1, 26)}"
        loans.append((5000 + n, hall, out, due, None if dice.random() < 0.15 else back))
        outages.append((n, hall, days[dice.randrange(300)], dice.randint(5, 200)))
    games = [
        (n, days[n], dice.randint(0, 3), dice.randint(0, 3), dice.randint(100, 900))
        for n in range(120)
    ]
    return {
        "halls": halls,
        "loans": pd.DataFrame(loans, columns=["loan_no", "hall_code", "lent_on", "due_date",
                                              "back_date"]),
        "outages": pd.DataFrame(outages, columns=["outage_no", "hall_code", "began", "minutes"]),
        "games": pd.DataFrame(games, columns=["game_no", "played", "goals_home", "goals_away",
                                              "crowd"]),
    }  # fmt: skip


@pytest.fixture(scope="module", params=[1, 2])
def rows(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Couriers]:
    folder = tmp_path_factory.mktemp("halls")
    frames = _frames(random.Random(request.param))
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    with Catalog({name: f"{name}.csv" for name in frames}, folder) as catalog:
        tables = catalog.tables()
        yield Couriers(frames, catalog, Analyst(tables, infer_model(tables)))


@pytest.mark.long("whole analyses over their data")
def test_what_is_still_out_was_not_brought_back(rows: Couriers) -> None:
    expected = rows.frames["loans"]["back_date"].isna().sum()
    assert rows.rows("how many loans are still out?") == [(expected,)]


def test_what_came_back_behind_its_due_date_is_late(rows: Couriers) -> None:
    loans = rows.frames["loans"]
    expected = (pd.to_datetime(loans["back_date"]) > loans["due_date"]).sum()
    assert rows.rows("number of loans returned late") == [(expected,)]


@pytest.mark.parametrize("question", ["halls nobody has ever borrowed",
                                      "halls that never stood still"])  # fmt: skip
def test_what_nobody_did_and_what_never_happened(rows: Couriers, question: str) -> None:
    halls = rows.frames["halls"]
    used = rows.frames["loans" if "borrowed" in question else "outages"]["hall_code"]
    unused = halls[~halls["hall_code"].isin(used)]
    expected = {tuple(sorted(unused[each])) for each in ("hall_name", "hall_code")}
    assert tuple(rows.firsts(question)) in expected


@pytest.mark.parametrize(
    ("question", "holds"),
    [("how many halls are heated?", True), ("how many halls without heated floors", False)],
)
def test_every_way_to_say_yes_counts(rows: Couriers, question: str, holds: bool) -> None:
    yes = rows.frames["halls"]["heated"].isin(["yes", "Y"])
    assert rows.rows(question) == [((yes == holds).sum(),)]


@pytest.mark.parametrize(
    ("question", "sign"),
    [("how many games ended in a draw?", 0), ("how many away wins were there?", -1),
     ("number of home wins", 1)],
)  # fmt: skip
def test_results_compare_the_figures_of_two_sides(rows: Couriers, question: str, sign: int) -> None:
    apart = rows.frames["games"]["goals_home"] - rows.frames["games"]["goals_away"]
    expected = (apart.clip(-1, 1) == sign).sum()
    assert rows.rows(question) == [(expected,)]


@pytest.mark.parametrize(
    "question",
    ["how many outages lasted over an hour?", "how many outages lasted longer than 60 minutes?"],
)
def test_what_lasted_is_compared_by_its_length(rows: Couriers, question: str) -> None:
    expected = (rows.frames["outages"]["minutes"] > 60).sum()
    assert rows.rows(question) == [(expected,)]


def test_a_share_within_a_period_has_the_period_as_its_whole(rows: Couriers) -> None:
    outages = rows.frames["outages"]
    june = outages[outages["began"].dt.month == 6]
    expected = june.groupby("hall_code")["minutes"].sum() / june["minutes"].sum()
    found = rows.rows("how are the outages of June 2024 split by hall code, in percent of minutes?")
    shares = sorted(float(row[-1]) for row in found)
    assert shares == pytest.approx(sorted(expected)) or shares == pytest.approx(
        sorted(100 * expected)
    )


def test_a_later_question_may_ask_how_much_that_was(rows: Couriers) -> None:
    text = "which hall had the most outages and how many is that?"
    asked = read_questions(text, rows.analyst.tables, rows.analyst.model, 0.3)
    assert len(asked) == 2
    made = rows.analyst.propose_phrases(text, asked[1])
    found = run_unchecked(rows.catalog, made["sql"], "duckdb", max_rows=9, timeout=30)
    expected = rows.frames["outages"]["hall_code"].value_counts().max()
    assert [tuple(each) for each in found.rows] == [(expected,)]
