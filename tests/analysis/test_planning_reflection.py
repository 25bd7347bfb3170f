"""Dependencies and reflection, on lists that a language model may have made."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.team import code_tasks, planning, task_updates
from flows.analysis.team.goals.builder import Restriction, contrast, rows
from flows.analysis.team.goals.entries import entries_of, plain_task
from flows.analysis.team.goals.wide_table import Wide, wides_of
from flows.analysis.team.interpretation import read_task
from flows.analysis.team.results import profile_of
from flows.analysis.team.statement import statement
from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.library.analyst.actions import Agent
from flows.library.analyst.tasks import with_dependencies
from flows.semantics.inference.model import infer_model
from flows.semantics.query import Comparison, Constant, Operator, Period, Query
from flows.semantics.request import Analysis
from tests.analysis.business import AGENTS, Business, agents, open_business
from tests.analysis.calls import counted

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


def given(tasks: Sequence[dict[str, Any]], tables: Sequence[Table]) -> dict[str, Any]:
    model = infer_model(tables)
    return {"question": "", "agents": agents(), "tasks": list(tasks), "semantic_model": model}


def plain(reply: dict[str, Any]) -> list[dict[str, Any]]:
    """The tasks of a reply without what their words were read as."""
    return [{k: v for k, v in each.items() if k != "request"} for each in reply["tasks"]]


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


@pytest.mark.long("analyses computed over their data")
def test_the_dependencies_of_the_seed_are_assigned(business: Business) -> None:
    bare = tasks_of(*((name, text, None) for name, text, _ in SEED))
    tables = business.tables("logistics")
    reply = planning.dependencies(given(bare, tables), tables)
    assert [each["data_dependency"] for each in reply["tasks"]] == [on for *_, on in SEED]


@pytest.mark.long("analyses computed over their data")
def test_a_list_of_sentences_is_read_once_and_all_work_on_its_requests(business: Business) -> None:
    tables = business.tables("logistics")
    with counted(Analyst.propose, "question") as readings:
        listed = entries_of(tasks_of(*((name, text, None) for name, text, _ in SEED)))
        able = [Agent.model_validate(each) for each in agents()]
        replied = planning.dependencies(given(list(map(plain_task, listed)), tables), tables)
        assigned = with_dependencies(listed, replied["tasks"], able)
        kept = planning.reflect(given(list(map(plain_task, assigned)), tables), tables)["tasks"]
        for each in kept[1:-1]:
            chart = each["name"] == PLOT
            role, wanted = (code_tasks.chart, "code") if chart else (code_tasks.plan, "plan")
            asked = {"task": each["description"], "request": each["request"],
                     "modelling": each["name"] == MODEL,
                     "semantic_model": infer_model(tables)}  # fmt: skip
            assert role(asked, tables)[wanted], each
    assert [each["request"]["kind"] for each in kept[:-1]] == [
        "query", "analysis", "chart", "analysis", "analysis",
    ]  # fmt: skip
    assert sorted(readings.values()) == [1] * (len(SEED) - 1)


UNREADABLE = ((SQL, "Ponder the nature of warp and weft."), (PYTHON, "Muse upon the loom."),
              (MODEL, "Contemplate the shuttle."), (PLOT, "Sketch the weaver's mood."))  # fmt: skip


@pytest.mark.long("analyses computed over their data")
def test_a_sentence_that_cannot_be_read_is_tried_once(business: Business) -> None:
    """Whoever assigns, reflects, repairs or works on it goes by what came of that."""
    tables = business.tables("logistics")
    roles = {SQL: code_tasks.sql, PLOT: code_tasks.chart}
    bare = tasks_of(*((name, text, None) for name, text in UNREADABLE))
    able = [Agent.model_validate(each) for each in agents()]
    with counted(Analyst.propose, "question") as readings:
        replied = planning.dependencies(given(bare, tables), tables)
        assigned = with_dependencies(entries_of(bare), replied["tasks"], able)
        kept = planning.reflect(given(list(map(plain_task, assigned)), tables), tables)["tasks"]
        update = task_updates.update({**given(kept, tables), "conversation": []}, tables)
        for each in update["tasks"]:
            asked = {"task": each["description"], "request": each.get("request"),
                     "modelling": each["name"] == MODEL,
                     "semantic_model": infer_model(tables)}  # fmt: skip
            if each["name"] != INSIGHTS:
                assert roles.get(each["name"], code_tasks.plan)(asked, tables)["cannot"], each
    assert {each["request"]["kind"] for each in kept if each["name"] != INSIGHTS} == {"unparsed"}
    assert sorted(readings.values()) == [1] * len(UNREADABLE)


@pytest.mark.long("whole analyses over their data")
def test_what_is_read_and_is_nothing_for_its_agent_is_told_so(business: Business) -> None:
    tables = business.tables("logistics")
    bare = tasks_of((MODEL, "How many mills are there?", None))
    [task] = planning.dependencies(given(bare, tables), tables)["tasks"]
    asked = {"task": "How many mills are there?", "request": task["request"], "modelling": True,
             "semantic_model": infer_model(tables)}  # fmt: skip
    assert task["request"]["understood"]["kind"] == "query"
    reply = code_tasks.plan(asked, tables)
    assert reply["cannot"] == "it does not say which column a model is to learn"


@pytest.mark.long("whole analyses over their data")
def test_a_misspelt_column_of_a_foreign_task_is_put_right(business: Business) -> None:
    tables = business.tables("countries")
    text = 'Calculate the correlation between "lifeExp" and gdpPercp.'
    asked = read_task(text, tables, infer_model(tables))
    assert isinstance(asked, Analysis)
    assert asked.fields("fields") == ("lifeExp", "gdpPercap")


@pytest.mark.long("whole analyses over their data")
def test_a_good_list_is_left_as_it_is(business: Business) -> None:
    tasks = tasks_of(*SEED)
    tables = business.tables("logistics")
    reply = planning.reflect(given(tasks, tables), tables)
    assert plain(reply) == tasks
    assert reply["changes"] == []


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
    tables = business.tables("logistics")
    reply = planning.dependencies(given(bare, tables), tables)
    assert [each["data_dependency"] for each in reply["tasks"]] == [None, 0, 0, 1]


def test_the_nearest_result_that_has_the_columns_is_depended_on(business: Business) -> None:
    bare = tasks_of(
        (SQL, 'Extract all the data from the "gapminder" table.', None),
        (SQL, 'Calculate the average "lifeExp" for each "continent", highest first.', None),
        (PLOT, 'Draw a bar chart of "average_lifeExp" by "continent".', None),
        (PLOT, 'Draw a scatter plot of "lifeExp" against "gdpPercap".', None),
    )  # fmt: skip
    tables = business.tables("countries")
    reply = planning.dependencies(given(bare, tables), tables)
    assert [each["data_dependency"] for each in reply["tasks"]] == [None, None, 1, 0]


def test_two_extractions_of_a_table_become_one(business: Business) -> None:
    tasks = tasks_of(
        (SQL, 'Extract the "lifeExp" and "year" columns from the "gapminder" table.', None),
        (SQL, 'Extract the "gdpPercap" column from the "gapminder" table.', None),
        (PYTHON, 'Calculate the correlation between "lifeExp" and "gdpPercap".', 1),
        (INSIGHTS, "Generate insights based on the correlation.", 2),
    )
    tables = business.tables("countries")
    reply = planning.reflect(given(tasks, tables), tables)
    assert reply["tasks"][0]["description"] == "Get life exp, `year` and gdp percap."
    assert [each["data_dependency"] for each in reply["tasks"]] == [None, 0, 1]
    assert any("merged" in each for each in reply["changes"])


def test_extractions_of_different_rows_stay_apart(business: Business) -> None:
    tasks = tasks_of(
        (SQL, 'Extract all the data from the "gapminder" table where "year" is 2007.', None),
        (SQL, 'Extract all the data from the "gapminder" table where "year" is 1952.', None),
        (INSIGHTS, "Generate insights about both years.", 1),
    )
    tables = business.tables("countries")
    reply = planning.reflect(given(tasks, tables), tables)
    assert [each["name"] for each in reply["tasks"]] == [SQL, SQL, INSIGHTS]


def test_doubles_go_names_are_put_right_and_numbers_begin_at_zero(business: Business) -> None:
    tasks = tasks_of(SEED[0], SEED[1], SEED[1], (INSIGHTS, SEED[5][1], 2))
    tasks[1]["name"] = "PythonDataAgnt"
    tasks[2]["name"] = "PythonDataAgnt"
    for each in tasks:
        each["task_id"] += 4
        if each["data_dependency"] is not None:
            each["data_dependency"] += 4
    tables = business.tables("logistics")
    reply = planning.reflect(given(tasks, tables), tables)
    assert [(e["task_id"], e["name"], e["data_dependency"]) for e in reply["tasks"]] == [
        (0, SQL, None), (1, PYTHON, 0), (2, INSIGHTS, 1),
    ]  # fmt: skip
    assert len(reply["changes"]) >= 3


def test_a_dependency_on_a_chart_is_moved_and_missing_insights_are_added(
    business: Business,
) -> None:
    tasks = tasks_of(SEED[0], SEED[2], (PYTHON, SEED[1][1], 1))
    tables = business.tables("logistics")
    reply = planning.reflect(given(tasks, tables), tables)
    assert [each["data_dependency"] for each in reply["tasks"]] == [None, 0, 0, 2]
    assert reply["tasks"][3]["name"] == INSIGHTS


@pytest.mark.long("whole analyses over their data")
def test_a_task_of_an_agent_that_is_not_there_goes(business: Business) -> None:
    tasks = tasks_of(*SEED, ("WeatherOracle", "Look out of the window.", None))
    tables = business.tables("logistics")
    reply = planning.reflect(given(tasks, tables), tables)
    assert len(reply["tasks"]) == len(SEED)
    assert any("WeatherOracle" in each for each in reply["changes"])


# --- one wide table of several -----------------------------------------------------------------


def wide_of(base: str, tables: Sequence[Table]) -> Wide:
    return next(each for each in wides_of(tables, infer_model(tables)) if each.base.name == base)


def sql_of(query: Query, tables: Sequence[Table]) -> str:
    return statement(query, infer_model(tables), tables)


@pytest.mark.long("whole analyses over their data")
def test_the_rows_of_a_table_come_once_with_what_they_belong_to(business: Business) -> None:
    tables = business.tables("shop")
    wide = wide_of("order_items", tables)
    query = rows(wide.whole())
    columns, found = business.rows("shop", sql_of(query, tables))
    assert len(found) == wide.base.rows
    profile = profile_of(query, tables, infer_model(tables))
    assert tuple(c.name for c in profile.columns) == columns
    assert {"revenue", "order_date", "region", "category", "price", "age"} <= set(columns)


def is_(wide: Wide, name: str, value: str | int, operator: Operator = "=") -> Restriction:
    test = Comparison(left=wide.expression(name), operator=operator, right=Constant(value=value))
    return Restriction(name, (value,), test)


def test_rows_are_chosen_by_columns_of_any_of_their_tables(business: Business) -> None:
    tables = business.tables("shop")
    wide = wide_of("order_items", tables)
    year = Period(of=wide.expression("order_date"), grain="year")
    test = Comparison(left=year, operator="=", right=Constant(value=2022))
    where = [is_(wide, "region", "North"), Restriction("order_date", (2022,), test)]
    query = rows(wide, ["revenue", "region", "order_date"], where)
    columns, found = business.rows("shop", sql_of(query, tables))
    assert columns == ("revenue", "region", "order_date")
    assert found
    assert {row[1] for row in found} == {"North"}
    assert {str(row[2])[:4] for row in found} == {"2022"}


def test_columns_of_the_same_name_are_told_apart_and_no_row_is_lost(tmp_path: Path) -> None:
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
        wide = wide_of("goods", tables)
        named = sql_of(rows(wide), tables)
        whole = sql_of(rows(wide.whole()), tables)
    cursor = sqlite3.connect(path).execute(named)
    names = [each[0] for each in cursor.description]
    found = [dict(zip(names, row, strict=True)) for row in cursor]
    cities = [(each["goods_city"], each["makers_city"]) for each in found]
    assert cities == [("Bent", "Arlo"), ("Arlo", "Bent")]
    assert len(sqlite3.connect(path).execute(whole).fetchall()) == 3


@pytest.mark.parametrize(("which", "base", "who", "where", "names"), [
    ("countries", "gapminder", ("continent", "Asia"), ("year", 1990), ["lifeExp", "pop"]),
    ("shop", "order_items", ("region", "North"), ("quantity", 2), ["revenue", "age"]),
])  # fmt: skip
def test_a_thing_is_set_beside_the_others(
    which: str, base: str, who: tuple[str, str], where: tuple[str, int], names: list[str],
    business: Business,
) -> None:  # fmt: skip
    tables = business.tables(which)
    wide = wide_of(base, tables)
    kept = [is_(wide, *where, ">=")]
    query = contrast(wide, names, is_(wide, *who), kept)
    columns, found = business.rows(which, sql_of(query, tables))
    profile = profile_of(query, tables, infer_model(tables))
    assert columns == tuple(each.name for each in profile.columns)
    assert [row[0] for row in found] == names
    shown, all_rows = business.rows(which, sql_of(rows(wide, [*names, who[0]], kept), tables))
    frame = pd.DataFrame(all_rows, columns=shown)
    inside = frame[who[0]] == who[1]
    for row, name in zip(found, names, strict=True):
        assert row[1] == pytest.approx(frame.loc[inside, name].mean())
        assert row[2] == pytest.approx(frame.loc[~inside, name].mean())
