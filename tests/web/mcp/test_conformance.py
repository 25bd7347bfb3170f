"""The conformance suite of the Model Context Protocol against `flows mcp --http`.

It is an npm package, with a Node of its own, in the folder that FLOWS_MCP_CONFORMANCE names or in
`.venv/mcp-conformance`. The run files in `conformance` are what its scenarios call.
`expected_failures.yaml` names the scenarios that fail, each with its reason: all others have to
pass, and those have to fail.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from tests.cli.command import PROJECT, environment
from tests.servers.token_proxy import token_proxy

TOKEN = "a-token-of-a-test-0123"
EXPECTED = Path(__file__).with_name("expected_failures.yaml")
FLOWS = Path(__file__).with_name("conformance")
_PROGRAM = Path("@modelcontextprotocol") / "conformance" / "dist" / "index.js"


def folder() -> Path:
    named = os.environ.get("FLOWS_MCP_CONFORMANCE")
    return (Path(named) if named else PROJECT / ".venv" / "mcp-conformance") / "node_modules"


def missing() -> str:
    """Why the suite cannot be run, or an empty text."""
    for each in (folder() / _PROGRAM, folder() / ".bin" / "node"):
        if not each.is_file():
            return f"{each} is missing: .ci/run installs it by npm"
    return ""


def _is_task(name: str) -> bool:
    return "task: always" in (FLOWS / name).read_text("utf-8")


@contextmanager
def listening(place: Path) -> Iterator[str]:
    """The address of `flows mcp --http` with the flows of the suite."""
    shutil.copytree(FLOWS, place, dirs_exist_ok=True)
    # The suite calls the first tool too, without arguments: no task, which some clients refuse.
    names = (each.name for each in FLOWS.glob("*.yaml"))
    files = sorted(names, key=lambda name: (_is_task(name), name))
    with (place / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "flows", "mcp", *files,
             "--trust", "./tools.py", "--http", "--port", "0"],
            cwd=place, env=environment(FLOWS_TOKEN=TOKEN), stdout=subprocess.PIPE, stderr=log,
            text=True,
        )  # fmt: skip
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        assert address.startswith("http"), (place / "log.txt").read_text()
        yield address
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()


@pytest.mark.long("the whole suite, by a program of npm, against a server in a process of its own")
@pytest.mark.skipif(bool(missing()), reason=missing() or "it is there")
@pytest.mark.timeout(400)
def test_the_protocol_is_spoken_as_the_suite_wants(tmp_path: Path) -> None:
    with listening(tmp_path) as address, token_proxy(address, TOKEN) as open_address:
        done = subprocess.run(
            [folder() / ".bin" / "node", folder() / _PROGRAM, "server", "--url", open_address,
             "--suite", "all", "--expected-failures", EXPECTED],
            cwd=tmp_path, capture_output=True, text=True, timeout=380, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-2_000:]
