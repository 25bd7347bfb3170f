"""Which field of a result is told: by what its function says of it, its unit, and its kind."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.functions.asking import wanted_of
from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.telling import tell
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


NIGHTS = [
    {"booking": "B-7", "guest": "Ada Lund", "nights": 4, "total": 900.0},
    {"booking": "B-9", "guest": "Bo Reed", "nights": 9, "total": 310.0},
    {"booking": "B-3", "guest": "Cy Wolf", "nights": 2, "total": 250.0},
]


def bookings_of_house(house: str) -> list[dict[str, Any]]:
    """All bookings of a house.

    Args:
        house: code of the house, e.g. H-11
    """
    return NIGHTS if house == "H-12" else []


def unpaid_of(booking: str) -> dict[str, Any]:
    """What is unpaid of a booking.

    Args:
        booking: number of the booking, e.g. B-1
    """
    return {"booking": booking, "unpaid": 5000.0}


def test_the_row_of_an_extreme_is_named_by_what_tells_the_rows_apart() -> None:
    answer = answer_by_rules("Which booking of H-12 is the longest?", [bookings_of_house]).answer
    assert "B-9" in answer.answer  # the nights say how long it is, not the highest total


def test_a_sum_over_a_list_is_not_asked_of_each_row_again() -> None:
    functions = [bookings_of_house, unpaid_of]
    found = answer_by_rules("What is the total of the bookings of H-12?", functions)
    assert "1460" in found.answer.answer
    assert [each.name for each in found.calls] == ["bookings_of_house"]


def test_how_often_counts_what_was_chosen_by_all_that_the_question_names() -> None:
    answer = answer_by_rules("How often was H-12 booked by somebody?", [bookings_of_house]).answer
    assert "3" in answer.answer


def test_a_text_is_found_under_any_key() -> None:
    hits = [{"page": "p. 4", "passage": "At Marlow the children loved the old piano most."}]
    question = "What did the children love at Marlow?"
    told = tell(wanted_of(question), CallResult(number=1, name="search", kind="ok", data=hits))
    assert told is not None
    assert "piano" in told.text
    assert told.citations[0].path == "/0/passage"


def takings(house: str) -> dict[str, Any]:
    """Average price of a seat in a house, and how many prices there are.

    Args:
        house: code of the house, e.g. H-11
    """
    return {"house": house, "price": 31.5, "prices": 4}


def film_record(film: str) -> dict[str, Any]:
    """A film: its minutes and its director.

    Args:
        film: title of the film, e.g. Glow
    """
    return {"Amber": {"minutes": 96, "director": "Ada Lund"},
            "Basalt": {"minutes": 121, "director": "Bo Reed"}}[film]  # fmt: skip


def licence_of(film: str) -> str:
    """The licence of a film: its halls, its period of notice.

    Args:
        film: title of the film, e.g. Glow
    """
    return f"{film}: shown in two halls of the house. Period of notice: 6 weeks."


@pytest.mark.parametrize(
    ("question", "function", "said"),
    [
        ("What is the average price of prices in H-12?", takings, ("31.5",)),
        ("How long is Amber, and one of Basalt, in minutes?", film_record, ("96", "121")),
        ("What is the notice of Amber?", licence_of, ("6 weeks",)),
        ("director of the film Amber who won", film_record, ("Ada Lund",)),
    ],
)
def test_what_is_told_is_what_the_question_asks_first(
    question: str, function: Any, said: tuple[str, ...]
) -> None:
    answer = answer_by_rules(question, [function]).answer.answer
    assert all(each in answer for each in said), answer


def test_how_much_money_is_in_several_records_is_their_sum() -> None:
    answer = answer_by_rules("How much money is in the bookings of H-12?", [bookings_of_house])
    assert "1460" in answer.answer.answer


def directed_film(film: str) -> dict[str, Any]:
    """Who made a film.

    Args:
        film: title of the film, e.g. Glow
    """
    return {"film": film, "lead": "Ada Lund", "writer": "Bo Reed"}


@pytest.mark.parametrize(
    ("question", "said"),
    [("Who led the film Amber?", "Ada Lund"), ("Who wrote the film Amber?", "Bo Reed")],
)
def test_a_past_form_names_the_field_of_its_verb(question: str, said: str) -> None:
    assert said in answer_by_rules(question, [directed_film]).answer.answer
