"""The interpreter in Slack: its functions by channel, its context, its table of responses."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.records.lookup import find_run, places
from tests.cli.command import PROJECT
from tests.cli.inside import inside
from tests.servers.slack_server import SlackServer
from tests.web.slack.running import ANNA, BEN, GENERAL, SALES, Application, buttons, running, shown

pytest.importorskip("slack_bolt")
pytestmark = pytest.mark.timeout(600)

SHOP = '''\
"""What the workshop can do."""

from typing import Any, Literal


def get_order(order: str) -> dict[str, Any]:
    """The state, the customer and the total of one order, by its number.

    Args:
        order: the number of an order, such as KT-2011
    """
    return {"order": order, "customer": "Marlow", "total": 482.5, "state": "sewing"}


def get_stock(kind: Literal["cotton", "linen"]) -> dict[str, Any]:
    """The metres of fabric in stock, by the kind of fabric.

    Args:
        kind: the kind of fabric
    """
    return {"kind": kind, "metres": 312}
'''
DESK = '''\
"""What the desk of the workshop can change."""


def cancel_order(order: str) -> dict[str, str]:
    """Cancels one order, by its number.

    Args:
        order: the number of an order, such as KT-2011
    """
    with open("cancelled.txt", "a") as file:
        file.write(order)
    return {"order": order, "state": "cancelled"}
'''
RUN = """\
defaults: [interpreter, _self_]
functions:
  sources:
    shop: {_target_: functions.python, modules: [shop]}
    desk: {_target_: functions.python, modules: [desk], effect: once}
"""
SETTINGS = """\
run: my.yaml
channels:
  "#general": {functions: ["shop/get_stock"]}
  C0FIXED00: {revise: false}
"""


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("interpreter")
    (folder / "shop.py").write_text(SHOP, "utf-8")
    (folder / "desk.py").write_text(DESK, "utf-8")
    (folder / "my.yaml").write_text(RUN, "utf-8")
    (folder / "slack.yaml").write_text(SETTINGS, "utf-8")
    with SlackServer() as slack:
        slack.state.channels["C0FIXED00"] = "fixed"
        with running(slack, folder, "--trust", "shop", "--trust", "desk") as started:
            yield started


@pytest.mark.long("an application, its server and a conversation")
def test_it_answers_with_functions_and_is_logged(application: Application) -> None:
    answer = application.ask("What is the total of order KT-2011?")
    assert "482.5" in shown(answer)
    assert "by shop/get_order" in shown(answer)
    with sqlite3.connect(application.folder / ".flows" / "responses.sqlite") as db:
        rows = db.execute("SELECT user, channel, status FROM responses").fetchall()
    assert (ANNA, SALES, "answered") in rows


@pytest.mark.long("an application with its server")
def test_a_channel_restricts_the_functions(application: Application) -> None:
    allowed = application.ask("How many metres of linen are in stock?", channel=GENERAL)
    assert "312" in shown(allowed)
    refused = application.ask("What is the total of order KT-2011?", channel=GENERAL)
    assert "482.5" not in shown(refused)
    assert "Lacking:" in shown(refused)
    assert "482.5" in shown(application.ask("What is the total of order KT-2012?", user=BEN))


def test_what_is_missing_is_asked_for(application: Application) -> None:
    before = len(application.slack.messages_of(SALES))
    asked = application.ask("How many metres of fabric are in stock?", user="U0ASKED00")
    assert buttons(asked) == ["cotton", "linen", "Never mind"]
    application.slack.press(SALES, asked, "linen", "U0ASKED00")
    application.answer(SALES, before + 1)
    assert ("U0ASKED00", "shop/get_stock", 1) in _calls(application)


def test_what_changes_something_is_asked_about_with_buttons(application: Application) -> None:
    cancelled = application.folder / "cancelled.txt"
    before = len(application.slack.messages_of(SALES))
    asked = application.ask("Cancel order KT-2011", user="U0CANCEL0")
    assert buttons(asked) == ["yes", "no", "always", "Never mind"]
    assert "desk/cancel_order may change something" in shown(asked)
    assert "KT-2011" in shown(asked)
    assert not cancelled.exists()
    application.slack.press(SALES, asked, "yes", "U0CANCEL0")
    application.answer(SALES, before + 1)
    assert cancelled.read_text() == "KT-2011"
    assert ("U0CANCEL0", "desk/cancel_order", 1) in _calls(application)


def test_several_changes_are_asked_about_in_one_message(application: Application) -> None:
    cancelled = application.folder / "cancelled.txt"
    cancelled.write_text("")
    before = len(application.slack.messages_of(SALES))
    asked = application.ask("Cancel the orders KT-2021 and KT-2022", user="U0SEVERAL")
    assert buttons(asked) == ["yes", "no", "always", "only 1", "only 2", "Never mind"]
    assert "KT-2021" in shown(asked)
    assert "KT-2022" in shown(asked)
    application.slack.press(SALES, asked, "only 2", "U0SEVERAL")
    application.answer(SALES, before + 1)
    assert cancelled.read_text() == "KT-2022"


def test_without_revision_it_keeps_its_functions(application: Application) -> None:
    """Where no function fits, it searches for others but in the channel that keeps its own."""
    for user, channel in (("U0KEEPS00", "C0FIXED00"), ("U0SEARCH0", SALES)):
        application.ask("Who is the head of the weaving mill?", user=user, channel=channel)
    searches = {}
    folder = application.folder / "runs"
    for each in places(folder):
        rows = find_run(folder, each.run_id).rows()
        searches[rows[0].data()["slack"]["user"]] = len(
            {row.address for row in rows if "revise_functions" in row.address}
        )
    assert searches["U0KEEPS00"] <= 1  # what is loaded at the start
    assert searches["U0SEARCH0"] > searches["U0KEEPS00"]


def test_what_was_asked_before_is_context(application: Application) -> None:
    application.ask("What is the total of order KT-2011?", user="U0BEFORE0")
    application.ask("How many metres of linen are in stock?", user="U0BEFORE0")
    folder = application.folder / "runs"
    starts = [find_run(folder, each.run_id).rows()[0].data() for each in places(folder)]
    own = [each["inputs"] for each in starts if each["slack"]["user"] == "U0BEFORE0"]
    contexts = sorted((each["context"] for each in own), key=len)
    assert contexts[0] == []
    assert len(contexts[1]) == 1
    assert contexts[1][0].startswith("Question: What is the total of order KT-2011?\nAnswer: ")


def test_a_channel_may_have_another_plan(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text("defaults: [interpreter, _self_]\n", "utf-8")
    settings = "run: my.yaml\nchannels: {'#a': {plan: own.plan.j2, revise: false}}\n"
    (tmp_path / "slack.yaml").write_text(settings, "utf-8")
    missing = inside("slack", "check", cwd=tmp_path)
    assert missing.code == 2
    assert "own.plan" in missing.err
    shipped = PROJECT / "flows" / "library" / "interpreter" / "prompts" / "interpreter.plan.j2"
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "own.plan.j2").write_text(shipped.read_text("utf-8"), "utf-8")
    there = inside("slack", "check", cwd=tmp_path)
    assert there.code == 0, there.err


def _calls(application: Application) -> list[tuple[str, str, int]]:
    """Who had which function called, and how often."""
    query = "SELECT user, function, calls FROM response_functions JOIN responses USING (key)"
    with sqlite3.connect(application.folder / ".flows" / "responses.sqlite") as db:
        return db.execute(query).fetchall()
