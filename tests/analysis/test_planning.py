"""Business questions broken down: which tasks, for whom, about which columns, in what order."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.methods.chart.reading import read_chart
from flows.analysis.methods.read import read_study
from flows.analysis.reading.reader import read
from flows.analysis.team import code_tasks, planning
from flows.analysis.team.goals.entries import entries_of
from flows.analysis.team.goals.scope import scopes_of
from flows.analysis.team.results import profile_of
from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.semantics.findings import Task
from flows.semantics.inference.model import infer_model
from flows.semantics.query import Query
from flows.semantics.request import Analysis
from tests.analysis.business import AGENTS, Business, agents, open_business
from tests.analysis.calls import counted

SQL, PYTHON, MODEL, PLOT, INSIGHTS = AGENTS


@pytest.fixture(scope="module")
def business(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Business]:
    with open_business(tmp_path_factory.mktemp("business")) as opened:
        yield opened


def generated(
    question: str, tables: Sequence[Table], names: Sequence[str] = AGENTS, most: int = 12
) -> dict[str, Any]:
    given = {
        "question": question,
        "agents": agents(names),
        "most_tasks": most,
        "semantic_model": infer_model(tables),
    }
    return planning.task_list(given, tables)


def planned(
    question: str, tables: Sequence[Table], names: Sequence[str] = AGENTS
) -> list[dict[str, Any]]:
    """The three steps, as the manager takes them."""
    first = generated(question, tables, names)["tasks"]
    bare = [{**each, "data_dependency": None} for each in first]
    given = {
        "question": question,
        "agents": agents(names),
        "tasks": bare,
        "semantic_model": infer_model(tables),
    }
    assigned = planning.dependencies(given, tables)["tasks"]
    tasks = [
        {**one, "data_dependency": other["data_dependency"]}
        for one, other in zip(first, assigned, strict=True)
    ]
    reflected: list[dict[str, Any]] = planning.reflect({**given, "tasks": tasks}, tables)["tasks"]
    return reflected


@dataclass(frozen=True)
class Asked:
    """A question; the agents it takes at least, in `says` what some description names, in `about`
    what the understanding names."""

    business: str
    question: str
    takes: Counter[str]
    says: tuple[str, ...]
    about: tuple[str, ...] = ()


def asked(business: str, question: str, takes: str, says: str, about: str = "") -> Asked:
    """`takes` are letters: s(ql), p(ython), m(odel), c(hart), i(nsights)."""
    letters = dict(zip("spmci", AGENTS, strict=True))
    found = Counter(letters[each] for each in takes)
    return Asked(business, question, found, tuple(says.split("|")), tuple(about.split("|")))


QUESTIONS = (
    # what drives a target
    asked("logistics", "How do I improve the output of Mill 22?", "sspmmccii",
          '"mill_metrics"|"output"|"Mill 22"|correlation', '"output"|Mill 22'),
    asked("logistics", "What drives the output?", "spmci", '"output"|correlation', '"output"'),
    asked("logistics", "Why has the output of Mill 3 fallen?", "sppmmci",
          '"output"|"Mill 3"|growth', '"output"|Mill 3'),
    asked("logistics", "Which factors matter for the damage rate?", "spmci",
          '"damage_rate"|"carrier_metrics"', '"damage_rate"'),
    asked("logistics", "How can we reduce turn hours?", "spmci", '"turn_hours"', '"turn_hours"'),
    asked("countries", "What drives life expectancy?", "spmci", '"lifeExp"', '"lifeExp"'),
    asked("countries", "Why is life expectancy low in Africa?", "spmci",
          '"lifeExp"|"continent"|Africa', '"lifeExp"|Africa'),
    asked("countries", "How can we increase gdp per capita in Asia?", "spmci",
          '"gdpPercap"|Asia', '"gdpPercap"|Asia'),
    asked("restaurant", "What affects the tip?", "spmci", '"tip"', '"tip"'),
    asked("restaurant", "What makes people tip more?", "spmci", '"tip"', '"tip"'),
    asked("shop", "What drives revenue?", "spmci",
          '"order_items"|"customers"|"revenue"|"region"', '"revenue"'),
    asked("shop", "How can we increase revenue in the North region?", "spmci",
          '"revenue"|"North"|"region"', '"revenue"|North'),
    asked("shop", "What should we do to reduce shipping days?", "spmci",
          '"orders"|"shipping_days"', '"shipping_days"'),
    asked("shop", "What determines the segment of a customer?", "smi",
          '"segment"|key_drivers', '"segment"'),
    # the effect of one thing on another
    asked("logistics", "How does the on-road time affect the efficiency of a carrier?", "spcmi",
          '"on_road_time"|"efficiency"|"carrier_metrics"|scatter|correlation',
          '"efficiency"|"on_road_time"'),
    asked("countries", "Is life expectancy affected by gdp per capita?", "spcmi",
          '"gdpPercap"|"lifeExp"', 'target: "lifeExp"'),
    asked("countries", "Does gdp per capita in Asia influence life expectancy since 1990?", "spcmi",
          "`year` is at least 1990|\"Asia\"", "Asia|1990"),
    asked("restaurant", "Does the day matter for the tip?", "spci", '"day"|"tip"', '"tip"|"day"'),
    asked("shop", "Does discount affect quantity?", "spcmi", '"discount"|"quantity"',
          'target: "quantity"'),
    # comparison and ranking
    asked("countries", "Which continent performs best and why?", "sspci",
          '"continent"|"lifeExp"|correlation', '"continent"'),
    asked("shop", "Which region has the highest revenue and why?", "ssppci",
          '"region"|"revenue"|highest first', '"region"|"revenue"'),
    asked("shop", "Compare the revenue of web and store orders", "sci",
          '"channel"|"revenue"', "web"),
    asked("shop", "Compare North and South", "sci", '"region"', "North and South"),
    # trend and forecast
    asked("countries", "How did life expectancy develop in Europe since 1980?", "spi",
          "\"lifeExp\"|\"Europe\"|`year` is at least 1980", '"lifeExp"|Europe'),
    asked("shop", "How did revenue develop?", "spi", '"order_date"|"revenue"|growth',
          '"revenue"'),
    asked("shop", "Is revenue growing?", "spi", '"revenue"|growth', '"revenue"'),
    asked("logistics", "What is the trend of output in Mill 5?", "spi",
          '"month"|"output"|"Mill 5"', '"output"|Mill 5'),
    asked("shop", "What will revenue be next quarter?", "sppi",
          'forecast|"quarter"|"revenue"', '"revenue"'),
    asked("countries", "What will the population of Kenya be in the next 2 years?", "sppi",
          "forecast|\"year\"|\"Kenya\"|\"pop\"", '"pop"|Kenya'),
    # overview, oddities, segments, spread, differences
    asked("countries", "What should I know about this data?", "sspci", '"gapminder"|summary'),
    asked("shop", "Give me an overview of sales", "sspci", '"revenue"|summary', '"revenue"'),
    asked("restaurant", "Find anomalies in the total bill", "spci", '"total_bill"|outliers',
          '"total_bill"'),
    asked("restaurant", "Are there segments in the data?", "spci", "clustering"),
    asked("shop", "How is discount distributed?", "spci", '"discount"|histogram', '"discount"'),
    asked("restaurant", "Do smokers and non-smokers tip differently?", "spci",
          '"tip"|"smoker"|hypothesis_test', '"smoker"'),
    asked("restaurant", "Does the total bill differ between lunch and dinner?", "spci",
          '"total_bill"|"time"|hypothesis_test', '"total_bill"'),
    asked("logistics", "Why is Carrier 4 less efficient than the others?", "sspmci",
          "\"Carrier 4\"|\"efficiency\"|the others", '"efficiency"|Carrier 4'),
    asked("logistics", "Which carrier is the most efficient?", "scpi",
          '"carrier"|"efficiency"|highest first', '"efficiency"'),
    asked("shop", "Which products sell best?", "ssci", '"product_name"|"products"'),
    asked("shop", "Analyse the orders", "spci", '"orders"|summary'),
    asked("restaurant", "How can I get bigger tips?", "spmci", '"tip"', '"tip"'),
    asked("shop", "Segment our customers", "spci", "clustering"),
    # one query answers it
    asked("shop", "What is the revenue by month?", "si", "month",
          '"revenue"'),
    asked("shop", "What are the total sales by region in 2023?", "si",
          "region", '"region"'),
    asked("countries", "Which country has the highest life expectancy in 2007?", "si",
          "country", '"country"'),
    asked("shop", "How many orders are there per channel?", "si", "channel", '"channel"'),
)  # fmt: skip
_ids = [f"{each.business}: {each.question}" for each in QUESTIONS]


@pytest.mark.parametrize("case", QUESTIONS, ids=_ids)
def test_a_question_is_broken_down_into_the_tasks_that_it_takes(
    case: Asked, business: Business
) -> None:
    reply = generated(case.question, business.tables(case.business))
    took = Counter(each["name"] for each in reply["tasks"])
    told = json.dumps(reply["tasks"])
    assert not case.takes - took, (reply, took)
    assert [each for each in case.says if each not in told] == [], told
    assert [each for each in case.about if each not in reply["understood"]] == []


@pytest.mark.long("every goal is planned, and each of its tasks compiled")
@pytest.mark.parametrize("case", QUESTIONS, ids=_ids)
def test_every_task_is_there_once_and_can_be_done_on_what_it_depends_on(
    case: Asked, business: Business
) -> None:
    tables = business.tables(case.business)
    tasks = {each.task_id: each for each in entries_of(planned(case.question, tables))}
    assert list(tasks) == list(range(len(tasks)))
    assert len({(each.name, each.description) for each in tasks.values()}) == len(tasks) <= 12
    assert any(each.name == INSIGHTS for each in tasks.values())
    for task in tasks.values():
        source = tasks[task.data_dependency] if task.data_dependency is not None else None
        if task.name == SQL:
            assert source is None
        elif source is None:  # it works on a table of the run, as its model means it
            assert isinstance(task.request, Analysis), task
        else:
            assert source.task_id < task.task_id
            assert source.name in (SQL, PYTHON, MODEL)
        assert can_do(task, source, tables), task


def can_do(task: Task, source: Task | None, tables: Sequence[Table]) -> bool:
    """Whether the role of a task's agent can be played over what the task depends on."""
    data = None
    if source is not None and isinstance(source.request, Query):
        data = profile_of(source.request, tables, infer_model(tables))
    given = {
        "task": task.description,
        "request": task.request,
        "data": data,
        "semantic_model": infer_model(tables),
    }
    if task.name == SQL:
        return bool(code_tasks.sql(given, tables)["sql"])
    if task.name == PLOT:
        return bool(code_tasks.chart(given, tables)["code"])
    if task.name in (PYTHON, MODEL):
        return bool(code_tasks.code({**given, "modelling": task.name == MODEL}, tables)["code"])
    return task.name == INSIGHTS


@pytest.mark.long("analyses computed over their data")
@pytest.mark.parametrize(
    ("which", "question"),
    [("shop", "What drives revenue?"), ("countries", "Which continent performs best and why?"),
     ("restaurant", "Do smokers and non-smokers tip differently?")],
)  # fmt: skip
def test_a_question_is_read_once_and_no_task_is_read_again(
    which: str, question: str, business: Business
) -> None:
    tables = business.tables(which)
    readers = ((read, "question"), (read_study, "text"), (read_chart, "rest"))
    with counted(scopes_of, "text", *readers) as readings:
        tasks = {each.task_id: each for each in entries_of(planned(question, tables))}
        for task in tasks.values():
            source = tasks[task.data_dependency] if task.data_dependency is not None else None
            assert can_do(task, source, tables), task
    assert len(tasks) > 3
    assert dict(readings) == {question: 1}


EIGHT = (
    "What drives revenue?", "How did revenue develop?", "Compare North and South.",
    "How is discount distributed?", "Does discount affect quantity?", "Which products sell best?",
    "What should we do to reduce shipping days?", "Segment our customers.",
)  # fmt: skip


@pytest.mark.long("analyses computed over their data")
def test_of_a_goal_of_eight_questions_each_is_read_once(business: Business) -> None:
    """The team only parts it; each question is read by the team that works on it."""
    tables, names = business.tables("shop"), (*AGENTS, "GoalAgent")
    readers = ((read, "question"), (read_study, "text"), (Analyst.propose, "question"))
    with counted(scopes_of, "text", *readers) as readings:
        goals = planned(" ".join(EIGHT), tables, names)
        assert readings == {}
        for each in goals:
            assert len(planned(each["description"], tables, names)) > 2, each
    assert [each["name"] for each in goals] == ["GoalAgent"] * 8
    assert sorted(readings.values()) == [1] * 8


def test_insights_are_of_the_result_that_they_are_based_on(business: Business) -> None:
    tasks = planned("How do I improve the output of Mill 22?", business.tables("logistics"))
    told = {each["description"]: each for each in tasks if each["name"] == INSIGHTS}
    [based] = [each for text, each in told.items() if "correlation" in text]
    source = tasks[based["data_dependency"]]
    assert source["name"] == PYTHON
    assert "correlation" in source["description"]


@pytest.mark.parametrize(
    ("which", "question"),
    [
        ("countries", "Who won the world cup in 1974?"),
        ("shop", "What is the weather in Paris?"),
        ("restaurant", "Tell me about Einstein"),
        ("logistics", "Write a poem about the sea"),
        ("countries", "How happy are penguins?"),
    ],
)
def test_a_question_that_has_nothing_to_do_with_the_data_gets_no_tasks_but_why(
    which: str, question: str, business: Business
) -> None:
    tables = business.tables(which)
    reply = generated(question, tables)
    assert reply["tasks"] == []
    assert tables[0].columns[0].name in reply["cannot"]


def test_what_the_data_cannot_answer_of_a_question_is_said(business: Business) -> None:
    reply = generated("How does the weather affect revenue in the North region?",
                      business.tables("shop"))  # fmt: skip
    assert reply["tasks"]
    assert "weather" in reply["understood"].partition("Not understood")[2]


def test_only_agents_that_are_there_are_named(business: Business) -> None:
    tables = business.tables("countries")
    without = [each for each in AGENTS if each not in (MODEL, PLOT)]
    for question in ("What drives life expectancy?", "Which continent performs best and why?"):
        tasks = planned(question, tables, without)
        assert {each["name"] for each in tasks} <= set(without)
        assert any(each["name"] == PYTHON for each in tasks)


def test_a_list_is_no_longer_than_it_may_be_and_keeps_its_insights(business: Business) -> None:
    for most in (3, 5):
        reply = generated("How do I improve the output of Mill 22?",
                          business.tables("logistics"), most=most)  # fmt: skip
        names = [each["name"] for each in reply["tasks"]]
        assert len(names) == most
        assert names[0] == SQL
        assert INSIGHTS in names


@pytest.mark.long("whole analyses over their data")
def test_several_questions_are_planned_each_and_share_what_they_extract(
    business: Business,
) -> None:
    tasks = planned("How did revenue develop and what drives it?", business.tables("shop"))
    told = [each["description"] for each in tasks]
    assert any("growth" in text and "revenue" in text for text in told)
    assert any("correlation" in text and "revenue" in text for text in told)
    extracted = [each for each in tasks if each["description"].startswith("Get")]
    assert len(extracted) == 1
    assert "order date" in extracted[0]["description"]


def test_with_an_agent_for_goals_each_question_is_a_goal(business: Business) -> None:
    names = (*AGENTS, "GoalAgent")
    tasks = planned("How did revenue develop and what drives it?", business.tables("shop"), names)
    assert [each["name"] for each in tasks] == ["GoalAgent", "GoalAgent"]
    assert '"revenue"' in tasks[1]["description"]
    one = planned("What drives revenue?", business.tables("shop"), names)
    assert "GoalAgent" not in {each["name"] for each in one}


_ODD = ('say "hi"', "a,b", "{{x}}", "<script>", "region", "2020", "drop table; --", "it's")


@pytest.mark.long("every goal is planned, and each of its tasks compiled")
@pytest.mark.parametrize("name", _ODD)
@pytest.mark.parametrize(
    "question",
    ["What drives {}?", "Which region has the most {} and why?", "Find anomalies in {}",
     "How does {} differ by region?", "What will {} be next month?"],
)  # fmt: skip
def test_columns_with_odd_names_give_tasks_that_can_be_done_or_none(
    name: str, question: str, odd: tuple[Table, ...]
) -> None:
    tasks = {each.task_id: each for each in entries_of(planned(question.format(name), odd))}
    for task in tasks.values():
        source = tasks[task.data_dependency] if task.data_dependency is not None else None
        assert can_do(task, source, odd), task


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> tuple[Table, ...]:
    folder, dice = tmp_path_factory.mktemp("odd"), random.Random(4)
    with (folder / "odd.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(_ODD)
        for _ in range(60):
            place = dice.choice(["O'Brien", 'a "quoted" one', "{{y}}"])
            numbers = [dice.random() for _ in range(4)]
            writer.writerow([*numbers, place, dice.randint(1, 900), dice.choice("ab"), numbers[0]])
    with Catalog({"odd": str(folder / "odd.csv")}, folder) as catalog:
        return catalog.tables()
