"""Runs of flows in the page: started, watched, answered, and gone on with after a kill."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.web.page.browsing import free_port, tab_of, web_page
from tests.web.page.test_chat import orders

SLEEPER = """\
_target_: sequential
name: Sleeper
description: Writes, sleeps, and adds.
input_interface: {n: int}
output_interface: [n]
subflows_config:
  first: {_target_: tests.flows_for_tests.Write}
  sleep: {_target_: tests.flows_for_tests.Sleep, seconds: 30}
topology: [{goal: Begin, flow: first}, {goal: Sleep, flow: sleep}]
"""
# A browser under load draws seldom.
SLOW_FRAMES = """
const [wait, repeat] = [window.setTimeout, window.setInterval];
window.requestAnimationFrame = (draw) => wait(draw, 3000);
window.setInterval = (work, pause) => repeat(work, Math.max(pause, 60000));
"""


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(240)
def test_the_demo_is_started_answered_and_ended_from_the_page(
    tmp_path: Path, browser: Browser
) -> None:
    demo = Path("demo.yaml").absolute()
    (tmp_path / "demo.yaml").write_text(demo.read_text())
    with web_page(tmp_path, "demo.yaml") as page, tab_of(browser, page) as tab:
        tab.page.click("nav >> text=Flows")
        tab.page.click(".cards a")
        tab.wait(".graph .leaf", "HumanFeedback")
        assert tab.page.input_value("textarea").startswith("What does the data hold?")
        tab.page.fill("textarea", "Which continent had the highest average lifeExp in 2007?")
        tab.page.press("textarea", "Tab")
        tab.page.keyboard.press("Enter")
        tab.wait(".question", "Your feedback")
        tab.wait(".graph .waiting", "HumanFeedback")
        tab.page.fill(".question textarea", ":show Executor.sql.max_rows")
        tab.page.click(".question button.primary")
        tab.wait(".notices", "max_rows: 200")
        tab.page.fill(".question textarea", "Which country had the highest?")
        tab.page.click(".question button.primary")
        tab.wait(".steps", re.compile(r"HumanFeedback#2|HumanFeedback.*HumanFeedback", re.DOTALL))
        tab.wait(".question button", "End here")
        tab.page.fill(".question textarea", "q")
        tab.page.press(".question textarea", "Enter")
        tab.wait(".status .chip", re.compile("Finished|Unfinished"))
        tab.page.click("nav >> text=Runs")
        tab.wait(".run-rows", "Demo")
        assert not tab.problems


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(180)
def test_a_command_that_is_carried_out_between_two_frames_opens_its_question_again(
    tmp_path: Path, browser: Browser
) -> None:
    (tmp_path / "demo.yaml").write_text(Path("demo.yaml").read_text())
    with web_page(tmp_path, "demo.yaml") as page, tab_of(browser, page) as tab:
        tab.page.add_init_script(SLOW_FRAMES)
        tab.page.reload()
        tab.show("#/flows/demo")
        tab.wait("h1", "Demo")
        tab.page.click("form button.primary")
        tab.wait(".question", "Your feedback")
        for _ in range(2):
            tab.page.fill(".question textarea", ":show Executor.sql.max_rows")
            tab.page.click(".question button.primary")
            tab.wait(".question textarea:enabled")
            tab.page.wait_for_function("document.querySelector('.question textarea').value === ''")
        tab.wait(".notices", "max_rows: 200")
        assert not tab.problems


@pytest.mark.long("a browser and the real command")
@pytest.mark.timeout(400)
def test_the_team_of_analysts_is_watched_live(tmp_path: Path, browser: Browser) -> None:
    data = orders(tmp_path / "orders.csv")
    arguments = ("analyst", "--data", str(data))
    with web_page(tmp_path, *arguments) as page, tab_of(browser, page) as tab:
        tab.show("#/flows/analyst")
        tab.page.fill(".fields textarea", "Which region has the highest revenue, and why?")
        tab.page.click("form button.primary")
        tab.wait(".graph .running")
        tab.wait(".steps .done")
        tab.wait(".status .chip", "Finished", seconds=300)
        tab.wait("#result-title")
        tab.wait(".cite")
        assert not tab.page.locator(".graph .running").count()
        assert not tab.problems


@pytest.mark.long("a browser and the real command, killed and started again")
@pytest.mark.timeout(180)
def test_an_open_page_goes_on_when_a_killed_server_is_back(
    tmp_path: Path, browser: Browser
) -> None:
    (tmp_path / "sleeper.yaml").write_text(SLEEPER)
    arguments, port = ("sleeper.yaml", "--trust", "tests"), free_port()
    env = {"PYTHONPATH": str(Path.cwd()), "FLOWS_TEST_LOG": str(tmp_path / "executed")}
    with web_page(tmp_path, *arguments, port=port, env=env) as page, tab_of(browser, page) as tab:
        tab.show("#/flows/sleeper")
        tab.wait("h1", "Sleeper")
        tab.page.click("form button.primary")
        tab.wait("form .problem", "This is needed.")
        tab.page.fill("form input", "many")
        tab.page.click("form button.primary")
        tab.wait("form .problem", "no number")
        tab.page.fill("form input", "4")
        tab.page.click("form button.primary")
        tab.wait(".steps .running", "sleep")
        page_of_run = tab.page.evaluate("location.hash")
        page.process.kill()
        page.process.wait()
        tab.wait("#connection", "Connection lost")
        again = {**env, "FLOWS_TEST_SECONDS": "0.1"}
        with web_page(tmp_path, *arguments, port=port, env=again):
            tab.wait(".status .chip", "Finished")
            assert tab.text("#connection") == ""
            assert tab.page.locator(".steps .done").count() == 2
            assert (tmp_path / "executed").read_text().split().count("first#1") == 1
            tab.page.click(".steps button >> nth=1")
            tab.wait("dialog section", "Inputs")
            tab.page.click("dialog summary >> text=Fork here")
            tab.page.click("dialog button.primary")
            tab.page.wait_for_selector("dialog", state="detached")
            tab.wait(".status .chip", "Finished")
            assert tab.page.evaluate("location.hash") != page_of_run
            tab.page.go_back()
            assert not tab.problems
