"""The conformance suite of the Model Context Protocol against `flows mcp --http`.

It is an npm package, with a Node of its own, in the folder that FLOWS_MCP_CONFORMANCE names or in
`.venv/mcp-conformance`. `conformance.yaml` names the scenarios that fail, each with its reason: all
others have to pass, and those have to fail.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from tests.cli.command import PROJECT, environment
from tests.servers.token_proxy import token_proxy
from tests.web.own_flows import TOOLS

TOKEN = "a-token-of-a-test-0123"
EXPECTED = Path(__file__).with_name("conformance.yaml")
_PROGRAM = Path("@modelcontextprotocol") / "conformance" / "dist" / "index.js"
SURE = '_target_: ./tools.py:Asks\ninputs: {what: "Sure?"}'
# What the suite's tools are called, and the flows that they are here.
FLOWS = {
    "test_simple_text": "_target_: ./tools.py:greeting",
    "test_error_handling": "_target_: ./tools.py:fails\ninputs: {text: this}",
    "test_tool_with_progress": """\
_target_: sequential
output_interface: [waited]
subflows_config:
  one: {_target_: ./tools.py:Slow, description: The first part}
  two: {_target_: ./tools.py:Slow, description: The second part}
topology: [{goal: The first part, flow: one}, {goal: The second part, flow: two}]
inputs: {seconds: 0.3}
input_interface: {seconds: float}
""",
    "test_elicitation": """\
_target_: sequential
input_interface: {message: str}
output_interface: [said]
subflows_config: {ask: {_target_: ./tools.py:Asks}}
topology: [{goal: Ask, flow: ask, input_interface: {keys_to_rename: {message: what}}}]
""",
    "test_input_required_result_request_state": SURE,
    "test_input_required_result_tampered_state": SURE,
    "test_input_required_result_multi_round": """\
_target_: sequential
output_interface: [said]
subflows_config: {name: {_target_: ./tools.py:Asks}, colour: {_target_: ./tools.py:Asks}}
topology:
  - {goal: Ask, flow: name, input_interface: {keys_to_set: {what: "What is your name?"}}}
  - {goal: Ask, flow: colour, input_interface: {keys_to_set: {what: "Which is your colour?"}}}
""",
}


def folder() -> Path:
    named = os.environ.get("FLOWS_MCP_CONFORMANCE")
    return (Path(named) if named else PROJECT / ".venv" / "mcp-conformance") / "node_modules"


def missing() -> str:
    """Why the suite cannot be run, or an empty text."""
    for each in (folder() / _PROGRAM, folder() / ".bin" / "node"):
        if not each.is_file():
            return f"{each} is missing: .ci/run installs it by npm"
    return ""


@contextmanager
def listening(place: Path) -> Iterator[str]:
    """The address of `flows mcp --http` with the flows of the suite."""
    (place / "tools.py").write_text(TOOLS.read_text("utf-8"), "utf-8")
    for name, text in FLOWS.items():
        (place / f"{name}.yaml").write_text(f"{text}\n", "utf-8")
    with (place / "log.txt").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "flows", "mcp", *(f"{name}.yaml" for name in FLOWS),
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
