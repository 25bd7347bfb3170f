"""A key goes to an address that a file names only after a person has said yes."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

import flows
from flows.errors import UntrustedError
from tests.cli.command import PROJECT, environment
from tests.cli.inside import inside, write
from tests.servers.local_http import LocalHttp, Reply, Request

KEY = "sk-of-the-environment-1234"
OTHER = "another-secret-of-the-environment"
FLOW = """\
_target_: chat
name: Ask
human_prompt: chat.human.j2
input_interface: [question]
inputs: {question: Hello}
"""
MODEL = FLOW + 'model: {_target_: model.openai, model: small, stream: false, base_url: "URL/v1"}\n'


def completion(request: Request) -> Reply:
    del request
    message = {"role": "assistant", "content": "Hello."}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return Reply(
        json={"id": "1", "object": "chat.completion", "model": "small", "choices": [choice]}
    )


@pytest.fixture
def elsewhere() -> Iterator[LocalHttp]:
    with LocalHttp(completion) as server:
        yield server


@pytest.fixture(autouse=True)
def keys(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OTHER_SECRET", OTHER)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def sent(server: LocalHttp) -> list[str]:
    """What arrived as keys."""
    return [each.headers.get("authorization", "") for each in server.requests]


OPEN = "{_target_: model.openai, model: small, stream: false, base_url: 'URL/v1'"


@pytest.mark.parametrize(
    ("way", "secret"),
    [
        ("model: MODEL}", "OPENAI_API_KEY"),
        ("model: MODEL, api_key: '${env:OTHER_SECRET}'}", "OTHER_SECRET"),
        ("model: {_target_: model.record, path: tape.jsonl, model: MODEL}}", "OPENAI_API_KEY"),
        (
            "model: {_target_: model.langchain, model: 'openai:small', base_url: 'URL/v1'}",
            "OPENAI_API_KEY",
        ),
        (
            "model: {_target_: model.langchain, model: 'small', model_provider: openai, "
            "base_url: 'URL/v1', api_key: '${env:OTHER_SECRET}'}",
            "OTHER_SECRET",
        ),
    ],
    ids=["the default key", "a named secret", "recorded", "langchain", "langchain, named"],
)
def test_nothing_is_sent_to_an_address_of_a_file(
    way: str, secret: str, elsewhere: LocalHttp, tmp_path: Path
) -> None:
    text = way.replace("MODEL", OPEN).replace("URL", elsewhere.url)
    file = write(tmp_path, f"{FLOW}{text}\n")

    ended = inside("run", file, "--json", cwd=tmp_path)

    assert elsewhere.requests == []
    assert ended.code == 2
    assert "my.yaml:6:" in ended.err
    assert f"{secret} would be sent to {elsewhere.url}" in ended.err
    assert f"--trust {elsewhere.url}" in ended.err
    assert not (tmp_path / "runs").exists()
    assert KEY not in ended.err + ended.out
    assert OTHER not in ended.err + ended.out


def test_the_command_line_is_the_persons_own_word(elsewhere: LocalHttp, tmp_path: Path) -> None:
    file = write(tmp_path, MODEL.replace("URL/v1", "http://127.0.0.1:9/v1"))
    ended = inside("run", file, f"model.base_url={elsewhere.url}/v1", cwd=tmp_path)
    assert ended.code == 0, ended.err
    named = write(tmp_path, MODEL.replace("URL", elsewhere.url))
    allowed = inside("run", named, "--trust", elsewhere.url, cwd=tmp_path)
    assert allowed.code == 0, allowed.err
    assert sent(elsewhere) == [f"Bearer {KEY}"] * 2
    refused = inside("run", named, "--trust", "http://127.0.0.1:9", cwd=tmp_path)
    assert refused.code == 2
    typed = inside("run", named, "model.api_key=${env:OTHER_SECRET}", cwd=tmp_path)
    assert typed.code == 2  # the address is still the file's
    assert len(elsewhere.requests) == 2


def test_a_secret_written_in_the_file_is_the_files_own(
    elsewhere: LocalHttp, tmp_path: Path
) -> None:
    text = MODEL.replace("URL", elsewhere.url).replace("small,", "small, api_key: of-the-file,", 1)
    assert inside("run", write(tmp_path, text), cwd=tmp_path).code == 0
    assert sent(elsewhere) == ["Bearer of-the-file"]
    bare = write(tmp_path, MODEL.replace("URL", elsewhere.url))
    typed = inside("run", bare, "model.api_key=typed-by-the-person", cwd=tmp_path)
    assert typed.code == 2
    assert "api_key would be sent to" in typed.err
    assert len(elsewhere.requests) == 1


def test_a_file_without_a_key_to_send_is_not_asked_about(
    elsewhere: LocalHttp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    assert (
        inside("run", write(tmp_path, MODEL.replace("URL", elsewhere.url)), cwd=tmp_path).code == 0
    )
    assert sent(elsewhere) == ["Bearer none"]


def test_the_address_of_the_environment_needs_no_word(
    elsewhere: LocalHttp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{elsewhere.url}/v1")
    named = MODEL.replace("URL", elsewhere.url)
    silent = MODEL.replace(', base_url: "URL/v1"', "")
    for text in (named, silent):
        ended = inside("run", write(tmp_path, text), cwd=tmp_path)
        assert ended.code == 0, ended.err
    assert sent(elsewhere) == [f"Bearer {KEY}"] * 2
    other = silent.replace("small,", "small, api_key: '${env:OTHER_SECRET}',", 1)
    ended = inside("run", write(tmp_path, other), cwd=tmp_path)
    assert ended.code == 2
    assert "OTHER_SECRET would be sent to" in ended.err
    assert len(elsewhere.requests) == 2


def test_a_group_file_beside_the_run_file_is_of_others_too(
    elsewhere: LocalHttp, tmp_path: Path
) -> None:
    (tmp_path / "configs" / "model").mkdir(parents=True)
    (tmp_path / "configs" / "model" / "openai.yaml").write_text(
        OPEN.replace("URL", elsewhere.url) + "}"
    )
    ended = inside("run", write(tmp_path, FLOW), "model=openai", cwd=tmp_path)
    assert ended.code == 2
    assert "configs/model/openai.yaml:1:" in ended.err
    assert elsewhere.requests == []


def test_the_model_of_one_flow_and_the_embedder_of_a_memory(
    elsewhere: LocalHttp, tmp_path: Path
) -> None:
    text = f"""\
_target_: sequential
name: Two
input_interface: [question]
output_interface: [api_output]
inputs: {{question: Hello, content: x}}
model: {{_target_: model.offline}}
memory:
  _target_: memory.chroma
  embedder: {{_target_: embedder.endpoint, model: e, base_url: "{elsewhere.url}/v1", api_key: "${{env:OTHER_SECRET}}"}}
subflows_config:
  ask:
    _target_: chat
    human_prompt: chat.human.j2
    model: {OPEN.replace("URL", elsewhere.url)}}}
  keep: {{_target_: memory}}
topology:
  - {{goal: Ask, flow: ask}}
  - {{goal: Keep, flow: keep, input_interface: {{keys_to_set: {{operation: write, content: x}}}}}}
"""  # noqa: E501
    ended = inside(
        "check", write(tmp_path, text.replace(", content: x}\nmodel", "}\nmodel")), cwd=tmp_path
    )
    assert ended.code == 0, ended.err
    needed = [line for line in ended.out.splitlines() if "needs trust" in line]
    assert len(needed) == 2
    assert any("OPENAI_API_KEY" in line and "ask.model" in line for line in needed)
    assert any("OTHER_SECRET" in line and "memory.embedder" in line for line in needed)


def test_python_says_what_it_trusts(elsewhere: LocalHttp, tmp_path: Path) -> None:
    file = tmp_path / write(tmp_path, MODEL.replace("URL", elsewhere.url))
    runs = [f"runs={tmp_path / 'runs'}"]
    with pytest.raises(UntrustedError) as caught:
        flows.run(file, runs)
    assert caught.value.exit_code == 2
    assert elsewhere.requests == []
    assert flows.run(file, runs, trust=[elsewhere.url]).status == "finished"
    assert sent(elsewhere) == [f"Bearer {KEY}"]


def test_what_a_run_was_allowed_remains_for_it(elsewhere: LocalHttp, tmp_path: Path) -> None:
    file = write(tmp_path, MODEL.replace("URL", elsewhere.url))
    first = inside("run", file, "--trust", elsewhere.url, "--json", cwd=tmp_path)
    run = first.json()["run_id"]
    assert inside("replay", run, cwd=tmp_path).code == 0
    assert len(elsewhere.requests) == 1
    again = inside("fork", run, "--at", "", cwd=tmp_path)
    assert again.code == 0, again.err
    assert sent(elsewhere) == [f"Bearer {KEY}"] * 2
    (tmp_path / "configs" / "model").mkdir(parents=True)
    (tmp_path / "configs" / "model" / "mine.yaml").write_text(
        OPEN.replace("URL", elsewhere.url.replace("127.0.0.1", "localhost")) + "}"
    )
    other = inside("fork", run, "--at", "", "model=mine", cwd=tmp_path)
    assert other.code == 2
    assert "OPENAI_API_KEY would be sent to http://localhost" in other.err


def test_a_run_that_began_without_a_key_was_allowed_none(
    elsewhere: LocalHttp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key that is there only when it is gone on with, or that is another one, is asked about."""
    monkeypatch.delenv("OPENAI_API_KEY")
    file = write(tmp_path, MODEL.replace("URL", elsewhere.url))
    begun = inside("run", file, "limits.model_calls=0", "--json", cwd=tmp_path)
    run = begun.json()["run_id"]
    again = ("fork", run, "--at", "", "limits.model_calls=1")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    named = (*again, "model.api_key=${env:OTHER_SECRET}")
    for command in (("resume", run), again, named):
        ended = inside(*command, cwd=tmp_path)
        assert ended.code == 2, command
        assert f"would be sent to {elsewhere.url}" in ended.err
    assert elsewhere.requests == []
    assert inside(*again, "--trust", elsewhere.url, cwd=tmp_path).code == 0
    assert sent(elsewhere) == [f"Bearer {KEY}"]


@pytest.mark.parametrize(
    "address",
    [
        "http://api.openai.com/v1",
        "https://api.openai.com.evil.test/v1",
        "https://api.openai.com:444",
    ],
)
def test_an_address_like_the_providers_is_not_the_providers(address: str, tmp_path: Path) -> None:
    ended = inside("run", write(tmp_path, MODEL.replace("URL/v1", address)), cwd=tmp_path)
    assert ended.code == 2
    assert "OPENAI_API_KEY would be sent to" in ended.err


@pytest.mark.parametrize("address", ["https://api.openai.com\\\\@evil.test/", "https://a b.test"])
def test_an_address_that_can_be_read_in_two_ways_is_refused(address: str, tmp_path: Path) -> None:
    ended = inside("check", write(tmp_path, MODEL.replace("URL/v1", address)), cwd=tmp_path)
    assert ended.code == 2
    assert "my.yaml:6:" in ended.err


@pytest.mark.long("whole runs of the command")
def test_check_says_what_goes_where_and_never_a_value(elsewhere: LocalHttp, tmp_path: Path) -> None:
    data = tmp_path.parent / "sales-of-elsewhere.csv"
    data.write_text("a,b\n1,2\n")
    text = f"""\
defaults: [autogpt, _self_]
model: {OPEN.replace("URL", elsewhere.url)}}}
data: {{sales: {data}, shop: "postgres://me:pass-word-1@db.test/shop"}}
memory: {{folder: {tmp_path.parent / "memories"}}}
inputs: {{goal: Look}}
"""
    file = write(tmp_path, text)
    ended = inside("check", file, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert f"OPENAI_API_KEY to {elsewhere.url} (model: model.openai)" in ended.out
    assert f"--trust {elsewhere.url}" in ended.out
    assert f"{data} (data.sales)" in ended.out
    assert "memories (memory.folder)" in ended.out
    assert "postgres://db.test (data.shop: data)" in ended.out
    found = inside("check", file, "--json", cwd=tmp_path).json()
    [needed] = found["needs_trust"]
    assert (needed["key"], needed["address"]) == ("OPENAI_API_KEY", elsewhere.url)
    assert {"key": "data.sales", "path": str(data)} in found["elsewhere"]
    assert all(secret not in json.dumps(found) + ended.out for secret in (KEY, "pass-word-1"))
    trusted = inside("check", file, "--trust", elsewhere.url, "--json", cwd=tmp_path).json()
    assert trusted["needs_trust"] == []


# The same process runs the file again and again, as a shell would.
SHELL = """
import sys
from pathlib import Path
from flows.cli.app import run_app
file = Path("my.yaml")
for line in sys.stdin:
    if line.startswith("change"):
        file.write_text(file.read_text() + "# changed\\n")
        continue
    if line.startswith("end"):
        break
    print("ended with", run_app(["run", "my.yaml"]), flush=True)
"""


@pytest.fixture
def shell(elsewhere: LocalHttp, tmp_path: Path) -> Iterator[pexpect.spawn[str]]:
    text = MODEL.replace("URL", elsewhere.url).replace("model: {", "model: {", 1)
    write(tmp_path, text)
    child = pexpect.spawn(
        sys.executable,
        ["-c", SHELL],
        cwd=str(tmp_path),
        env=environment(
            TERM="xterm",
            OPENAI_API_KEY=KEY,
            XDG_STATE_HOME=os.environ["XDG_STATE_HOME"],
            PYTHONPATH=str(PROJECT),
        ),
        encoding="utf-8",
        timeout=60,
        dimensions=(50, 200),
    )
    yield child
    child.close(force=True)


QUESTION = "as it is now\\? \\[y/N\\]"


@pytest.mark.long("whole runs of the command")
def test_a_yes_at_a_terminal_holds_for_the_file_as_it_is(
    shell: pexpect.spawn[str], elsewhere: LocalHttp, tmp_path: Path
) -> None:
    for no in ("\r", "perhaps\r", "\x04", "\x03"):
        shell.send("run\r")
        shell.expect("my.yaml:6:\\d+ wants to send")
        shell.expect(f"{elsewhere.url}")
        shell.expect(QUESTION)
        shell.send(no)
        shell.expect("ended with 2")
    assert elsewhere.requests == []

    shell.send("run\r")
    shell.expect(QUESTION)
    shell.send("y\r")
    shell.expect("ended with 0")
    assert sent(elsewhere) == [f"Bearer {KEY}"]

    shell.send("run\r")  # not asked again
    assert shell.expect(["ended with 0", QUESTION]) == 0
    assert len(elsewhere.requests) == 2

    [kept] = (Path(os.environ["XDG_STATE_HOME"]) / "analyst-flows" / "trust").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    whole = kept.read_text()
    assert KEY not in whole
    for damage in (whole[:20], whole.replace(elsewhere.url, "http://localhost"), ""):
        kept.write_text(damage)
        shell.send("run\r")
        shell.expect(QUESTION)
        shell.send("\r")
        shell.expect("ended with 2")
    kept.write_text(whole)

    shell.send("change\r")
    shell.send("run\r")
    shell.expect(QUESTION)
    shell.send("n\r")
    shell.expect("ended with 2")
    assert len(elsewhere.requests) == 2
    shell.send("end\r")


@pytest.mark.long("whole runs at a real terminal")
def test_a_run_that_asks_nobody_is_refused_at_a_terminal_too(
    shell: pexpect.spawn[str], elsewhere: LocalHttp, tmp_path: Path
) -> None:
    file = tmp_path / "my.yaml"
    file.write_text(file.read_text() + "human: {_target_: human.never}\n")
    shell.send("run\r")
    assert shell.expect(["ended with 2", QUESTION]) == 0
    assert elsewhere.requests == []
    shell.send("end\r")


def test_the_commands_of_the_page(elsewhere: LocalHttp, tmp_path: Path) -> None:
    page = (PROJECT / "docs" / "run-files.md").read_text().partition("## Files of others")[2]
    block = page.partition("```console\n")[2].partition("```")[0]
    commands = [line.removeprefix("$ flows ") for line in block.splitlines()]
    assert len(commands) == 2
    write(tmp_path, MODEL.replace("URL", elsewhere.url), "theirs.yaml")
    for command in commands:
        given = command.replace("http://models.example:8000", elsewhere.url).split()
        ended = inside(*given, cwd=tmp_path)
        assert ended.code == 0, ended.err
    assert sent(elsewhere) == []
    allowed = inside("run", "theirs.yaml", "--trust", elsewhere.url, cwd=tmp_path)
    assert allowed.code == 0, allowed.err
    assert sent(elsewhere) == [f"Bearer {KEY}"]
