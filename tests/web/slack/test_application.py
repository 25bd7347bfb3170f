"""`flows slack`, the real command, beside a stand-in that speaks Slack's own JSON."""

from __future__ import annotations

import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.records.lookup import find_run, places
from tests.cli.command import environment, flows
from tests.servers.slack_server import SlackServer
from tests.web.slack.running import (
    ANNA,
    BEN,
    GENERAL,
    ME,
    SALES,
    Application,
    buttons,
    running,
    shown,
)

pytest.importorskip("slack_bolt")
pytestmark = pytest.mark.timeout(600)

SETTINGS = """\
progress_seconds: 0.2
channels:
  "#general": {listen: messages, reply: thread}
  C0QUIET00: {listen: nothing}
longest_answer: 400
"""


@pytest.fixture(scope="module")
def slack() -> Iterator[SlackServer]:
    with SlackServer(retry_after=1.0) as server:
        server.state.channels |= {"C0QUIET00": "quiet", "C0WIDE000": "wide"}
        yield server


@pytest.fixture(scope="module")
def application(
    slack: SlackServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("slack")
    (folder / "slack.yaml").write_text(SETTINGS, "utf-8")
    lines = [f"2007-01-{day:02d},Shop {day},{day}" for day in range(1, 31)]
    (folder / "shops.csv").write_text("\n".join(["day,shop,visitors", *lines]), "utf-8")
    with running(
        slack, folder, "csv_chat", "--data", "sales.csv", "--data", "shops.csv"
    ) as started:
        yield started


@pytest.mark.long("an application, its server and a conversation")
def test_a_mention_is_answered_and_followed_up(application: Application) -> None:
    first = application.ask("total revenue by region")
    assert "North: 420; South: 490; West: 50" in shown(first)
    assert "Confidence 90 %" in shown(first)
    assert "thread_ts" not in first, "it is answered in the channel"
    assert first["edits"][0] == "Working on it…", "one message, edited"
    second = application.ask("only 2007")
    assert "North: 420; South: 80; West: 50" in shown(second)
    # What one person asked before is no context of another's question.
    other = application.ask("only 2008", user=BEN)
    assert "South: 80" not in shown(other)


@pytest.mark.long("an application with its server")
def test_user_and_channel_stand_in_the_journal(application: Application) -> None:
    application.ask("how many rows are there in sales?", user="U0JOURNAL")
    folder = application.folder / "runs"
    starts = [find_run(folder, each.run_id).rows()[0] for each in places(folder)]
    said = [row.data()["slack"] for row in starts]
    assert {"channel": SALES, "user": "U0JOURNAL"} in said


def test_a_channel_has_its_own_rules(application: Application) -> None:
    slack = application.slack
    ts = slack.say(GENERAL, ANNA, "total revenue in 2008", kinds=("message",))
    answer = application.answer(GENERAL, 0)
    assert "410" in shown(answer)
    assert answer["thread_ts"] == ts, "in a thread, and without a mention"
    slack.say("C0QUIET00", ANNA, f"{ME} total revenue")
    slack.say(SALES, ANNA, "total revenue", kinds=("message",))
    slack.say(SALES, "U0STRANGE", f"{ME} total revenue", team="T0OTHER00")
    slack.say(SALES, "U0BOT0000", f"{ME} total revenue", bot_id="B0OTHER00")
    slack.say(SALES, ANNA, f"{ME} total revenue", subtype="message_changed")
    before = len(slack.messages_of(SALES))
    application.ask("total revenue by product", user="U0LAST000")
    assert len(slack.messages_of(SALES)) == before + 1, "none of the others is answered"
    assert not slack.messages_of("C0QUIET00")


def test_what_slack_sends_again_is_answered_once(application: Application) -> None:
    slack = application.slack
    before, runs = len(slack.messages_of(GENERAL)), len(places(application.folder / "runs"))
    # A mention in a channel whose messages are heard comes as two events, each sent twice here.
    ts = slack.say(GENERAL, "U0TWICE00", f"{ME} total revenue", kinds=("message", "app_mention"))
    slack.say(GENERAL, "U0TWICE00", f"{ME} total revenue", kinds=("app_mention",), ts=ts)
    application.answer(GENERAL, before)
    ids = slack.say(GENERAL, "U0TWICE00", f"{ME} total revenue", kinds=("message",), ts=ts)
    assert ids == ts
    slack.wait(lambda: len(slack.state.acknowledged) >= 4)
    time.sleep(0.5)
    assert len(slack.messages_of(GENERAL)) == before + 1
    assert len(places(application.folder / "runs")) == runs + 1


@pytest.mark.long("an application, its server and a conversation")
def test_large_tables_and_charts_are_attached(application: Application) -> None:
    slack = application.slack
    answer = application.ask("visitors by shop", user="U0FILES00", channel="C0WIDE000")
    assert "20 more rows" in shown(answer) or "more rows" in shown(answer)
    application.ask("as a bar chart", user="U0FILES00", channel="C0WIDE000")
    found = slack.wait(lambda: [each for each in slack.files() if each.name.endswith(".png")])
    assert found[0].content.startswith(b"\x89PNG")
    assert found[0].channel == "C0WIDE000"


@pytest.mark.long("an application, its server and a conversation")
def test_a_question_back_has_buttons(tmp_path: Path) -> None:
    text = "date,net_revenue,gross_revenue,region\n2007-01-02,1,2,North\n2007-02-03,3,4,South\n"
    (tmp_path / "money.csv").write_text(text, "utf-8")
    question = "What is the revenue by region?"
    with SlackServer() as slack, running(slack, tmp_path, "ask", "--data", "money.csv") as app:
        asked = app.ask(question)
        assert buttons(asked)[-1] == "Never mind"
        choice = buttons(asked)[0]
        slack.press(SALES, asked, choice, BEN)
        slack.wait(lambda: len(slack.state.private) == 1)
        assert "Only the person who was asked" in slack.state.private[0]["text"]
        slack.press(SALES, asked, choice, ANNA)
        slack.press(SALES, asked, choice, ANNA)
        answer = app.answer(SALES, 1)
        assert "North: 1; South: 3" in shown(answer)
        slack.wait(lambda: len(slack.state.private) == 2)
        assert "answered already" in slack.state.private[1]["text"]
        assert f"→ {choice}" in shown(asked)
        assert not buttons(asked)
        # In words, in the thread of the question, without a mention.
        again = app.ask(question)
        slack.say(SALES, ANNA, "2", thread=again["ts"], kinds=("message",))
        assert "North: 2; South: 4" in shown(app.answer(SALES, 3))
        # What is no answer is told, and the question stays.
        dropped = app.ask(question)
        slack.press(SALES, dropped, "Never mind", ANNA)
        slack.wait(lambda: "(dropped)" in shown(dropped))
        assert "490" not in shown(app.ask("how many rows are there?"))
        assert app.end() == 0


@pytest.mark.long("whole processes are killed and go on")
def test_a_restart_keeps_the_context_and_goes_on_with_what_was_begun(tmp_path: Path) -> None:
    (tmp_path / "slack.yaml").write_text("progress_seconds: 0.2\n", "utf-8")
    with SlackServer(retry_after=30) as slack:
        arguments = ("csv_chat", "--data", "sales.csv")
        with running(slack, tmp_path, *arguments) as app:
            assert "South: 490" in shown(app.ask("total revenue by region"))
            slack.say(SALES, ANNA, f"{ME} only 2008")
            slack.wait(
                lambda: slack.messages_of(SALES)[1:] and slack.messages_of(SALES)[1]["edits"]
            )
            app.process.kill()
            app.process.wait()
        with running(slack, tmp_path, *arguments) as app:
            answer = app.answer(SALES, 1)
            assert "South: 410" in shown(answer), "the killed turn, in the message it had begun"
            assert "South: 80" in shown(app.ask("and 2007?"))
            assert app.end(signal.SIGINT) == 130
        assert len(places(tmp_path / "runs")) == 1, "one conversation is one run"


@pytest.mark.long("an application, its server and a conversation")
def test_limits_of_slack_and_a_new_connection(tmp_path: Path) -> None:
    with SlackServer() as slack, running(slack, tmp_path, "csv_chat", "--data", "sales.csv") as app:
        slack.limited |= {"chat.postMessage": 2, "chat.update": 2}
        assert "960" in shown(app.ask("total revenue"))
        slack.disconnect()
        assert "410" in shown(app.ask("total revenue in 2008"))


def test_no_token_is_written_anywhere(application: Application) -> None:
    folder, slack = application.folder, application.slack
    secrets = [slack.bot_token, slack.app_token]
    files = [each for each in folder.rglob("*") if each.is_file()]
    assert any(each.name == "journal.sqlite" for each in files)
    for each in files:
        content = each.read_bytes()
        assert not [secret for secret in secrets if secret.encode() in content], each
    state = folder / ".flows" / "slack" / "slack.sqlite"
    assert state.stat().st_mode & 0o077 == 0
    answer = application.ask(f"what is {slack.bot_token}?", user="U0LEAK000")
    assert slack.bot_token not in shown(answer)
    with sqlite3.connect(f"file:{state}?mode=ro", uri=True) as db:
        assert db.execute("SELECT count(*) FROM turns").fetchone()[0] > 0


@pytest.mark.parametrize(
    ("method", "code", "variable"),
    [
        ("auth.test", "account_inactive", "SLACK_BOT_TOKEN"),
        ("apps.connections.open", "invalid_auth", "SLACK_APP_TOKEN"),
    ],
)
def test_a_refused_token_is_told(tmp_path: Path, method: str, code: str, variable: str) -> None:
    (tmp_path / "sales.csv").write_text("a,b\n1,2\n", "utf-8")
    with SlackServer() as slack:
        slack.refused[method] = code
        ended = flows(
            "slack", "ask", "--data", "sales.csv", cwd=tmp_path,
            env=environment(**slack.environment),
        )  # fmt: skip
    assert ended.code == 2
    assert f"Slack refuses {variable}: {code}" in ended.err
    assert "Traceback" not in ended.err
