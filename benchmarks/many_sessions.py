"""Many runs at once in one process, each of steps that wait, beside others in the same run.

    python benchmarks/many_sessions.py [--repeats 3] [--sessions 1000] [--rounds 10] [--json FILE]

With a journal, every step is on the disk before its session goes on (`--durability full`), in
commits that the sessions share. Exit codes are those of step_cost.py.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from comparison import (
    expect,
    make_field,
    options_parser,
    paired,
    positive,
    read_options,
    rows_of,
    show_left_out,
    take_turns,
)
from contestants import Sample, Setting
from durable_step import SYNCHRONOUS, expect_on_disk
from peers.workload import THOUGHT_LENGTH, WAIT_SECONDS, expected_sessions
from report import cells_of, machine, spread, table, write

BENCHMARK = "many_sessions"


def main() -> int:
    options = _options()
    field = make_field(options, BENCHMARK)
    before = machine()
    right = expected_sessions(options.sessions, options.rounds)
    steps = options.sessions * options.rounds

    def check(setting: Setting, sample: Sample) -> None:
        expect(sample, right, steps)
        if sample.facts:
            expect_on_disk(setting, sample)

    setting: Setting = {
        "sessions": options.sessions,
        "rounds": options.rounds,
        "durability": options.durability,
    }
    (taken,) = take_turns(field, options.repeats, [setting], check)
    ideal = options.rounds * WAIT_SECONDS
    rows = [
        {**row, "wall_of_ideal": spread([each["wall_s"] / ideal for each in row["samples"]])}
        for row in rows_of(field, taken)
    ]
    _show(rows, options, ideal)
    show_left_out(field)
    payload = {
        "benchmark": BENCHMARK,
        "machine": before,
        "workload": {**setting, "wait_s": WAIT_SECONDS, "characters_per_step": THOUGHT_LENGTH},
        "repeats": options.repeats,
        "contestants": rows,
        "skipped": field.skipped,
        "failed": field.failed,
    }
    write(payload, BENCHMARK, options.json)
    return 1 if field.failed else 0


def _options() -> argparse.Namespace:
    parser = options_parser("Many runs at once in one process.", repeats=3)
    parser.add_argument("--sessions", type=positive, default=1000, help="runs at once (1000)")
    parser.add_argument("--rounds", type=positive, default=10, help="steps of each (10)")
    parser.add_argument("--durability", choices=SYNCHRONOUS, default="full", help="full or normal")
    return read_options(parser, BENCHMARK)


def _show(rows: Sequence[Mapping[str, Any]], options: argparse.Namespace, ideal: float) -> None:
    print(
        f"{options.sessions} sessions x {options.rounds} steps that wait {WAIT_SECONDS:g} s and "
        f"leave {THOUGHT_LENGTH} characters, synchronous {options.durability.upper()}\n"
        f"cpu in microseconds per step, wall as a multiple of {ideal:g} s, "
        f"medians of {options.repeats} interleaved repeats\n"
    )
    plain = next((row for row in rows if row["role"] == "floor"), None)
    headers = ["", "version", "cpu", "cpu min..max", "x plain", "wall", "wall min..max"]
    print(
        table(
            headers,
            [
                [
                    row["title"],
                    row["version"] or "",
                    *cells_of(row["cpu_us_per_step"]),
                    f"{paired(row, plain):.2f}" if plain else "",
                    *cells_of(row["wall_of_ideal"]),
                ]
                for row in rows
            ],
        )
    )


if __name__ == "__main__":
    sys.exit(main())
