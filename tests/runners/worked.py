"""Runs whose steps other processes do, for their tests: the same as without, and killed."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import flows
from flows.core.events import Event
from flows.core.journal import load
from flows.core.result import RunResult
from flows.core.rows import Row
from flows.runners.local import run_plan
from tests.flows_for_tests import EXECUTED
from tests.flows_for_tests import __name__ as module
from tests.processes import children_of, command_of
from tests.shapes import TRUST, plan_of

TWO = ("runner=local", "runner.processes=2")
EACH = """
_target_: map
over: numbers
as: n
collect: n
on_failure: keep
subflows_config:
  each:
    _target_: sequential
    input_interface: [n]
    output_interface: [n, total, name]
    subflows_config:
      first: {_target_: T.Write}
      keep: {_target_: T.Accumulate}
      save: {_target_: T.Save}
      second: {_target_: SECOND}
    topology:
      - {goal: a, flow: first}
      - {goal: k, flow: keep}
      - {goal: s, flow: save}
      - {goal: b, flow: second}
inputs: {numbers: NUMBERS}
"""


def of(second: str, numbers: object) -> str:
    return EACH.replace("SECOND", second).replace("NUMBERS", str(numbers))


def executed(folder: Path) -> Counter[str]:
    """The addresses of the steps that any process has done, and how often."""
    log = folder / "executed.log"
    return Counter(log.read_text().split("\n")[:-1] if log.exists() else ())


def run_in(
    folder: Path, text: str, *overrides: str, resumed: bool = False
) -> tuple[RunResult, list[Event]]:
    """What the run `one` of the text comes to, and what it tells."""
    folder.mkdir(exist_ok=True)
    events: list[Event] = []

    async def run_whole() -> RunResult:
        plan = plan_of(text, folder, *overrides)
        try:
            return await run_plan(plan, run_id="one", resume=resumed, listeners=(events.append,))
        finally:
            await plan.aclose()

    return asyncio.run(run_whole()), events


def told(events: list[Event]) -> Counter[str]:
    """The events without their order, their times and what is the folder's own."""
    left_out = {"run", "seq", "elapsed_ms", "folder"}
    return Counter(
        f"{type(each).__name__} "
        + str({key: value for key, value in each._asdict().items() if key not in left_out})
        for each in events
    )


def rows_of(folder: Path) -> list[Row]:
    return load(folder / "runs" / "one")


def steps_of(folder: Path) -> Counter[tuple[str, str, str, str]]:
    """The recorded steps, without their times."""
    found = []
    for row in rows_of(folder):
        if row.kind in ("outcome", "failure", "intent"):
            body = row.data()
            body.pop("used", None)
            found.append((row.kind, row.address, row.digest, json.dumps(body, sort_keys=True)))
    return Counter(found)


def check_same(
    text: str, folder: Path, *overrides: str, runner: tuple[str, ...] = TWO
) -> RunResult:
    """Run a text with and without workers: the same results, events, record and files."""
    here, told_here = run_in(folder / "here", text, *overrides)
    done_here = executed(folder)
    (folder / "executed.log").unlink(missing_ok=True)
    EXECUTED.clear()
    there, told_there = run_in(folder / "there", text, *runner, *overrides)
    assert (there.status, there.reason, there.outputs) == (here.status, here.reason, here.outputs)
    assert executed(folder) == done_here
    assert told(told_there) == told(told_here)
    assert steps_of(folder / "there") == steps_of(folder / "here")
    assert there.artifacts == here.artifacts
    assert there.usage == here.usage
    again = flows.replay("one", runs=folder / "there" / "runs", trust=TRUST)
    assert (again.status, again.outputs) == (there.status, there.outputs)
    return there


class Owner:
    """A process that runs a text with two workers, and can be killed, as can they."""

    def __init__(self, folder: Path, text: str, runner: str = "") -> None:
        self.folder = folder
        runner = f"runner: {{processes: 2, at_once: 3{runner}}}\n"
        (folder / "run.yaml").write_text(runner + dedent(text).replace("T.", f"{module}."))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.runners.process", str(folder)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def workers(self) -> list[int]:
        return workers_below(self.process.pid)

    def wait_until(self, reached: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 90
        while not reached():
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)

    def end(self) -> dict[str, Any]:
        """What the run came to."""
        out, err = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, err
        result: dict[str, Any] = json.loads(out.splitlines()[-1])  # Ray prints of dead nodes
        return result

    def rows(self) -> list[Row]:
        (run,) = (self.folder / "runs").iterdir()
        return load(run)


def check_all_done(rows: list[Row], elements: int) -> None:
    """Each step of each element has one outcome."""
    outcomes = Counter(row.address for row in rows if row.kind == "outcome")
    names = ("first", "keep", "save", "second")
    assert outcomes == Counter(
        f"each#{n}/{name}#1" for n in range(1, elements + 1) for name in names
    )


def workers_below(process: int, program: str = "runners.workers.program") -> list[int]:
    """The workers that the process has started, or those below it."""
    found = []
    for each in children_of(process):
        is_one = f"-m flows.{program}" in command_of(each)
        found += [each] if is_one else workers_below(each, program)
    return found
