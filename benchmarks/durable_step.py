"""The cost of a step that is on the disk before the next begins, beside others in the same run.

    python benchmarks/durable_step.py [--repeats 7] [--rounds 200] [--json FILE] [--only ours,bare]

Each contestant runs twice a turn: with SQLite's `synchronous` FULL and NORMAL, always with the
write-ahead log; a driver whose connection says otherwise afterwards is refused. Exit codes are
those of step_cost.py.
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
from contestants import RunFailed, Sample, Setting
from peers.workload import (
    SUBFLOWS,
    THOUGHT_LENGTH,
    expected_ring,
    initial_state,
    last_counter,
)
from report import cells_of, machine, table, write

BENCHMARK = "durable_step"
SYNCHRONOUS = {"full": 2, "normal": 1}  # what SQLite answers for each durability
Rows = Sequence[Mapping[str, Any]]


def main() -> int:
    options = _options()
    field = make_field(options, BENCHMARK)
    before = machine()
    right, steps = expected_ring(options.rounds), last_counter(options.rounds)

    def check(setting: Setting, sample: Sample) -> None:
        expect(sample, right, steps)
        expect_on_disk(setting, sample)

    settings = [{"rounds": options.rounds, "durability": each} for each in SYNCHRONOUS]
    taken = take_turns(field, options.repeats, settings, check)
    rows = {
        durability: rows_of(field, each)
        for durability, each in zip(SYNCHRONOUS, taken, strict=True)
    }
    print(
        f"{len(SUBFLOWS)} subflows x {options.rounds} rounds, {THOUGHT_LENGTH} characters a step, "
        f"microseconds per step, medians of {options.repeats} interleaved repeats"
    )
    for durability, each in rows.items():
        _show(durability, each)
    show_left_out(field)
    payload = {
        "benchmark": BENCHMARK,
        "machine": before,
        "workload": {
            "steps": steps,
            "characters_per_step": THOUGHT_LENGTH,
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


def expect_on_disk(setting: Setting, sample: Sample) -> None:
    """Errors: RunFailed unless the connection was set as asked and has a row for each step."""
    facts = sample.facts
    wanted = {"journal_mode": "wal", "synchronous": SYNCHRONOUS[str(setting["durability"])]}
    for name, value in wanted.items():
        if facts.get(name) != value:
            raise RunFailed(f"its {name} was {facts.get(name)}, but {value} was asked for")
    if int(facts["rows"]) < sample.steps:
        raise RunFailed(f"{facts['rows']} rows were written of {sample.steps} steps")


def _options() -> argparse.Namespace:
    parser = options_parser("The cost of a durable step, beside others.", repeats=7)
    parser.add_argument("--rounds", type=positive, default=200, help="rounds of the ring (200)")
    return read_options(parser, BENCHMARK)


def _show(durability: str, rows: Rows) -> None:
    named = {row["name"]: row for row in rows}
    bare, langgraph = named.get("bare"), named.get("langgraph")
    headers = [
        "",
        "version",
        "cpu",
        "cpu min..max",
        "wall",
        "wall min..max",
        "x bare",
        "x LangGraph",
    ]
    print(f"\nsynchronous {durability.upper()}\n")
    print(
        table(
            headers,
            [
                [
                    row["title"],
                    row["version"] or "",
                    *cells_of(row["cpu_us_per_step"]),
                    *cells_of(row["wall_us_per_step"]),
                    _times(row, bare),
                    _times(row, langgraph),
                ]
                for row in rows
            ],
        )
    )


def _times(row: Mapping[str, Any], other: Mapping[str, Any] | None) -> str:
    return f"{paired(row, other):.2f}" if other else ""


if __name__ == "__main__":
    sys.exit(main())
