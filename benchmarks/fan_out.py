"""The cost of a child when many are called at once, beside other frameworks in the same run.

    python benchmarks/fan_out.py [--repeats 5] [--widths 100,1000] [--json FILE] [--only ours-map]

Each child is a no-op: what is measured is what the framework spends to begin it, to give it its
input and to put what it returned in its place. Exit codes are those of step_cost.py.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from comparison import (
    cpu,
    expect,
    make_field,
    options_parser,
    positive,
    read_options,
    rows_of,
    show_left_out,
    take_turns,
)
from contestants import Sample, Setting
from peers.workload import expected_fan
from report import cells_of, machine, table, write

BENCHMARK = "fan_out"


def main() -> int:
    options = _options()
    field = make_field(options, BENCHMARK)
    before = machine()

    def check(setting: Setting, sample: Sample) -> None:
        width = int(setting["width"])
        expect(sample, expected_fan(width), width)

    settings: list[Setting] = [{"width": width} for width in options.widths]
    taken = take_turns(field, options.repeats, settings, check)
    rows = [rows_of(field, each) for each in taken]
    _show(rows, options)
    show_left_out(field)
    payload = {
        "benchmark": BENCHMARK,
        "machine": before,
        "repeats": options.repeats,
        "widths": [
            {"width": width, "contestants": each}
            for width, each in zip(options.widths, rows, strict=True)
        ],
        "skipped": field.skipped,
        "failed": field.failed,
    }
    write(payload, BENCHMARK, options.json)
    return 1 if field.failed else 0


def _options() -> argparse.Namespace:
    parser = options_parser("The cost of a child of a fan-out.", repeats=5)
    parser.add_argument(
        "--widths", type=_widths, default=[100, 1000], help="children of one call (100,1000)"
    )
    return read_options(parser, BENCHMARK)


def _widths(text: str) -> list[int]:
    return [positive(each) for each in text.split(",")]


def _show(rows: Sequence[Sequence[Mapping[str, Any]]], options: argparse.Namespace) -> None:
    print(
        "microseconds of processor time per child, "
        f"medians of {options.repeats} interleaved repeats\n"
    )
    headers = ["", "version"]
    for width in options.widths:
        headers += [f"{width} children", "min..max"]
    lines = {row["name"]: [row["title"], row["version"] or ""] for row in rows[0]}
    for each in rows:
        for row in each:
            lines[row["name"]] += cells_of(row["cpu_us_per_step"])
    print(table(headers, list(lines.values())))
    peers = [row for row in rows[-1] if row["role"] == "peer"]
    for row in rows[-1]:
        if row["role"] == "ours" and peers:
            fastest = min(peers, key=cpu)
            times = cpu(fastest) / cpu(row)
            print(f"\n{fastest['title']}, the fastest peer: {times:.1f} x {row['title']}")


if __name__ == "__main__":
    sys.exit(main())
