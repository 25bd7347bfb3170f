"""What a person does with results: long tables, downloads, and runs beside each other."""

from __future__ import annotations

import random
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Browser, Response

from tests.web.page.browsing import Tab, tab_of, web_page
from tests.web.page.test_chat import orders
from tests.web.serving import ADDER

ROWS = 100_000
RUNS = """
async (many) => {
  for (let n = 1; n <= many; n += 1) {
    const body = JSON.stringify({ inputs: { n } });
    const headers = { "Content-Type": "application/json" };
    await fetch("/api/flows/adder/runs?wait=10", { method: "POST", headers, body });
  }
}
"""


def long_table(path: Path) -> Path:
    dice = random.Random(1)
    lines = [f"{n},{dice.choice(('East', 'West'))},{dice.random() * 900:.4f}" for n in range(ROWS)]
    path.write_text("\n".join(["entry,region,revenue", *lines]) + "\n")
    return path


def download(tab: Tab, link: str) -> Path:
    """Press a link, and return the file that comes, under the name that it has."""
    with tab.page.expect_download() as told:
        tab.page.click(link)
    path = Path(told.value.path())
    return path.rename(path.with_name(told.value.suggested_filename))


@pytest.mark.long("a browser, the real command, and 100,000 rows")
@pytest.mark.timeout(300)
def test_a_table_of_100000_rows_scrolls_and_sorts(tmp_path: Path, browser: Browser) -> None:
    long_table(tmp_path / "entries.csv")
    arguments = ("--data", "entries.csv", "Analyst.max_rows=100000")
    rows: list[int] = []

    def note(reply: Response) -> None:
        if "rows=" in reply.url:
            rows.append(len(reply.json()["rows"]))

    with web_page(tmp_path, *arguments) as page, tab_of(browser, page) as tab:
        tab.page.on("response", note)
        tab.say("show all rows of entries")
        tab.wait(".turn .table-foot", "100,000 rows")
        told = tab.page.evaluate(
            "fetch(location.hash.replace('#/chat', '/api/sessions') + '/turns/1')"
            ".then((found) => found.json()).then((turn) => turn.table.rows.length)"
        )
        assert told <= 200
        assert sum(rows) == 0, "rows that nobody looks at were sent"
        scroller = tab.page.locator(".turn .rows")
        assert scroller.locator("tr").count() < 60
        scroller.evaluate("(box) => { box.scrollTop = box.scrollHeight; }")
        tab.wait(".turn td", "99,999")
        assert sum(rows) <= 400, "only what is looked at is sent"
        assert scroller.locator("tr").count() < 60
        tab.page.click(".turn th button >> nth=2")
        tab.wait("th[aria-sort=descending]", "revenue")
        shown = scroller.locator("tbody tr:not(.space) td:nth-child(3)").all_inner_texts()
        assert shown == sorted(shown, key=float, reverse=True)
        assert float(shown[0]) > 899.9
        assert scroller.locator("tr").count() < 60
        content = download(tab, "text=Table (CSV)").read_text().splitlines()
        assert content[0] == "entry,region,revenue"
        assert len(content) == ROWS + 1
        assert not tab.problems


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(300)
def test_all_of_an_answer_can_be_taken_away(tmp_path: Path, browser: Browser) -> None:
    orders(tmp_path / "orders.csv")
    with web_page(tmp_path, "--data", "orders.csv") as page, tab_of(browser, page) as tab:
        tab.say("total revenue by category as a bar chart")
        tab.wait(".turn .plot .main-svg")
        tab.say("show me the orders")
        tab.wait(".turn:nth-child(2) .options button")
        chosen = tab.text(".turn:nth-child(2) .options button >> nth=0")
        tab.page.click(".turn:nth-child(2) .options button >> nth=0")
        tab.wait(".turn:nth-child(3) .cite")
        assert tab.text(".turn:nth-child(3) .said") == chosen
        first = ".turn:nth-child(1) .downloads >> "
        assert download(tab, f"{first}text=Figure (picture)").read_bytes()[:4] == b"\x89PNG"
        assert "Plotly" in download(tab, f"{first}text=Figure (interactive)").read_text()
        assert "SUM" in download(tab, f"{first}text=Query").read_text()
        assert "Executive Summary" in download(tab, f"{first}text=Summary").read_text()
        archive = ZipFile(download(tab, ".chat-head >> text=Export"))
        kept = {Path(each).name for each in archive.namelist()}
        assert {"index.html", "report.html", "origin.json"} <= kept
        report = download(tab, ".chat-head >> text=Report")
        assert report.suffix == ".html"
        read = Tab(tab.context, report.as_uri())
        read.page.goto(report.as_uri())
        read.wait("h1", "total revenue by category")
        read.wait("#charts .main-svg")
        read.wait("#summary h3", chosen.replace("`", ""))
        read.page.click("#summary a.num >> nth=0")
        read.wait("#evidence td.marked")
        assert not tab.problems + read.problems


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(300)
def test_runs_are_compared_explained_replayed_and_forked(tmp_path: Path, browser: Browser) -> None:
    (tmp_path / "adder.yaml").write_text(ADDER)
    arguments, env = ("adder.yaml", "--trust", "tests"), {"PYTHONPATH": str(Path.cwd())}
    with web_page(tmp_path, *arguments, env=env) as page, tab_of(browser, page) as tab:
        for number in ("1", "5"):
            tab.show("#/flows/adder")
            tab.page.fill("form input", number)
            tab.page.click("form button.primary")
            tab.wait(".status .chip", "Finished")
        tab.wait("#result-title")
        tab.page.click("text=Explain a value")
        tab.page.fill("#explain-path", "n")
        tab.page.click("button >> text=/^Explain$/")
        tab.wait(".explained .code", "8")
        tab.wait(".explained .links", "two#1")
        tab.page.fill("#explain-path", "none.of.it")
        tab.page.click("button >> text=/^Explain$/")
        tab.wait(".explained .caution")
        tab.page.click("button >> text=Replay")
        tab.wait(".toast", "comes to the same")
        tab.page.click(".steps button >> nth=1")
        tab.wait("dialog section", "Inputs")
        tab.page.click("dialog summary >> text=Fork here")
        tab.page.fill("#fork-settings", "two.amount=")
        tab.page.click("dialog button.primary")
        tab.wait(".toast.bad, dialog .problem")
        tab.page.fill("#fork-settings", "two.amount=40")
        tab.page.click("dialog button.primary")
        tab.page.wait_for_selector("dialog", state="detached")
        tab.wait("section.card .output, section.card .prose", "46")
        tab.page.click("nav >> text=Runs")
        tab.wait(".run-rows")
        boxes = tab.page.locator(".run-rows input")
        assert boxes.count() == 3
        boxes.nth(1).check()
        boxes.nth(2).check()
        tab.page.click("text=Compare two")
        tab.wait("h1", "Two runs")
        tab.wait("section.card h2", "The first step that differs")
        tab.wait(".sides td", "5")
        tab.page.go_back()
        tab.wait("h1", "Runs")
        assert not tab.problems


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(180)
def test_many_options_and_many_runs_are_found(tmp_path: Path, browser: Browser) -> None:
    (tmp_path / "pick.yaml").write_text("_target_: tests.flows_for_tests.Pick\nname: Pick\n")
    (tmp_path / "adder.yaml").write_text(ADDER)
    arguments = ("pick.yaml", "adder.yaml", "--trust", "tests")
    env = {"PYTHONPATH": str(Path.cwd())}
    with web_page(tmp_path, *arguments, env=env) as page, tab_of(browser, page) as tab:
        tab.show("#/flows/pick")
        tab.page.fill("form input", "1")
        tab.page.click("form button.primary")
        tab.wait(".question .options button")
        assert tab.page.locator(".options button:visible").count() == 60
        tab.page.fill(".choice-filter input", "number 14")
        tab.wait(".choice-filter .hint", "10 options")
        tab.page.fill(".choice-filter input", "NUMBER 140")
        assert tab.page.locator(".options button:visible").all_inner_texts() == ["the number 140"]
        tab.page.press(".choice-filter input", "Enter")
        tab.wait(".status .chip", "Finished")
        tab.wait("section.card .output", "42")
        # A flow without parts is a step too.
        tab.page.click(".steps .done button")
        tab.wait("dialog section", "Outputs")
        tab.page.keyboard.press("Escape")
        tab.page.evaluate(RUNS, 60)
        tab.page.click("nav >> text=Runs")
        tab.wait(".run-rows li", "n: 60")
        tab.page.evaluate(RUNS, 3)
        tab.wait(".run-rows li:nth-child(50)", "n: 14")
        tab.page.click("text=Earlier runs")
        tab.wait(".run-rows li", "Pick")
        assert tab.page.locator(".run-rows li").count() == 64
        assert not tab.problems
