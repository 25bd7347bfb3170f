"""Several questions in one text: each is answered, and a later one may speak of an earlier."""

from __future__ import annotations

import pytest

from tests.analysis.questions.depots import Depots, Row


def _answers(depots: Depots, text: str) -> list[list[Row]]:
    made = depots.propose(text)
    assert len(made["parts"]) == 2, made["cannot"] or made["sql"]
    assert made["request"]["kind"] == "compound"
    return [depots.run(each["sql"]) for each in made["parts"]]


@pytest.mark.parametrize(
    "text",
    [
        "Which ward makes the most revenue and what is the weakest ware there?",
        "which ward has the highest revenue, and which is the worst ware there?",
    ],
)
def test_there_is_the_group_that_was_found(depots: Depots, text: str) -> None:
    frame = depots.deliveries
    best = frame.groupby("ward").revenue.sum().idxmax()
    least = frame[frame.ward == best].groupby("ware").revenue.sum()
    first, second = _answers(depots, text)
    assert first[0][0] == best
    assert second == [(least.idxmin(), least.min())]


def test_a_figure_of_the_group_that_was_found(depots: Depots) -> None:
    frame = depots.workers
    best = frame.groupby("ward").wage.mean().idxmax()
    text = "which ward of the workers pays best, and what is the average age there?"
    first, second = _answers(depots, text)
    assert first[0][0] == best
    assert second == [(pytest.approx(frame[frame.ward == best].age.mean()),)]


def test_its_are_the_rows_that_were_spoken_of(depots: Depots) -> None:
    frame = depots.deliveries
    own = frame[frame.ward == depots.wards()[2]]
    text = (
        f"How many deliveries did {depots.wards()[2]} take and what was its average satisfaction?"
    )
    made = depots.propose(text)
    assert depots.run(made["sql"]) == [(len(own), pytest.approx(own.satisfaction.mean()))]


def test_questions_that_stand_alone(depots: Depots) -> None:
    sums = depots.deliveries.groupby("ware").revenue.sum()
    text = "How many workers do we have altogether and which ware has the highest revenue?"
    first, second = _answers(depots, text)
    assert first == [(len(depots.workers),)]
    assert second[0][0] == sums.idxmax()


@pytest.mark.parametrize("join", ["", "Also, ", "Then, "])
def test_a_condition_of_one_sentence_is_none_of_another(depots: Depots, join: str) -> None:
    frame, ward = depots.deliveries, depots.wards()[1]
    text = f"What is the total revenue? {join}how many deliveries are there in {ward}?"
    first, second = _answers(depots, text)
    assert first == [(pytest.approx(frame.revenue.sum()),)]
    assert second == [((frame.ward == ward).sum(),)]
