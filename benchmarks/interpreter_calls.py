"""What one turn of an interpreter over three stores takes beside the time of the slowest store.

    python benchmarks/interpreter_calls.py                    # 30 turns of each kind
    python benchmarks/interpreter_calls.py --turns 5 --json FILE

Three functions wait as stores do: one asleep in the event loop, one in a thread, one behind an HTTP
server on a loopback port (an operation of an OpenAPI document). They only read, and say so. `sleep`
is asyncio alone, which tells how quiet the machine is. `invoke` makes the three calls of a
turn by itself; `interpreter` is a whole run over them with a journal on the disk, in which a fake
model asks for all three at once: its time is from the first call that begins to the last that ends.
Each turn draws other times to wait; the overhead is what a turn takes longer than its slowest call,
in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import flows
from flows.core.events import Event, StepFinished, StepStarted
from flows.core.function_description import Function
from flows.models.fake.answer import FakeAnswer, FakeCall
from flows.models.fake.server import FakeModel
from flows.tools.sources.invoke import Invocation, invoke_all
from flows.tools.sources.openapi.source import OpenAPISource
from flows.tools.sources.python import PythonFunction
from tests.servers.local_http import LocalHttp, Reply, Request

MOST_MS = 10.0
STORES = '''\
"""Stores that take their time."""

import asyncio
import time


async def read_entities(seconds: float) -> str:
    """Reads the entity store.

    Args:
        seconds: how long it takes
    """
    await asyncio.sleep(seconds)
    return "read"


def search_texts(seconds: float) -> str:
    """Searches the vector store.

    Args:
        seconds: how long it takes
    """
    time.sleep(seconds)
    return "found"
'''
DOCUMENT = {
    "openapi": "3.1.0",
    "paths": {
        "/sum": {
            "get": {
                "operationId": "sum_columns",
                "summary": "Sums columns of the columnar store.",
                "parameters": [
                    {
                        "name": "seconds",
                        "in": "query",
                        "required": True,
                        "schema": {"type": "number"},
                    }
                ],
            }
        }
    },
}
RUN = """\
defaults: [interpreter, override model: openai, override human: never, _self_]
functions:
  sources:
    stores: {_target_: functions.python, modules: [stores], effect: pure}
    columns: {_target_: functions.openapi, document: columns.json, base_url: URL}
"""
NAMES = ("read_entities", "search_texts", "sum_columns")


def answer(request: Request) -> Reply:
    return Reply(json={"sum": 1}, delay=float(request.query["seconds"]))


def waits(turns: int, seed: int = 1) -> Iterator[tuple[float, float, float]]:
    """Seconds of the three stores, for each turn."""
    draw = random.Random(seed)
    for _ in range(turns):
        first, second, third = (draw.uniform(0.05, 0.2) for _ in range(3))
        yield first, second, third


@contextmanager
def stores(folder: Path) -> Iterator[str]:
    """The folder with the stores' module and document, as the working folder; the address."""
    (folder / "stores.py").write_text(STORES)
    (folder / "columns.json").write_text(json.dumps(DOCUMENT))
    with LocalHttp(answer) as server, chdir(folder):
        sys.path.insert(0, str(folder))
        yield server.url


async def slept(turns: int) -> list[float]:
    """The overhead of three plain sleeps at once."""
    overheads = []
    for times in waits(turns, seed=3):
        started = time.perf_counter()
        await asyncio.gather(*(asyncio.sleep(each) for each in times))
        overheads.append((time.perf_counter() - started - max(times)) * 1000)
    return overheads


async def invoked(functions: Sequence[Function], turns: int) -> list[float]:
    """The overhead of each turn of three calls, in milliseconds. The first is not counted: it opens
    the connection."""
    overheads = []
    for times in [(0.01, 0.01, 0.01), *waits(turns)]:
        calls = [Invocation(each, {"seconds": s}) for each, s in zip(functions, times, strict=True)]
        started = time.perf_counter()
        found = await invoke_all(calls)
        overheads.append((time.perf_counter() - started - max(times)) * 1000)
        assert [each.kind for each in found] == ["ok"] * 3, found
    return overheads[1:]


def functions_of(url: str) -> list[Function]:
    import stores as module  # type: ignore[import-not-found]

    source = OpenAPISource(OpenAPISource.Config(document=Path("columns.json"), base_url=url))
    [columns] = asyncio.run(source.functions())
    return [PythonFunction(module.read_entities), PythonFunction(module.search_texts), columns]


def interpreted(url: str, turns: int) -> list[float]:
    """The overhead of a turn of an interpreter, once for each run."""
    Path("run.yaml").write_text(RUN.replace("URL", url))
    overheads = []
    with FakeModel() as model:
        overrides = [f"model.base_url={model.base_url}", "model.api_key=unused-key-of-nobody"]
        for times in waits(turns, seed=2):
            model.script(*replies(times))
            ends: dict[str, tuple[float, float]] = {}
            result = flows.run(
                "run.yaml",
                overrides,
                inputs={"question": "Read, search and sum the stores."},
                listeners=[lambda event: note(event, ends)],  # noqa: B023 - used in this round alone
                trust=("stores", url),
            )
            assert result.status in ("finished", "degraded"), result.reason
            assert len(ends) == len(NAMES), ends
            wall = max(end for _, end in ends.values()) - min(start for start, _ in ends.values())
            overheads.append((wall - max(times)) * 1000)
    return overheads


def replies(times: Sequence[float]) -> tuple[FakeAnswer, FakeAnswer]:
    """A turn that calls all three stores, and the final answer."""
    asked = tuple(
        FakeCall(name, json.dumps({"seconds": seconds}))
        for name, seconds in zip(NAMES, times, strict=True)
    )
    final = {"strategy": "Done.", "answer": "It is read.", "confidence": 50, "citations": []}
    return (
        FakeAnswer("Ask all three.", finish="tool_calls", tool_calls=asked),
        FakeAnswer(json.dumps(final)),
    )


def note(event: Event, ends: dict[str, tuple[float, float]]) -> None:
    """Keep when a call of a store began and ended."""
    if isinstance(event, StepStarted) and event.flow.startswith("call"):
        ends[event.address] = (time.perf_counter(), 0.0)
    if isinstance(event, StepFinished) and event.address in ends:
        ends[event.address] = (ends[event.address][0], time.perf_counter())


def figures(overheads: Sequence[float]) -> dict[str, Any]:
    return {
        "turns": len(overheads),
        "median_ms": round(median(overheads), 2),
        "p95_ms": round(quantiles(overheads, n=20)[-1] if len(overheads) > 1 else overheads[0], 2),
        "worst_ms": round(max(overheads), 2),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--turns", type=int, default=30)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, stores(Path(name)) as url:
        found = {
            "sleep": figures(asyncio.run(slept(given.turns))),
            "invoke": figures(asyncio.run(invoked(functions_of(url), given.turns))),
            "interpreter": figures(interpreted(url, given.turns)),
        }
    print(f"{'':<12}{'turns':>7}{'median':>9}{'p95':>9}{'worst':>9}   ms beside the slowest store")
    for kind, each in found.items():
        numbers = "".join(f"{each[key]:>9}" for key in ("median_ms", "p95_ms", "worst_ms"))
        print(f"{kind:<12}{each['turns']:>7}{numbers}")
    print(f"wanted: at most {MOST_MS:g} ms")
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
