"""Open goals: what was planted in tables with random names is told, by the planner and methods."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

from flows.analysis.methods.breakdown.findings import read_breakdown
from flows.analysis.methods.breakdown.recipes import breakdown
from flows.analysis.methods.change.findings import read_change
from flows.analysis.methods.change.recipes import change
from flows.analysis.methods.data_quality.findings import read_quality
from flows.analysis.methods.data_quality.recipes import quality
from flows.analysis.methods.findings import Statements
from flows.analysis.methods.recipes import labels_of
from flows.analysis.methods.sheet import Sheet
from flows.analysis.team import planning
from flows.data.catalog import Catalog
from flows.semantics.inference.model import infer_model
from flows.semantics.request import REQUEST, Analysis
from flows.semantics.tables import fields_of
from tests.analysis.business import agents
from tests.analysis.told import cells

SYLLABLES = ["ba", "ko", "ri", "lu", "me", "sa", "to", "ne", "fi", "gu"]


def word(dice: Random) -> str:
    return "".join(dice.choice(SYLLABLES) for _ in range(3))


def said(frame: pd.DataFrame, reader: Any) -> list[str]:
    """The statements of a result that is not kept, so that numbers stand in them."""
    sheet = Sheet("", tuple(frame.columns), ("",) * len(frame.columns), cells(frame), len(frame))
    found = reader(sheet)
    assert isinstance(found, Statements)
    return [each.text for each in sorted(found.found, key=lambda each: -each.weight)]


def one(texts: Sequence[str], *words: str) -> str:
    found = [each for each in texts if all(word in each for word in words)]
    assert len(found) == 1, (words, texts)
    return found[0]


@pytest.fixture(params=[1, 2])
def orders(request: pytest.FixtureRequest) -> tuple[pd.DataFrame, dict[str, str]]:
    """A target that one column moves, one that does not, an amount, and a copy of the target."""
    dice, made = Random(request.param), np.random.default_rng(request.param)
    names = {each: word(dice) for each in ("target", "strong", "idle", "amount", "copy")}
    groups, size = [word(dice).title() for _ in range(4)], 800
    strong = made.choice(groups, size)
    amount = made.normal(10, 3, size)
    target = 50 + 12 * (strong == groups[2]) + amount + made.normal(0, 3, size)
    frame = pd.DataFrame({
        names["target"]: target, names["strong"]: strong,
        names["idle"]: made.choice(["x", "y"], size), names["amount"]: amount,
        names["copy"]: 2 * target + 1,
    })  # fmt: skip
    return frame, {**names, "best": groups[2]}


def test_a_breakdown_tells_what_matters_and_what_does_not(
    orders: tuple[pd.DataFrame, dict[str, str]],
) -> None:
    frame, names = orders
    columns = [names[each] for each in ("idle", "strong", "amount", "copy")]
    found = breakdown(frame, names["target"], columns, "average", "", [], [], "average it")
    texts = said(found, read_breakdown)
    mean = frame[frame[names["strong"]] == names["best"]][names["target"]].mean()
    assert f"{mean:.2f}" in one(texts, names["strong"], names["best"], "explains most")
    r = frame[names["target"]].corr(frame[names["amount"]])
    one(texts, names["amount"], f"correlation {r:.2f}")
    one(texts, names["idle"], "hardly matters")
    one(texts, names["copy"], "left out as a driver")


def test_of_money_beside_money_what_goes_with_it_closely_is_a_part() -> None:
    dice = np.random.default_rng(3)
    cost = dice.gamma(2, 50, 300)
    frame = pd.DataFrame({"takings": cost * 1.4 + dice.normal(0, 8, 300), "cost": cost})
    told = said(breakdown(frame, "takings", ["cost"], "average", "", [], ["cost"], "average it"),
                read_breakdown)  # fmt: skip
    one(told, "cost", "left out as a driver")
    plain = said(breakdown(frame, "takings", ["cost"], "average", "", [], [], "average it"),
                 read_breakdown)  # fmt: skip
    one(plain, "cost", "goes most closely")


def test_a_share_tells_reasons_and_leaves_out_what_follows_from_it() -> None:
    dice = np.random.default_rng(4)
    plan = dice.choice(["small", "large"], 600)
    gone = dice.random(600) < np.where(plan == "small", 0.5, 0.1)
    frame = pd.DataFrame({
        "gone": np.where(gone, "Yes", "No"), "plan": plan,
        "why": pd.Series(dice.choice(["price", "price", "move"], 600)).where(gone),
        "fee": np.where(gone, dice.gamma(2, 5, 600), 0.0), "idle": dice.normal(0, 1, 600),
    })  # fmt: skip
    texts = said(breakdown(frame, "gone", ["plan", "why", "fee", "idle"], "share", "Yes", [], [],
                           "share gone"), read_breakdown)  # fmt: skip
    assert f"{gone.mean():.1%}".replace("%", " %") in texts[0].replace("%", " %").replace("  ", " ")
    one(texts, "plan", "explains most", "small")
    one(texts, "most frequent why", "price")
    one(texts, "fee", "left out as a driver")
    one(texts, "idle", "hardly matters")


def test_nothing_is_made_of_chance() -> None:
    dice = np.random.default_rng(5)
    frame = pd.DataFrame({"it": dice.normal(0, 1, 400), "a": dice.choice(list("pqr"), 400),
                          "b": dice.normal(0, 1, 400)})  # fmt: skip
    texts = said(breakdown(frame, "it", ["a", "b"], "average", "", [], [], "average it"),
                 read_breakdown)  # fmt: skip
    one(texts, "nothing in the data explains it well")
    assert not [each for each in texts if "explains most" in each or "goes most" in each]


def sales(dice: np.random.Generator) -> pd.DataFrame:
    days = pd.date_range("2023-01-01", "2024-12-31", freq="D")
    frame = pd.DataFrame({"day": days, "shop": dice.choice(["A", "B", "C"], len(days))})
    frame["worth"] = 100 + dice.normal(0, 9, len(days))
    frame.loc[(frame["shop"] == "C") & (frame["day"] >= "2024-07-01"), "worth"] -= 50
    return frame


def changed(frame: pd.DataFrame, before: str, after: str, how: str = "sum") -> pd.DataFrame:
    return change(frame, "day", ["worth"], ["shop"], how, before, after, "", "", "", "worth")


def test_a_change_is_split_into_rows_and_averages_and_names_who_is_behind_it() -> None:
    frame = sales(np.random.default_rng(6)).drop(index=range(400, 430))
    found = changed(frame, "2023", "2024")
    total = found.loc[0, "effect"]
    parts = found[found["dimension"] == "rows"]["effect"].sum()
    assert (
        parts
        == pytest.approx(total)
        == pytest.approx(found[found["dimension"] == "shop"]["effect"].sum())
    )
    texts = said(found, read_change)
    assert "fell" in texts[0]
    assert "336" in one(texts, "there were fewer rows")
    one(texts, "a row of shop: C has less", "more than chance")


def test_a_change_between_ranges_of_days_names_those_that_stayed() -> None:
    frame = sales(np.random.default_rng(7))
    texts = said(changed(frame, "2024-01-01..2024-06-30", "2024-07-01..2024-12-31", "mean"),
                 read_change)  # fmt: skip
    text = one(texts, "by shop", "C accounts for most of it")
    assert "the others changed little" in text
    assert "2024-01-01 to 2024-06-30" in texts[0]


def test_one_row_that_turns_a_change_round_is_said() -> None:
    frame = sales(np.random.default_rng(8))
    frame.loc[3, "worth"] = 90_000.0
    frame.loc[frame["day"].dt.year == 2024, "worth"] += 60
    texts = said(changed(frame, "2023", "2024"), read_change)
    assert "fell" in texts[0]
    assert "without it worth rose" in one(texts, "one single row", "90,000")


def test_what_came_is_set_against_what_was_planned() -> None:
    frame = pd.DataFrame({"team": ["A", "B", "C"], "plan": [100, 100, 100], "came": [90, 100, 160]})
    found = change(frame, "", ["came"], ["team"], "sum", "", "", "", "", "plan", "came")
    texts = said(found, read_change)
    assert "came is 350.0 against 300.0 of plan" in texts[0]
    one(texts, "C accounts for most of it", "60.00")


def test_the_faults_of_a_table_are_told() -> None:
    dice = np.random.default_rng(9)
    state = dice.choice(["open", "Closed", "closed "], 200)
    frame = pd.DataFrame({
        "no": range(200), "state": state, "score": dice.integers(1, 6, 200).astype(float),
        "pieces": dice.integers(1, 9, 200),
        "until": pd.Series("2024-01-01", index=range(200)).where(state != "open"),
    })  # fmt: skip
    frame.loc[[4, 9, 30], "score"] = -99
    frame.loc[7, "pieces"] = 5_000
    frame = pd.concat([frame, frame.iloc[50:53]], ignore_index=True)
    texts = said(quality(frame, [], ["no"], "cases"), read_quality)
    assert texts[0].startswith("3 of the 203 rows of cases are duplicates")
    one(texts, "score of cases is -99 in 3 rows")
    one(texts, "state of cases is written in several ways", "3 spellings of 2 values")
    one(texts, "pieces of cases has an outlier: 5000 in one row")
    one(texts, "no until", "state is open")
    clean = pd.DataFrame({"a": range(50), "b": dice.normal(0, 1, 50)})
    assert said(quality(clean, [], ["a"], "t"), read_quality)[0].startswith("no fault was found")


def test_spellings_of_a_group_are_one() -> None:
    found = labels_of(pd.Series(["Low", "low", "Low", " LOW ", "-", None, "High"]))
    assert found.dropna().tolist() == ["Low"] * 4 + ["High"]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Visits of guests in two files, and what was planned for teams."""
    folder, dice = tmp_path_factory.mktemp("open"), np.random.default_rng(10)
    size = 400
    begun = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.sort(dice.integers(0, 8000, size)), "h")
    visits = pd.DataFrame({
        "visit_id": range(size), "guest_id": dice.integers(0, 30, size), "opened_at": begun,
        "resolved_at": begun + pd.to_timedelta(dice.integers(1, 90, size), "h"),
        "kind": dice.choice(["p", "q"], size), "quantity": dice.integers(1, 9, size),
        "unit_price": dice.normal(20, 3, size).round(2), "cancelled": dice.choice(["y", "n"], size),
    })  # fmt: skip
    visits["revenue"] = visits["quantity"] * visits["unit_price"]
    visits.to_csv(folder / "visits.csv", index=False)
    guests = pd.DataFrame({"guest_id": range(30), "segment": dice.choice(["old", "new"], 30)})
    guests.to_csv(folder / "guests.csv", index=False)
    teams = pd.DataFrame({"team": list("abcd"), "planned_hours": [10, 20, 30, 40],
                          "actual_hours": [12, 19, 30, 55]})  # fmt: skip
    teams.to_csv(folder / "teams.csv", index=False)
    return folder


def asked(question: str, place: Path) -> list[Analysis]:
    """The analyses that a goal is broken down into."""
    sources = {each.stem: str(each) for each in sorted(place.glob("*.csv"))}
    with Catalog(sources, place) as catalog:
        model = infer_model(catalog.tables(), catalog.inspection)
        given = {"question": question, "agents": agents(), "most_tasks": 12,
                 "semantic_model": model}  # fmt: skip
        tasks = planning.task_list(given, fields_of(catalog.tables(), model))["tasks"]
    found = [REQUEST.validate_python(each["request"]) for each in tasks if each.get("request")]
    return list(dict.fromkeys(each for each in found if isinstance(each, Analysis)))


@pytest.mark.long("whole analyses over their data")
def test_a_state_is_broken_down_by_columns_of_all_tables(place: Path) -> None:
    first = asked("Why do guests get cancelled?", place)[0]
    assert (first.method, first.text("how"), first.text("yes")) == ("breakdown", "share", "y")
    assert {"kind", "segment"} <= set(first.fields("fields"))


@pytest.mark.long("whole analyses over their data")
def test_a_time_between_two_columns_is_a_figure_whose_change_is_explained(place: Path) -> None:
    first = asked("Why has the resolution time become worse since July?", place)[0]
    assert (first.method, first.text("how")) == ("change", "mean")
    assert first.text("period").startswith("2024-07-01..")
    assert first.text("words") == "resolution time (hours)"


@pytest.mark.long("whole analyses over their data")
def test_where_nothing_is_named_the_worth_of_rows_is_ranked(place: Path) -> None:
    first = asked("Which segment should we focus on?", place)[0]
    assert (first.method, first.text("how")) == ("breakdown", "sum")
    assert first.fields("fields")[:1] == ("segment",)


@pytest.mark.long("whole analyses over their data")
@pytest.mark.parametrize("question", [
    "Is there anything wrong with the visits data?", "Can I trust this data?",
    "Are there problems in the visits table that I should know about?",
    "Check the visits export for errors",
])  # fmt: skip
def test_whether_data_are_sound_is_told_of_each_table(place: Path, question: str) -> None:
    found = asked(question, place)
    assert {each.method for each in found} == {"data_quality"}
    assert len(found) == 3


@pytest.mark.long("whole analyses over their data")
def test_what_was_missed_is_what_came_beside_the_plan(place: Path) -> None:
    first = asked("Where did we miss the plan?", place)[0]
    assert (first.method, first.fields("against")) == ("change", ("planned_hours",))
    assert first.fields("fields") == ("actual_hours",)
