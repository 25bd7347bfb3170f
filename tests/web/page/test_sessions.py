"""Conversations that outlive the process that began them, with the page open all the time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from flows.models.fake.player import Player
from flows.models.fake.script import read_script
from flows.models.fake.server import FakeModel
from tests.web.page.browsing import free_port, tab_of, web_page
from tests.web.page.test_chat import SUMMARY, bring, orders


@pytest.mark.long("a browser and the real command, killed and started again")
@pytest.mark.timeout(300)
def test_a_turn_under_way_at_a_kill_is_answered_and_the_open_page_goes_on(
    tmp_path: Path, browser: Browser
) -> None:
    data, port = orders(tmp_path / "orders.csv"), free_port()
    plan = {"is_complex": "no", "tasks": ["total revenue"]}
    roles = {
        "first of a team": {"need_clarification": "no", "modified_question": "total revenue"},
        "second of a team": plan,
        "last of a team": SUMMARY,
        "SQL": {"sql": "SELECT SUM(revenue) AS total FROM orders", "confidence": 0.9},
        "": "It is so much, or so.",
    }
    slow = {"match": {"system_contains": "second of a team"}, "reply": plan, "delay": 100}
    turns = [slow] + [
        {"match": {"system_contains": role}, "reply": reply, "repeat": "always"}
        for role, reply in roles.items()
    ]
    script = tmp_path / "script.yaml"
    script.write_text(json.dumps({"turns": turns}))
    with FakeModel(Player(read_script(script))) as model:
        env = {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "k"}
        arguments = ("--model", "openai:small")
        with (
            web_page(tmp_path, *arguments, port=port, env=env) as page,
            tab_of(browser, page) as tab,
        ):
            bring(tab, data)
            tab.wait(".uploads .good")
            tab.say("total revenue")
            tab.wait(".working .running", "Planner")
            page.process.kill()
            page.process.wait()
            tab.wait("#connection", "Connection lost")
            tab.page.fill("#say", "and again")
            with web_page(tmp_path, *arguments, port=port, env=env) as again:
                tab.wait(".turn .answer", "or so")
                assert tab.text("#connection") == ""
                again.stop()
            # Another process, which has not opened the data of this conversation.
            with web_page(tmp_path, *arguments, port=port, env=env):
                tab.say("total revenue")
                tab.wait(".turn:nth-child(2) .answer", "or so")
                assert tab.page.locator(".turn").count() == 2
                assert not tab.problems
