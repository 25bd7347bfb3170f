"""A model of one's own machine: what is wrong with it is said before anything is started."""

from __future__ import annotations

import asyncio
import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from flows.core.chat import ChatRequest, Message
from flows.errors import ConfigError, ModelRefused, ModelUnreachable
from flows.models.llama.model import HeardText, LlamaModel
from tests.cli.inside import inside
from tests.models.gguf_files import write_gguf

INSTALLED = find_spec("xllamacpp") is not None


def model(path: Path, **settings: object) -> LlamaModel:
    return LlamaModel(LlamaModel.Config.model_validate({"path": path, **settings}))


@pytest.mark.skipif(INSTALLED, reason="the package xllamacpp is installed")
def test_without_the_extra_the_line_that_installs_it_is_said(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("a\n1\n")
    asked = ("ask", "How many rows?", "--data", "sales.csv", "--model", "llama:none.gguf")
    ended = inside(*asked, cwd=tmp_path)
    assert ended.code == 2
    assert "run: pip install xllamacpp" in ended.err


@pytest.mark.skipif(not INSTALLED, reason="the package xllamacpp is not installed")
@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "there is no file"), (b"PK\x03\x04", "is not a GGUF file"), (b"GGUF\x03", "is cut")],
)
def test_a_wrong_file_is_named_before_anything_runs(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    (tmp_path / "sales.csv").write_text("a\n1\n")
    if content is not None:
        (tmp_path / "m.gguf").write_bytes(content)
    asked = ("ask", "How many rows?", "--data", "sales.csv", "--model", "llama:m.gguf")
    ended = inside(*asked, cwd=tmp_path)
    assert ended.code == 2
    assert said in ended.err
    assert "m.gguf" in ended.err
    assert not list(tmp_path.glob("runs/*"))


def test_a_file_that_is_none_is_an_error_of_the_config(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"there is no file .*gone\.gguf"):
        model(tmp_path / "gone.gguf")
    with pytest.raises(ConfigError, match="cannot be read: Is a directory"):
        model(tmp_path)
    with pytest.raises(ConfigError, match=r"whole\.gguf is cut"):
        model(write_gguf(tmp_path / "whole.gguf", cut=10))


def test_a_context_that_the_model_does_not_have_is_refused(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf", context=1024)
    with pytest.raises(ConfigError, match=r"context_length is 4096, and m\.gguf was made for 1024"):
        model(path, context_length=4096)


def test_a_model_that_is_larger_than_the_memory_is_not_started(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "huge.gguf", values=1 << 40)
    request = ChatRequest(messages=(Message(role="user", content="Hello"),))
    with pytest.raises(ModelRefused, match=r"huge\.gguf takes about 4,398\.\d GB of memory"):
        asyncio.run(model(path).reply(request))


def test_the_body_is_known_before_anything_is_started(tmp_path: Path) -> None:
    request = ChatRequest(messages=(Message(role="user", content="Hello"),), json_reply=True)
    body = json.loads(model(write_gguf(tmp_path / "tiny.gguf")).body(request))
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("tiny", 0.0, 1024)


def test_a_reply_that_is_begun_again_is_heard_once() -> None:
    heard: list[str] = []
    text = HeardText(heard.append)
    for each in ("The ", "fox"):
        text.take(each)
    text.begin_again()
    for each in ("Th", "e f", "ox runs", "."):
        text.take(each)
    assert "".join(heard) == "The fox runs."


def test_a_reply_that_begins_otherwise_is_not_put_behind_the_first() -> None:
    heard: list[str] = []
    text = HeardText(heard.append)
    text.take("The fox")
    text.begin_again()
    with pytest.raises(ModelUnreachable, match="began another when asked again"):
        text.take("A fox")
    assert heard == ["The fox"]
