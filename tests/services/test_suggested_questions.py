"""Questions that are suggested can be answered of the data that they are about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.services.suggested_questions import suggest_questions
from tests.cli.command import flows

SALES = ["sold_on,region,shop_id,revenue", *(
    f"{2020 + n // 60}-{n % 12 + 1:02d}-03,{('North', 'South', 'West')[n % 3]},{n},{n % 17 + 5}.5"
    for n in range(240)
)]  # fmt: skip
POINTS = ["depth,heat", *(f"{n * 7 % 31}.25,{n * 5 % 23}.75" for n in range(60))]


def tables(folder: Path, **files: list[str]) -> tuple[Table, ...]:
    for name, lines in files.items():
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    with Catalog({name: f"{name}.csv" for name in files}, folder) as catalog:
        return catalog.tables()


def test_what_is_suggested_depends_on_the_columns(tmp_path: Path) -> None:
    sales = tables(tmp_path, sales=SALES)
    assert suggest_questions(sales) == (
        "Which region has the highest total revenue?",
        "Total revenue by region as a bar chart",
        "Total revenue per year as a line chart",
        "How many rows does sales have?",
    )
    assert suggest_questions(tables(tmp_path, points=POINTS)) == (
        "What is the average depth?",
        "Scatter plot of heat against depth",
        "How many rows does points have?",
    )
    # Of columns that two tables share nothing is suggested: it would have to be asked back.
    assert suggest_questions(tables(tmp_path, sales=SALES, more=SALES))[0].startswith("How many")
    assert suggest_questions(tables(tmp_path, none=SALES[:1])) == ()
    assert suggest_questions(()) == ()


@pytest.mark.long("asks each of them")
def test_all_that_is_suggested_is_answered(tmp_path: Path) -> None:
    sales, points = tables(tmp_path, sales=SALES), tables(tmp_path, points=POINTS)
    questions = (*suggest_questions(sales), *suggest_questions(points))
    (tmp_path / "asked.jsonl").write_text(
        "".join(json.dumps({"question": each}) + "\n" for each in questions)
    )
    data = ("--data", "sales.csv", "--data", "points.csv")
    asked = flows("ask", "--batch", "asked.jsonl", "--json", *data, cwd=tmp_path)
    replies = [json.loads(each) for each in asked.out.splitlines()]
    assert [each["status"] for each in replies] == ["answered"] * len(questions), asked.out
