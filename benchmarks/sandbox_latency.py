"""How long code takes in the warm sandbox, beside an IPython kernel and a cold Python.

    python benchmarks/sandbox_latency.py [--times 200] [--figures 20] [--pause 0.05] [--only NAME]
                                         [--starts 10] [--json FILE]

Two pieces of code: one that does nothing, and a plot that comes back as a PNG. The sandbox has all
the layers that it has here, which are named; each execution gets a process of its own (`fresh`), or
one lives on (`session`). `first` is the time from nothing to the result of the first piece, with
the probe of an earlier start kept: of a line without libraries, and of one with pandas. `--pause`
is the time between two executions, in which the next process is made ready; `--pause 0` measures
them back to back. The kernel runs in an environment of its own, with no isolation. A cold Python
imports pandas and matplotlib and ends.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from comparison import positive
from contestants import Contestant, clean_environment, read_contestants
from environments import EnvironmentNotMade, interpreter_for
from report import machine, number, table, write

from flows.core.sandbox import SandboxConfig
from flows.sandbox.python import PythonSandbox

BENCHMARK = "sandbox_latency"
FOLDER = Path(__file__).resolve().parent
LINE = "1 + 1"
FRAME = "len(pd.DataFrame({'a': [1, 2]}))"
COLD = "import pandas\nfrom matplotlib import pyplot"
NOTHING = "pass"
PLOT = "plt.plot([1, 3, 2])\nplt.title('title')\nplt.show()"
KERNEL_FIRST = "import pandas as pd\nimport numpy as np\n%matplotlib inline\n{plot}"
_SECONDS = 600

Samples = dict[str, list[float]]


class NotMeasured(Exception):
    """A run went wrong; the message says which."""


def main() -> int:
    options = _options()
    before = machine()
    try:
        walls, samples = asyncio.run(_ours(options))
        for code, name in ((LINE, "a line"), (FRAME, "a data frame")):
            taken = [asyncio.run(_first(code)) for _ in range(options.starts)]
            samples[f"sandbox, first: {name}"] = taken
        samples["cold Python"] = [_cold() for _ in range(options.cold)]
        for contestant in read_contestants(FOLDER / "peers", BENCHMARK):
            if options.only in (None, contestant.name):
                samples |= _peer(contestant, options)
    except (NotMeasured, EnvironmentNotMade) as error:
        print(f"FAILED: {error}", file=sys.stderr)
        return 1
    figures = {name: _figures(taken) for name, taken in samples.items()}
    print(f"milliseconds, with {options.pause:g} s between; walls: {'; '.join(walls.values())}\n")
    keys = ("median", "p95", "min", "max")
    rows = [[name, *(number(each[key]) for key in keys)] for name, each in figures.items()]
    print(table(["", *keys], rows))
    payload = {
        "benchmark": BENCHMARK,
        "machine": before,
        "load_after": machine()["load_average"],
        "walls": walls,
        "pause_s": options.pause,
        "milliseconds": figures,
    }
    write(payload, BENCHMARK, options.json)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How long code takes in the warm sandbox.")
    parser.add_argument("--times", type=positive, default=200, help="executions of nothing (200)")
    parser.add_argument("--figures", type=positive, default=20, help="executions of a plot (20)")
    parser.add_argument("--cold", type=positive, default=5, help="starts of a cold Python (5)")
    parser.add_argument("--starts", type=positive, default=10, help="starts from nothing (10)")
    parser.add_argument("--pause", type=float, default=0.05, help="seconds between two (0.05)")
    parser.add_argument("--only", metavar="NAME", help="this peer only; `none` for no peer")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write the results")
    return parser.parse_args()


async def _ours(options: argparse.Namespace) -> tuple[dict[str, str], Samples]:
    sandbox = PythonSandbox(SandboxConfig())
    try:
        finding = await sandbox.finding()
        pieces = ((NOTHING, options.times, "nothing"), (PLOT, options.figures, "a plot"))
        samples = {
            f"sandbox, {kind}: {name}": await _timed(sandbox, code, times, session, options.pause)
            for code, times, name in pieces
            for kind, session in (("fresh", None), ("session", "one"))
        }
    finally:
        await sandbox.aclose()
    walls = {name: what for name, what in finding.walls.items() if name not in finding.missing}
    return walls, samples


async def _first(code: str) -> float:
    """Seconds from a sandbox without any process to the first result, as a run takes them."""
    sandbox = PythonSandbox(SandboxConfig())
    try:
        started = time.perf_counter()
        await sandbox.finding()
        done = await sandbox.execute(code)
        taken = time.perf_counter() - started
    finally:
        await sandbox.aclose()
    if done.status != "ok":
        raise NotMeasured(f"the sandbox: {done}")
    return taken


async def _timed(
    sandbox: PythonSandbox, code: str, times: int, session: str | None, pause: float
) -> list[float]:
    taken = []
    for _ in range(times + 2):
        await asyncio.sleep(pause)
        started = time.perf_counter()
        done = await sandbox.execute(code, session=session)
        taken.append(time.perf_counter() - started)
        if done.status != "ok" or (code == PLOT and len(done.figures) != 1):
            raise NotMeasured(f"the sandbox: {done}")
    return taken[2:]


def _cold() -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", COLD], check=True, env=clean_environment())
    return time.perf_counter() - started


def _peer(contestant: Contestant, options: argparse.Namespace) -> Samples:
    assert contestant.requirements is not None
    python = interpreter_for(contestant.requirements, FOLDER / ".envs")
    first = KERNEL_FIRST.format(plot="from matplotlib import pyplot as plt")
    samples = {}
    for code, times, name in (
        (NOTHING, options.times, "nothing"),
        (PLOT, options.figures, "a plot"),
    ):
        arguments = ["--times", str(times), "--pause", str(options.pause)]
        arguments += ["--code", code, "--first", first]
        told = _driven([str(python), str(contestant.driver), *arguments])
        samples[f"{contestant.title}: {name}"] = list(told["seconds"])
    return samples


def _driven(command: Sequence[str]) -> dict[str, Any]:
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=clean_environment(),
        timeout=_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise NotMeasured(f"{command[1]}: {done.stderr.strip()[-1000:]}")
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def _figures(taken: list[float]) -> dict[str, float]:
    """Milliseconds: median, 95th percentile, least and greatest."""
    ms = [1000 * each for each in taken]
    p95 = quantiles(ms, n=20, method="inclusive")[-1] if len(ms) > 1 else ms[0]
    return {"median": median(ms), "p95": p95, "min": min(ms), "max": max(ms)}


if __name__ == "__main__":
    sys.exit(main())
