"""Conversations in the page, in a real browser over the real command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from flows.models.fake.player import Player
from flows.models.fake.script import read_script
from flows.models.fake.server import FakeModel
from tests.web.page.browsing import Tab, tab_of, web_page

HOSTILE = "<img src=x onerror=alert(1)>"
SUMMARY = "## Executive Summary\n\n### Question Answered\nThat."
CANCEL = """
() => fetch(`/api/runs/${location.hash.split("/").pop()}/cancel`, { method: "POST" })
  .then((found) => found.text())
"""


def orders(path: Path) -> Path:
    """A table with a region whose name is markup."""
    regions = ("West", "East", HOSTILE)
    kinds = ("Books", "Toys")
    lines = [
        f"{n},{regions[n % 3]},{kinds[n % 2]},2023-{n % 12 + 1:02d}-05,{n % 90 + 10}"
        for n in range(240)
    ]
    path.write_text("\n".join(["order_id,region,category,day,revenue", *lines]) + "\n")
    return path


def bring(tab: Tab, *paths: Path) -> None:
    """Choose files in the page, as dropping them does."""
    tab.page.set_input_files("#upload", paths)


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(180)
def test_a_conversation_about_a_file_that_was_brought(tmp_path: Path, browser: Browser) -> None:
    data, bad = orders(tmp_path / "orders.csv"), tmp_path / "torn.parquet"
    bad.write_bytes(b"PAR1 and no more")
    (tmp_path / "letter.pdf").write_bytes(b"%PDF-1.7")
    with web_page(tmp_path) as page, tab_of(browser, page) as tab:
        tab.say("total revenue")
        tab.wait(".composer .problem", "There is no data yet")
        bring(tab, bad)
        tab.wait(".uploads .bad", "torn.parquet")
        bring(tab, tmp_path / "letter.pdf")
        tab.wait(".uploads .bad", "letter.pdf is no data file")
        bring(tab, data)
        tab.wait(".uploads .good", "orders: 240 rows, 5 columns")

        tab.say("show me the orders")
        tab.wait(".options button")
        first = tab.text(".options button >> nth=0")
        tab.page.click(".options button >> nth=0")
        tab.wait(".turn:nth-child(2) .read", first.replace("`", ""))
        tab.wait(".turn:nth-child(2) .cite")

        tab.say("total revenue by region as a bar chart")
        tab.wait(".turn:nth-child(3) .plot .main-svg")
        assert HOSTILE in tab.text(".turn:nth-child(3) .table")
        tab.page.reload()
        tab.wait(".turn:nth-child(3) .plot .main-svg")
        assert tab.page.locator(".turn").count() == 3
        assert tab.page.locator(".turn:nth-child(1) .said").inner_text() == "show me the orders"

        tab.page.click(".turn:nth-child(3) .cite >> nth=0")
        tab.wait("dialog td.marked")
        assert "SUM" in tab.text("dialog .code")
        tab.page.keyboard.press("Escape")
        tab.page.click(".turn:nth-child(3) th button >> nth=1")
        rows = tab.page.locator(".turn:nth-child(3) tbody td.num").all_inner_texts()
        assert rows == sorted(rows, key=float, reverse=True)
        with tab.page.expect_download() as told:
            tab.page.click("text=Table (CSV) >> nth=-1")
        content = Path(told.value.path()).read_text()
        assert content.startswith("region,")
        assert HOSTILE in content

        # Another conversation at the same time, about the same file.
        other = Tab(tab.context, page.base)
        other.show("#/chat")
        bring(other, data)
        other.wait(".uploads .good")
        other.say("How many orders are there?")
        other.wait(".turn .cite", "240")
        tab.say("only East")
        tab.wait(".turn:nth-child(4) .cite")
        assert len(list((tmp_path / ".flows" / "service" / "chats").glob("*.json"))) == 2
        assert not tab.problems + other.problems


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(180)
def test_a_turn_is_stopped_and_the_next_one_is_answered(tmp_path: Path, browser: Browser) -> None:
    data = orders(tmp_path / "orders.csv")
    read = {"need_clarification": "no", "modified_question": "total revenue"}
    turns = [
        {"reply": read}, {"reply": {"is_complex": "no", "tasks": ["total revenue"]}, "delay": 60},
        {"reply": read}, {"reply": {"is_complex": "no", "tasks": ["total revenue"]}, "delay": 1},
        {"reply": {"sql": "SELECT SUM(revenue) AS total FROM orders", "confidence": 0.9}},
        {"reply": "It is {{result[0].total}} or so."}, {"reply": SUMMARY, "repeat": 4},
        {"reply": read, "delay": 60, "repeat": "always"},
    ]  # fmt: skip
    script = tmp_path / "script.yaml"
    script.write_text(json.dumps({"turns": turns}))
    with FakeModel(Player(read_script(script))) as model:
        env = {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "k"}
        arguments = ("--data", str(data), "--model", "openai:small")
        with web_page(tmp_path, *arguments, env=env) as page, tab_of(browser, page) as tab:
            tab.say("total revenue")
            tab.wait(".working .running", "Planner")
            tab.page.reload()
            tab.wait(".working .now", "Planner")
            tab.say("and by region?")
            tab.wait(".composer .problem", "It is being answered.")
            tab.page.click("text=Stop")
            tab.wait(".turn .caution", "Stopped.")
            assert tab.page.locator(".composer .problem").text_content() == ""
            tab.say("total revenue")
            tab.wait(".turn:nth-child(2) .answer")
            assert "8 model calls" in tab.text(".turn:nth-child(2) .work summary")
            # All of the conversation is ended elsewhere, and gone on with here.
            tab.say("total revenue")
            tab.wait(".turn:nth-child(3) .running")
            tab.page.evaluate(CANCEL)
            tab.wait(".turn:nth-child(3) .caution", "Stopped.")
            tab.page.click("text=Go on with it")
            tab.wait(".turn:nth-child(3) .running")
            tab.page.click(".turn:nth-child(3) .stop")
            tab.wait(".turn:nth-child(3) .caution", "Stopped.")
            assert not tab.problems
