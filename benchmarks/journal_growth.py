"""How the file of a run grows with its steps, for a chat whose history is kept whole.

    python benchmarks/journal_growth.py [--steps 100,200,400,800,1000] [--json FILE] [--only ours]

The exponent is the slope of log(bytes) over log(steps), by least squares: 1 is a file that grows
with what was said, 2 one that holds the history again for each step. Exit codes are those of
step_cost.py.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from math import log
from typing import Any

from comparison import (
    described,
    expect,
    make_field,
    options_parser,
    positive,
    read_options,
    show_left_out,
    take_turns,
)
from contestants import Sample, Setting
from peers.workload import MESSAGE_LENGTHS, expected_chat, message
from report import machine, table, write

BENCHMARK = "journal_growth"


def main() -> int:
    options = _options()
    field = make_field(options, BENCHMARK)
    before = machine()

    def check(setting: Setting, sample: Sample) -> None:
        steps = int(setting["rounds"])
        expect(sample, expected_chat(steps), steps)

    settings = [{"rounds": steps, "durability": "normal"} for steps in options.steps]
    taken = take_turns(field, options.repeats, settings, check)
    rows: list[dict[str, Any]] = []
    for one in field.ready:
        name = one.contestant.name
        if name in field.failed:
            continue
        sizes = [max(int(each.facts["bytes"]) for each in samples[name]) for samples in taken]
        exponent = slope(options.steps, sizes)
        rows.append(
            {
                **described(one.contestant),
                "version": one.version,
                "bytes": dict(zip(options.steps, sizes, strict=True)),
                "exponent": exponent,
            }
        )
    _show(rows, options.steps)
    show_left_out(field)
    payload = {
        "benchmark": BENCHMARK,
        "machine": before,
        "workload": {"steps": options.steps, "characters_per_message": MESSAGE_LENGTHS},
        "contestants": rows,
        "skipped": field.skipped,
        "failed": field.failed,
    }
    write(payload, BENCHMARK, options.json)
    return 1 if field.failed else 0


def slope(steps: Sequence[int], sizes: Sequence[int]) -> float:
    """The exponent of size over steps: the slope of their logarithms, by least squares."""
    across, up = [log(each) for each in steps], [log(each) for each in sizes]
    middle, height = sum(across) / len(across), sum(up) / len(up)
    spread = sum((x - middle) ** 2 for x in across)
    return sum((x - middle) * (y - height) for x, y in zip(across, up, strict=True)) / spread


def _options() -> argparse.Namespace:
    parser = options_parser("How the file of a run grows with its steps.", repeats=1)
    parser.add_argument(
        "--steps", type=_several, default="100,200,400,800,1000", help="two numbers or more"
    )
    return read_options(parser, BENCHMARK)


def _several(text: str) -> list[int]:
    numbers = sorted({positive(each) for each in text.split(",")})
    if len(numbers) < 2:
        raise argparse.ArgumentTypeError("a slope needs two different numbers of steps or more")
    return numbers


def _show(rows: Sequence[Mapping[str, Any]], steps: Sequence[int]) -> None:
    said = [sum(len(message(number)["text"]) for number in range(each)) for each in steps]
    print("the file of a run in kB after so many steps; the texts alone in the first row\n")
    print(
        table(
            ["", "version", *map(str, steps), "exponent"],
            [
                ["what was said", "", *map(_kilobytes, said), f"{slope(steps, said):.3f}"],
                *(
                    [
                        row["title"],
                        row["version"] or "",
                        *(_kilobytes(row["bytes"][each]) for each in steps),
                        f"{row['exponent']:.3f}",
                    ]
                    for row in rows
                ),
            ],
        )
    )


def _kilobytes(size: int) -> str:
    return f"{size / 1000:,.0f}"


if __name__ == "__main__":
    sys.exit(main())
