"""Questions about two sets of rows, run for real and compared with rows worked out by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from flows.analysis.reading.reader import Reading
from flows.analysis.requests.sql import sql_of
from flows.semantics.inference.model import infer_model
from flows.semantics.query import Combine, FieldRef, Order, Query, Rank
from tests.analysis.potters import (
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


CASES: list[tuple[str, list[Row]]] = [
    ("Show the towns that have both potters older than 40 and potters younger than 30.",
     [("Tarnhill",), ("Oxley",)]),
    ("Which towns have both potters in the Red guild and potters in the Blue guild?",
     [("Mirefold",), ("Oxley",)]),
    ("What are the towns shared by potters from the Red guild and the Green guild?",
     [("Tarnhill",)]),
    ("Show the guilds of potters with a wage above 300 and potters with a wage below 200.", []),
    ("What are the names of potters that have both a kiln with the glaze Ash and a kiln with the "
     "glaze Salt?", potters(1)),
    ("Which potters have kilns with heat above 1200 as well as kilns with heat below 950? "
     "List their names.", potters(1, 7)),
    ("What are the titles of fairs in Spring 2017 or in Autumn 2018?",
     [("Clay Day",), ("Bowl Ball",), ("Wheel Show",)]),
    ("What are the towns with potters in the Red guild but not in the Green guild?",
     [("Mirefold",), ("Oxley",)]),
    ("Show the names of potters with either a wage above 300 or an age below 25.",
     potters(2, 4, 6)),
]  # fmt: skip


@pytest.mark.parametrize(("question", "expected"), CASES, ids=[q for q, _ in CASES])
def test_two_sets(question: str, expected: list[Row], world: World) -> None:
    assert unordered(ask(question, world)) == unordered(expected)


def test_what_no_row_can_meet_is_never_answered_with_confidence(world: World) -> None:
    found = read("How many kilns have a heat above 1200 and a heat below 900?", world.tables)
    assert not isinstance(found, Reading) or found.doubt > 0.5


@pytest.mark.parametrize("operation", ["union", "intersect", "except"])
def test_combined_rows_are_ordered_and_cut_as_asked(
    operation: Literal["union", "intersect", "except"], world: World
) -> None:
    town = FieldRef(dataset="potters", field="town")
    towns = Query(dataset="potters", show=(town,))
    both = towns.model_copy(
        update={
            "combine": (Combine(operation=operation, query=towns),),
            "rank": Rank(by=(Order(by=town, descending=True),), n=2),
        }
    )
    rows = world.rows(sql_of(both, infer_model(world.tables), world.tables))
    assert rows == ([] if operation == "except" else [("Tarnhill",), ("Oxley",)])
