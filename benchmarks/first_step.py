"""The time from the start of a command to its first step, and to its end.

    python benchmarks/first_step.py [--repeats 5] [--event REGEX] [--cwd FOLDER] [--json FILE]
                                    [-- COMMAND ...]

The command is the demo unattended (`python run.py --json human=never`) unless another follows
`--`. The first step is the first line on standard error in which the regular expression is found.
Exit code 0, or 1 when the command fails or no step is seen.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from report import machine, spread, table, write

ROOT = Path(__file__).resolve().parent.parent
DEMO = ("python", "run.py", "--json", "human=never")
EVENT = r"(?i)\b(round|step)\b"


class NoStep(Exception):
    """The command failed, ran too long, or showed no step; the message ends with its last words."""


def main() -> int:
    options = _options()
    before = machine()
    try:
        pairs = [_one_run(options) for _ in range(options.repeats + 1)][1:]
    except NoStep as error:
        print(f"FAILED {error}", file=sys.stderr)
        return 1
    figures = {
        "to the first step": spread([first for first, _ in pairs]),
        "to the end": spread([total for _, total in pairs]),
    }
    print(f"{' '.join(options.command)}\nseconds, {options.repeats} runs after one unmeasured\n")
    rows = [
        [name, *(f"{figure[key]:.3f}" for key in ("median", "min", "max"))]
        for name, figure in figures.items()
    ]
    print(table(["", "median", "min", "max"], rows))
    payload = {
        "benchmark": "first_step",
        "machine": before,
        "command": list(options.command),
        "event": options.event.pattern,
        "repeats": options.repeats,
        "seconds": figures,
        "samples": [{"first_step_s": first, "total_s": total} for first, total in pairs],
    }
    write(payload, "first_step", options.json)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The time to a command's first step.")
    parser.add_argument("--repeats", type=int, default=5, help="measured runs (5)")
    parser.add_argument("--event", default=EVENT, metavar="REGEX", help=f"a step's line ({EVENT})")
    parser.add_argument("--cwd", type=Path, default=ROOT, metavar="FOLDER", help="where to run it")
    parser.add_argument("--seconds", type=float, default=300, help="the longest run (300)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    parser.add_argument("command", nargs="*", help=f"after --; default: {' '.join(DEMO)}")
    options = parser.parse_args()
    options.command = options.command or list(DEMO)
    if options.repeats < 1:
        parser.error("--repeats: at least 1")
    try:
        options.event = re.compile(options.event)
    except re.error as error:
        parser.error(f"--event: {error}")
    return options


def _one_run(options: argparse.Namespace) -> tuple[float, float]:
    """Seconds to the first step and to the end. Raises NoStep."""
    start = time.perf_counter()
    process = subprocess.Popen(
        _with_this_python(options.command),
        cwd=options.cwd,
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
            if first is None and options.event.search(line):
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
    if first is None:
        raise NoStep(f"no line with {options.event.pattern!r} on standard error:\n{last}")
    return first, total


def _with_this_python(command: Sequence[str]) -> list[str]:
    return [sys.executable, *command[1:]] if command[0] == "python" else list(command)


if __name__ == "__main__":
    sys.exit(main())
