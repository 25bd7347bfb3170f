"""Questions about the tables themselves, and what is said where nothing could be read."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from flows.analysis.loop.overview import asks_about_tables, overview
from flows.analysis.reading.reader import Reading
from flows.analysis.telling.examples import example_question
from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from flows.semantics.query import Aggregate, FieldRef
from tests.analysis.dialogue import Dialogue
from tests.analysis.statements import read
from tests.analysis.worlds import World


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("How many tables are there?", "There are two tables: brewers, kettle_log."),
        ("How many columns does brewers have?", "brewers has seven columns: brewer_id, "),
        ("What are the columns of kettle_log?", "kettle_log has 5 rows and the columns kettle_id"),
        ("Which table has the litres?", "kettle_log has the column litres."),
        ("In which table is Copper?", "brewers has Copper in guild."),
        ("How many rows has each table?", "brewers has 4 rows; kettle_log has 5 rows."),
        ("How many rows are there?", "brewers has 4 rows; kettle_log has 5 rows."),
        ("Are there missing values?", "brewers has missing values in guild (1)."),
        ("How many missing values are in guild?", "guild of brewers has 1 missing values."),
        ("Are there missing values in kettle_log?", "No value is missing in kettle_log."),
        ("Show me the data", "The data: brewers has 4 rows"),
    ],
)
def test_what_is_asked_of_the_tables(works: World, text: str, said: str) -> None:
    assert asks_about_tables(text, works.tables)
    assert said in overview(text, works.tables)


@pytest.mark.parametrize(
    "text",
    ["How many brewers are there?", "List the labels with missing grade", "Who was Ada?",
     "Show the rows with missing guild", "Which kettle has the most litres?"],
)  # fmt: skip
def test_what_is_asked_of_the_rows(works: World, text: str) -> None:
    assert not asks_about_tables(text, works.tables)


def test_two_questions_about_the_tables_are_one_call_and_two_answers(works: World) -> None:
    talk = Dialogue(works, "How many tables are there? Are there missing values?")
    answer = talk.run()
    assert [name for name, _ in talk.calls()] == ["describe", "finish"]
    assert "two tables" in answer
    assert "guild (1)" in answer


def test_the_first_rows_are_shown(works: World) -> None:
    answer = Dialogue(works, "Show me the first 2 rows of kettle_log").run()
    assert "Big Bertha" in answer
    assert "Squat" in answer
    assert "Tall Tom" not in answer


def test_what_was_not_understood_is_told_with_a_question_that_works(zorbs: World) -> None:
    answer = Dialogue(zorbs, "What is the correlation between quill mass and hatch count?").run()
    assert 'because I did not understand "correlation"' in answer
    example = answer.rpartition("for example: ")[2].strip('"')
    assert isinstance(read(example, zorbs.tables), Reading)
    assert example.split()[1] in ("habitat", "zorbName")


def _table(folder: Path, header: list[str], rows: list[list[object]]) -> tuple[Table, ...]:
    with (folder / "odd.csv").open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    with Catalog({"odd": str(folder / "odd.csv")}, folder) as catalog:
        return catalog.tables()


def test_an_example_works_also_where_columns_have_strange_names(tmp_path: Path) -> None:
    rows: list[list[object]] = [[f"n{i}", "ab"[i % 2], i * 1.5, i] for i in range(12)]
    tables = _table(tmp_path, ["select", "Größe (cm)?", "2021", "a b%"], rows)
    example = example_question("nothing of this", tables, infer_model(tables))
    assert example is not None
    assert isinstance(read(example, tables), Reading)


def test_a_column_that_is_called_by_a_number_is_a_column(tmp_path: Path) -> None:
    rows: list[list[object]] = [[f"n{i}", i * 1.5, i] for i in range(12)]
    found = read("What is the average of 2021?", _table(tmp_path, ["label", "2021", "mass"], rows))
    assert isinstance(found, Reading)
    assert found.query.metrics == (
        Aggregate(function="average", of=FieldRef(dataset="odd", field="2021")),
    )
