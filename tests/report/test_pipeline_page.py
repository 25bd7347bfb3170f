"""The page of a pipeline: what it says of each phase, and that no text of the data is markup."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flows.report.pipeline.page import pipeline_page
from flows.report.pipeline.prose import pieces_of, without_title
from flows.report.pipeline.views import score_rows
from tests.report.browser import Browser
from tests.report.hostile import SCRIPT
from tests.report.pipeline_sample import hostile_report, pipeline_report

OPENED = "document.querySelectorAll('details').forEach(each => each.open = true)"


def test_it_tells_the_task_the_phases_and_the_scores_with_their_yardsticks(tmp_path: Path) -> None:
    html = pipeline_page(*pipeline_report(tmp_path)).decode()
    for said in (
        "Weights of beans", "Done in part", "rmse 0.25 by validation (less is better)",
        "40 rows handed in", "yardstick: one answer for all rows",
        "yardstick: HistGradientBoosting, untuned", "1 of 2 passed", "2 tries",
        "no try was good enough", "1 columns added, 2 rows removed", "made by this run",
        "The first 1 of 9 rows.", "data:image/png;base64,", "<code>length</code>",
    ):  # fmt: skip
        assert said in html
    assert re.search(r"script-src 'sha256-[^;]*; style-src-elem", html)
    assert len(html) < 60_000


def test_the_best_score_stands_first_and_the_worst_has_no_bar(tmp_path: Path) -> None:
    report, _ = pipeline_report(tmp_path)
    rows = score_rows(report)
    assert [each.model for each in rows] == [
        "blend",
        "linear",
        "hist_gradient_boosting",
        "baseline",
    ]
    assert [each.width for each in rows] == [100.0, 80.0, 60.0, 0.0]
    assert [each.look for each in rows] == ["chosen", "", "yardstick", "yardstick"]
    assert report.task is not None
    task = report.task.model_copy(update={"greater_is_better": True})
    first, *_ = score_rows(report.model_copy(update={"task": task}))
    assert first.model == "baseline"


def test_a_run_without_a_task_has_a_page_too(tmp_path: Path) -> None:
    report, artifacts = pipeline_report(tmp_path)
    empty = report.model_copy(
        update={"task": None, "phases": (), "tools": (), "status": "failed", "submission": ""}
    )
    html = pipeline_page(empty, artifacts).decode()
    assert "A task of prediction" in html
    assert "No submission" in html
    assert "No phase came to its end." in html


def test_no_text_of_the_data_is_markup(tmp_path: Path) -> None:
    html = pipeline_page(*hostile_report(tmp_path)).decode()
    assert SCRIPT not in html
    assert "<img src=x" not in html
    assert "<iframe" not in html
    assert "javascript:" not in re.sub(r"\(javascript:|&#34;javascript:", "", html)
    assert html.count("<script") == html.count("</script>") == 1


@pytest.mark.long("a real browser")
def test_a_browser_runs_and_loads_nothing_of_the_data(browser: Browser, tmp_path: Path) -> None:
    for name, made in (("usual", pipeline_report), ("hostile", hostile_report)):
        page = tmp_path / f"{name}.html"
        page.write_bytes(pipeline_page(*made(tmp_path / name)))
        browser.open(page)
        browser.run(OPENED)
        assert browser.run("window.pwned === undefined")
        assert browser.run("document.querySelectorAll('section.phase').length") == 2
        wide = "document.documentElement.scrollWidth <= window.innerWidth"
        assert browser.run(wide), name
        assert (browser.requests, browser.violations, browser.errors) == ([], [], [])


def test_lists_in_lists_tables_and_code_are_read() -> None:
    found = pieces_of(
        "Text that\ngoes on.\n\n1. First `a|b`\n   - below: **bold**\n   - more\n2. Second\n"
        "   line\n\n| a | b\\|c |\n|---|:-:|\n| 1 | `x` |\n\n```python\n# no heading\n```\n"
        "* one\n## Head ##\n"
    )
    assert [each.kind for each in found] == [
        "paragraph", "numbers", "table", "code", "bullets", "heading",
    ]  # fmt: skip
    numbers, table = found[1], found[2]
    assert [len(each.below) for each in numbers.items] == [1, 0]
    assert [len(each.items) for each in numbers.items[0].below] == [2]
    assert numbers.items[1].line[0].text == "Second line"
    assert [each[0].text for each in table.head] == ["a", "b|c"]
    assert table.rows[0][1][0].kind == "code"
    assert found[3].text == "# no heading"
    assert found[5].level == 2


def test_a_title_that_stands_above_is_not_said_again() -> None:
    assert without_title("# Data Cleaning\n\nText", "Data Cleaning").strip() == "Text"
    assert without_title("# Other\nText", "Data Cleaning").startswith("# Other")
