"""The whole analyst team on one question over a table of a million rows, offline.

    python benchmarks/million_rows.py [--rows 1000000] [--format parquet] [--repeats 3]
                                      [--question TEXT] [--seconds 20] [--folder PATH] [--json FILE]

The table has ten columns: three that drive the output, two scaled copies, noise. Each run is a
fresh `flows analyse`, with nothing cached from the one before. Wall time is that of the whole
process; the time of a task is from the run's own results, that of a step from its journal. Tasks
that run together share the processors, so that their times add up to more than the clock shows.

Exit code 0; 1 when a run fails, the drivers that the table was made with are not the first ones of
its models, a copy is not warned of, or the median is above `--seconds`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from business.production import PRODUCTION, ROWS, write_production
from report import machine, spread, table, write

QUESTION = "What drives the output of production?"
LONGEST = 600
SLOWEST = 12


class Failed(Exception):
    """A run did not come to what it should; says why."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: seconds of the process, of the run in it, of its tasks and of its slowest steps."""

    process: float
    run: float
    tasks: tuple[tuple[str, str, float], ...]
    steps: tuple[tuple[str, float], ...]
    wrong: tuple[str, ...]


def main() -> int:
    options = _options()
    before = machine()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        data = Path(folder) / f"{PRODUCTION.table}.{options.format}"
        write_production(data, options.rows)
        size = data.stat().st_size
        try:
            samples = [_sample(options.question, data, number) for number in range(options.repeats)]
        except Failed as error:
            print(f"FAILED {error}", file=sys.stderr)
            return 1
    print(f"{options.question}\n{options.rows:,} rows, {size / 1e6:.0f} MB of {options.format}\n")
    _show(samples)
    payload = {
        "benchmark": "million_rows", "machine": before, "question": options.question,
        "rows": options.rows, "format": options.format, "bytes": size,
        "seconds": spread([each.process for each in samples]),
        "samples": [asdict(each) for each in samples],
    }  # fmt: skip
    write(payload, "million_rows", options.json)
    wrong = [each for sample in samples for each in sample.wrong]
    print(*(f"WRONG {each}" for each in dict.fromkeys(wrong)), sep="\n")
    return int(bool(wrong) or median(each.process for each in samples) > options.seconds)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The whole team over a table of many rows.")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--format", choices=("parquet", "csv"), default="parquet")
    parser.add_argument("--repeats", type=int, default=3, help="fresh processes (3)")
    parser.add_argument("--question", default=QUESTION)
    parser.add_argument("--seconds", type=float, default=20.0, help="the longest median (20)")
    parser.add_argument("--folder", type=Path, help="where the data and the runs are made")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    options = parser.parse_args()
    if options.repeats < 1:
        parser.error("--repeats: at least 1")
    return options


def _sample(question: str, data: Path, number: int) -> Sample:
    """One run in a folder of its own. Raises `Failed`."""
    folder = data.parent / f"run_{number}"
    folder.mkdir()
    command = [sys.executable, "-m", "flows", "analyse", question, "--data", str(data), "--json"]
    started = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=LONGEST, check=False
    )
    seconds = time.perf_counter() - started
    if done.returncode != 0:
        raise Failed(f"exit code {done.returncode}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    tasks = tuple(
        (each["name"], each["status"], round(each["seconds"], 3)) for each in found["tasks"]
    )
    steps = _steps(folder / "runs", found["run_id"])
    return Sample(seconds, found["usage"]["seconds"], tasks, steps, tuple(_wrong(found)))


def _steps(runs: Path, run_id: str) -> tuple[tuple[str, float], ...]:
    """The atomic steps by flow, the slowest first."""
    from flows.records.lookup import find_run
    from flows.records.steps import read_steps

    spent: dict[str, float] = defaultdict(float)
    for step in read_steps(find_run(runs, run_id).rows()):
        spent[step.flow] += step.seconds
    return tuple(sorted(spent.items(), key=lambda pair: -pair[1]))


def _wrong(found: dict[str, Any]) -> list[str]:
    """What does not fit how the table was made."""
    from flows.evaluation.names import names

    wrong = []
    drivers = {each.name for each in PRODUCTION.drivers}
    models = [each["model"] for each in found["tasks"] if each["model"]]
    firsts = [
        sorted(each["importances"], key=lambda weight: -abs(weight["importance"]))[: len(drivers)]
        for each in models
    ]
    if not any({each["feature"] for each in first} == drivers for first in firsts):
        wrong.append(f"no model has {', '.join(sorted(drivers))} as its first features")
    told = json.dumps([found["answer"], found["insights"]])
    wrong += [f"{name} is not named" for name in sorted(drivers) if not names(told, name)]
    said = json.dumps(found["cautions"]) + told
    copies = [each for each in PRODUCTION.twins if not names(said, each)]
    wrong += [f"the copy {twin} is not warned of" for twin in copies]
    return wrong


def _show(samples: list[Sample]) -> None:
    seconds = [each.process for each in samples]
    figures = f"{median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"
    print(f"whole process, {len(samples)} fresh: {figures}\n")
    middle = sorted(samples, key=lambda each: each.process)[(len(samples) - 1) // 2]
    rows = [[name, status, f"{spent:.2f}"] for name, status, spent in middle.tasks]
    tasks = sum(spent for _, _, spent in middle.tasks)
    rows.append(["all tasks, as if in a row", "", f"{tasks:.2f}"])
    rows.append(["start and end of the process", "", f"{middle.process - middle.run:.2f}"])
    print(table(["task", "status", "seconds"], rows))
    steps = [[name, f"{spent:.2f}"] for name, spent in middle.steps[:SLOWEST]]
    print("\n" + table(["step", "seconds"], steps))


if __name__ == "__main__":
    sys.exit(main())
