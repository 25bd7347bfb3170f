"""The cost of a step: five no-op subflows in a ring, beside other frameworks in the same run.

    python benchmarks/step_cost.py [--repeats 5] [--rounds 200] [--json FILE] [--only ours,burr]

Exit code 0: all who took part did the work; 1: a driver or an environment failed, or a final state
was wrong; 2: the command line was. A contestant without a driver is skipped, with a note.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from comparison import (
    cpu,
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
from peers.workload import SUBFLOWS, expected_digest, initial_state, last_counter
from report import cells_of, machine, table, write

BENCHMARK = "step_cost"


def main() -> int:
    options = _options()
    field = make_field(options, BENCHMARK)
    before = machine()
    right, steps = expected_digest(options.rounds), last_counter(options.rounds)

    def check(setting: Setting, sample: Sample) -> None:
        del setting
        expect(sample, right, steps)

    (taken,) = take_turns(field, options.repeats, [{"rounds": options.rounds}], check)
    rows = rows_of(field, taken)
    _show(rows, options)
    show_left_out(field)
    payload = {
        "benchmark": BENCHMARK,
        "machine": before,
        "workload": {
            "subflows": len(SUBFLOWS),
            "rounds": options.rounds,
            "steps": steps,
            "state_keys": sorted(initial_state()),
            "final_state": right,
        },
        "repeats": options.repeats,
        "contestants": rows,
        "skipped": field.skipped,
        "failed": field.failed,
    }
    write(payload, BENCHMARK, options.json)
    return 1 if field.failed else 0


def _options() -> argparse.Namespace:
    parser = options_parser("The cost of a step, beside other frameworks.", repeats=5)
    parser.add_argument("--rounds", type=positive, default=200, help="rounds of the ring (200)")
    return read_options(parser, BENCHMARK)


def _show(rows: Sequence[dict[str, Any]], options: argparse.Namespace) -> None:
    print(
        f"{len(SUBFLOWS)} subflows x {options.rounds} rounds, microseconds per step, "
        f"medians of {options.repeats} interleaved repeats\n"
    )
    peers = [row for row in rows if row["role"] == "peer"]
    fastest = min(peers, key=cpu, default=None)
    headers = ["", "version", "cpu", "cpu min..max", "wall", "wall min..max", "cpu / fastest peer"]
    print(table(headers, [_cells(row, fastest) for row in rows]))
    for row in rows:
        if row["role"] == "ours" and fastest is not None:
            times = cpu(fastest) / cpu(row)
            print(f"\n{fastest['title']}, the fastest peer: {times:.1f} x {row['title']}")


def _cells(row: dict[str, Any], fastest: dict[str, Any] | None) -> list[str]:
    return [
        row["title"],
        row["version"] or "",
        *cells_of(row["cpu_us_per_step"]),
        *cells_of(row["wall_us_per_step"]),
        f"{paired(row, fastest):.3f}" if fastest else "",
    ]


if __name__ == "__main__":
    sys.exit(main())
