"""The password of a database server is written nowhere, however its address was given."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.cli.canaries import canary, in_address, leaks, left_behind
from tests.cli.inside import inside, write
from tests.servers.postgres import Postgres, postgres_programs

RUN = """\
_target_: chat
name: Ask
human_prompt: chat.human.j2
inputs: {question: Hello}
model: {_target_: model.offline}
context: [tables]
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    if postgres_programs() is None:
        pytest.skip("PostgreSQL (initdb) is not installed")
    with Postgres() as started:
        started.execute(
            "CREATE TABLE sales (amount int)", "INSERT INTO sales VALUES (7)",
            f"CREATE ROLE app LOGIN PASSWORD '{canary('server')}'", "GRANT SELECT ON sales TO app",
        )  # fmt: skip
        yield started


@pytest.mark.long("runs, reports and logs over each kind of server")
@pytest.mark.parametrize("given", ["in a variable", "in the file"])
@pytest.mark.parametrize("state", ["open", "wrong", "away"])
def test_the_password_of_a_server(
    server: Postgres,
    given: str,
    state: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = canary("server") if state == "open" else canary("another server")
    port = 9 if state == "away" else server.port
    url = f"postgresql://app:{quote(secret, safe='')}@127.0.0.1:{port}/postgres"
    monkeypatch.setenv("DATABASE_URL", url)
    where = "${env:DATABASE_URL}" if given == "in a variable" else url
    file = write(tmp_path, f'{RUN}data: {{shop: "{where}"}}\n')
    first = inside("run", file, "--json", "--events", "events.jsonl", cwd=tmp_path)
    assert (first.code == 0) == (state == "open"), first.err
    run = first.json()["run_id"]
    ended = [
        first,
        inside("show", run, cwd=tmp_path),
        inside("show", run, "--json", cwd=tmp_path),
        inside("config", file, "--origins", cwd=tmp_path),
        inside("config", file, "--json", cwd=tmp_path),
        inside("check", file, cwd=tmp_path),
        inside("resume", run, cwd=tmp_path),
        inside("run", file, "--verbose", cwd=tmp_path),
    ]
    if state == "wrong":
        assert "the password or the user app is wrong" in first.err + first.out
    texts = left_behind(tmp_path, *ended, but=[file]) | {"log": caplog.text}
    assert leaks([secret], texts) == []
    if given == "in a variable":
        assert "${env:DATABASE_URL}" in ended[3].out


@pytest.mark.parametrize("mark", ["/", "@", "?", "#", ":"])
def test_a_password_that_was_not_escaped(mark: str, tmp_path: Path) -> None:
    secret = in_address("left")
    url = f"postgresql://app:{secret}{mark}{secret[::-1]}@127.0.0.1:9/db"
    file = write(tmp_path, f'{RUN}data: {{shop: "{url}"}}\n')
    ended = [
        inside("run", file, "--json", cwd=tmp_path),
        inside("check", file, cwd=tmp_path),
        inside("config", file, "--origins", cwd=tmp_path),
    ]
    assert ended[0].code != 0
    assert leaks([secret, secret[::-1]], left_behind(tmp_path, *ended, but=[file])) == []
