"""What a business question wants: predictions, levers, things beside others, worth, goals."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from flows.analysis.team import code_tasks, planning, task_updates
from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from tests.analysis.business import AGENTS, Business, agents, open_business

SQL, PYTHON, MODEL, PLOT, INSIGHTS = AGENTS
GOAL = "GoalAgent"
_BAKERY = """
CREATE TABLE guests (guest_id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE bills (bill_id INTEGER PRIMARY KEY, guest_id INTEGER REFERENCES guests(guest_id),
    paid_on DATE, rebate REAL, wait_days INTEGER);
CREATE TABLE lines (line_id INTEGER PRIMARY KEY, bill_id INTEGER REFERENCES bills(bill_id),
    quantity INTEGER, unit_price REAL, sent_back INTEGER);
CREATE TABLE ovens (oven TEXT PRIMARY KEY, hall TEXT, racks INTEGER, built INTEGER);
CREATE TABLE oven_months (oven TEXT REFERENCES ovens(oven), month TEXT, heat REAL, load REAL,
    yield_share REAL);
"""


def _write(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(_BAKERY)
    run = connection.execute
    for n in range(1, 301):
        run("INSERT INTO guests VALUES (?, ?, ?)", (n, f"Guest {n:03d}", "AB"[n % 2] + "town"))
    for n in range(1, 901):
        day = f"{2021 + n % 3}-{n % 12 + 1:02d}-{n % 27 + 1:02d}"
        run("INSERT INTO bills VALUES (?, ?, ?, ?, ?)",
            (n, n % 300 + 1, day, (0.0, 0.1, 0.2)[n % 3], n % 9))  # fmt: skip
        run("INSERT INTO lines VALUES (?, ?, ?, ?, ?)",
            (n, n, n % 7 + 1, 2.5 + n % 5, int(n % 9 > 6)))  # fmt: skip
    for oven in range(1, 21):
        run("INSERT INTO ovens VALUES (?, ?, ?, ?)",
            (f"Oven {oven}", "NS"[oven % 2] + " hall", oven % 6 + 2, 1990 + oven))  # fmt: skip
        for month in range(24):
            heat, load = 200 + (oven * 7 + month * 3) % 40, 10 + (oven * 5 + month) % 13
            run("INSERT INTO oven_months VALUES (?, ?, ?, ?, ?)",
                (f"Oven {oven}", f"{2021 + month // 12}-{month % 12 + 1:02d}", heat, load,
                 95 - 0.1 * heat - 0.5 * load + (oven * month) % 5))  # fmt: skip
    connection.commit()
    connection.close()


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    folder = tmp_path_factory.mktemp("bakery")
    _write(folder / "bakery.sqlite")
    catalog = Catalog({"bakery": str(folder / "bakery.sqlite")}, folder)
    yield catalog
    catalog.close()


@pytest.fixture(scope="module")
def business(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Business]:
    with open_business(tmp_path_factory.mktemp("business")) as opened:
        yield opened


def planned(
    question: str, tables: Sequence[Table], context: str = "", names: Sequence[str] = AGENTS
) -> dict[str, Any]:
    """The first list, with its dependencies."""
    given = {
        "question": question,
        "agents": agents(names),
        "context": context,
        "semantic_model": infer_model(tables),
    }
    reply = planning.task_list(given, tables)
    found = planning.dependencies({**given, "tasks": reply["tasks"]}, tables)["tasks"]
    tasks = [{**one, **other} for one, other in zip(reply["tasks"], found, strict=True)]
    return {**reply, "tasks": tasks}


def told(reply: dict[str, Any], agent: str) -> list[str]:
    return [each["description"] for each in reply["tasks"] if each["name"] == agent]


def queries(reply: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in reply["tasks"] if each["name"] == SQL]


def rows_of(catalog: Catalog, task: dict[str, Any]) -> list[tuple[Any, ...]]:
    """What the query of a task gives."""
    tables = catalog.tables()
    given = {
        "task": task["description"],
        "request": task["request"],
        "semantic_model": infer_model(tables),
    }
    sql = code_tasks.sql(given, tables)["sql"]
    assert sql, task
    return [tuple(each) for each in run_query(catalog, sql, max_rows=1000, timeout=30).rows]


def frame_of(catalog: Catalog) -> pd.DataFrame:
    bills = run_query(catalog, "SELECT bill_id, guest_id, paid_on, rebate FROM bills",
                      max_rows=5000, timeout=30)  # fmt: skip
    lines = run_query(catalog, "SELECT bill_id, quantity, unit_price FROM lines", max_rows=5000,
                      timeout=30)  # fmt: skip
    one = pd.DataFrame(bills.rows, columns=list(bills.columns))
    other = pd.DataFrame(lines.rows, columns=list(lines.columns))
    joined = other.merge(one, on="bill_id")
    return joined.assign(worth=joined.quantity * joined.unit_price)


@pytest.mark.parametrize(
    "question",
    ["How well can yield share be predicted from the other columns?",
     "Can yield share be predicted?",
     "Which two things should we work on to raise yield share?"],
)  # fmt: skip
def test_levers_and_predictions_take_a_model_of_the_target(question: str, bakery: Catalog) -> None:
    found = told(planned(question, bakery.tables()), MODEL)
    assert found
    assert all("yield share as target" in each for each in found)


def test_a_named_thing_is_set_beside_the_others_in_all_that_is_measured(bakery: Catalog) -> None:
    reply = planned("What distinguishes Oven 7 from all other ovens?", bakery.tables())
    [task] = queries(reply)
    assert {row[0] for row in rows_of(bakery, task)} >= {"heat", "load", "yield_share"}
    assert "Oven 7" in told(reply, INSIGHTS)[0]


def test_a_thing_of_a_table_of_facts_is_not_looked_for_elsewhere(bakery: Catalog) -> None:
    reply = planned("How do I improve the yield share of Oven 7?", bakery.tables())
    assert "Oven 7" in reply["understood"]
    assert any("'Oven 7'" in each for each in told(reply, SQL))


def test_the_month_of_the_facts_is_their_time_and_not_when_an_oven_was_built(
    bakery: Catalog,
) -> None:
    reply = planned("How did yield share develop over time?", bakery.tables())
    words = " ".join(each["description"] for each in reply["tasks"])
    assert "month" in words
    assert "built" not in words


def test_two_causes_are_looked_at_beside_each_other(bakery: Catalog) -> None:
    reply = planned("Does heat make the yield share lower, or is it the load?", bakery.tables())
    [line] = [each for each in told(reply, PYTHON) if "regression" in each]
    assert "yield share as target" in line
    assert "heat and load" in line


def test_the_compared_column_is_what_is_explained(bakery: Catalog) -> None:
    reply = planned("Do bills with more wait days get sent back more often?", bakery.tables())
    assert 'target: "sent_back"' in reply["understood"]
    assert any("wait days and sent back" in each for each in told(reply, PYTHON))


@pytest.mark.long("whole analyses over their data")
def test_an_effect_on_short_and_long_is_looked_at_in_halves(business: Business) -> None:
    question = "Is the effect of on road time on efficiency the same for short and long tours?"
    found = told(planned(question, business.tables("logistics")), PYTHON)
    assert len([each for each in found if "is at most" in each or "is more than" in each]) == 2


def test_worth_is_amount_times_price_where_no_column_says_it(bakery: Catalog) -> None:
    reply = planned("Who are our four best guests by revenue?", bakery.tables())
    found = rows_of(bakery, queries(reply)[0])
    sums = frame_of(bakery).groupby("guest_id").worth.sum().sort_values(ascending=False)
    assert [value for _, value in found] == pytest.approx(list(sums[:4]))
    assert {f"{name}" for name, _ in found} <= {f"Guest {n:03d}" for n in range(1, 301)}


def test_worth_grows_from_year_to_year(bakery: Catalog) -> None:
    reply = planned("How much did our revenue grow from 2021 to 2022?", bakery.tables())
    yearly = next(each for each in queries(reply) if "by year of" in each["description"])
    frame = frame_of(bakery)
    sums = frame.groupby(frame.paid_on.str[:4].astype(int)).worth.sum()
    assert dict(rows_of(bakery, yearly)) == pytest.approx({y: sums[y] for y in (2021, 2022)})


def test_a_worth_that_the_data_has_is_not_made_up(business: Business) -> None:
    reply = planned("Which region has the highest revenue and why?", business.tables("shop"))
    assert not any(" times " in each["description"] for each in reply["tasks"])


def test_an_average_is_taken_for_each_amount(bakery: Catalog) -> None:
    reply = planned("What is the average quantity of a line for each rebate?", bakery.tables())
    means = frame_of(bakery).groupby("rebate").quantity.mean()
    assert dict(rows_of(bakery, queries(reply)[0])) == pytest.approx(means.to_dict())


@pytest.mark.parametrize(
    ("question", "missing"),
    [("What is the average salary of a baker?", "salary"),
     ("What is the price of tea in Sweden?", "tea"),
     ("How many bakers does Sweden have?", "bakers")],
)  # fmt: skip
def test_what_the_data_does_not_hold_is_not_answered_with_something_else(
    question: str, missing: str, business: Business
) -> None:
    reply = planned(question, business.tables("countries"))
    assert reply["tasks"] == []
    assert missing in reply["cannot"]


def test_a_plain_count_is_planned(business: Business) -> None:
    reply = planned("How many rows are there?", business.tables("restaurant"))
    assert told(reply, SQL) == ["Calculate the number of tips."]


# --- goals ---------------------------------------------------------------------------------------

ASKED = (
    "Which continent had the highest average life expectancy in 2007, and how did life expectancy "
    "there change over the years?"
)
NAMES = (*AGENTS, GOAL)


def test_a_part_that_refers_to_what_another_finds_is_a_goal_that_waits_for_it(
    business: Business,
) -> None:
    tasks = planned(ASKED, business.tables("countries"), names=NAMES)["tasks"]
    assert [(each["name"], each["data_dependency"]) for each in tasks] == [(GOAL, None), (GOAL, 0)]


def test_questions_that_a_query_answers_are_one_flat_list(business: Business) -> None:
    question = "What is the average life expectancy? How many countries are there?"
    found = planned(question, business.tables("countries"), names=NAMES)["tasks"]
    assert {each["name"] for each in found} == {SQL, INSIGHTS}


def test_a_goal_is_about_what_was_found_before_it(business: Business) -> None:
    context = (
        "Task 0 (Which continent had the highest average life expectancy in 2007?) found: Oceania "
        "has the highest average lifeExp (80.72), ahead of Europe."
    )
    question = "How did life expectancy there change over the years?"
    reply = planned(question, business.tables("countries"), context)
    assert "Oceania" in reply["understood"]
    [query] = told(reply, SQL)
    assert "Oceania" in query
    assert "there" not in query


def test_a_goal_that_nothing_found_before_explains_says_so(business: Business) -> None:
    context = "Task 0 (Which is best?) found: nothing."
    question = "How did life expectancy there change over the years?"
    assert "not clear" in planned(question, business.tables("countries"), context)["understood"]


@pytest.mark.parametrize("status", ["done", "failed"])
def test_a_goal_needs_no_table_of_the_one_before(status: str, business: Business) -> None:
    outcome = {
        "task_id": 0, "name": GOAL, "agent_description": "", "sub_task": "Which is best?",
        "data_dependency": None, "status": status, "response": "Oceania", "columns": (),
        "table": "",
    }  # fmt: skip
    second = {"task_id": 1, "name": GOAL, "description": "How did it change?", "data_dependency": 0}
    tables = business.tables("countries")
    given = {
        "conversation": [outcome],
        "tasks": [second],
        "agents": agents([GOAL]),
        "semantic_model": infer_model(tables),
    }
    [kept] = task_updates.update(given, tables)["tasks"]
    assert kept["description"] == "How did it change?"
    assert kept["data_dependency"] == (0 if status == "done" else None)


def _listed(question: str, text: str, folder: Path) -> dict[str, Any]:
    """The reply to a question over a CSV file with this text."""
    file = folder / "takings.csv"
    file.write_text(text, encoding="utf-8")
    with Catalog({"takings": str(file)}, folder) as catalog:
        tables = catalog.tables()
        given = {"question": question, "agents": agents(), "semantic_model": infer_model(tables)}
        return planning.task_list(given, tables)


@pytest.mark.parametrize(
    ("rows", "why"),
    [("", "The table 'takings' has no rows."), ("3,4\n", "too few rows to find a relation")],
)
def test_without_rows_there_is_nothing_to_find(tmp_path: Path, rows: str, why: str) -> None:
    reply = _listed("What drives the revenue?", f"revenue,visits\n{rows}", tmp_path)
    assert reply["tasks"] == []
    assert why in reply["cannot"]


def test_a_year_to_come_is_how_far_ahead_and_chooses_no_rows(tmp_path: Path) -> None:
    months = "".join(f"{2022 + n // 12}-{n % 12 + 1:02d}-01,{100 + n}\n" for n in range(36))
    reply = _listed("What will the revenue be in 2026?", f"day,revenue\n{months}", tmp_path)
    said = [each["description"] for each in reply["tasks"]]
    assert any(
        "forecast" in each and "2 as steps, using 'year' as unit" in each for each in said
    ), said
    assert not any("2026" in each for each in said)
