"""What data, files and models say is shown as text, whatever it is, and never done."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from flows.models.fake.player import Player
from flows.models.fake.script import read_script
from flows.models.fake.server import FakeModel
from tests.web.page.browsing import Tab, tab_of, web_page
from tests.web.page.test_chat import bring

COLUMNS = ("id", "<script>alert(2)</script>", "javascript:alert(3)", "<svg onload=alert(4)>", "n")
CELLS = (
    "<b>bold</b>",
    "[x](javascript:alert(5))",
    "\u202eturned",
    "zero\u200bwidth",
    "x" * 200_000,
    '"><img src=x onerror=alert(6)>',
)
MARKUP = (
    "## Executive Summary\n\n<script>alert(7)</script> <img src=x onerror=alert(8)>\n\n"
    "[here](javascript:alert(9)) ![p](http://evil.test/p.png) <svg onload=alert(10)></svg>\n\n"
    '<iframe src="http://evil.test"></iframe> \u202eturned'
)
# What would be there, if any of it were read as markup.
MADE = (
    "main img, main iframe, main script, main b, main svg[onload], [onerror], "
    "a[href^='javascript'], main a[href*='evil']"
)


def hostile_table(path: Path) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows([n, CELLS[n % 6], CELLS[5], CELLS[0], n] for n in range(60))
    return path


def check(tab: Tab) -> None:
    """Nothing was made of what was shown, and nothing of it turns or hides what is beside it."""
    assert tab.page.locator(MADE).count() == 0
    shown = tab.page.locator("main").inner_text()
    assert not set(shown) & {"\u202e", "\u200b"}
    assert not tab.page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
    assert not tab.problems


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(240)
def test_hostile_data_and_texts_are_shown_as_text(tmp_path: Path, browser: Browser) -> None:
    data = hostile_table(tmp_path / "<img src=x onerror=alert(1)>.csv")
    name = "<img src=x onerror=alert(0)> \u202ex"
    roles = {
        "first of a team": {"need_clarification": "no", "modified_question": name},
        "second of a team": {"is_complex": "no", "tasks": [name]},
        "last of a team": MARKUP,
        "SQL": {"sql": "SELECT * FROM img_src_x_onerror_alert_1", "confidence": 0.9},
        "": MARKUP,
    }
    turns = [
        {"match": {"system_contains": role}, "reply": reply, "repeat": "always"}
        for role, reply in roles.items()
    ]
    script = tmp_path / "script.yaml"
    script.write_text(json.dumps({"turns": turns}))
    with FakeModel(Player(read_script(script))) as model:
        env = {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "k"}
        with (
            web_page(tmp_path, "--model", "openai:small", env=env) as page,
            tab_of(browser, page, width=390) as tab,
        ):
            bring(tab, data)
            tab.wait(".uploads .good")
            check(tab)
            tab.say(name)
            tab.wait(".turn .answer")
            for each in tab.page.locator(".fold summary").all():
                each.click()
            tab.wait(".answer", "<script>alert(7)</script>")
            check(tab)
            for place in ("#/runs", "#/chat"):
                tab.show(place)
                tab.wait(".run-rows, .recent", "<img src=x onerror=alert(0)>")
                check(tab)
    with web_page(tmp_path) as page, tab_of(browser, page, width=390) as tab:
        bring(tab, data)
        tab.wait(".uploads .good")
        tab.say("show the rows of img_src_x_onerror_alert_1")
        tab.wait(".turn .table td", "<b>bold</b>")
        assert len(tab.text(".turn .table td >> nth=21")) < 400
        check(tab)
        tab.say("total n by n as a bar chart")
        tab.wait(".turn:nth-child(2) .answer, .turn:nth-child(2) .options")
        check(tab)


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(180)
def test_names_from_right_to_left_stand_before_their_numbers(
    tmp_path: Path, browser: Browser
) -> None:
    names = ("الشمال", "الجنوب", "الغرب")
    data = tmp_path / "sales.csv"
    lines = [f"{name},{number}" for number, name in enumerate(names, 5)]
    data.write_text("\n".join(["region,revenue", *lines]) + "\n")
    with web_page(tmp_path, "--data", str(data)) as page, tab_of(browser, page) as tab:
        tab.say("total revenue by region")
        tab.wait(".turn .answer .cite")
        told = tab.page.locator(".answer bdi, .answer .cite")
        texts = told.all_inner_texts()
        boxes = [each.bounding_box() for each in told.all()]
        lefts = [box["x"] for box in boxes if box is not None]
        assert {names[int(number) - 5] for number in texts[1::2]} == set(texts[::2])
        assert all(names[int(texts[n + 1]) - 5] == texts[n] for n in (0, 2, 4))
        assert lefts == sorted(lefts)
        assert not tab.problems
