"""What a person declares of the data is what every way of asking them uses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.inside import inside

# By rows the north is first, by amounts the south; per amount the south costs less.
SALES = """\
day,region,amt,cost
2023-01-05,North,100,60
2023-03-15,South,200,90
2023-11-20,North,300,150
2024-01-02,South,50,20
2024-03-16,North,75,30
2024-03-31,South,500,200
2024-05-04,North,20,10
2024-06-15,North,60,45
"""
OSSIE = """\
version: 0.2.0
name: shop
datasets:
  - name: sales
    source: sales
    fields:
      - name: amt
        expression: {dialects: [{dialect: ANSI_SQL, expression: amt}]}
        ai_context: {synonyms: [haul]}
metrics:
  - name: burn
    expression: {dialects: [{dialect: ANSI_SQL, expression: SUM(sales.cost) / SUM(sales.amt)}]}
    ai_context: {synonyms: [spending rate]}
"""
DBT = """\
semantic_models:
  - name: sales
    model: ref('sales')
    dimensions:
      - {name: region, type: categorical}
    measures:
      - {name: paid, agg: sum, expr: cost}
      - {name: haul, agg: sum, expr: amt}
metrics:
  - {name: paid, type: simple, type_params: {measure: paid}}
  - {name: haul, type: simple, type_params: {measure: haul}}
  - name: spending_rate
    type: ratio
    type_params: {numerator: paid, denominator: haul}
"""
DECLARED = "semantic_model=model.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sales.csv").write_text(SALES)
    (tmp_path / "model.yaml").write_text(OSSIE)
    return tmp_path


@pytest.mark.long("whole vocabularies are read")
@pytest.mark.parametrize(
    ("question", "says", "sql"),
    [
        ("Which region has the highest haul?", "South", '"amt"'),
        ("What is the average haul in the north?", "111", 'AVG("amt")'),
        ("What is the spending rate in the South?", "0.41", 'SUM("cost")'),
        ("Which region has the lowest spending rate?", "South", 'SUM("cost")'),
        ("Which regions have a spending rate above 0.5?", "North", "HAVING"),
    ],
)
def test_ask_reads_declared_words_and_metrics(
    question: str, says: str, sql: str, folder: Path
) -> None:
    asked = inside("ask", question, "--data", "sales.csv", DECLARED, "--json", cwd=folder)
    assert asked.code == 0, asked.err + asked.out
    answer = asked.json()
    assert says in answer["answer"]
    assert sql in answer["sql"]
    without = inside("ask", question, "--data", "sales.csv", "--json", cwd=folder).json()
    assert (without["sql"], without["answer"]) != (answer["sql"], answer["answer"])


def test_metrics_of_dbt_are_asked_for_in_free_words(folder: Path) -> None:
    (folder / "model.yaml").write_text(DBT)
    asked = "Which region has the lowest spending rate?"
    found = inside("ask", asked, "--data", "sales.csv", DECLARED, "--json", cwd=folder)
    assert found.code == 0, found.err + found.out
    assert "South" in found.json()["answer"]


@pytest.mark.long("a team of agents works on a question, in the sandbox")
def test_the_analyst_team_computes_a_declared_metric(folder: Path) -> None:
    asked = "Which region has the highest haul, and how did the spending rate develop?"
    found = inside("analyse", asked, "--data", "sales.csv", DECLARED, cwd=folder)
    assert found.code == 0, found.err + found.out
    assert "South has the highest amt" in found.out
    assert "Burn" in found.out
    assert 'SUM("cost") / NULLIF(SUM("amt"), 0)' in "".join(
        each.read_text() for each in folder.glob("runs/*/artifacts/report-*.md")
    )


@pytest.mark.long("whole vocabularies are read")
def test_the_autogpt_loop_computes_a_declared_metric(folder: Path) -> None:
    goal = "goal=What is the spending rate in the South? Which region has the highest haul?"
    found = inside("run", goal, "data.sales=sales.csv", DECLARED, "human=never", cwd=folder)
    assert found.code == 0, found.err + found.out
    assert "South is 0.41" in found.out
    assert "South has the highest amt: 500" in found.out


@pytest.mark.long("models of many tables are inferred")
def test_a_batch_reads_declared_words(folder: Path) -> None:
    line = '{"id": 1, "question": "Which region has the highest haul?", "data": ["sales.csv"]}'
    (folder / "questions.jsonl").write_text(line + "\n")
    found = inside("ask", "--batch", "questions.jsonl", DECLARED, "--json", cwd=folder)
    assert found.code == 0, found.err + found.out
    assert '"amt"' in found.json()["sql"]


CALENDAR = """\
version: 0.2.0
name: shop
datasets:
  - {name: sales, source: sales}
custom_extensions:
  - vendor_name: ANALYST_FLOWS
    data: {calendar: {fiscal_start: 7}}
"""


@pytest.mark.long("whole vocabularies are read")
def test_a_declared_calendar_is_shown_and_counted_by(folder: Path) -> None:
    (folder / "model.yaml").write_text(CALENDAR)
    shown = inside("model", "sales.csv", "--declared", "model.yaml", cwd=folder)
    assert "today is the last date in the data; a fiscal year begins in July" in shown.out
    for question, count in (("How many sales in FY2024?", 6), ("How many sales in 2024?", 5)):
        asked = inside("ask", question, "--data", "sales.csv", DECLARED, "--json", cwd=folder)
        assert asked.code == 0, asked.err + asked.out
        assert asked.json()["rows"] == [[count]]


LENT = "loan,customer,fee\n1,7,5\n2,8,9\n3,8,2\n4,11,1\n5,12,4\n6,13,3\n"
PEOPLE = "number,town\n7,Graz\n8,Linz\n9,Wels\n10,Graz\n"
BELONGS = """\
version: 0.2.0
name: bank
datasets:
  - {name: loans, source: loans}
  - name: people
    source: people
    primary_key: [number]
    ai_context: {synonyms: [borrower]}
relationships:
  - {name: lent_to, from: loans, to: people, from_columns: [customer], to_columns: [number]}
"""


@pytest.mark.long("whole vocabularies are read")
def test_a_declared_relationship_joins_what_the_data_do_not_connect(tmp_path: Path) -> None:
    (tmp_path / "loans.csv").write_text(LENT)
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "model.yaml").write_text(BELONGS)
    files = ("--data", "loans.csv", "--data", "people.csv", "--json")
    question = "What is the total fee of the loans of borrowers in Linz?"
    found = inside("ask", question, *files, DECLARED, cwd=tmp_path)
    assert found.code == 0, found.err + found.out
    assert found.json()["rows"][0] == [11]
