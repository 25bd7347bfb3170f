"""How much of a question an answer accounts for, and what says that it is another's answer."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

import pytest

from flows.analysis.functions.asking import wanted_of
from flows.analysis.functions.relation import linking_words
from flows.analysis.functions.terms import related, term
from tests.analysis.functions.loop import answer_by_rules

BOATS = {
    "sea-otter": {"boat": "sea-otter", "berths": 6, "draught_metres": 2, "captain_id": 41},
    "grey-heron": {"boat": "grey-heron", "berths": 9, "draught_metres": 3, "captain_id": 44},
}
TRIPS = {
    "TR-301": {"trip": "TR-301", "boat": "sea-otter", "leaves": "2025-06-01", "crew": 3},
    "TR-302": {"trip": "TR-302", "boat": "grey-heron", "leaves": "2025-06-09", "crew": 5},
    "TR-303": {"trip": "TR-303", "boat": "grey-heron", "leaves": "2025-07-09", "crew": 4},
}
FAULTS = [
    {"fault": 611, "boat": "sea-otter", "part": "rudder", "cost": 310.5},
    {"fault": 612, "boat": "sea-otter", "part": "engine", "cost": 95.0},
    {"fault": 613, "boat": "grey-heron", "part": "engine", "cost": 71.25},
]


def boat_data(slug: str) -> dict[str, Any]:
    """A boat: berths, draught, number of the captain.

    Args:
        slug: short name of the boat, e.g. sea-otter
    """
    return BOATS[slug]


def captain_record(captain_id: int) -> dict[str, Any]:
    """A captain: name, year of the licence.

    Args:
        captain_id: number of the captain
    """
    return {"captain_id": captain_id, "name": "Greta Holm", "licensed": 2011}


def trip(code: str) -> dict[str, Any]:
    """A trip: boat, crew, day.

    Args:
        code: code of the trip, e.g. TR-311
    """
    return TRIPS[code]


def trips(codes: list[str]) -> dict[str, Any]:
    """Trips by their codes.

    Args:
        codes: codes of trips, e.g. ["TR-311"]
    """
    return {each: TRIPS[each] for each in codes}


def faults(part: Literal["rudder", "engine"] | None = None) -> list[dict[str, Any]]:
    """Faults of boats, with their cost.

    Args:
        part: what broke
    """
    return [each for each in FAULTS if part in (None, each["part"])]


def sailings(start: date, end: date, kind: Literal["ferry", "freight"]) -> list[dict[str, Any]]:
    """Sailings of a kind in a period.

    Args:
        start: from this day
        end: to this day
        kind: of which kind
    """
    return [{"sailing": f"SL-{n}", "kind": kind, "day": f"2025-05-0{n}"} for n in range(1, 5)]


def mended(boat: str) -> dict[str, Any]:
    """Cost of all faults of a boat.

    Args:
        boat: short name of the boat, e.g. sea-otter
    """
    return {"boat": boat, "cost": 405.5}


def compensation(fare: float, hours_late: int) -> dict[str, Any]:
    """Money for a late arrival, in euros.

    Args:
        fare: what was paid
        hours_late: how late it was
    """
    return {"euros": round(fare * min(hours_late, 5) / 10, 2)}


def busiest_captain(start: date, end: date) -> dict[str, Any]:
    """The captain with most trips in a period.

    Args:
        start: from this day
        end: to this day
    """
    return {"captain_id": 41, "trips": 9}


def captain_takings(captain_id: int) -> dict[str, Any]:
    """Money that a captain earned, in euros.

    Args:
        captain_id: number of the captain
    """
    return {"captain_id": captain_id, "euros": 4410.0}


@pytest.mark.parametrize(
    ("question", "said", "functions"),
    [
        # in what it is given, whatever it is called
        ("How far down does the boat sea-otter go, in metres?", "2", [boat_data]),
        ("How roomy is the boat grey-heron, by berths?", "9", [boat_data]),
        # nothing but what somebody does is unknown, and there is one day
        ("When do the people of TR-302 cast off?", "2025-06-09", [trip]),
        ("date of trip TR-302?", "2025-06-09", [trip]),
        # a word of little weight is what a field is called
        ("What are the numbers of crew coming with TR-301 and TR-302?", "crew: 5", [trips]),
        # the call was given all that the question mentions, one value of a list
        ("How many boats left for freight in May 2025?", "4", [sailings]),
        ("What do you hand back if 250 was spent and we are 3 hours behind?", "75", [compensation]),
        ("Waiting 3 hours with 250 euros spent: what comes back?", "75", [compensation]),
        ("How many metres does the boat sea-otter need to float?", "2", [boat_data]),
        # the words that choose the rows are accounted for
        ("Count sea-otter faults with part engine", "1", [faults]),
        ("What is the total cost of fault 612?", "95", [faults]),
        ("engine faults?", "2: 612; 613", [faults]),
    ],
)
def test_an_answer_is_known_by_its_unit_its_kind_and_by_what_was_given(
    question: str, said: str, functions: Any
) -> None:
    assert said in answer_by_rules(question, functions).answer.answer


@pytest.mark.parametrize(
    "question",
    [
        "When is the birthday of sea-otter?",
        "On which day was TR-302 painted blue?",
        "How many anchors does sea-otter carry, in summer?",
        "What did sea-otter cost to build?",
    ],
)
def test_another_value_of_the_right_record_is_no_answer(question: str) -> None:
    found = answer_by_rules(question, [boat_data, trip, mended])
    assert found.answer.confidence < 40
    assert found.answer.lacks


def test_somebody_is_told_by_name_where_a_record_has_only_a_number() -> None:
    found = answer_by_rules("Who is the captain of sea-otter?", [boat_data, captain_record])
    assert "Greta Holm" in found.answer.answer
    alone = answer_by_rules("Who is the captain of sea-otter?", [boat_data])
    assert "41" in alone.answer.answer
    assert alone.answer.confidence < 80


def test_a_day_of_another_record_on_the_way_is_not_sure() -> None:
    found = answer_by_rules("When is sea-otter on holiday?", [boat_data, captain_record])
    assert found.answer.confidence < 60, found.answer


def test_what_took_no_period_of_the_question_is_not_sure_of_it() -> None:
    question = "How much did we earn in February 2025?"
    found = answer_by_rules(question, [busiest_captain, captain_takings])
    assert found.answer.confidence < 60, found.answer


def test_what_a_question_wants_its_answer_in() -> None:
    assert wanted_of("How loyal is A-1, in stays?").given_as == ("stays",)
    assert wanted_of("Where is A-1, going by the vet's room?").given_as == ("room",)
    assert wanted_of("How many metres is it to A-1?").given_as == ("metres",)
    assert wanted_of("How many were there in May 2024?").given_as == ()
    assert "total" not in wanted_of("Total number of nights?").words


def test_what_is_asked_of_behind_how_is_no_thing_on_the_way() -> None:
    assert "lighthouse" not in linking_words("How far is the lighthouse from sea-otter?")
    assert "publisher" in linking_words("What is the country of the publisher of this book?")


def test_words_that_share_a_long_beginning_are_of_one_family() -> None:
    assert related(term("anaesthesia"), term("anaesthetic"))
    assert not related(term("transformer"), term("transport"))
