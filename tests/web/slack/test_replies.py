"""What a reply looks like in Slack: its markup, its limits, and what may be attached."""

from __future__ import annotations

import asyncio
import hashlib
import json
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.core.artifacts import Artifact
from flows.core.human import Question
from flows.core.observation import Preview
from flows.core.result import OpenQuestion
from flows.services.run_reply import RunReply, question_of
from flows.web.slack.attachments import attachments_of, is_allowed, s3_references
from flows.web.slack.blocks import (
    answer_message,
    markdown_messages,
    mrkdwn,
    question_message,
    table_text,
)
from flows.web.slack.settings import AttachmentSettings
from tests.servers.s3 import missing_s3, s3_server
from tests.servers.slack_server import check_message


@pytest.mark.parametrize(
    ("markdown", "said"),
    [
        ("**bold** and `**code**`", "*bold* and `**code**`"),
        ("# Head\n- one\n- two", "*Head*\n• one\n• two"),
        ("[a page](https://a.example/b)", "<https://a.example/b|a page>"),
        ("[x](javascript:alert)", "[x](javascript:alert)"),
        ("<!channel> <@U123> <https://evil.example|bank>", "&lt;!channel&gt; &lt;@U123&gt; "
         "&lt;https://evil.example|bank&gt;"),
        ("2 * 3 ** 4 & ~~gone~~", "2 * 3 ** 4 &amp; ~gone~"),
    ],
)  # fmt: skip
def test_markdown_becomes_slacks_markup_and_nobody_is_called(markdown: str, said: str) -> None:
    assert mrkdwn(markdown) == said


@given(
    st.text(st.sampled_from("a &<>`*\n_-#[](){}|.é1"), max_size=12_000), st.integers(200, 11_000)
)
def test_slack_takes_every_message(text: str, longest: int) -> None:
    reply = RunReply("run", "answered", text or "x", 87.0, warnings=(text[:4000],) * 5)
    check_message(answer_message(reply, longest=longest).fields())
    for message in markdown_messages(text or "x"):
        check_message(message.fields())


@pytest.mark.long("an application with its server")
@given(
    st.lists(st.text(max_size=60), min_size=1, max_size=30),
    st.integers(0, 15),
    st.sampled_from([None, 1, 2.5, "```", "long " * 40, True]),
)
def test_slack_takes_every_table(columns: list[str], rows: int, cell: str | float | None) -> None:
    types = ("text",) * len(columns)
    row = (cell,) * len(columns)
    table = Preview(columns=tuple(columns), types=types, rows=(row,) * rows, total_rows=rows + 3)
    assert max(map(len, table_text(table).splitlines())) < 500
    reply = RunReply("run", "answered", "told", table=table)
    check_message(answer_message(reply, longest=3000).fields())


def test_a_question_of_any_form_has_its_buttons() -> None:
    def asked(**given: object) -> list[tuple[str, str]]:
        question = Question.model_validate({"id": "q", "text": "Which? ", **given})
        found = question_of([OpenQuestion(question, "Ask#1")])
        assert found is not None
        message = question_message("run", found)
        check_message(message.fields())
        buttons = message.blocks[-1]["elements"]
        values = [json.loads(each["value"]) for each in buttons]
        return [
            (each["text"]["text"], value.get("answer", "-"))
            for each, value in zip(buttons, values, strict=True)
        ]

    drop = ("Never mind", "-")
    assert asked() == [drop]
    options = {"question": "Which one?", "options": [{"label": "net"}, {"label": "gross"}]}
    assert asked(context={"clarification": options}) == [("net", "1"), ("gross", "2"), drop]
    assert asked(answer_schema={"enum": ["again", "failed"]}) == [
        ("again", "again"), ("failed", "failed"), drop,
    ]  # fmt: skip
    assert asked(answer_schema={"type": "boolean"})[0] == ("yes", "true")
    assert asked(context={"command": "sql"}) == [("Go on", ""), ("End here", "q"), drop]
    many = {"question": "Which?", "options": ["x" * 90, "y" * 3000, *map(str, range(40))]}
    assert len(asked(context=many)) == 21, "as many as can be shown"


def test_only_what_the_settings_allow_is_read_from_s3() -> None:
    text = "See s3://reports/public/a.csv, (s3://reports/private/b.csv) and s3://other/x."
    assert list(s3_references(text)) == [
        "s3://reports/public/a.csv", "s3://reports/private/b.csv", "s3://other/x",
    ]  # fmt: skip
    allowed = ("s3://reports/public",)
    assert is_allowed("s3://reports/public/a.csv", allowed)
    for reference in (
        "s3://reports/public-secret/a.csv",
        "s3://reports/public/../private/b.csv",
        "s3://reports/public//a.csv",
        "s3://reports/private/b.csv",
    ):
        assert not is_allowed(reference, allowed)
    assert not is_allowed("s3://reports/public/a.csv", ())


def test_files_of_the_run_are_attached_as_they_were_written(tmp_path: Path) -> None:
    (tmp_path / "artifacts").mkdir()

    def made(name: str, content: bytes, what: str = "file") -> Artifact:
        path = f"artifacts/{name}.txt"
        (tmp_path / path).write_bytes(content)
        return Artifact.model_validate(
            {"name": name, "kind": "txt", "path": path, "bytes": len(content), "what": what,
             "sha256": hashlib.sha256(content).hexdigest(), "description": name, "step": "s"}
        )  # fmt: skip

    good, changed, large = made("good", b"good"), made("changed", b"old"), made("large", b"x" * 99)
    (tmp_path / changed.path).write_bytes(b"new")
    outside = good.model_copy(update={"path": "../../etc/passwd", "name": "outside"})
    reply = RunReply("run", "answered", "long " * 100, files=(good, changed, large, outside))
    settings = AttachmentSettings(max_bytes=50)
    found = asyncio.run(attachments_of(reply, tmp_path, settings, whole=False))
    assert [(each.name, each.content) for each in found.files][1:] == [("good.txt", b"good")]
    assert found.files[0].name == "answer.md"
    assert [each.partition(":")[0] for each in found.missing] == ["changed", "large", "outside"]


@pytest.mark.long("a server of S3, which takes seconds to start")
@pytest.mark.skipif(bool(missing_s3()), reason=missing_s3() or "it is there")
def test_an_object_of_s3_is_attached(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with s3_server("reports") as address, httpx.Client(base_url=address) as client:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", address)
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        client.put("/reports/public/nest.png", content=b"\x89PNG").raise_for_status()
        text = "The nest: s3://reports/public/nest.png, and s3://reports/public/gone.png."
        reply = RunReply("run", "answered", text)
        settings = AttachmentSettings(s3=("s3://reports/public",))
        found = asyncio.run(attachments_of(reply, tmp_path, settings, whole=True))
        assert [(each.name, each.content) for each in found.files] == [("nest.png", b"\x89PNG")]
        assert found.missing == ("s3://reports/public/gone.png: there is no such object",)
        small = AttachmentSettings(s3=("s3://reports/public",), max_bytes=2)
        found = asyncio.run(attachments_of(reply, tmp_path, small, whole=True))
        assert not found.files
        assert "more than the 2" in found.missing[0]
