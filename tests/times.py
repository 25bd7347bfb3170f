"""Where the time of a test run goes.

    pytest -p tests.times --times FILE
    python -m tests.times FILE

The plugin appends one JSON line a test: its id, its wall time and its processor time in seconds,
with that of all processes below it. The command adds them up by file in
`tests/times.json`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Generator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.fork_server import servers

TIMES = Path(__file__).with_name("times.json")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--times FILE`."""
    parser.addoption("--times", metavar="FILE", help="append the time of each test to this file")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Measures one test with its fixtures."""
    path = item.config.getoption("--times")
    wall, processor = time.perf_counter(), _processor_seconds()
    result = yield
    if path:
        row = {
            "test": item.nodeid,
            "wall": round(time.perf_counter() - wall, 3),
            # A child that is killed takes away with it what its own children have used.
            "processor": round(max(0.0, _processor_seconds() - processor), 3),
        }
        # From where pytest was started: a test may have gone to a folder of its own.
        with (item.config.invocation_params.dir / path).open("a") as file:
            file.write(json.dumps(row) + "\n")
    return result


def _processor_seconds() -> float:
    """Processor time of this process and of those below it, also of what they have waited for.

    Of the server that forks commands, which others use too, it is that of the commands alone.
    """
    shared = {each.pid for each in servers}
    ticks, waiting = 0, [os.getpid()]
    while waiting:
        process = Path("/proc", str(waiting.pop()))
        with suppress(OSError):
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            ticks += sum(int(each) for each in fields[11:15])
            for thread in (process / "task").iterdir():
                children = {int(each) for each in (thread / "children").read_text().split()}
                waiting += children - shared
    return ticks / os.sysconf("SC_CLK_TCK") + sum(each.seconds for each in servers)


def add_up(path: Path) -> dict[str, dict[str, float]]:
    """Tests, wall and processor seconds by test file."""
    files: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        test = json.loads(line)
        file = files.setdefault(
            test["test"].split("::")[0], {"tests": 0, "wall": 0.0, "processor": 0.0}
        )
        file["tests"] += 1
        for name in ("wall", "processor"):
            file[name] = round(file[name] + test[name], 2)
    return dict(sorted(files.items()))


def known_times() -> dict[str, dict[str, float]]:
    """What the last `make times` wrote; empty before the first."""
    found: dict[str, dict[str, float]] = json.loads(TIMES.read_text()) if TIMES.exists() else {}
    return found


def table(files: Mapping[str, Mapping[str, float]], rows: int) -> str:
    """The files that use most processor time, and the sum of all, as a Markdown table."""
    lines = ["| file | tests | wall s | processor s |", "|---|---:|---:|---:|"]
    for file, each in sorted(files.items(), key=lambda item: -item[1]["processor"])[:rows]:
        lines.append(_row(f"`{file.removeprefix('tests/')}`", each))
    names = ("tests", "wall", "processor")
    total = {name: sum(each[name] for each in files.values()) for name in names}
    return "\n".join([*lines, _row(f"all {len(files)} files", total)])


def _row(name: str, times: Mapping[str, float]) -> str:
    return f"| {name} | {times['tests']:.0f} | {times['wall']:.0f} | {times['processor']:.0f} |"


if __name__ == "__main__":
    TIMES.write_text(json.dumps(add_up(Path(sys.argv[1])), indent=1) + "\n")
