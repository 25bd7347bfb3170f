"""`flows doctor`: what is missing has its line, no secret is shown, nothing hangs."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from flows.cli.connectivity import KEY
from flows.cli.diagnosis import DEPENDENCIES, why_not_writable
from tests.cli.command import PROJECT, environment, flows, python
from tests.cli.inside import inside
from tests.servers.local_http import LocalHttp, Reply

SECRET = "sk-nobody-may-see-this"


def finding(found: dict[str, Any], name: str) -> dict[str, Any]:
    """The finding of that name."""
    [one] = [each for each in found["findings"] if each["name"] == name]
    return dict(one)


def test_here_everything_is_installed(tmp_path: Path) -> None:
    ended = flows("doctor", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert re.search(r"ok +duckdb +\d", ended.out)
    # The package manager of the machine installs it, and not every machine has it.
    without = [] if which("bwrap") else ["bubblewrap"]
    assert re.findall(r"^ +missing +(\S+)", ended.out, re.MULTILINE) == without
    assert "The embedded default, with no key and no network, works here." in ended.out
    assert not list(tmp_path.iterdir())


def test_every_dependency_is_looked_at() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[^a-z0-9-]", each, maxsplit=1)[0] for each in project["dependencies"]}
    assert names == {name for name, *_ in DEPENDENCIES}


@pytest.mark.long("whole runs of the command")
def test_what_is_missing_comes_with_the_line_that_installs_it(tmp_path: Path) -> None:
    import yaml

    installed = Path(yaml.__file__).parents[1]
    less = tmp_path / "less"
    less.mkdir()
    for each in installed.iterdir():
        if not each.name.startswith(("duckdb", "_duckdb", "wikipedia")):
            (less / each.name).symlink_to(each)
    env = environment(PYTHONPATH=f"{PROJECT}:{less}", PYTHONNOUSERSITE="1")
    ended = python("-S", "-m", "flows", "doctor", "--json", cwd=tmp_path, env=env)
    assert ended.code == 2, ended.err
    found = ended.json()
    assert found["works"] is False
    duckdb = finding(found, "duckdb")
    assert (duckdb["state"], duckdb["is_needed"]) == ("missing", True)
    assert re.fullmatch(r"pip install 'duckdb[<>=,.\d]+'", duckdb["install"])
    assert finding(found, "wikipedia")["is_needed"] is False
    assert finding(found, "sqlglot")["state"] == "ok"


@pytest.mark.parametrize(
    ("reply", "state", "said"),
    [
        (Reply(json={"data": []}), "ok", "answers"),
        (Reply(status=401), "failed", "refuses the key (401)"),
        (Reply(status=404), "note", "lists no models (404)"),
        (Reply(delay=60.0, json={}), "failed", "does not answer"),  # not waited for: that is ok
    ],
)
def test_the_endpoint_is_asked_and_no_value_is_shown(
    reply: Reply, state: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LocalHttp(lambda _: reply) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv(KEY, SECRET)
        ended = inside("doctor", "--json", cwd=tmp_path)
        asked = server.requests
    assert [each.path for each in asked] == ["/v1/models"]
    assert asked[0].headers["authorization"] == f"Bearer {SECRET}"
    endpoint = finding(ended.json(), "endpoint")
    assert endpoint["state"] == state
    assert said in endpoint["detail"]
    assert ended.code == 0  # the embedded default needs no endpoint
    assert SECRET not in ended.out + ended.err
    assert server.url not in ended.out


def test_the_key_does_not_follow_a_redirect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LocalHttp(lambda _: Reply(json={})) as other:
        away = Reply(status=302, headers={"Location": f"{other.url}/models"})
        with LocalHttp(lambda _: away) as server:
            monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            monkeypatch.setenv(KEY, SECRET)
            ended = inside("doctor", "--json", cwd=tmp_path)
        assert other.requests == []
    assert finding(ended.json(), "endpoint")["state"] == "note"


@pytest.mark.long("whole runs of the command")
def test_addresses_that_lead_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for address in (
        "file:///etc/hostname",
        "http://127.0.0.1:1",
        "http://me:word@[::1",
        "nonsense",
    ):
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        ended = inside("doctor", "--json", cwd=tmp_path)
        assert finding(ended.json(), "endpoint")["state"] == "failed", address
        assert address not in ended.out


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    assert why_not_writable(tmp_path) == ""
    assert not list(tmp_path.iterdir())
    assert why_not_writable(Path("/proc")) != ""
