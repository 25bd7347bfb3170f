"""What one thing has of another: counts, the most, at least so many, averages of what it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from flows.semantics.query import FieldRef
from tests.analysis.fleet import (
    CAPTAINS,
    HARBORS,
    LICENCES,
    VESSELS,
    VOYAGES,
    Fleet,
    Row,
    open_fleet,
)

OWNED = Counter(captain for *_, captain in VESSELS)
MADE = Counter(vessel for _, vessel, *_ in VOYAGES)
HELD = Counter(captain for captain, _ in LICENCES)
GIVEN = Counter(harbor for _, harbor in LICENCES)
ENDED = Counter(v[3] for v in VOYAGES)
CARRIED = {key: [v[5] for v in VOYAGES if v[1] == key] for key in MADE}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    with open_fleet(tmp_path_factory.mktemp("fleet")) as opened:
        yield opened


def titles(keys: list[int]) -> list[Row]:
    return [(each[1],) for each in VESSELS if each[0] in keys]


ROWS: dict[str, list[Row]] = {
    "How many vessels does each captain have?": [
        (first, last, OWNED[key]) for key, first, last, _ in CAPTAINS if OWNED[key]
    ],
    "Show the title of each vessel and the number of voyages it made.": [
        (title, MADE[key]) for key, title, _, _ in VESSELS if MADE[key]
    ],
    # two captains of one name are two
    "For each captain, show the last name and the number of licences.": [
        (last, HELD[key]) for key, _, last, _ in CAPTAINS if HELD[key]
    ],
    "How many licences does each harbor have?": [
        (name, GIVEN[key]) for key, name, _, _ in HARBORS if GIVEN[key]
    ],
    "List the names of harbors and the number of voyages that ended there.": [
        (name, ENDED[key]) for key, name, _, _ in HARBORS if ENDED[key]
    ],
    "Which captain has the most vessels?": [("Ada", "Brandt")],
    "Which harbor has the fewest licences?": [("Pell Bay",)],
    "What are the first names of the captains who have at least two vessels?": [
        (first,) for key, first, _, _ in CAPTAINS if OWNED[key] >= 2
    ],
    "What are the last names of captains with more than one licence?": [
        (last,) for key, _, last, _ in CAPTAINS if HELD[key] > 1
    ],
    "Show the titles of vessels that made 3 or more voyages.": titles(
        [key for key in MADE if MADE[key] >= 3]
    ),
    "What is the title of the vessel with the highest average weight of voyages?": titles(
        [max(CARRIED, key=lambda key: sum(CARRIED[key]) / len(CARRIED[key]))]
    ),
    "Show the titles of vessels with an average weight above 500.": titles(
        [key for key, found in CARRIED.items() if sum(found) / len(found) > 500]
    ),
    "What is the total weight carried by each vessel?": [
        (title, sum(CARRIED[key])) for key, title, _, _ in VESSELS if key in CARRIED
    ],
    "Which vessels have no voyages?": titles([v[0] for v in VESSELS if v[0] not in MADE]),
    "Which captains do not have any vessel?": [
        (first, last) for key, first, last, _ in CAPTAINS if not OWNED[key]
    ],
}


@pytest.mark.parametrize("question", ROWS)
def test_rows(fleet: Fleet, question: str) -> None:
    assert sorted(fleet.rows(question)) == sorted(ROWS[question])


def test_groups_of_rows_are_told_apart_by_their_key(fleet: Fleet) -> None:
    asked = "For each captain, show the last name and the number of licences."
    key = FieldRef(dataset="captain", field="captain_id")
    assert fleet.reading(asked).query.identity == (key,)


def test_counting_rows_in_groups_of_one_row_is_doubted(fleet: Fleet) -> None:
    sensible = fleet.reading("How many vessels does each captain have?")
    senseless = fleet.reading("For each vessel id, how many vessels are there?")
    assert senseless.doubt > sensible.doubt + 0.2
