"""The scenarios of the product's first description, with a language model that is played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.analysis.conversation.summary import HEADINGS
from tests.cli.command import environment
from tests.cli.inside import inside
from tests.cli.test_chat_turns import staff
from tests.cli.test_fake_model_command import playing

SUMMARY = "\n".join(("## Executive Summary", *(f"{each}\nIt was looked at." for each in HEADINGS)))
# What is said, what the model makes of it, the SQL of its analyst; or what it asks back.
SCENARIOS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "the top three": (
        ("Analyze revenue by region", "total revenue by region",
         "SELECT region, SUM(revenue) AS total FROM orders GROUP BY region"),
        ("Show me the top 2 only", "the two regions with the highest total revenue",
         "SELECT region, SUM(revenue) AS total FROM orders GROUP BY region "
         "ORDER BY total DESC LIMIT 2"),
    ),
    "broken down further": (
        ("Employee salary analysis by department", "average salary by department",
         "SELECT department, AVG(salary) AS pay FROM employees GROUP BY department"),
        ("Can you break it down further?", "", ""),
        ("by job level", "average salary by department and job level",
         "SELECT department, job_level, AVG(salary) AS pay FROM employees GROUP BY ALL"),
    ),
    "the outliers": (
        ("Salaries by department", "average salary by department",
         "SELECT department, AVG(salary) AS pay FROM employees GROUP BY department"),
        ("What about the outliers we found?", "salaries of more than 150000",
         "SELECT employee_id, salary FROM employees WHERE salary > 150000"),
    ),
    "the highest paying department": (
        ("Analyze employee salaries by department", "average salary by department",
         "SELECT department, AVG(salary) AS pay FROM employees GROUP BY department"),
        ("Show me the distribution for the highest paying department",
         "salary distribution for the IT department",
         "SELECT MIN(salary) AS low, MAX(salary) AS high FROM employees WHERE department = 'IT'"),
    ),
    "by quarter": (
        ("revenue by region and category", "total revenue by region and category",
         "SELECT region, category, SUM(revenue) AS total FROM orders GROUP BY ALL"),
        ("Can you break this down by quarter?", "total revenue by region, category and quarter",
         "SELECT region, category, QUARTER(day) AS q, SUM(revenue) AS total "
         "FROM orders GROUP BY ALL"),
    ),
}  # fmt: skip


def replies(read: str, sql: str) -> list[Any]:
    """What the model of each agent says in a turn."""
    if not sql:
        return [{"need_clarification": "yes", "clarification_question": "By what?",
                 "options": ["by job level", "by rating"]}]  # fmt: skip
    return [
        {"need_clarification": "no", "modified_question": read},
        {"is_complex": "no", "tasks": [read]},
        {"sql": sql, "confidence": 0.9},
        "This is what was found.",
        SUMMARY,
    ]


@pytest.mark.long("a conversation of several turns")
@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_by_a_language_model(tmp_path: Path, name: str) -> None:
    staff(tmp_path)
    turns = SCENARIOS[name]
    script = [{"reply": each} for _, read, sql in turns for each in replies(read, sql)]
    (tmp_path / "script.yaml").write_text(yaml.safe_dump({"turns": script}, sort_keys=False))
    said = "".join(f"{text}\n" for text, _, _ in turns)
    with playing(tmp_path, "--log", "log.jsonl") as (_, base_url):
        ended = inside(
            "chat", "employees.csv", "orders.csv", "--model", "openai:small", "--json",
            cwd=tmp_path, stdin=said,
            env=environment(OPENAI_BASE_URL=base_url, OPENAI_API_KEY="k"),
        )  # fmt: skip
    assert ended.code == 0, ended.err
    found = [json.loads(line) for line in ended.out.splitlines()]
    for (_, read, sql), reply in zip(turns, found, strict=True):
        assert reply["status"] == ("answered" if sql else "clarify"), reply
        assert reply["question_read"] == read
        if sql:
            assert reply["rows"]
            assert reply["sql"] == sql
            assert all(each in reply["summary"] for each in HEADINGS)
    log = [json.loads(line)["body"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    asked = [each["messages"][-1]["content"] for each in log]
    later = next(each for each in asked if each.endswith(f"The person says: {turns[1][0]}"))
    assert turns[0][0] in later
    assert turns[0][1] in later
