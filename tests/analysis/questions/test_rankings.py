"""The first of an order: best paid, slowest, the n best of each group, and what `best` may mean."""

from __future__ import annotations

import pytest

from tests.analysis.questions.depots import Depots


@pytest.mark.parametrize(
    "question",
    [
        "who are the 4 best paid people?",
        "the 4 highest paid workers",
        "which 4 workers earn the most?",
        "4 top-earning workers",
    ],
)
def test_people_by_what_they_earn(depots: Depots, question: str) -> None:
    frame = depots.workers.sort_values("wage", ascending=False)
    assert len(frame.wage.head(5).unique()) == 5  # no ties
    assert [row[0] for row in depots.rows(question)] == frame.worker.head(4).tolist()


@pytest.mark.parametrize(
    "question",
    ["best paid worker in every ward", "who is the highest paid worker in each ward?"],
)
def test_the_first_of_each_group(depots: Depots, question: str) -> None:
    most = depots.workers.groupby("ward").wage.max()
    found = {row[0]: row[-1] for row in depots.rows(question)}
    assert found == most.to_dict()


def test_groups_of_people_pay_an_average(depots: Depots) -> None:
    means = depots.workers.groupby("ward").wage.mean()
    found = depots.rows("which ward of the workers pays best?")
    assert found[0][0] == means.idxmax()
    assert found[0][1] == pytest.approx(means.max())


def test_a_verb_and_a_noun_that_say_the_same(depots: Depots) -> None:
    sums = depots.deliveries.groupby("ward").revenue.sum()
    found = depots.rows("which ward brings in the most money?")
    assert found == [(sums.idxmax(), sums.max())]


@pytest.mark.parametrize(
    "question", ["show me the top ware", "which is our best ware?", "what is the best ware?"]
)
def test_best_of_several_measures_is_asked_back(depots: Depots, question: str) -> None:
    asked = depots.propose(question)["clarify"]
    assert asked is not None
    options = [each["label"] for each in asked["options"]]
    assert 2 <= len(options) <= 4
    assert any("revenue" in each for each in options)
    requests = [each["request"] for each in asked["options"]]
    assert all(each["kind"] == "query" and each["rank"]["n"] == 1 for each in requests)


def test_best_by_a_measure_is_not_asked_back(depots: Depots) -> None:
    sums = depots.deliveries.groupby("ware").crates.sum().sort_values(ascending=False)
    found = depots.rows("top 2 wares by total crates")
    assert [row[0] for row in found] == sums.index[:2].tolist()


def test_a_share_of_the_rows_is_no_number_of_them(depots: Depots) -> None:
    made = depots.propose("what revenue do the top 10% of deliveries start at?")
    assert made["sql"] is None or "LIMIT 10" not in made["sql"]


def test_the_second_of_an_order_is_named(depots: Depots) -> None:
    frame = depots.workers.sort_values("wage", ascending=False)
    found = depots.rows("who has the second highest wage?")
    assert found == [(frame.worker.iloc[1], frame.wage.iloc[1])]


def test_a_number_behind_the_superlative(depots: Depots) -> None:
    frame = depots.workers.sort_values("age", ascending=False)
    found = depots.rows("who are the oldest 3 workers?")
    assert [row[-1] for row in found] == frame.age.head(3).tolist()
