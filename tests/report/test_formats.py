"""One report in each of its other forms: Markdown, JSON, and a notebook that runs again."""

from __future__ import annotations

import ast
import json
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from flows.core.artifacts import Artifacts, Origin
from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.data.tables import ResultTable
from flows.report.json_report import ReportFile, json_page
from flows.report.markdown import Notes, escaped, fenced, markdown_page
from flows.report.notebook import notebook_page
from flows.report.report import Report
from flows.report.sources import sources_used
from flows.semantics.findings import Finding, Told
from tests.report.conftest import Made
from tests.report.hostile import hostile
from tests.report.sample import Desk, result_of

# A plain process that runs the code cells of a notebook in order, and tells of its variables.
RUN = """
import json, sys
names = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        exec(compile(cell["source"], "cell", "exec", dont_inherit=True), names)
tasks = {each: names[each] for each in names if each.startswith("task_")}
print(json.dumps({each: json.loads(value.to_json(orient="split", double_precision=15))
                  for each, value in tasks.items()}))
"""


def run_again(page: bytes, folder: Path) -> dict[str, Any]:
    """What the tasks of a notebook come to in a process of its own."""
    path = folder / "report.ipynb"
    path.write_bytes(page)
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(path)],
        capture_output=True, text=True, timeout=100, check=False, cwd=folder,
        env={**os.environ, "MPLBACKEND": "Agg"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def result_rows(made: Made, number: int) -> tuple[tuple[Any, ...], ...]:
    """The rows of the table that a task made in the run."""
    report, artifacts = made
    table = report.results[number].finding.table
    assert table is not None
    return ResultTable.model_validate_json(artifacts.read(table.artifact or "")).rows


@pytest.mark.long("a notebook runs from its first cell to its last")
def test_the_notebook_comes_to_the_same(made: Made, folder: Path) -> None:
    again = run_again(notebook_page(*made), folder)
    assert sorted(again) == ["task_0", "task_1", "task_4", "task_5"]
    for number, place in ((1, 1), (4, 3), (5, 1)):
        rows = result_rows(made, number)
        assert again[f"task_{number}"]["columns"][place]
        assert [row[place] for row in again[f"task_{number}"]["data"]] == pytest.approx(
            [row[place] for row in rows]
        )
    assert len(again["task_0"]["data"]) == 480


def test_a_notebook_has_the_form_of_one(made: Made) -> None:
    book = json.loads(notebook_page(*made))
    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert len({each["id"] for each in book["cells"]}) == len(book["cells"])
    for each in book["cells"]:
        keys = {"cell_type", "metadata", "source", "id"}
        code = {"outputs", "execution_count"} if each["cell_type"] == "code" else set()
        assert set(each) == keys | code
    assert "generated" in book["cells"][0]["source"]


def test_a_failed_task_is_told_and_not_run(made: Made) -> None:
    cells = json.loads(notebook_page(*made))["cells"]
    told = [each["cell_type"] for each in cells[-1:]]
    assert told == ["markdown"]
    assert "NameError" in cells[-1]["source"]


@pytest.mark.long("a notebook runs from its first cell to its last")
def test_several_sources_are_read_again(folder: Path) -> None:
    """A SQLite file is asked in its own words; a file that needs care is read by the package."""
    shop = sqlite3.connect(folder / "shop.db")
    shop.execute('CREATE TABLE "order lines" (item TEXT, amount REAL)')
    shop.executemany('INSERT INTO "order lines" VALUES (?, ?)', [("a", 1.5), ("b", 2.5), ("a", 4)])
    shop.commit()
    shop.close()
    prices = "item;price\r\na;1.234,50\r\nb;99,90\r\n"
    (folder / "prices.csv").write_bytes(prices.encode("utf-16"))
    desk = Desk(Artifacts(folder / "run"))
    sums = 'SELECT item, sum(amount) AS amount FROM "order lines" GROUP BY item ORDER BY item'
    listed = "SELECT item, price FROM prices ORDER BY item"
    joined = 'SELECT o.item, price FROM "order lines" o JOIN prices USING (item) ORDER BY amount'
    with Catalog({"shop": "shop.db", "prices": "prices.csv"}, folder) as catalog:
        sources = sources_used(catalog)
        found = [
            run_query(catalog, each, max_rows=9, timeout=60) for each in (sums, listed, joined)
        ]
    results = tuple(
        result_of(number, "DataProcessorSQLAgent", "Ask.", Finding(
            output_type="table", response="", sql=each.sql, data_used=tuple(each.sources),
            table=desk.table(f"t{number}", each, Origin(query=each.sql, inputs=each.sources))))
        for number, each in enumerate(found)
    )  # fmt: skip
    report = Report(run_id="r", question="Which?", summary=Told(text=""), results=results,
                    sources=sources)  # fmt: skip
    again = run_again(notebook_page(report, desk.artifacts), folder)
    for number, each in enumerate(found):
        assert again[f"task_{number}"]["data"] == [list(row) for row in each.rows]
    assert [row[1] for row in found[1].rows] == [1234.5, 99.9]


def test_the_json_can_be_read_again(made: Made) -> None:
    report, artifacts = made
    read = ReportFile.model_validate_json(json_page(report, artifacts))
    assert read.report == report
    assert [each.key for each in read.tables] == ["T1", "T2", "T3", "T4"]
    rows = result_rows(made, 1)
    assert read.tables[1].cells == rows
    json.loads(json_page(report, artifacts), parse_constant=pytest.fail)


def test_the_numbers_of_the_markdown_have_footnotes(made: Made) -> None:
    report, artifacts = made
    text = markdown_page(report, artifacts).decode()
    marks = set(re.findall(r"\[\^(\d+)\](?!:)", text))
    notes = dict(re.findall(r"^\[\^(\d+)\]: (.+)$", text, re.MULTILINE))
    assert marks == set(notes)
    first = report.summary.citations[0]
    assert f"{first.text}[^1]" in text
    assert notes["1"] == "correlation, row 1 of T2"
    assert "```sql\nSELECT month, AVG(efficiency)" in text
    assert "| dock_wait_minutes_norm | \u22120.882 |" in text


@pytest.mark.long("whole reports are made")
def test_hostile_texts_stay_texts(folder: Path) -> None:
    report, artifacts = hostile(folder)
    outside = re.sub(r"^(`{3,})\w*\n.*?\n\1$", "", markdown_page(report, artifacts).decode(),
                     flags=re.MULTILINE | re.DOTALL)  # fmt: skip
    assert "<" not in outside
    assert not re.search(r"(?<!\\)\]\(", outside)  # no link and no picture
    assert "http:" not in outside
    assert not re.search(r"(?<!\\)!\[", outside.replace("\\[", ""))
    own = {each.finding.code for each in report.results}
    for cell in json.loads(notebook_page(report, artifacts))["cells"]:
        if cell["cell_type"] == "markdown":
            assert "<" not in cell["source"]
        elif cell["source"] not in own:
            # Names and paths are literals: none of their text is code.
            tree = ast.walk(ast.parse(cell["source"]))
            assert "window" not in {each.id for each in tree if isinstance(each, ast.Name)}
    page = json_page(report, artifacts)
    assert json_page(ReportFile.model_validate_json(page).report, artifacts) == page


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a_b of _c_", r"a_b of \_c\_"),
        ("1. no list", r"1\. no list"),
        ("# no heading", r"\# no heading"),
        ("- no bullet", r"\- no bullet"),
        ("2024-01-01", "2024-01-01"),
        ("<b> & [x](y)", r"&lt;b&gt; &amp; \[x\](y)"),
        ("see www.x.y or https://x.y", "see www&#46;x.y or https&#58;//x.y"),
        ("two\nlines", "two lines"),
    ],
)
def test_text_in_markdown(text: str, written: str) -> None:
    assert escaped(text) == written


def test_code_never_ends_its_fence() -> None:
    assert fenced("a\n```\nb", "sql") == "````sql\na\n```\nb\n````"


def test_equal_origins_share_a_footnote() -> None:
    notes = Notes()
    assert [notes.mark(None), notes.mark(None)] == ["[^1]", "[^1]"]
    assert len(list(notes.texts())) == 1
