from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from flows.analysis.methods.answer import Result, narrate
from flows.analysis.reading.reader import Reading
from flows.analysis.requests.sql import sql_of
from flows.analysis.telling.answer import listing
from flows.data.answers.cell_formats import number
from flows.data.answers.citations import NamedResult
from flows.data.answers.rendering import render
from flows.semantics.inference.model import infer_model
from flows.semantics.kinds import with_evidence
from flows.semantics.query import Query
from tests.analysis.statements import read
from tests.analysis.worlds import World


def query_for(question: str, world: World) -> Query:
    reading = read(question, world.tables)
    assert isinstance(reading, Reading), reading
    return reading.query


def ran(query: Query, world: World) -> tuple[list[str], list[Any]]:
    """The columns and rows of a query, with what its first rows came first by."""
    model = infer_model(world.tables)
    columns, rows = world.run(sql_of(with_evidence(query, model), model, world.tables))
    return columns, rows


def told(
    query: Query, world: World, columns: Sequence[str], rows: Sequence[Any], **said: Any
) -> str:
    result = Result(
        tuple(columns), tuple(map(tuple, rows)), **{"total": len(rows), "name": None, **said}
    )
    return narrate(query, infer_model(world.tables), world.tables, result)


def answered(question: str, world: World) -> str:
    query = query_for(question, world)
    return told(query, world, *ran(query, world))


def test_a_winner_is_named_with_its_value(zorbs: World) -> None:
    text = answered("Which zorb had the highest quill mass in 2001?", zorbs)
    best = max((z for z in zorbs.zorbs if z.year == 2001), key=lambda z: z.mass)
    assert best.name in text
    assert number(best.mass) in text
    assert "2001" in text


def test_a_trend_says_first_last_difference_and_percent(zorbs: World) -> None:
    text = answered("How did the quill mass of Orla change since 2002?", zorbs)
    series = {z.year: z.mass for z in zorbs.zorbs if z.name == "Orla" and z.year >= 2002}
    difference = series[2006] - series[2002]
    assert f"from {number(series[2002])} in 2002 to {number(series[2006])} in 2006" in text
    assert number(difference) in text
    assert f"{100 * difference / series[2002]:+.1f} %" in text
    assert ("rose" if difference > 0 else "fell") in text


def test_each_group_gets_its_value(zorbs: World) -> None:
    text = answered("total hatch count per habitat", zorbs)
    for habitat in ("Marsh", "Dune", "Upper Fen"):
        total = sum(z.hatched for z in zorbs.zorbs if z.habitat == habitat)
        assert f"{habitat}: {total}" in text


def test_single_values_lists_and_shares(zorbs: World) -> None:
    assert answered("How many rows are there?", zorbs) == "There are 48 rows of glims."
    assert "37.5 %" in answered("What share of rows are from the Marsh?", zorbs)
    listed = answered("list the names of all zorbs in the marsh", zorbs)
    assert all(name in listed for name in ("Orla", "Bexum", "Tavi"))
    assert "3 rows" in listed


def test_nothing_found_is_said_and_not_counted(zorbs: World) -> None:
    text = answered("What was the quill mass of Orla in 1999?", zorbs)
    assert text.startswith("No row of glims")
    assert not re.search(r"\bis 0\b", text)


def test_rows_without_a_value_are_not_said_to_be_none(zorbs: World) -> None:
    query = query_for("What is the average quill mass in the Marsh?", zorbs)
    text = told(query, zorbs, ran(query, zorbs)[0], [(None,)])
    assert re.fullmatch(r"No row of glims with .*Marsh has a value of .*\.", text)
    most = query_for("Which habitat has the most rows?", zorbs)
    columns, _ = ran(most, zorbs)
    text = told(most, zorbs, columns, [(None,) * len(columns)])
    assert text == "The habitat with the most rows of glims is missing."


def test_a_preview_says_that_there_is_more(zorbs: World) -> None:
    query = query_for("list the quill mass and season year of all zorbs", zorbs)
    columns, rows = ran(query, zorbs)
    assert "48 rows" in told(query, zorbs, columns, rows[:5], total=48)


def test_results_of_other_queries_are_listed_as_they_are(zorbs: World) -> None:
    query = query_for("How many rows are there?", zorbs)
    text = told(query, zorbs, ("a", "b"), [("x", 1), ("y", 2)])
    assert text == listing(("a", "b"), [("x", 1), ("y", 2)])
    assert "x, 1" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1704, "1704"), (1318683096, "1,318,683,096"), (80.7195, "80.72"), (2.0, "2"),
     (0.123456, "0.1235"), (None, "missing"), (47306.98978, "47,306.99"), (-3.5, "-3.5"),
     (True, "True"), ("x", "x")],
)  # fmt: skip
def test_numbers_are_written_for_people(value: str | float | None, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("question", "form"),
    [
        ("Which habitat had the highest average quill mass in 2004?",
         r"In 2004, [\w ]+ had the highest average quillMass: [\d.]+\."),
        ("Which habitat has the lowest average quill mass?",
         r"[\w ]+ has the lowest average quillMass: [\d.]+\."),
        ("How many different habitats are there?", r"There are 3 different habitats\."),
        ("How many rows have a quill mass over 50 in 2002?",
         r"In 2002, there w\w+ \d+ rows? of glims with quillMass more than 50\."),
        ("What is the total hatch count in the Dune?",
         r"The total hatchCount with habitat Dune is \d+\."),
        ("Which season year had the highest average quill mass?",
         r"seasonYear \d{4} has the highest average quillMass: [\d.]+\."),
        ("Compare the average quill mass of Marsh and Dune",
         r"The average quillMass .*Dune: [\d.]+ and Marsh: [\d.]+ \(a difference of [\d.]+\)\."),
        ("Which 2 habitats had the highest average quill mass in 2004?",
         r"In 2004, the two highest average quillMass: [\w ]+: [\d.]+; [\w ]+: [\d.]+\."),
    ],
)  # fmt: skip
def test_answers_read_as_sentences(zorbs: World, question: str, form: str) -> None:
    text = answered(question, zorbs)
    assert re.fullmatch(form, text), text


@pytest.mark.parametrize(
    "question",
    [
        "Which zorb had the highest quill mass in 2001?",
        "How did the quill mass of Orla change since 2002?",
        "total hatch count per habitat",
        "What share of rows are from the Marsh?",
        "Compare the average quill mass of Marsh and Dune",
        "list the names of all zorbs in the marsh",
    ],
)
def test_with_the_name_of_its_result_the_numbers_are_references(
    zorbs: World, question: str
) -> None:
    """Rendered from the cells it is the same answer, and each of its values is cited."""
    query = query_for(question, zorbs)
    columns, rows = ran(query, zorbs)
    cells = tuple(tuple(row) for row in rows)
    plain = told(query, zorbs, columns, rows)
    cited = told(query, zorbs, columns, rows, name="r")
    made = render(cited, {"r": NamedResult("r", tuple(columns), cells, None, len(cells))})
    assert made.text == plain
    numbers = [cell for row in rows for cell in row if isinstance(cell, float)]
    assert ("{{r[" in cited) == bool(made.citations)
    assert all(each.origin in ("cell", "derived") for each in made.citations)
    assert not numbers or made.citations


def test_a_cell_that_looks_like_a_reference_is_shown_as_it_is() -> None:
    rows = [("{{r[0].b}}", 5)]
    cited = listing(("a", "b"), rows, result="r")
    made = render(cited, {"r": NamedResult("r", ("a", "b"), (("{{r[0].b}}", 5),), None, 1)})
    assert made.text == "a is {{r[0].b}}; b is 5."


def test_columns_of_one_name_cannot_be_referred_to() -> None:
    assert listing(("a", "a"), [(1, 2)], result="r") == "a is 1; a is 2."
