"""Which field of a result is told: by what its function says of it, its unit, and its kind."""

from __future__ import annotations

from typing import Any

import pytest

from tests.analysis.functions.loop import answer_by_rules

HALL = {"hall": "H-12", "sq_m": 340, "seats_max": 412, "air_kw": 75, "opened_for": "2019-04-02"}
SHOWS = [{"show": f"S-{n}", "hall": "H-12", "sold": 10 * n} for n in range(1, 8)]


def hall_record(hall: str) -> dict[str, Any]:
    """A hall: floor area as sq m, seating with seats max, power of the ventilation as air in kW.

    Args:
        hall: code of the hall, e.g. H-11
    """
    return {"H-12": HALL}[hall]


def hire_quote(hours: float, guests: int) -> dict[str, Any]:
    """Price of hiring the house for an evening, in euros.

    Args:
        hours: how many hours
        guests: how many guests
    """
    return {"price": 40 * hours + 3 * guests, "valid_days": 30}


def best_shows(hall: str, limit: int = 3) -> list[dict[str, Any]]:
    """Shows in a hall, those that sold most first.

    Args:
        hall: code of the hall, e.g. H-11
        limit: how many are listed
    """
    return [each for each in SHOWS if each["hall"] == hall][::-1][:limit]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What power does H-12 need?", "75"),  # by the description: `power of the ventilation`
        ("How many kW does H-12 need?", "75"),  # by the unit
        ("When will H-12 be done?", "2019-04-02"),  # by its kind: no other value is a day
    ],
)
def test_a_field_is_known_by_more_than_its_name(question: str, said: str) -> None:
    assert said in answer_by_rules(question, [hall_record]).answer.answer


def test_what_a_function_computes_is_told_by_the_value_that_it_is_for() -> None:
    found = answer_by_rules("hire: 4 hours, 50 guests", [hire_quote])
    assert "310" in found.answer.answer


@pytest.mark.parametrize("question", ["What colour is H-12?", "When was H-12 painted?"])
def test_a_field_that_is_not_there_is_said_to_be_lacking(question: str) -> None:
    answer = answer_by_rules(question, [hall_record]).answer
    assert answer.lacks
    assert not answer.citations


def test_a_list_that_its_limit_cut_is_not_counted() -> None:
    answer = answer_by_rules("How many shows are there in H-12?", [best_shows]).answer
    assert "3" not in answer.answer.split()
