"""What it costs to check run files: one in a new process, and a folder of them in one.

    python benchmarks/check_folder.py [--files 300] [--repeats 3] [--json FILE]

The files take over the shipped configs by turns, each with a value of its own. Cold is the whole
command for one file, the start of the process included; warm is the time between two files of the
command for the folder. Exit code 0, or 1 when a check finds a fault.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median, quantiles

from report import machine, spread, table, write

COMMAND = (sys.executable, "-m", "flows", "check")
# Each with what it needs, and a value that differs from file to file.
SHIPPED = {
    "autogpt": "inputs: {{goal: What is the total}}\nmax_rounds: {number}\n",
    "ask": "name: Ask{number}\n",
    "csv_chat": "name: Chat{number}\n",
    "analyst": "name: Analyst{number}\n",
    "interpreter": "name: Interpreter{number}\n",
    "pipeline": "name: Pipeline{number}\n",
}


def main() -> int:
    options = _options()
    before = machine()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "agents"
        folder.mkdir()
        files = [_write(folder, number) for number in range(options.files)]
        cold = [_check(files[at]) for at in range(len(SHIPPED)) for _ in range(options.repeats)]
        warm, processor = _check_folder(folder)
    if not warm or not all(cold):
        print("a check found a fault", file=sys.stderr)
        return 1
    rows = [
        ("one file, a new process", f"{median(cold):.2f} s", f"{max(cold):.2f} s", ""),
        (
            f"each of {len(files)} in one process",
            f"{median(warm) * 1e3:.0f} ms",
            f"{quantiles(warm, n=20)[-1] * 1e3:.0f} ms",
            f"{processor / len(files) * 1e3:.0f} ms",
        ),
    ]
    print(table(("what", "median", "most (of many: 95 %)", "processor time each"), rows))
    found = {"cold_s": spread(cold), "warm_s": spread(warm), "processor_s": processor}
    write({"machine": before, **found}, "check_folder", options.json)
    return 0


def _write(folder: Path, number: int) -> Path:
    name, more = list(SHIPPED.items())[number % len(SHIPPED)]
    path = folder / f"{number:04}_{name}.yaml"
    path.write_text(f"defaults: [{name}, _self_]\n{more.format(number=number + 1)}")
    return path


def _check(path: Path) -> float:
    """The wall time in seconds; 0 where a fault was found."""
    start = time.perf_counter()
    ended = subprocess.run([*COMMAND, path.name], cwd=path.parent, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start if ended.returncode == 0 else 0.0


def _check_folder(folder: Path) -> tuple[Sequence[float], float]:
    """The seconds between files, and the processor time of the command; nothing after a fault."""
    times = []
    before = _processor_seconds()
    with subprocess.Popen(
        [*COMMAND, ".", "--json"], cwd=folder, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            times.append(time.perf_counter())
            if json.loads(line)["status"] != "ok":
                process.kill()
                return [], 0.0
    between = [after - first for first, after in pairwise(times)]
    return between, _processor_seconds() - before


def _processor_seconds() -> float:
    """Of the commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
