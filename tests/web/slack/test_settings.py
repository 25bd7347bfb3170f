"""What can be set, what is refused with its place, and that the page shows nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from flows.errors import CheckError, ConfigError
from flows.web.slack.messages import ChannelRules, plain_text, read_message
from flows.web.slack.settings import SlackSettings, read_settings
from tests.cli.command import PROJECT
from tests.cli.inside import inside
from tests.pages import Page

PAGE = Page(PROJECT / "docs" / "slack.md")


def test_the_settings_of_the_page_are_read(tmp_path: Path) -> None:
    blocks = [each for each in PAGE.blocks if each.language == "yaml"]
    others = ("display_information", "functions:\n  sources")
    settings = [each for each in blocks if not each.text.startswith(others)]
    assert len(settings) == 3
    for block in settings:
        path = tmp_path / "slack.yaml"
        path.write_text(block.text, "utf-8")
        read, _ = read_settings(path)
        assert set(yaml.safe_load(block.text)) <= read.model_fields_set


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("reply: threads", "slack.yaml:1:8"),
        ("\nlisen: mentions", "did you mean: listen"),
        ('channels:\n  "#a": {functions: sum}', "slack.yaml:2:"),
        ("digest: {channel: C1, zone: Europe/Berln}", "no time zone"),
        ("attachments: {s3: [reports]}", "slack.yaml:1:"),
        ("overrides: [model.api_key=xoxb-1]\nbot_token: xoxb-12-34-secret", "does not belong"),
    ],
)
def test_a_fault_has_its_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "slack.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises((ConfigError, CheckError)) as caught:
        read_settings(path)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value)


def test_check_names_a_run_file_without_a_question(tmp_path: Path) -> None:
    (tmp_path / "slack.yaml").write_text('channels: {"#a": {run: other.yaml}}', "utf-8")
    (tmp_path / "other.yaml").write_text(
        "_target_: sequential\ninput_interface: {goal: str}\noutput_interface: [goal]\n"
        "subflows_config:\n  ask: {_target_: human.feedback}\n"
        "topology: [{goal: Ask, flow: ask}]\nhuman: {_target_: human.detached}\n",
        "utf-8",
    )
    (tmp_path / "sales.csv").write_text("a,b\n1,2\n", "utf-8")
    ended = inside("slack", "check", "ask", "--data", "sales.csv", cwd=tmp_path)
    assert ended.code == 2
    assert "other.yaml takes no input 'question'; it takes goal" in ended.err


def test_without_tokens_it_says_what_to_set(tmp_path: Path) -> None:
    ended = inside("slack", "ask", cwd=tmp_path, env={})
    assert ended.code == 2
    assert "SLACK_BOT_TOKEN is not set" in ended.err
    swapped = {"SLACK_BOT_TOKEN": "xapp-1-secret-2", "SLACK_APP_TOKEN": "xapp-1-secret-2"}
    ended = inside("slack", "ask", cwd=tmp_path, env=swapped)
    assert "SLACK_BOT_TOKEN holds another token: it begins xoxb-" in ended.err
    assert "secret-2" not in ended.err
    far = {**swapped, "SLACK_BOT_TOKEN": "xoxb-1", "SLACK_API_URL": "http://slack.example/api/"}
    ended = inside("slack", "ask", cwd=tmp_path, env=far)
    assert "SLACK_API_URL must begin https://" in ended.err


def test_a_message_is_read_as_it_was_meant() -> None:
    said = "<@U0ME> what about <#C1|sales>, <https://a.example/x|the page> and <@U2>? a &lt; b"
    assert plain_text(said, "U0ME") == "what about #sales, the page and @U2? a < b"
    event = {"type": "app_mention", "channel": "C1", "user": "U1", "ts": "1.2", "text": said}
    message = read_message(event, "T1", "U0ME")
    assert message is not None
    assert (message.mentions, message.thread, message.id) == (True, "", "C1:1.2")
    for wrong in ({"bot_id": "B1"}, {"user": None}, {"subtype": "channel_join"}, {"text": 3}):
        assert read_message({**event, **wrong}, "T1", "U0ME") is None
    assert read_message({**event, "user": "U0ME"}, "T1", "U0ME") is None


def test_the_rules_of_a_channel_are_found_by_id_and_by_name() -> None:
    settings = SlackSettings.model_validate(
        {"channels": {"#sales": {"reply": "thread"}, "C2": {"listen": "nothing"}}}
    )
    event = {"type": "app_mention", "channel": "C1", "user": "U1", "ts": "1.2", "text": "<@U0> a"}
    message = read_message(event, "T1", "U0")
    assert message is not None
    by_name = ChannelRules.of(settings, "C1", "sales")
    assert by_name.thread_of(message) == "1.2"
    assert by_name.hears(message, "T1")
    assert not by_name.hears(message, "T2"), "of another workspace"
    assert not ChannelRules.of(settings, "C2").hears(message, "T1")
    assert ChannelRules.of(settings, "C3").thread_of(message) == ""
    closed = settings.model_copy(update={"other_channels": False})
    assert not ChannelRules.of(closed, "C3").hears(message, "T1")
