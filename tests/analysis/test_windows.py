"""Ranks, running totals, changes, shares and differences, compared with sums done in Python."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.methods.answer import Result, narrate
from flows.semantics.inference.model import infer_model
from flows.semantics.request import REQUEST
from tests.analysis.potters import (
    FAIRS,
    KILNS,
    POTTERS,
    STALLS,
    Row,
    ask,
    potters_in_files,
    potters_in_sqlite,
)
from tests.analysis.worlds import World


@pytest.fixture(scope="module", params=["sqlite", "files"])
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    folder: Path = tmp_path_factory.mktemp("potters")
    opened = potters_in_sqlite if request.param == "sqlite" else potters_in_files
    with opened(folder) as made:
        yield made


def _shares(key: int, value: int | None) -> list[Row]:
    worth = [1.0 if value is None else row[value] for row in POTTERS]
    found = []
    for name in sorted({row[key] for row in POTTERS}):
        own = sum(w for row, w in zip(POTTERS, worth, strict=True) if row[key] == name)
        found.append((name, own, 100 * own / sum(worth)))
    return found


def _running() -> list[Row]:
    found, total = [], 0.0
    for row in sorted(POTTERS, key=lambda each: each[4]):
        total += row[5]
        found.append((row[4], row[5], total))
    return found


def _fees() -> dict[int, int]:
    years = {row[0]: row[3] for row in FAIRS}
    return {y: sum(s[3] for s in STALLS if years[s[1]] == y) for y in (2017, 2018)}


def _ranked() -> list[Row]:
    ordered = sorted(POTTERS, key=lambda row: -row[5])
    return [(row[1], row[5], place) for place, row in enumerate(ordered, 1)]


def _wage(key: int, name: str) -> float:
    return float(mean(row[5] for row in POTTERS if row[key] == name))


CASES: list[tuple[str, list[Row]]] = [
    ("What percentage of the total wage does each town have?", _shares(2, 5)),
    ("What share of all potters is in each guild?", _shares(3, None)),
    ("What is the running total of wage by age?", _running()),
    ("Show the cumulative number of fairs by year", [(2017, 4, 4), (2018, 2, 6)]),
    ("What is the year over year growth of the total fee?",
     [(2017, _fees()[2017], None),
      (2018, _fees()[2018], 100 * (_fees()[2018] / _fees()[2017] - 1))]),
    ("Show the change in the number of fairs from the previous year",
     [(2017, 4, None), (2018, 2, -2)]),
    ("What is the rank of each potter by wage?", _ranked()),
    ("Show the rank of each town by average wage.",
     [("Mirefold", _wage(2, "Mirefold"), 1), ("Tarnhill", _wage(2, "Tarnhill"), 2),
      ("Oxley", _wage(2, "Oxley"), 3)]),
    ("What is the difference between the highest and the lowest heat?",
     [(max(k[3] for k in KILNS) - min(k[3] for k in KILNS),)]),
    ("What is the difference between the average wage of potters in the Red guild and the Blue "
     "guild?", [(_wage(3, "Red") - _wage(3, "Blue"),)]),
]  # fmt: skip


def _close(rows: list[Row]) -> list[tuple[Any, ...]]:
    return [
        tuple(pytest.approx(cell) if isinstance(cell, float) else cell for cell in row)
        for row in rows
    ]


@pytest.mark.parametrize(("question", "expected"), CASES, ids=[q for q, _ in CASES])
def test_a_column_from_the_rows_of_the_result(
    question: str, expected: list[Row], world: World
) -> None:
    assert ask(question, world) == _close(expected)


def test_a_difference_is_told_as_one(world: World) -> None:
    question = "What is the difference between the maximum and the minimum age?"
    model = infer_model(world.tables)
    made = Analyst(world.tables, model).propose(question)
    columns, rows = world.run(made["sql"])
    result = Result(tuple(columns), tuple(map(tuple, rows)), len(rows), None)
    query = REQUEST.validate_python(made["request"])
    assert narrate(query, model, world.tables, result) == "The maximum age minus minimum age is 40."


def test_a_share_without_groups_is_no_share_of_the_total(world: World) -> None:
    [(percent,)] = ask("What share of potters are from Oxley?", world)
    assert percent == pytest.approx(100 * 2 / 7)
