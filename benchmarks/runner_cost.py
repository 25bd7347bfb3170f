"""What an item costs that another process does, beside plain Ray tasks, and what workers bring.

    python benchmarks/runner_cost.py [--items 1000] [--long-items 24] [--json FILE] [--only local]

An item is one element of a map. Times are those between the first and the last outcome, so that
the start of processes and of a cluster is not in them. Plain Ray tasks call the same functions, as
many at once as the map's elements. Exit code 1 when a runner gave other results.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from report import machine, table, write
from runner_items import busy, nothing, wait

from flows.build.builder import build
from flows.core.journal import load
from flows.runners.local import run_plan

BENCHMARK = "runner_cost"
AT_ONCE = 16  # as a map without `max_concurrency`
FUNCTIONS = {"nothing": nothing, "wait": wait, "busy": busy}
TEXT = """
_target_: map
over: numbers
as: n
collect: {function}
max_concurrency: {at_once}
subflows_config: {{each: {{_target_: runner_items.{function}}}}}
"""


def main() -> int:
    options = _options()
    rows = []
    kinds = ["none", "local", *(["ray"] if find_spec("ray") else [])]
    for kind in kinds if options.only is None else [options.only]:
        rows.append(_row(kind, "nothing", options.items, 2))
        for function in ("wait", "busy") if kind != "none" else ():
            rows += [_row(kind, function, options.long_items, count) for count in (1, 2)]
    if find_spec("ray") and options.only in (None, "ray"):
        rows += _plain(options)
    cells = [[str(each) for each in row.values()] for row in rows]
    print(table(["runner", "item", "workers", "items", "ms an item"], cells))
    write({"benchmark": BENCHMARK, "machine": machine(), "rows": rows}, BENCHMARK, options.json)
    return 0


def _row(kind: str, function: str, items: int, workers: int) -> dict[str, object]:
    """One run of a map, by so many workers, or by the run's own process."""
    seconds = _measure(kind, function, items, workers)
    return _as_row(kind, function, workers if kind != "none" else 0, items, seconds)


def _as_row(kind: str, function: str, workers: int, items: int, each: float) -> dict[str, object]:
    return {
        "runner": kind, "item": function, "workers": workers, "items": items,
        "ms an item": round(each * 1000, 3),
    }  # fmt: skip


def _measure(kind: str, function: str, items: int, workers: int) -> float:
    """Seconds an item."""
    with tempfile.TemporaryDirectory() as folder:
        at_once = AT_ONCE if function == "nothing" else workers
        file = Path(folder, "run.yaml")
        file.write_text(TEXT.format(function=function, at_once=at_once))
        runner = [] if kind == "none" else [f"runner={kind}", f"runner.processes={workers}"]
        plan, _ = build(file, [f"runs={folder}/runs", *runner], trust=["runner_items"])
        plan = plan.with_inputs({"numbers": list(range(items))})

        async def run_whole() -> Any:
            async with plan.in_use():
                return await run_plan(plan, run_id="one")

        result = asyncio.run(run_whole())
        if result.outputs.get("results") != tuple(range(items)):
            sys.exit(f"{kind}, {function}: {result.status} {result.reason}")
        ended = [row.at for row in load(Path(folder, "runs", "one")) if row.kind == "outcome"]
        left_out = 1 if function == "nothing" else at_once
        return (ended[-1] - ended[left_out - 1]) / (items - left_out)


def _plain(options: argparse.Namespace) -> list[dict[str, object]]:
    """The same functions as plain Ray tasks."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    rows = []
    for function, items, counts in (
        ("nothing", options.items, (2,)),
        ("wait", options.long_items, (1, 2)),
        ("busy", options.long_items, (1, 2)),
    ):
        for workers in counts:
            ray.init(
                address="local", num_cpus=workers, include_dashboard=False, log_to_driver=False,
                logging_level=40, _system_config={"worker_niceness": 0},
            )  # fmt: skip
            task = ray.remote(FUNCTIONS[function])
            ray.get([task.remote(n) for n in range(4 * workers)])  # its processes have begun
            at_once = AT_ONCE if function == "nothing" else workers
            began, left = time.perf_counter(), iter(range(items))
            waiting: list[Any] = []
            done = 0
            while done < items:
                while len(waiting) < at_once and (n := next(left, None)) is not None:
                    waiting.append(task.remote(n))
                ready, waiting = ray.wait(waiting)
                done += len(ray.get(ready))
            each = (time.perf_counter() - began) / items
            rows.append(_as_row("plain Ray", function, workers, items, each))
            ray.shutdown()
    return rows


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1000, help="of those that do nothing")
    parser.add_argument("--long-items", type=int, default=24, help="of those of half a second")
    parser.add_argument("--only", choices=("none", "local", "ray"))
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
