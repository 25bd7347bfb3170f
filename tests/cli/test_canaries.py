"""No secret is written anywhere: not as it is, and not in another form."""

from __future__ import annotations

import html
import json
import logging
import traceback
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

import flows as package
from tests.cli.canaries import canary, in_address, leaks, left_behind
from tests.cli.command import Ended, environment, flows, python
from tests.cli.inside import inside, write
from tests.servers.local_http import LocalHttp, Reply, Request

CHAT = """\
_target_: chat
name: Ask
human_prompt: chat.human.j2
inputs: {question: Hello}
"""


def echoed(request: Request) -> str:
    """The key that a request came with."""
    return request.headers["authorization"].removeprefix("Bearer ")


def refused(text: str, status: int = 401) -> Reply:
    return Reply(json={"error": {"message": text, "code": "invalid_api_key"}}, status=status)


def streamed(*pieces: str, error: object = None) -> Reply:
    """A reply in pieces, whole unless it ends with an error object."""
    chunks: list[object] = [{"choices": [{"index": 0, "delta": {"content": p}}]} for p in pieces]
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    chunks.append({"error": error} if error else {"choices": [last]})
    lines = [f"data: {json.dumps(each)}\n\n" for each in chunks]
    kind = {"Content-Type": "text/event-stream"}
    return Reply(body="".join((*lines, "data: [DONE]\n\n")).encode(), headers=kind)


def whole(text: str, finish: str = "stop", model: str = "small") -> Reply:
    choice = {"index": 0, "message": {"content": text}, "finish_reason": finish}
    return Reply(json={"model": model, "choices": [choice]})


def encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


# What a provider may do with the key that it was sent.
ECHOES: dict[str, Callable[[str], Reply]] = {
    "as it is": lambda key: refused(f"Incorrect API key provided: {key}."),
    "with its scheme": lambda key: refused(f"bad header Authorization: Bearer {key}", 403),
    "in base64": lambda key: refused(f"Basic {encoded(f'user:{key}')} is unknown"),
    "in base64 again": lambda key: refused(f"Basic {encoded(f'me:{key}')} is unknown", 400),
    "for an address": lambda key: refused(f"GET /?key={quote(key, safe='')} is unknown", 404),
    "in hex": lambda key: refused(f"digest {key.encode().hex()}", 429),
    "in a text of JSON": lambda key: refused(json.dumps({"headers": {"key": key}}), 400),
    "in a body of no known form": lambda key: Reply(json={"sent": {"bearer": key}}, status=500),
    "in two halves": lambda key: refused(f"{key[:14]} ... {key[14:]}"),
    "in a page": lambda key: Reply(body=f"<h1>502</h1>{html.escape(key)}".encode(), status=502),
    "in a header": lambda key: Reply(
        json={"error": {"message": "no"}}, status=401, headers={"x-request-id": f"for {key}"}
    ),
    "in a text of no form": lambda key: Reply(body=f"sorry, {key}".encode(), status=503),
    "instead of a reply": lambda key: Reply(body=f"hello {key}".encode()),
    "in a stream's error": lambda key: streamed("Hel", "lo", error={"message": f"for {key}"}),
    "in a redirect": lambda key: Reply(
        status=302, headers={"Location": f"x-{key.replace('/', '.')}://[{quote(key)}"}
    ),
    "as the reason of the end": lambda key: whole("Hello", finish=key),
    "as the model": lambda key: whole("Hello", model=key),
    "in the reply": lambda key: whole(f"Your key is {key}, and {encoded(key)}."),
    "in the pieces of a stream": lambda key: streamed("Your key: ", *key, f" {encoded(key)}", "."),
    "with a wait": lambda key: Reply(
        json={"error": {"message": key}}, status=429, headers={"Retry-After": key}
    ),
}


def model(url: str, key: str, more: str = "retry: {attempts: 1}") -> str:
    return f"model: {{_target_: model.openai, model: m, base_url: {url}, {key}, {more}}}\n"


def read_all(folder: Path, ended: Ended) -> list[Ended]:
    """All that other commands say of the run."""
    run = ended.json()["run_id"]
    return [
        inside("resume", run, "--json", "--verbose", "--events", "again.jsonl", cwd=folder),
        inside("show", run, cwd=folder),
        inside("show", run, "--json", cwd=folder),
        inside("runs", cwd=folder),
    ]


@pytest.mark.parametrize("way", ECHOES)
def test_a_provider_that_says_the_key(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    key = canary(way)
    monkeypatch.setenv("FLOWS_CANARY", key)
    caplog.set_level(logging.DEBUG)
    with LocalHttp(lambda request: ECHOES[way](echoed(request))) as server:
        write(tmp_path, CHAT + model(f"{server.url}/v1", 'api_key: "${env:FLOWS_CANARY}"'))
        options = ("--json", "--verbose", "--events", "events.jsonl", "--trust", server.url)
        ended = inside("run", "my.yaml", *options, cwd=tmp_path)
        others = read_all(tmp_path, ended)
        runs = [f"runs={tmp_path}/runs"]
        result = package.run(tmp_path / "my.yaml", runs, trust=[server.url])
        assert {echoed(each) for each in server.requests} == {key}
    raised = traceback.format_exception(result.error) if result.error else []
    texts = left_behind(tmp_path, ended, *others)
    texts |= {"log": caplog.text, "error": "".join(raised), "result": repr(result)}
    assert leaks([key, key[:14], key[-14:]], texts) == []
    assert {"events.jsonl", "again.jsonl"} <= set(texts)
    assert "HTTP Request: POST" in caplog.text


# Where a person puts one, or has one lying about; `sk-` are the keys.
ADDRESSES = {name: in_address(name) for name in ("database", "endpoint", "file", "line", "source")}
ENVIRONMENT = {
    "ANTHROPIC_API_KEY": canary("anthropic"),
    "AWS_SECRET_ACCESS_KEY": canary("aws"),
    "DB_PASSWORD": canary("database password"),
    "DATABASE_URL": f"postgres://me:{ADDRESSES['database']}@localhost/db",
    "GITHUB_TOKEN": canary("github"),
    "LANGCHAIN_API_KEY": canary("langchain"),
    "LANGSMITH_API_KEY": canary("langsmith"),
    "LANGSMITH_TRACING": "true",
    "OPENAI_API_KEY": canary("openai"),
    "CANARY_EMBEDDER": canary("embedder"),
    "CANARY_LANGCHAIN": canary("model of langchain"),
    "CANARY_LINE": canary("model on the line"),
    "CANARY_MODEL": canary("model of the run"),
    "CANARY_OWN": canary("model of a flow"),
    "CANARY_RECORD": canary("model that is recorded"),
    "CANARY_UNUSED": canary("model that is not asked"),
}
PLANTED = [
    *(value for value in ENVIRONMENT.values() if value.startswith("sk-")),
    *ADDRESSES.values(),
    canary("written out"),
]
TALK = """\
_target_: sequential
name: Talk
input_interface: [question, operation, content]
inputs: {question: Hello, operation: write, content: Hello}
memory:
  _target_: memory.chroma
  folder: memory
  embedder:
    _target_: embedder.endpoint
    model: e
    base_url: URL
    attempts: 1
    api_key: ${env:CANARY_EMBEDDER}
model: {_target_: model.openai, SMALL, api_key: "${env:CANARY_MODEL}"}
subflows_config:
  shared: {_target_: chat}
  own: {_target_: chat, model: {_target_: model.openai, SMALL, api_key: "${env:CANARY_OWN}"}}
  bare: {_target_: chat, model: {_target_: model.openai, SMALL}}
  recorded:
    _target_: chat
    model:
      _target_: model.record
      path: replies.jsonl
      model: {_target_: model.openai, SMALL, api_key: "${env:CANARY_RECORD}"}
  chain:
    _target_: chat
    model:
      _target_: model.langchain
      model: openai:m
      base_url: URL
      retry: {attempts: 1}
      api_key: ${env:CANARY_LANGCHAIN}
  unused: {_target_: chat, model: {_target_: model.openai, SMALL, api_key: "${env:CANARY_UNUSED}"}}
  keep: {_target_: memory}
topology: [{goal: Ask, flow: shared}]
"""
FLOWS = ("shared", "own", "bare", "recorded", "chain", "keep")
# A program that logs all that there is to log, and runs the command line.
LOUD = """
import logging, sys
logging.basicConfig(level=logging.DEBUG, filename="debug.log", encoding="utf-8")
from flows.cli import main
main(sys.argv[1:])
"""


def talk(folder: Path, url: str, *called: str) -> str:
    """The run file, in which some of the flows are called."""
    steps = ", ".join(f"{{goal: Ask, flow: {name}}}" for name in called)
    small = f"model: m, base_url: {url}, retry: {{attempts: 1}}"
    text = TALK.replace("{goal: Ask, flow: shared}", steps).replace("SMALL", small)
    return write(folder, text.replace("URL", url))


def test_twenty_and_more_are_planted() -> None:
    assert len(set(PLANTED)) == len(PLANTED) >= 20
    every = "\n".join(PLANTED)
    assert [each for each in PLANTED if every.count(each) > 1] == []


def answer_all(request: Request) -> Reply:
    """A provider that answers, and says the key in what it answers."""
    key = echoed(request)
    if request.path.endswith("/embeddings"):
        return Reply(json={"model": key, "data": [{"index": 0, "embedding": [1.0, 0.5]}]})
    return streamed("Hello ", *key, f" {encoded(key)} {quote(key, safe='')} {key.encode().hex()}")


@pytest.mark.long("every secret, in a run with logs and traces, searched byte by byte")
def test_all_of_them_in_a_run_that_logs_and_traces(tmp_path: Path) -> None:
    given = {
        "OTEL_TRACES_EXPORTER": "console",
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "true",
        "OPENAI_LOG": "debug",
    }
    env = environment(**ENVIRONMENT, **given)
    with LocalHttp(answer_all) as server:
        file = talk(tmp_path, f"{server.url}/v1", *FLOWS)
        line = "model.api_key=${env:CANARY_LINE}"
        options = (line, "--events", "events.jsonl", "--verbose", "--trust", server.url)
        ended = python("-c", LOUD, "run", file, *options, cwd=tmp_path, env=env)
        used = {echoed(each) for each in server.requests}
    assert ended.code == 0, ended.err
    names = ("CANARY_LINE", "CANARY_OWN", "OPENAI_API_KEY", "CANARY_RECORD", "CANARY_LANGCHAIN")
    assert used == {ENVIRONMENT[name] for name in (*names, "CANARY_EMBEDDER")}
    run = next((tmp_path / "runs").iterdir()).name
    others = [
        python("-c", LOUD, "resume", run, "--json", cwd=tmp_path, env=env),
        flows("show", run, "--json", cwd=tmp_path, env=env),
    ]
    texts = left_behind(tmp_path, ended, *others, but=["my.yaml"])
    assert {"debug.log", "events.jsonl", f"runs/{run}/journal.sqlite", "replies.jsonl"} <= set(
        texts
    )
    assert "gen_ai.output.messages" in texts["stdout 0"]
    assert "Building HTTP request" in texts["debug.log"]
    assert leaks(PLANTED, texts) == []


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize("called", FLOWS)
def test_all_of_them_in_a_run_that_fails(
    called: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    caplog.set_level(logging.DEBUG)
    every = " ".join(ENVIRONMENT.values())
    with LocalHttp(lambda request: refused(f"{request.headers} {every}", 403)) as server:
        file = talk(tmp_path, f"{server.url}/v1", called)
        options = ("--json", "--events", "events.jsonl", "--trust", server.url)
        ended = inside("run", file, *options, cwd=tmp_path)
        result = package.run(tmp_path / file, [f"runs={tmp_path}/runs"], trust=[server.url])
        assert server.requests
    assert ended.code != 0
    assert result.error is not None
    texts = left_behind(tmp_path, ended, but=["my.yaml"])
    texts |= {"log": caplog.text, "error": "".join(traceback.format_exception(result.error))}
    assert "403" in texts["error"]
    assert leaks(PLANTED, texts) == []


@pytest.mark.long("whole runs of the command")
def test_commands_that_print_the_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    text = (tmp_path / talk(tmp_path, "http://127.0.0.1:9/v1", *FLOWS)).read_text()
    written = text.replace("${env:CANARY_OWN}", canary("written out"))
    file = write(tmp_path, written.replace("http://", f"http://me:{ADDRESSES['file']}@", 1))
    lines = ("model.api_key=${env:CANARY_LINE}", f"shared.temperature=x://me:{ADDRESSES['line']}@y")
    ended = [
        inside(*command, cwd=tmp_path)
        for command in (
            ("config", file),
            ("config", file, "--origins"),
            ("config", file, "--json", "--origins", lines[0]),
            ("config", file, *lines),
            ("check", file, "--json"),
            ("check", file, *lines),
            ("graph", file),
            ("doctor", "--json"),
        )
    ]
    assert "***" in ended[0].out
    assert "${env:CANARY_MODEL}" in ended[0].out
    assert leaks(PLANTED, left_behind(tmp_path, *ended, but=[file])) == []


PASSWORDS = {
    "a model": 'model: {_target_: model.openai, model: m, base_url: "http://me:@127.0.0.1:9/v1"}\n',
    "a model of langchain": (
        'model: {_target_: model.langchain, model: "openai:m", api_key: unused, '
        'base_url: "http://me:@127.0.0.1:9/v1", retry: {attempts: 1}}\n'
    ),
    "a source": 'model: {_target_: model.offline}\ndata: {sales: "postgres://me:@127.0.0.1/db"}\n'
    "context: [tables]\n",
    "the endpoint of the environment": "model: {_target_: model.openai, model: m}\n",
    "a proxy": 'model: {_target_: model.openai, model: m, base_url: "http://x.invalid/v1"}\n',
}


@pytest.mark.parametrize("place", PASSWORDS)
def test_a_password_in_an_address(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = in_address(place.replace(" ", "-"))
    monkeypatch.setenv("OPENAI_API_KEY", canary("openai"))
    if place == "the endpoint of the environment":
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://me:{secret}@127.0.0.1:9/v1")
    if place == "a proxy":
        monkeypatch.setenv("HTTP_PROXY", f"http://me:{secret}@[::bad/")
    file = write(tmp_path, CHAT + PASSWORDS[place].replace("//me:@", f"//me:{secret}@"))
    ended = [
        inside("run", file, "--json", "--events", "events.jsonl", cwd=tmp_path),
        inside("run", file, "--verbose", cwd=tmp_path),
        inside("check", file, cwd=tmp_path),
        inside("config", file, "--origins", cwd=tmp_path),
    ]
    assert ended[0].code in (2, 3, 4)
    texts = left_behind(tmp_path, *ended, but=[file]) | {"log": caplog.text}
    assert leaks([secret], texts) == []


def test_a_key_that_is_written_out(tmp_path: Path) -> None:
    """It is not kept with the run, which then cannot go on without it."""
    key = canary("written out")
    with LocalHttp(lambda request: refused(f"not {echoed(request)}")) as server:
        file = write(tmp_path, CHAT + model(f"{server.url}/v1", f"api_key: {key}"))
        ended = inside("run", file, "--json", "--events", "events.jsonl", cwd=tmp_path)
        assert ended.code == 3
        resumed = inside("resume", ended.json()["run_id"], cwd=tmp_path)
    assert resumed.code == 2
    assert "model.api_key" in resumed.err
    assert "${env:NAME}" in resumed.err
    assert leaks([key], left_behind(tmp_path, ended, resumed, but=[file])) == []


PACKAGE = """\
from typing import Annotated
from pydantic import BaseModel, Field
from flows.config.secret import Secret
from flows.models.offline import OfflineModel

class Picky(OfflineModel):
    class Config(BaseModel):
        key: Annotated[Secret, Field(pattern=r"^(\\$|pk-)")]

    def __init__(self, config):
        super().__init__()
"""


def test_an_error_that_nobody_foresaw(tmp_path: Path) -> None:
    """A model of one's own, whose settings fit as they are written and not with their secret."""
    (tmp_path / "picky.py").write_text(PACKAGE)
    key = canary("picky")
    file = write(tmp_path, CHAT + 'model: {_target_: picky.Picky, key: "${env:PICKY}"}\n')
    env = environment(PICKY=key, PYTHONPATH=str(tmp_path))
    ended = flows("run", file, "--trust", "picky", cwd=tmp_path, env=env)
    assert ended.code not in (0, 75)
    assert "String should match pattern" in ended.err
    assert leaks([key, key[:12]], left_behind(tmp_path, ended)) == []
