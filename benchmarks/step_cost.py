"""The cost of a step: five no-op subflows in a ring, beside other frameworks in the same run.

    python benchmarks/step_cost.py [--repeats 5] [--rounds 200] [--json FILE] [--only ours,burr]

Exit code 0: all who took part did the work; 1: a driver or an environment failed, or a final state
was wrong; 2: the command line was. A contestant without a driver is skipped, with a note.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from contestants import (
    Contestant,
    Ready,
    RunFailed,
    Sample,
    make_ready,
    read_contestants,
    run_once,
)
from environments import EnvironmentNotMade
from peers.workload import SUBFLOWS, expected_digest, initial_state, last_counter
from report import machine, spread, table, write

PEERS = Path(__file__).parent / "peers"


def main() -> int:
    options = _options()
    chosen, skipped = _choose(read_contestants(options.peers), options.only)
    before = machine()
    ready, failed = _make_all_ready(chosen, options.peers.resolve().parent / ".envs")
    samples = _interleaved(ready, options.repeats, options.rounds, failed)
    rows = [
        _summary(one, samples[one.contestant.name])
        for one in ready
        if one.contestant.name in samples
    ]
    _show(rows, skipped, failed, options)
    payload = {
        "benchmark": "step_cost",
        "machine": before,
        "workload": {
            "subflows": len(SUBFLOWS),
            "rounds": options.rounds,
            "steps": last_counter(options.rounds),
            "state_keys": sorted(initial_state()),
            "final_state": expected_digest(options.rounds),
        },
        "repeats": options.repeats,
        "contestants": rows,
        "skipped": skipped,
        "failed": failed,
    }
    write(payload, "step_cost", options.json)
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="The cost of a step, beside other frameworks.")
    parser.add_argument("--repeats", type=_positive, default=5, help="measured runs of each (5)")
    parser.add_argument("--rounds", type=_positive, default=200, help="rounds of the ring (200)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    parser.add_argument("--only", metavar="NAMES", help="names of contestants, with commas")
    parser.add_argument(
        "--peers", type=Path, default=PEERS, metavar="FOLDER", help="contestants.toml and drivers"
    )
    options = parser.parse_args()
    known = [contestant.name for contestant in read_contestants(options.peers)]
    options.only = options.only.split(",") if options.only else known
    for name in options.only:
        if name not in known:
            parser.error(f"--only: no contestant {name!r}; there are {', '.join(known)}")
    return options


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def _choose(
    contestants: Sequence[Contestant], only: Sequence[str]
) -> tuple[list[Contestant], dict[str, str]]:
    """Those who can run, and why each of the others cannot."""
    wanted = [contestant for contestant in contestants if contestant.name in only]
    skipped = {
        contestant.name: f"there is no driver {contestant.driver.name}"
        for contestant in wanted
        if not contestant.driver.is_file()
    }
    return [contestant for contestant in wanted if contestant.name not in skipped], skipped


def _make_all_ready(
    chosen: Sequence[Contestant], environments: Path
) -> tuple[list[Ready], dict[str, str]]:
    ready: list[Ready] = []
    failed: dict[str, str] = {}
    for contestant in chosen:
        try:
            ready.append(make_ready(contestant, environments))
        except EnvironmentNotMade as error:
            failed[contestant.name] = str(error)
    return ready, failed


def _interleaved(
    ready: Sequence[Ready], repeats: int, rounds: int, failed: dict[str, str]
) -> dict[str, list[Sample]]:
    """The samples of each, taken in turns (A B C, A B C, ...), so that a slow minute of the machine
    is shared by all. Who fails once is out, with the reason in `failed`."""
    samples: dict[str, list[Sample]] = {one.contestant.name: [] for one in ready}
    right = expected_digest(rounds)
    for repeat in range(1, repeats + 1):
        for one in ready:
            name = one.contestant.name
            if name in failed:
                continue
            print(f"repeat {repeat}/{repeats}: {name}", file=sys.stderr, flush=True)
            try:
                sample = run_once(one, rounds)
                _check(name, sample, right, last_counter(rounds))
            except RunFailed as error:
                failed[name] = str(error)
                continue
            samples[name].append(sample)
    return {name: taken for name, taken in samples.items() if name not in failed}


def _check(name: str, sample: Sample, right: str, steps: int) -> None:
    if sample.check != right:
        raise RunFailed(f"{name}: final state {sample.check}, but the right one is {right}")
    if sample.steps != steps:
        raise RunFailed(f"{name}: {sample.steps} steps, but there are {steps}")


def _summary(one: Ready, samples: Sequence[Sample]) -> dict[str, Any]:
    return {
        "name": one.contestant.name,
        "title": one.contestant.title,
        "role": one.contestant.role,
        "version": one.version,
        "cpu_us_per_step": spread([1e6 * each.cpu_s / each.steps for each in samples]),
        "wall_us_per_step": spread([1e6 * each.wall_s / each.steps for each in samples]),
        "samples": [asdict(each) for each in samples],
    }


def _show(
    rows: Sequence[dict[str, Any]],
    skipped: dict[str, str],
    failed: dict[str, str],
    options: argparse.Namespace,
) -> None:
    print(
        f"{len(SUBFLOWS)} subflows x {options.rounds} rounds, microseconds per step, "
        f"medians of {options.repeats} interleaved repeats\n"
    )
    peers = [row for row in rows if row["role"] == "peer"]
    fastest = min(peers, key=_cpu, default=None)
    headers = ["", "version", "cpu", "cpu min..max", "wall", "wall min..max", "cpu / fastest peer"]
    print(table(headers, [_cells(row, fastest) for row in rows]))
    for row in rows:
        if row["role"] == "ours" and fastest is not None:
            times = _cpu(fastest) / _cpu(row)
            print(f"\n{fastest['title']}, the fastest peer: {times:.1f} x {row['title']}")
    for name, reason in skipped.items():
        print(f"\nskipped {name}: {reason}")
    for name, reason in failed.items():
        print(f"\nFAILED {name}: {reason}")


def _cpu(row: dict[str, Any]) -> float:
    return float(row["cpu_us_per_step"]["median"])


def _cells(row: dict[str, Any], fastest: dict[str, Any] | None) -> list[str]:
    cpu, wall = row["cpu_us_per_step"], row["wall_us_per_step"]
    return [
        row["title"],
        row["version"] or "",
        _microseconds(cpu["median"]),
        f"{_microseconds(cpu['min'])}..{_microseconds(cpu['max'])}",
        _microseconds(wall["median"]),
        f"{_microseconds(wall['min'])}..{_microseconds(wall['max'])}",
        f"{_cpu(row) / _cpu(fastest):.3f}" if fastest else "",
    ]


def _microseconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


if __name__ == "__main__":
    sys.exit(main())
