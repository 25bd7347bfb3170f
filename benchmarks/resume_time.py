"""How long a killed run of many steps takes from `resume` to its end.

    python benchmarks/resume_time.py [--repeats 5] [--steps 1000] [--json FILE]

The run is started by `flows run` and killed by itself when so many steps are recorded; one more is
left to do. Each repeat resumes a fresh copy of it: once in a process of its own whose clock runs
from `run_plan` to its end, and once by `flows resume`, from the start of the process to its end.
Exit code 1: the resumed run did not come to the right end, or did a step twice.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from comparison import positive
from contestants import clean_environment
from report import cells_of, machine, spread, table, write

from flows.core.journal import load

BENCHMARK = "resume_time"
PEERS = Path(__file__).resolve().parent / "peers"
TRUST = ("--trust", "ours_resume")
FLOWS = (sys.executable, "-m", "flows")
_SECONDS = 600


class WrongEnd(Exception):
    """A run did not end as it must; the message says how."""


def main() -> int:
    options = _options()
    before = machine()
    try:
        with tempfile.TemporaryDirectory() as scratch:
            samples = _measure(Path(scratch), options.steps, options.repeats)
    except WrongEnd as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    figures = {name: spread([1000 * each for each in taken]) for name, taken in samples.items()}
    print(f"a run of {options.steps} recorded steps and one more, in milliseconds of wall time\n")
    rows = [[name, *cells_of(each)] for name, each in figures.items()]
    print(table(["", "median", "min..max"], rows))
    payload = {
        "benchmark": BENCHMARK,
        "machine": before,
        "steps": options.steps,
        "milliseconds": figures,
    }
    write(payload, BENCHMARK, options.json)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The time from resume to the end of a run.")
    parser.add_argument("--repeats", type=positive, default=5, help="measured resumes (5)")
    parser.add_argument("--steps", type=positive, default=1000, help="recorded steps (1000)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    return parser.parse_args()


def _measure(scratch: Path, steps: int, repeats: int) -> dict[str, list[float]]:
    """Seconds of each way to resume. Errors: WrongEnd."""
    killed = kill_a_run(scratch / "killed", steps)
    samples: dict[str, list[float]] = {"run_plan, resume=True": [], "flows resume": []}
    for repeat in range(repeats):
        print(f"repeat {repeat + 1}/{repeats}", file=sys.stderr, flush=True)
        for way, taken in zip((in_process, by_command), samples.values(), strict=True):
            with tempfile.TemporaryDirectory(dir=scratch) as home:
                folder = Path(shutil.copytree(killed, Path(home) / "runs" / killed.name))
                seconds, ended = way(folder)
                _check(folder, ended, steps)
            taken.append(seconds)
    return samples


def kill_a_run(home: Path, steps: int) -> Path:
    """The folder of a run that has so many outcomes, and was killed in the step after."""
    home.mkdir()
    file = str(PEERS / "ours_resume.yaml")
    command = [*FLOWS, "run", file, f"max_rounds={steps + 1}", *TRUST]
    done = _run(command, home, BENCHMARK_DIES_AFTER=str(steps))
    folders = sorted((home / "runs").glob("*")) if (home / "runs").is_dir() else []
    if done.returncode != -9 or len(folders) != 1:
        raise WrongEnd(f"the run to be killed ended with {done.returncode}:\n{done.stderr[-800:]}")
    return folders[0]


def in_process(folder: Path) -> tuple[float, dict[str, Any]]:
    command = [sys.executable, str(PEERS / "ours_resume.py"), "--folder", str(folder)]
    ended = _read(_run(command, folder.parents[1]))
    return float(ended["wall_s"]), ended


def by_command(folder: Path) -> tuple[float, dict[str, Any]]:
    started = time.perf_counter()
    done = _run([*FLOWS, "resume", folder.name, "--json", *TRUST], folder.parents[1])
    seconds = time.perf_counter() - started
    return seconds, _read(done)


def _run(command: list[str], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    variables = {**clean_environment(), "PYTHONPATH": str(PEERS), **more}
    return subprocess.run(
        command,
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )


def _read(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    if done.returncode != 0:
        raise WrongEnd(f"it ended with {done.returncode}:\n{done.stderr[-800:]}")
    ended: dict[str, Any] = json.loads(done.stdout)
    return ended


def _check(folder: Path, ended: dict[str, Any], steps: int) -> None:
    if ended["status"] != "finished" or ended["outputs"]["counter"] != steps + 1:
        raise WrongEnd(f"the resumed run came to {ended['status']}, {ended['outputs']}")
    done = [row.address for row in load(folder) if row.kind == "outcome"]
    if len(done) != steps + 1 or len(set(done)) != len(done):
        raise WrongEnd(f"{len(done)} steps were recorded in the end, not {steps + 1}")


if __name__ == "__main__":
    sys.exit(main())
