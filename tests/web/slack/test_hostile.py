"""What Slack, people and results may send that must not do anything."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.command import environment, flows
from tests.servers.slack_server import SlackServer
from tests.web.slack.running import ANNA, BEN, ME, SALES, Application, running, shown

pytest.importorskip("slack_bolt")
pytestmark = pytest.mark.timeout(600)

STEPS = '''\
"""Answers of any kind."""

from typing import TypedDict


class Said(TypedDict):
    answer: str


def say(question: str) -> Said:
    """Answer a question."""
    if question == "fail":
        raise ValueError("the token is xoxb-111111111111-222222222222-AbCdEfGhIjKl")
    if question == "long":
        lines = [f"Paragraph {number} " + "words " * 40 for number in range(80)]
        return {"answer": "\\n\\n".join(lines)}
    return {"answer": f"<!channel> <@{question}> **hear** s3://private/key.pem /etc/passwd"}
'''
RUN = """\
_target_: sequential
input_interface: {question: str}
output_interface: [answer]
subflows_config: {Say: {_target_: steps.say}}
topology: [{goal: Say it, flow: Say}]
"""


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "steps.py").write_text(STEPS, "utf-8")
    (folder / "my.yaml").write_text(RUN, "utf-8")
    with SlackServer() as slack, running(slack, folder, "my.yaml", "--trust", "steps") as started:
        yield started


@pytest.mark.long("an application, its server and a conversation")
def test_a_long_answer_is_attached_and_shown_by_its_beginning(application: Application) -> None:
    answer = application.ask("long")
    assert "Paragraph 0 words" in shown(answer)
    assert "Paragraph 79" not in shown(answer)
    assert "The whole answer is attached." in shown(answer)
    [file] = application.slack.wait(application.slack.files)
    assert file.name == "answer.md"
    assert b"Paragraph 79 words" in file.content


@pytest.mark.long("an application with its server")
def test_an_answer_calls_nobody_and_reads_nothing(application: Application) -> None:
    answer = application.ask("U0BEN0000", user=BEN)
    assert "&lt;!channel&gt; &lt;@U0BEN0000&gt; *hear*" in shown(answer)
    assert "s3://private/key.pem is in no folder whose objects may be attached" in shown(answer)
    assert all("passwd" not in each.name for each in application.slack.files())


def test_a_run_that_fails_says_so_without_a_secret(application: Application) -> None:
    answer = application.ask("fail", user="U0FAIL000")
    assert "ValueError" in shown(answer) or "the token is" in shown(answer)
    assert application.slack.bot_token not in str(answer)
    assert application.slack.bot_token not in application.log
    again = application.ask("U1", user="U0FAIL000")
    assert "hear" in shown(again)


def test_malformed_events_and_buttons_are_passed_over(application: Application) -> None:
    slack = application.slack
    before = len(slack.messages_of(SALES))
    said = {"type": "app_mention", "channel": SALES, "user": ANNA, "text": f"{ME} a", "ts": "1.1"}
    faults: list[dict[str, Any]] = [
        {"text": None}, {"user": 7}, {"channel": {}}, {"ts": []}, {"type": "unheard_of"},
    ]  # fmt: skip
    for wrong in faults:
        slack.send_event({**said, **wrong})
    for value in ("no json", "[]", '{"run": 3}', '{"run": "../../etc", "answer": {}}', ""):
        button = {
            "action_id": "choose:0", "type": "button", "value": value,
            "text": {"type": "plain_text", "text": "x"},
        }  # fmt: skip
        block = {"type": "actions", "elements": [button]}
        slack.press(SALES, {"ts": "1.2", "blocks": [block]}, "x", ANNA)
    answer = application.ask("U2", user="U0AFTER00")
    assert "hear" in shown(answer)
    assert len(slack.messages_of(SALES)) == before + 1


def test_a_second_process_is_refused(application: Application) -> None:
    ended = flows(
        "slack", "my.yaml", "--trust", "steps", cwd=application.folder,
        env=environment(**application.slack.environment),
    )  # fmt: skip
    assert ended.code == 2
    assert "another `flows slack` works in" in ended.err
