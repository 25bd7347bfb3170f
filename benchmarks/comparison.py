"""A comparison: who takes part, runs in turns, and what each came to. All benchmarks share it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from contestants import (
    Contestant,
    Ready,
    RunFailed,
    Sample,
    Setting,
    make_ready,
    read_contestants,
    run_once,
)
from environments import EnvironmentNotMade
from report import spread

PEERS = Path(__file__).parent / "peers"

# Says that a sample is of the right work. Errors: RunFailed.
Check = Callable[[Setting, Sample], None]
Taken = Mapping[str, Sequence[Sample]]


@dataclass(frozen=True, slots=True)
class Field:
    """Those who can run; why the others were left out, and why who failed did."""

    ready: list[Ready]
    skipped: dict[str, str]
    failed: dict[str, str]


def options_parser(description: str, *, repeats: int) -> argparse.ArgumentParser:
    """The options that every comparison has; a benchmark adds its sizes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--repeats", type=positive, default=repeats, help=f"measured runs of each ({repeats})"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    parser.add_argument("--only", metavar="NAMES", help="names of contestants, with commas")
    parser.add_argument(
        "--peers", type=Path, default=PEERS, metavar="FOLDER", help="lists of contestants, drivers"
    )
    return parser


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def read_options(parser: argparse.ArgumentParser, benchmark: str) -> argparse.Namespace:
    """The command line; its `only` is then a list of names that there are."""
    options = parser.parse_args()
    known = [contestant.name for contestant in read_contestants(options.peers, benchmark)]
    options.only = options.only.split(",") if options.only else known
    for name in options.only:
        if name not in known:
            parser.error(f"--only: no contestant {name!r}; there are {', '.join(known)}")
    return options


def make_field(options: argparse.Namespace, benchmark: str) -> Field:
    """Who takes part, each with its environment, which is made on first use."""
    environments = options.peers.resolve().parent / ".envs"
    field = Field([], {}, {})
    for contestant in read_contestants(options.peers, benchmark):
        if contestant.name not in options.only:
            continue
        if not contestant.driver.is_file():
            field.skipped[contestant.name] = f"there is no driver {contestant.driver.name}"
            continue
        try:
            field.ready.append(make_ready(contestant, environments))
        except EnvironmentNotMade as error:
            field.failed[contestant.name] = str(error)
    return field


def take_turns(
    field: Field, repeats: int, settings: Sequence[Setting], check: Check
) -> list[dict[str, list[Sample]]]:
    """For each setting the samples of each, taken in turns (A B C, A B C, ...), so that a slow
    minute of the machine is shared by all. Who fails once is out, with the reason in the field."""
    taken: list[dict[str, list[Sample]]] = [{} for _ in settings]
    for repeat in range(1, repeats + 1):
        for setting, samples in zip(settings, taken, strict=True):
            for one in field.ready:
                name = one.contestant.name
                if name in field.failed:
                    continue
                print(f"repeat {repeat}/{repeats}: {name}", file=sys.stderr, flush=True)
                try:
                    sample = run_once(one, setting)
                    check(setting, sample)
                except RunFailed as error:
                    field.failed[name] = str(error)
                    continue
                samples.setdefault(name, []).append(sample)
    return [{name: each[name] for name in each if name not in field.failed} for each in taken]


def expect(sample: Sample, final_state: str, steps: int) -> None:
    """Errors: RunFailed when the work was not done, or was other work."""
    if sample.check != final_state:
        raise RunFailed(f"final state {sample.check}, but the right one is {final_state}")
    if sample.steps != steps:
        raise RunFailed(f"{sample.steps} steps, but there are {steps}")


def rows_of(field: Field, taken: Taken) -> list[dict[str, Any]]:
    """What each came to, in the order of the list of contestants, as plain data."""
    return [
        {
            **described(one.contestant),
            "version": one.version,
            "cpu_us_per_step": spread([1e6 * each.cpu_s / each.steps for each in samples]),
            "wall_us_per_step": spread([1e6 * each.wall_s / each.steps for each in samples]),
            "samples": [asdict(each) for each in samples],
        }
        for one in field.ready
        if (samples := taken.get(one.contestant.name))
    ]


def described(contestant: Contestant) -> dict[str, Any]:
    return {"name": contestant.name, "title": contestant.title, "role": contestant.role}


def cpu(row: Mapping[str, Any]) -> float:
    """The median of the microseconds of processor time per step."""
    return float(row["cpu_us_per_step"]["median"])


def show_left_out(field: Field) -> None:
    for name, reason in field.skipped.items():
        print(f"\nskipped {name}: {reason}")
    for name, reason in field.failed.items():
        print(f"\nFAILED {name}: {reason}")


def paired(row: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    """How many times the processor time of another row it took: the median over the turns, each
    compared with the same turn of the other, so that a slow minute of the machine counts little."""
    pairs = zip(row["samples"], other["samples"], strict=False)
    return float(median(each["cpu_s"] / one["cpu_s"] for each, one in pairs))
