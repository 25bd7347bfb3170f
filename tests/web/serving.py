"""The real command `flows serve` as a process, and a client that speaks HTTP to it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.cli.command import environment

TOKEN = "a-token-of-a-test-0123"
SECONDS = 60.0
OVER = ("finished", "unfinished", "degraded", "failed", "cancelled")

ADDER = """\
_target_: sequential
name: Adder
description: Adds three to a number.
input_interface: {n: int}
output_interface: [n]
subflows_config:
  one: {_target_: tests.flows_for_tests.Add}
  two: {_target_: tests.flows_for_tests.Send, amount: 2}
topology: [{goal: Add one, flow: one}, {goal: Add two, flow: two}]
"""
SLEEPER = """\
_target_: sequential
name: Sleeper
input_interface: {n: int}
output_interface: [n]
subflows_config:
  first: {_target_: tests.flows_for_tests.Write}
  sleep: {_target_: tests.flows_for_tests.Sleep, seconds: 30}
topology: [{goal: Begin, flow: first}, {goal: Sleep, flow: sleep}]
"""
ASKER = """\
_target_: sequential
name: Asker
input_interface: {name: str}
output_interface: [said]
subflows_config:
  ask:
    _target_: aiflows.human_input
    request_multi_line_input_flag: false
    query_message_prompt_template: {template: "What do you say, {{name}}?", input_variables: [name]}
topology:
  - goal: Ask
    flow: ask
    output_interface: {keys_to_rename: {human_input: said}}
"""
SAVER = """\
_target_: tests.flows_for_tests.Save
name: Saver
"""
ECHO = """\
_target_: tests.flows_for_tests.Echo
name: Echo
"""
FILES = {"adder": ADDER, "sleeper": SLEEPER, "asker": ASKER, "saver": SAVER, "echo": ECHO}


class Serving:
    """A running `flows serve`. `url` is its address."""

    def __init__(self, process: subprocess.Popen[str], url: str, log: Path) -> None:
        self.process, self.url, self._log = process, url, log
        self.folder = log.parent
        self.client = httpx.Client(base_url=url, headers=bearer(TOKEN), timeout=SECONDS)

    @property
    def log(self) -> str:
        return self._log.read_text("utf-8", "replace")

    def get(self, path: str, **more: Any) -> Any:
        """What a path gives, which has to be there."""
        reply = self.client.get(path, **more)
        assert reply.status_code == 200, reply.text
        return reply.json()

    def post(self, path: str, body: Any = None, **more: Any) -> httpx.Response:
        return self.client.post(path, json={} if body is None else body, **more)

    def start(self, flow: str, key: str | None = None, **inputs: Any) -> str:
        """Start a run, and return its id."""
        headers = {"Idempotency-Key": key} if key is not None else {}
        reply = self.post(f"/api/flows/{flow}/runs", {"inputs": inputs}, headers=headers)
        assert reply.status_code in (200, 202), reply.text
        return str(reply.json()["id"])

    def run(self, run_id: str) -> Any:
        return self.get(f"/api/runs/{run_id}")

    def until(self, run_id: str, *statuses: str) -> Any:
        """The run, once it is what is wanted."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            found = self.run(run_id)
            if found["status"] in statuses:
                return found
            time.sleep(0.03)
        raise AssertionError(f"{run_id} is {found['status']}: {found['reason'][:500]}\n{self.log}")

    def events(self, run_id: str, after: int = 0, until: Sequence[str] = ("ended",)) -> list[Any]:
        """The events after that number, to the first of the kinds that are waited for."""
        found = []
        headers = {"Last-Event-ID": str(after)} if after else {}
        with self.client.stream("GET", f"/api/runs/{run_id}/events", headers=headers) as reply:
            assert reply.status_code == 200, reply.read()
            for line in reply.iter_lines():
                if line.startswith("data: "):
                    found.append(json.loads(line.removeprefix("data: ")))
                    if found[-1]["kind"] in until:
                        return found
        raise AssertionError(f"the stream ended with {found[-1:]}\n{self.log}")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it, and return its exit code."""
        self.client.close()
        self.process.send_signal(number)
        return self.process.wait(SECONDS)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@contextmanager
def serving(
    folder: Path, *arguments: str, env: Mapping[str, str] | None = None
) -> Iterator[Serving]:
    """`flows serve` in a folder, with the files of these tests if no arguments name others."""
    for name, text in FILES.items():
        if not (folder / f"{name}.yaml").exists():
            (folder / f"{name}.yaml").write_text(text)
    named = [each for each in arguments if each.endswith(".yaml")]
    files = () if named else tuple(f"{name}.yaml" for name in FILES)
    port = () if "--port" in arguments else ("--port", "0")
    command = (sys.executable, "-m", "flows", "serve", *files, *port, "--trust", "tests")
    log = folder / "log.txt"
    given = {"FLOWS_TOKEN": TOKEN, "PYTHONPATH": str(Path.cwd()), **(env or {})}
    with log.open("a") as errors:
        process = subprocess.Popen(
            [*command, *arguments], cwd=folder, env=environment(**given),
            stdout=subprocess.PIPE, stderr=errors, text=True,
        )  # fmt: skip
    assert process.stdout is not None
    try:
        first = process.stdout.readline().strip()
        assert first.startswith("http"), log.read_text()
        found = Serving(process, first, log)
        with found.client:
            yield found
    finally:
        if process.poll() is None:
            process.kill()
        process.wait(SECONDS)
        process.stdout.close()
