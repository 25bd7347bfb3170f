"""Dependencies and reflection, on lists that a language model may have made."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from flows.analysis.team.queries.beside import comparison
from flows.analysis.team.queries.origin import extraction
from flows.analysis.team.queries.planned import planned_sql, result_of
from flows.analysis.team.queries.wide import wides_of

from flows.analysis.team import planning
from flows.data.catalog import Catalog
from tests.analysis.business import AGENTS, Business, open_business

SQL, PYTHON, MODEL, PLOT, INSIGHTS = AGENTS


@pytest.fixture(scope="module")
def business(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Business]:
    with open_business(tmp_path_factory.mktemp("business")) as opened:
        yield opened


def tasks_of(*entries: tuple[str, str, int | None]) -> list[dict[str, Any]]:
    return [
        {"task_id": n, "name": name, "description": text, "data_dependency": on}
        for n, (name, text, on) in enumerate(entries)
    ]


def given(tasks: Sequence[dict[str, Any]], names: Sequence[str] = AGENTS) -> dict[str, Any]:
    agents = [{"name": each, "description": each} for each in names]
    return {"question": "", "agents": agents, "tasks": list(tasks)}


# The list of the architecture that this team follows, over a table like its own.
SEED = (
    (SQL, 'Extract all the data from the "mill_metrics" table in the SQLite database.', None),
    (PYTHON, 'Perform feature correlation analysis between "output" and all other numerical '
     "features in the dataset to identify potential key drivers.", 0),
    (PLOT, 'Generate a correlation heatmap of "output" with all other numerical features to '
     "visually identify potential key drivers.", 0),
    (MODEL, 'Build a regression model with "output" as the target variable and all other numerical '
     "features as predictors.", 0),
    (MODEL, 'Build a regression model for Mill 22 with "output" as the target variable and all '
     "other numerical features as predictors.", 0),
    (INSIGHTS, "Based on the correlation analysis generate insights about the key drivers of "
     "output of Mill 22.", 1),
)  # fmt: skip


def test_the_dependencies_of_the_seed_are_assigned(business: Business) -> None:
    bare = tasks_of(*((name, text, None) for name, text, _ in SEED))
    reply = planning.dependencies(given(bare), business.tables("logistics"))
    assert [each["data_dependency"] for each in reply["tasks"]] == [on for *_, on in SEED]


def test_a_good_list_is_left_as_it_is(business: Business) -> None:
    tasks = tasks_of(*SEED)
    reply = planning.reflect(given(tasks), business.tables("logistics"))
    assert reply == {"tasks": tasks, "changes": []}


def test_a_chart_of_rows_does_not_depend_on_what_was_computed_of_them(business: Business) -> None:
    bare = tasks_of(
        (SQL, 'Extract the "on_road_time" and "efficiency" columns from the "carrier_metrics" '
         "table.", None),
        (PYTHON, 'Calculate the correlation between "on_road_time" and "efficiency".', None),
        (PLOT, 'Generate a scatter plot with "on_road_time" on the x-axis and "efficiency" on the '
         "y-axis.", None),
        (INSIGHTS, 'Generate insights on how "on_road_time" affects the "efficiency" of a carrier '
         "based on the correlation and the scatter plot.", None),
    )  # fmt: skip
    reply = planning.dependencies(given(bare), business.tables("logistics"))
    assert [each["data_dependency"] for each in reply["tasks"]] == [None, 0, 0, 1]


def test_the_nearest_result_that_has_the_columns_is_depended_on(business: Business) -> None:
    bare = tasks_of(
        (SQL, 'Extract all the data from the "gapminder" table.', None),
        (SQL, 'Calculate the average "lifeExp" for each "continent", highest first.', None),
        (PLOT, 'Draw a bar chart of "average_lifeExp" by "continent".', None),
        (PLOT, 'Draw a scatter plot of "lifeExp" against "gdpPercap".', None),
    )  # fmt: skip
    reply = planning.dependencies(given(bare), business.tables("countries"))
    assert [each["data_dependency"] for each in reply["tasks"]] == [None, None, 1, 0]


def test_two_extractions_of_a_table_become_one(business: Business) -> None:
    tasks = tasks_of(
        (SQL, 'Extract the "lifeExp" and "year" columns from the "gapminder" table.', None),
        (SQL, 'Extract the "gdpPercap" column from the "gapminder" table.', None),
        (PYTHON, 'Calculate the correlation between "lifeExp" and "gdpPercap".', 1),
        (INSIGHTS, "Generate insights based on the correlation.", 2),
    )
    reply = planning.reflect(given(tasks), business.tables("countries"))
    assert reply["tasks"][0]["description"] == (
        'Extract the "year", "lifeExp" and "gdpPercap" columns from the "gapminder" table.'
    )
    assert [each["data_dependency"] for each in reply["tasks"]] == [None, 0, 1]
    assert any("merged" in each for each in reply["changes"])


def test_extractions_of_different_rows_stay_apart(business: Business) -> None:
    tasks = tasks_of(
        (SQL, 'Extract all the data from the "gapminder" table where "year" is 2007.', None),
        (SQL, 'Extract all the data from the "gapminder" table where "year" is 1952.', None),
        (INSIGHTS, "Generate insights about both years.", 1),
    )
    reply = planning.reflect(given(tasks), business.tables("countries"))
    assert [each["name"] for each in reply["tasks"]] == [SQL, SQL, INSIGHTS]


def test_what_is_asked_of_a_model_is_asked_where_it_is_built(business: Business) -> None:
    tasks = tasks_of(
        SEED[0],
        SEED[3],
        (MODEL, "Use the model to identify the most important features.", 1),
        (INSIGHTS, "Generate insights from the importances of the model.", 2),
    )
    reply = planning.reflect(given(tasks), business.tables("logistics"))
    assert [each["name"] for each in reply["tasks"]] == [SQL, MODEL, INSIGHTS]
    assert "Use the model" in reply["tasks"][1]["description"]
    assert reply["tasks"][2]["data_dependency"] == 1


def test_doubles_go_names_are_put_right_and_numbers_begin_at_zero(business: Business) -> None:
    tasks = tasks_of(SEED[0], SEED[1], SEED[1], (INSIGHTS, SEED[5][1], 2))
    tasks[1]["name"] = "PythonDataAgnt"
    tasks[2]["name"] = "PythonDataAgnt"
    for each in tasks:
        each["task_id"] += 4
        if each["data_dependency"] is not None:
            each["data_dependency"] += 4
    reply = planning.reflect(given(tasks), business.tables("logistics"))
    assert [(e["task_id"], e["name"], e["data_dependency"]) for e in reply["tasks"]] == [
        (0, SQL, None), (1, PYTHON, 0), (2, INSIGHTS, 1),
    ]  # fmt: skip
    assert len(reply["changes"]) >= 3


def test_a_dependency_on_a_chart_is_moved_and_missing_insights_are_added(
    business: Business,
) -> None:
    tasks = tasks_of(SEED[0], SEED[2], (PYTHON, SEED[1][1], 1))
    reply = planning.reflect(given(tasks), business.tables("logistics"))
    assert [each["data_dependency"] for each in reply["tasks"]] == [None, 0, 0, 2]
    assert reply["tasks"][3]["name"] == INSIGHTS


def test_a_task_of_an_agent_that_is_not_there_goes(business: Business) -> None:
    tasks = tasks_of(*SEED, ("WeatherOracle", "Look out of the window.", None))
    reply = planning.reflect(given(tasks), business.tables("logistics"))
    assert len(reply["tasks"]) == len(SEED)
    assert any("WeatherOracle" in each for each in reply["changes"])


# --- one wide table of several -----------------------------------------------------------------


def test_a_joined_extraction_brings_each_row_once_with_what_it_belongs_to(
    business: Business,
) -> None:
    tables = business.tables("shop")
    wide = next(each for each in wides_of(tables) if each.base.name == "order_items")
    text = extraction(wide)
    sql = planned_sql(text, tables)
    assert isinstance(sql, str)
    columns, rows = business.rows("shop", sql)
    assert len(rows) == wide.base.rows
    assert columns == tuple(wide.home)
    profile = result_of(text, tables)
    assert profile is not None
    assert tuple(c.name for c in profile.columns) == columns
    assert {"revenue", "order_date", "region", "category", "price", "age"} <= set(columns)


def test_a_joined_extraction_takes_conditions_on_any_of_its_tables(business: Business) -> None:
    tables = business.tables("shop")
    wide = next(each for each in wides_of(tables) if each.base.name == "order_items")
    where = ' where "region" is \'North\' and "order_date" is in 2022'
    text = extraction(wide, where, ["revenue", "region", "order_date"])
    sql = planned_sql(text, tables)
    assert isinstance(sql, str)
    columns, rows = business.rows("shop", sql)
    assert columns == ("revenue", "region", "order_date")
    assert rows
    assert {row[1] for row in rows} == {"North"}
    assert {str(row[2])[:4] for row in rows} == {"2022"}


def test_columns_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "two.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(
        """CREATE TABLE makers (maker_id INTEGER PRIMARY KEY, city TEXT, staff INTEGER);
        CREATE TABLE goods (good_id INTEGER PRIMARY KEY, city TEXT, cost REAL,
            maker_id INTEGER REFERENCES makers(maker_id));
        INSERT INTO makers VALUES (1, 'Arlo', 5), (2, 'Bent', 9);
        INSERT INTO goods VALUES (1, 'Bent', 2.5, 1), (2, 'Arlo', 3.5, 2), (3, 'Arlo', 1.0, NULL);
        """
    )
    connection.commit()
    connection.close()
    with Catalog({"two": str(path)}, tmp_path) as catalog:
        tables = catalog.tables()
        wide = next(each for each in wides_of(tables) if each.base.name == "goods")
        text = extraction(wide)
        assert '"makers.city" as "makers_city"' in text
        sql = planned_sql(text, tables)
    assert isinstance(sql, str)
    cursor = sqlite3.connect(path).execute(sql)
    names = [each[0] for each in cursor.description]
    rows = [dict(zip(names, row, strict=True)) for row in cursor]
    assert [(r["city"], r["makers_city"]) for r in rows] == [
        ("Bent", "Arlo"), ("Arlo", "Bent"), ("Arlo", None),
    ]  # fmt: skip


@pytest.mark.parametrize(("which", "base", "who", "where", "names"), [
    ("countries", "gapminder", "\"continent\" is 'Asia'", ' where "year" is at least 1990',
     ["lifeExp", "pop"]),
    ("shop", "order_items", "\"region\" is 'North'", ' where "order_date" is in 2022',
     ["revenue", "age"]),
])  # fmt: skip
def test_a_thing_is_set_beside_the_others(
    which: str, base: str, who: str, where: str, names: list[str], business: Business
) -> None:
    tables = business.tables(which)
    wide = next(each for each in wides_of(tables) if each.base.name == base)
    text = comparison(wide, names, who, where)
    sql = planned_sql(text, tables)
    assert isinstance(sql, str)
    columns, rows = business.rows(which, sql)
    profile = result_of(text, tables)
    assert profile is not None
    assert columns == tuple(each.name for each in profile.columns)
    assert [row[0] for row in rows] == names
    whole = planned_sql(extraction(wide, where), tables)
    assert isinstance(whole, str)
    frame = pd.DataFrame(business.rows(which, whole)[1], columns=business.rows(which, whole)[0])
    column, value = re.findall(r"[\"'](\w+)[\"']", who)
    inside = frame[column] == value
    for row, name in zip(rows, names, strict=True):
        assert row[1] == pytest.approx(frame.loc[inside, name].mean())
        assert row[2] == pytest.approx(frame.loc[~inside, name].mean())
