"""Questions that hold a question, run for real and compared with rows worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import mean

import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.parser.exact import words
from flows.analysis.reading.reader import Reading, Unread
from flows.semantics.inference.model import infer_model
from flows.semantics.request import REQUEST
from tests.analysis.potters import (
    FAIRS,
    KILNS,
    POTTERS,
    Row,
    ask,
    potters,
    potters_in_files,
    potters_in_sqlite,
    unordered,
)
from tests.analysis.statements import read
from tests.analysis.worlds import World


@pytest.fixture(scope="module", params=["sqlite", "files"])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    folder: Path = tmp_path_factory.mktemp("potters")
    opened = potters_in_sqlite if request.param == "sqlite" else potters_in_files
    with opened(folder) as made:
        yield made


_WAGE = mean(row[5] for row in POTTERS)
_RED = [row[5] for row in POTTERS if row[3] == "Red"]
_TARNHILL = [row[4] for row in POTTERS if row[2] == "Tarnhill"]

COMPARED: list[tuple[str, list[Row]]] = [
    ("What are the names of potters whose wage is above the average wage?",
     [(r[1],) for r in POTTERS if r[5] > _WAGE]),
    ("Show the name and town of potters with a wage lower than average.",
     [(r[1], r[2]) for r in POTTERS if r[5] < _WAGE]),
    ("List the names of potters who earn more than the average.",
     [(r[1],) for r in POTTERS if r[5] > _WAGE]),
    ("How many potters have a wage higher than the average wage of potters in the Red guild?",
     [(sum(r[5] > mean(_RED) for r in POTTERS),)]),
    ("Which potters are older than every potter from Tarnhill? Give their names.",
     [(r[1],) for r in POTTERS if r[4] > max(_TARNHILL)]),
    ("What are the names of potters that are younger than all potters from Tarnhill?",
     [(r[1],) for r in POTTERS if r[4] < min(_TARNHILL)]),
    ("Find the names of potters whose wage is greater than that of at least one potter in the "
     "Blue guild.", [(r[1],) for r in POTTERS if r[5] > 260.0]),
    ("What are the names of potters older than the youngest potter from Oxley?",
     [(r[1],) for r in POTTERS if r[4] > 22]),
    ("Show the kiln ids with a heat above the average or a heat below the minimum heat of Salt "
     "kilns.", [(r[0],) for r in KILNS if r[3] > mean(k[3] for k in KILNS) or r[3] < 870]),
    ("What is the lowest age for each town with an average wage above the overall average wage?",
     [(t, min(r[4] for r in POTTERS if r[2] == t)) for t in ("Mirefold", "Tarnhill", "Oxley")
      if mean(r[5] for r in POTTERS if r[2] == t) > _WAGE]),
    ("List the titles of fairs that took place before every fair in 2018.",
     [(r[1],) for r in FAIRS if r[3] < 2018]),
]  # fmt: skip

ABSENT: list[tuple[str, list[Row]]] = [
    ("List the names of potters who do not have any kiln.", potters(5, 6)),
    ("How many potters have no stalls?", [(3,)]),
    ("Which potters have never had a kiln with the glaze Ash? Show their names.",
     potters(3, 5, 6, 7)),
    ("What are the names of potters from Mirefold who do not have a kiln with a heat above 1200?",
     potters(2)),
    ("Show the titles of fairs without stalls.", [("Wheel Show",), ("Bowl Ball",)]),
    ("Show all towns that have no potter in the Blue guild.", [("Tarnhill",)]),
    ("Which towns do not have a potter with a wage above 300?", [("Oxley",)]),
    ("List the guilds except those that have a potter older than 50.", [("Red",), ("Green",)]),
    ("Show all glazes for which the heat has never reached 1260.", [("Ash",), ("Salt",)]),
    ("What are the towns with a wage that was always below 300?", [("Oxley",)]),
    ("What are the names of potters who are in the Red guild but have never had a stall?",
     potters(3, 6, 7)),
]  # fmt: skip

FIRST: list[tuple[str, list[Row]]] = [
    ("What are the names of potters with the most common guild?", potters(1, 3, 6, 7)),
    ("How many potters are not in the most common guild?", [(3,)]),
    ("Show the glazes of the kilns of the oldest potter from Mirefold.", [("Ash",)]),
    ("How many towns have more than 2 potters?", [(1,)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "expected"),
    COMPARED + ABSENT + FIRST,
    ids=[q for q, _ in COMPARED + ABSENT + FIRST],
)
def test_a_question_in_a_question(question: str, expected: list[Row], world: World) -> None:
    assert unordered(ask(question, world)) == unordered(expected)


def test_a_part_that_is_not_understood_is_not_guessed(world: World) -> None:
    found = read("What are the names of potters whose wage is above the average zeal?",
                 world.tables)  # fmt: skip
    assert isinstance(found, Unread), found.query


def test_a_question_in_a_question_is_said_again_in_words(world: World) -> None:
    model = infer_model(world.tables)
    analyst = Analyst(world.tables, model)
    question = "Show the names of potters whose wage is above the average wage."
    found = analyst.propose(question)
    said = words(REQUEST.validate_python(found["request"]), model)
    assert "more than" in said
    again = analyst.propose(said)
    assert unordered(world.rows(again["sql"])) == unordered(world.rows(found["sql"]))


def test_the_explanation_shows_the_part_that_was_compared(world: World) -> None:
    found = read("Which potters are older than every potter from Tarnhill?", world.tables)
    assert isinstance(found, Reading)
    assert "compared with" in found.explanation
    assert "Tarnhill" in found.explanation
