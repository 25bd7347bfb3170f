"""What starting costs: processor time of a whole command, and the wait to its first step and end.

    python benchmarks/first_step.py [--repeats 5] [--event REGEX] [--cwd FOLDER] [--json FILE]
                                    [-- COMMAND ...]

Two commands are measured unless another follows `--`: one question over a small CSV file
(`flows ask`), and the demo unattended (`python run.py --json human=never`). The first step is the
first line on standard error in which the regular expression is found; a question shows none. The
processor time is that of all processes together, user and system, to the end of the last of them.
Exit code 0, or 1 when a command fails or no step is seen.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from report import machine, spread, table, write

ROOT = Path(__file__).resolve().parent.parent
SALES = "region,revenue,month\nNorth,100.5,2024-01\nSouth,200,2024-01\nEast,20,2024-03\n"
QUESTION = "What is the total revenue for each region?"
ASK = ("python", "-m", "flows", "ask", QUESTION, "--data", "sales.csv")
DEMO = ("python", "run.py", "--json", "human=never")
_SET_CHILD_SUBREAPER = 36
EVENT = r"(?i)\b(round|step)\b"


class NoStep(Exception):
    """The command failed, ran too long, or showed no step; the message ends with its last words."""


class Sample(NamedTuple):
    """One run. `first_step_s` is None for a command that shows no steps."""

    first_step_s: float | None
    total_s: float
    processor_s: float


def main() -> int:
    options = _options()
    before = machine()
    _adopt()
    samples: dict[str, list[Sample]] = {}
    try:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "sales.csv").write_text(SALES)
            for command, cwd, event in _measured(options, Path(folder)):
                runs = [_one_run(command, cwd, event, options) for _ in range(options.repeats + 1)]
                samples[" ".join(command)] = runs[1:]
    except NoStep as error:
        print(f"FAILED {error}", file=sys.stderr)
        return 1
    print(f"seconds, {options.repeats} runs after one unmeasured")
    figures = {command: _figures(runs) for command, runs in samples.items()}
    for command, found in figures.items():
        rows = [
            [name, *(f"{figure[key]:.3f}" for key in ("median", "min", "max"))]
            for name, figure in found.items()
        ]
        print(f"\n{command}\n\n{table(['', 'median', 'min', 'max'], rows)}")
    payload = {
        "benchmark": "first_step",
        "machine": before,
        "event": options.event.pattern,
        "repeats": options.repeats,
        "seconds": figures,
        "samples": {
            command: [each._asdict() for each in runs] for command, runs in samples.items()
        },
    }
    write(payload, "first_step", options.json)
    return 0


def _measured(
    options: argparse.Namespace, folder: Path
) -> list[tuple[Sequence[str], Path, re.Pattern[str] | None]]:
    """The commands, where each runs, and what its first step looks like."""
    if options.command:
        return [(options.command, options.cwd, options.event)]
    return [(ASK, folder, None), (DEMO, options.cwd, options.event)]


def _figures(runs: Sequence[Sample]) -> dict[str, dict[str, float]]:
    firsts = [each.first_step_s for each in runs if each.first_step_s is not None]
    return {
        "processor time": spread([each.processor_s for each in runs]),
        **({"to the first step": spread(firsts)} if firsts else {}),
        "to the end": spread([each.total_s for each in runs]),
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The time to a command's first step.")
    parser.add_argument("--repeats", type=int, default=5, help="measured runs (5)")
    parser.add_argument("--event", default=EVENT, metavar="REGEX", help=f"a step's line ({EVENT})")
    parser.add_argument("--cwd", type=Path, default=ROOT, metavar="FOLDER", help="where to run it")
    parser.add_argument("--seconds", type=float, default=300, help="the longest run (300)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    parser.add_argument("command", nargs="*", help="after --; default: flows ask, and the demo")
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error("--repeats: at least 1")
    try:
        options.event = re.compile(options.event)
    except re.error as error:
        parser.error(f"--event: {error}")
    return options


def _one_run(
    command: Sequence[str],
    cwd: Path,
    event: re.Pattern[str] | None,
    options: argparse.Namespace,
) -> Sample:
    """Start a command and wait for its end. Raises NoStep."""
    used = _processor_time()
    start = time.perf_counter()
    process = subprocess.Popen(
        _with_this_python(command),
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    late = threading.Timer(options.seconds, process.kill)
    late.start()
    first: float | None = None
    lines: list[str] = []
    try:
        assert process.stderr is not None
        for line in process.stderr:
            lines.append(line.rstrip("\n"))
            if first is None and event is not None and event.search(line):
                first = time.perf_counter() - start
        code = process.wait()
    finally:
        late.cancel()
    total = time.perf_counter() - start
    last = "\n".join(lines[-8:])
    if total >= options.seconds:
        raise NoStep(f"no end after {options.seconds} s:\n{last}")
    if code != 0:
        raise NoStep(f"the command ended with {code}:\n{last}")
    if first is None and event is not None:
        raise NoStep(f"no line with {event.pattern!r} on standard error:\n{last}")
    _wait_for_the_rest()
    return Sample(first, total, _processor_time() - used)


def _adopt() -> None:
    """Become the parent of what the commands leave behind, so that it is counted."""
    libc = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "linux" and libc.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the processes that outlive a command are not counted")


def _wait_for_the_rest() -> None:
    """Wait for the processes that outlived a command."""
    with suppress(ChildProcessError):
        while True:
            os.wait()


def _processor_time() -> float:
    """Seconds, user and system, of all ended processes that this one has started and waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _with_this_python(command: Sequence[str]) -> list[str]:
    return [sys.executable, *command[1:]] if command[0] == "python" else list(command)


if __name__ == "__main__":
    sys.exit(main())
