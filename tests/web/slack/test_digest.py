"""`flows slack index` and `flows slack digest`: what was said in the indexed channels."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flows.core.vector_store import EntryFilter
from flows.web.slack.archive import ArchivedMessage, MessageArchive
from flows.web.slack.digest import DailyDigest, digest_of
from flows.web.slack.indexing import store_of
from flows.web.slack.settings import DigestSettings
from tests.cli.command import environment
from tests.cli.inside import inside
from tests.servers.slack_server import SlackServer
from tests.web.slack.running import ANNA, BEN, GENERAL, SALES, running, shown

pytest.importorskip("slack_bolt")
pytestmark = pytest.mark.timeout(600)

SETTINGS = """\
run: ask
channels:
  "#sales": {index: true}
digest: {channel: "#general", at: "TIME", zone: UTC, messages: 2}
"""


def talk(slack: SlackServer) -> dict[str, str]:
    """What people said in #sales: nine messages, three of them in a thread."""
    said = {}

    def say(key: str, user: str, text: str, thread: str = "") -> None:
        said[key] = slack.say(SALES, user, text, kinds=(), thread=thread)

    say("price", ANNA, "The price list of the tea changed <https://wiki.example/tea|here>")
    say("question", BEN, "When does the coffee from Lima arrive?")
    say("lunch", ANNA, "Lunch?")
    for number in range(3):
        say(f"reply{number}", BEN, f"Reply {number} about the tea", said["price"])
    for number in range(3):
        say(f"more{number}", ANNA, f"Note {number}")
    slack.state.messages[SALES].append(
        {"type": "message", "bot_id": "B1", "user": "U9", "ts": slack.next_ts(), "text": "a bot"}
    )
    return said


@pytest.mark.long("an application with its server")
def test_channels_are_indexed_and_digested(tmp_path: Path) -> None:
    soon = (datetime.now(UTC) + timedelta(minutes=1)).strftime("%H:%M")
    (tmp_path / "slack.yaml").write_text(SETTINGS.replace("TIME", soon), "utf-8")
    with SlackServer() as slack:
        env = environment(**slack.environment)
        said = talk(slack)
        slack.limited["conversations.history"] = 1
        first = inside("slack", "index", cwd=tmp_path, env=env)
        assert (first.code, first.out.strip()) == (0, "#sales: 9 new or changed, 0 gone"), first.err
        again = inside("slack", "index", "--json", cwd=tmp_path, env=env)
        assert again.json()["channels"][0]["messages"] == 0
        # A message that was deleted in Slack is gone here too.
        slack.state.messages[SALES] = [
            each for each in slack.state.messages[SALES] if each["ts"] != said["lunch"]
        ]
        slack.say(SALES, ANNA, "A new shop opens in Bergen", kinds=())
        third = inside("slack", "index", cwd=tmp_path, env=env)
        assert third.out.strip() == "#sales: 1 new or changed, 1 gone"

        found = asyncio.run(_search(tmp_path, "when does coffee arrive"))
        assert found[0] == "Ben: When does the coffee from Lima arrive?"
        assert asyncio.run(_search(tmp_path, "lunch")) == []

        told = inside("slack", "digest", cwd=tmp_path, env={})
        assert told.code == 0
        assert "9 messages by 2 people." in told.out
        assert "- Anna: The price list of the tea changed here (3 replies)" in told.out
        assert "Not answered yet:\n- Ben: When does the coffee from Lima arrive?" in told.out
        assert "a bot" not in told.out
        posted = inside("slack", "digest", "--post", cwd=tmp_path, env=env)
        assert posted.code == 0
        message = slack.messages_of(GENERAL)[0]
        assert "*#sales*" in shown(message)
        assert f"/archives/{SALES}/p" in shown(message)
        wrong = inside("slack", "digest", "--day", "today", cwd=tmp_path, env=env)
        assert (wrong.code, "2026-01-31" in wrong.err) == (2, True)


async def _search(folder: Path, question: str) -> list[str]:
    store = store_of("sales", folder / ".flows" / "memory")
    try:
        found = await store.run_search(question, 1, EntryFilter(metadata={"channel": "sales"}))
        return [each.entry.text for each in found]
    finally:
        await store.aclose()


@pytest.mark.long("the application is started twice")
def test_the_application_posts_the_digest_of_the_day_once(tmp_path: Path) -> None:
    (tmp_path / "slack.yaml").write_text(SETTINGS.replace("TIME", "00:00"), "utf-8")
    with SlackServer() as slack:
        talk(slack)
        for _ in range(2):
            with running(slack, tmp_path, "--data", "sales.csv") as app:
                slack.wait(lambda: slack.messages_of(GENERAL))
                assert app.end() == 0
        assert len(slack.messages_of(GENERAL)) == 1


def test_a_digest_is_due_at_its_time_and_once(tmp_path: Path) -> None:
    settings = DigestSettings(channel="C1", at="19:30", zone="Europe/Berlin")
    archive = MessageArchive(tmp_path)
    now = datetime(2026, 1, 30, 18, 0, tzinfo=UTC)  # 19:00 in Berlin
    posted = []

    async def post(day: object) -> str:
        posted.append(day)
        return "1.2"

    daily = DailyDigest(settings, archive, post, now=lambda: now)
    assert daily.due() is None
    now += timedelta(hours=1)
    asyncio.run(daily.step())
    asyncio.run(daily.step())
    assert [str(each) for each in posted] == ["2026-01-30"]
    at = datetime(2026, 1, 30, 18, 30, tzinfo=UTC).timestamp()
    messages = [
        ArchivedMessage("C1", f"{at + seconds:.6f}", "", "U1", "Anna", f"said at {seconds}")
        for seconds in (-86_401, -86_399, -1, 1)
    ]
    archive.put("C1", "sales", messages, 0.0)
    digest = digest_of(archive, now.date(), settings)
    assert [each.text for each in digest[0].shown] == ["said at -1", "said at -86399"]
    archive.close()


def test_no_channel_to_index_is_told(tmp_path: Path) -> None:
    with SlackServer() as slack:
        env = environment(**slack.environment)
        (tmp_path / "slack.yaml").write_text("run: ask", "utf-8")
        none = inside("slack", "index", cwd=tmp_path, env=env)
        assert "no channel is indexed" in none.err
        (tmp_path / "slack.yaml").write_text("channels: {'#sale': {index: true}}", "utf-8")
        wrong = inside("slack", "index", cwd=tmp_path, env=env)
        assert "did you mean #sales" in wrong.err
