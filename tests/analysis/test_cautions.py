"""What is said beside the result of a query: left out, too few, counted twice, pulled away."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from flows.semantics.request import REQUEST


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Table, ...]]:
    """Boats of which each has several trips; few know their crew, one fare is huge."""
    path = tmp_path_factory.mktemp("harbour") / "harbour.db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, weight REAL, crew)")
        database.execute(
            "CREATE TABLE trip (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boat (id),"
            " port TEXT, fare REAL, day DATE)"
        )
        boats = [(i, f"Boat {i}", 4.0 + i, None if i % 3 else i) for i in range(12)]
        fares = [90000.0 if i == 7 else 10 + i % 5 for i in range(24)]
        days = [f"20{20 + i % 2}-01-{1 + i:02}" for i in range(24)]
        trips = [(i, i % 12, f"Port {i % 9}", fares[i], days[i]) for i in range(24)]
        database.executemany("INSERT INTO boat VALUES (?, ?, ?, ?)", boats)
        database.executemany("INSERT INTO trip VALUES (?, ?, ?, ?, ?)", trips)
    database.close()
    with Catalog({"harbour": str(path)}, path.parent) as catalog:
        yield catalog.tables()


def proposal(question: str, tables: tuple[Table, ...]) -> dict[str, Any]:
    return Analyst(tables, infer_model(tables)).propose(question)


def codes(question: str, tables: tuple[Table, ...]) -> list[str]:
    return [each["code"] for each in proposal(question, tables)["warnings"]]


def test_a_count_of_whole_rows_needs_no_caution(harbour: tuple[Table, ...]) -> None:
    assert codes("How many boats are there?", harbour) == []


def test_missing_values_that_an_average_leaves_out_are_said(harbour: tuple[Table, ...]) -> None:
    made = proposal("What is the average crew of the boats?", harbour)
    said = {each["code"]: each["text"] for each in made["warnings"]}
    assert "8 of 12 values of crew are missing (67%)" in said["missing_data"]


@pytest.mark.long("whole analyses over their data")
def test_groups_of_few_rows_are_said(harbour: tuple[Table, ...]) -> None:
    assert "small_groups" in codes("What is the average fare for each port?", harbour)
    assert "small_groups" not in codes("How many trips are there for each port?", harbour)
    assert "small_groups" not in codes("What is the average fare for each year?", harbour)


def test_an_average_that_one_value_pulls_away_is_said(harbour: tuple[Table, ...]) -> None:
    assert "skewed" in codes("What is the average fare of the trips?", harbour)
    assert "skewed" not in codes("What is the average weight of the boats?", harbour)


def test_a_total_that_a_join_counts_twice_is_said(harbour: tuple[Table, ...]) -> None:
    asked = "What is the total weight of the boats for each port of the trips?"
    assert "fan_out" in codes(asked, harbour)
    assert "fan_out" not in codes("What is the total fare for each boat?", harbour)


def test_the_same_is_said_beside_a_request_that_was_chosen(harbour: tuple[Table, ...]) -> None:
    made = proposal("What is the average crew of the boats?", harbour)
    analyst = Analyst(harbour, infer_model(harbour))
    chosen = analyst.propose_for(REQUEST.validate_python(made["request"]))
    assert chosen["warnings"] == made["warnings"] != []
