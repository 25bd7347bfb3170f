"""`flows fake-model`: a server in a process of its own, as a shell script uses it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flows.models.fake.script import read_script
from tests.cli.command import PROJECT, environment, flows
from tests.cli.inside import inside

SCRIPT = """\
turns:
  - {fault: rate_limited, retry_after: 0.01}
  - reply: {command: finish, command_args: {answer: "Done."}}
  - {reply: never, repeat: 2}
"""
AUTO = "defaults: [autogpt, override human: never, override model: openai, _self_]\nname: Mine\n"
KEY = "sk-very-secret-0123456789"


@contextmanager
def playing(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The server, and its base URL, which it prints first."""
    process = subprocess.Popen(
        [sys.executable, "-m", "flows", "fake-model", "script.yaml", *options],
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


def end(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str, str]:
    process.send_signal(number)
    out, err = process.communicate(timeout=90)
    return process.returncode, out, err


@pytest.mark.long("whole runs of the command")
def test_a_run_against_a_script(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text(SCRIPT)
    (tmp_path / "my.yaml").write_text(AUTO)
    with playing(tmp_path, "--log", "log.jsonl") as (process, base_url):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/v1", base_url)
        env = environment(OPENAI_BASE_URL=base_url, OPENAI_API_KEY=KEY)
        ended = inside("run", "my.yaml", "goal=Try it", "--json", cwd=tmp_path, env=env)
        assert ended.code == 0, ended.err
        assert ended.json()["outputs"]["answer"] == "Done."
        code, out, err = end(process, signal.SIGTERM)
    assert (code, out) == (0, "")
    assert f"OPENAI_BASE_URL={base_url} flows run model=openai" in err
    assert "POST /v1/chat/completions: turn 1 of 3: rate_limited" in err
    assert "POST /v1/chat/completions: turn 2 of 3: reply" in err
    assert err.endswith("not played: turn 3 (reply, 0 of 2)\n")
    logged = (tmp_path / "log.jsonl").read_text()
    assert KEY not in logged
    first, second = (json.loads(line) for line in logged.splitlines())
    assert (first["method"], first["path"]) == ("POST", "/v1/chat/completions")
    assert first["headers"]["authorization"] == "***"
    assert first["body"]["messages"][-1]["content"].startswith("The goal: Try it")
    assert second["answered"] == "turn 2 of 3: reply"


@pytest.mark.long("whole runs of the command")
def test_ctrl_c_and_a_script_that_was_played_out(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text("turns: [{fault: unauthorized}]")
    (tmp_path / "my.yaml").write_text(AUTO)
    with playing(tmp_path) as (process, base_url):
        given = ("run", "my.yaml", "goal=Try it", f"+model.base_url={base_url}", "--json")
        assert inside(*given, cwd=tmp_path).code == 3
        after = inside(*given, cwd=tmp_path)
        assert after.code == 3
        assert "410 Gone: the script is at its end" in after.json()["reason"]
        code, out, err = end(process, signal.SIGINT)
    assert (code, out) == (130, "")
    assert "every turn was played" in err
    assert "Traceback" not in err


@pytest.mark.long("whole runs of the command")
def test_a_stream_that_never_ends_does_not_keep_it_alive(tmp_path: Path) -> None:
    import http.client

    (tmp_path / "script.yaml").write_text("turns: [{fault: slow_drip, pause: 0.01}]")
    with playing(tmp_path) as (process, base_url):
        host = base_url.removeprefix("http://").removesuffix("/v1")
        connection = http.client.HTTPConnection(host, timeout=10)
        asked = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
        connection.request("POST", "/v1/chat/completions", json.dumps(asked))
        assert b"chat.completion.chunk" in connection.getresponse().readline()
        assert end(process, signal.SIGTERM)[0] == 0
        connection.close()


@pytest.mark.long("whole runs of the command")
def test_a_port_of_ones_choice_and_one_that_is_in_use(tmp_path: Path) -> None:
    (tmp_path / "script.yaml").write_text(SCRIPT)
    with playing(tmp_path) as (process, base_url):
        port = base_url.split(":")[2].removesuffix("/v1")
        taken = flows("fake-model", "script.yaml", "--port", port, cwd=tmp_path)
        assert (taken.code, taken.out) == (2, "")
        assert f"error: port {port} cannot be had: Address already in use" in taken.err
        assert end(process, signal.SIGTERM)[0] == 0
    with playing(tmp_path, "--port", port) as (process, again):
        assert again == base_url
        assert end(process, signal.SIGTERM)[0] == 0


@pytest.mark.parametrize(
    ("script", "options", "said"),
    [
        ("turns: [{fault: rate_limit}]", [], "script.yaml:1:17: turns.0.fault"),
        (None, [], "script.yaml: there is no such file"),
        (SCRIPT, ["--log", "none/log.jsonl"], "none/log.jsonl cannot be written"),
        (SCRIPT, ["--port", "70000"], "--port"),
    ],
)
def test_wrong_usage(script: str | None, options: list[str], said: str, tmp_path: Path) -> None:
    if script is not None:
        (tmp_path / "script.yaml").write_text(script)
    ended = inside("fake-model", "script.yaml", *options, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert "not played" not in ended.err


def test_every_script_of_the_page_about_it_can_be_played(tmp_path: Path) -> None:
    page = (PROJECT / "docs" / "fake-model.md").read_text(encoding="utf-8")
    for script in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL):
        (tmp_path / "script.yaml").write_text(script)
        assert read_script(tmp_path / "script.yaml").turns


@pytest.mark.long("a page whose examples are processes that wait for each other")
def test_the_page_about_it_works(tmp_path: Path) -> None:
    """Its script, its shell lines and its Python, as they stand there."""
    page = (PROJECT / "docs" / "fake-model.md").read_text(encoding="utf-8")
    script, shell, python = (
        re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)[0] for kind in ("yaml", "sh", "python")
    )
    (tmp_path / "script.yaml").write_text(script)
    (tmp_path / "my.yaml").write_text(
        "defaults: [autogpt, _self_]\nname: Mine\ndata: {sales: sales.csv}\n"
    )
    (tmp_path / "sales.csv").write_text("region,amount\nnorth,1\n")
    command = tmp_path / "flows"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m flows "$@"\n')
    command.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", shell],
        cwd=tmp_path,
        env=environment(PATH=f"{tmp_path}:{os.environ['PATH']}"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "The table was looked at." in done.stdout, done.stderr
    assert "turn 3 of 3: reply" in done.stderr
    ended = subprocess.run(
        [sys.executable, "-c", python],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert ended.stdout.startswith("http://127.0.0.1:")
