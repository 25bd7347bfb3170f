"""What `flows serve` bears: many open runs, clients that go away, and hours of work.

    python benchmarks/service_load.py                       # all parts
    python benchmarks/service_load.py --only open --open 1000 --wait 20
    python benchmarks/service_load.py --only cut --requests 10000 --cut 0.01
    python benchmarks/service_load.py --only soak --seconds 600

`open`: so many runs are started over HTTP, each asks a model that answers after `--wait` seconds,
and each result is fetched. The same runs are made in one process without HTTP, with the same
journals and the same limits; `added` is what the service used more of the processor, over its
requests. `cut`: each request starts a run with a key of its own; some clients close their
connection without reading the answer, at once or after a moment, and ask again with the same key.
A run is `lost` when its key leads to none, and `doubled` when a key has two. `soak`: runs are
started and read at a steady pace; `growth` is how much the memory grew after the first fifth.

The model is a stand-in on a loopback port, in a process of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median, quantiles

from report import machine, write
from service_process import PROJECT, Link, Process

BENCHMARK = "service_load"
CHAT = """\
_target_: chat
name: Chat
human_prompt: ask.j2
input_interface: {query: str}
model: {_target_: model.openai, model: fake, stream: false, timeout_idle: 600, timeout_total: 600}
"""
STEP = """\
_target_: tests.flows_for_tests.Echo
name: Step
"""
REPLY = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "fake",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "forty-two"}}],
    "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
}  # fmt: skip


def serve(folder: Path, file: str) -> Process:
    options = ("--port", "0", "--queue", "20000", "--trust", "tests")
    return Process(folder, "-m", "flows", "serve", file, *options)


async def fake_model(wait: float) -> None:
    """Answer every request after a while, as a model does."""
    content = json.dumps(REPLY).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                lines = (
                    (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower().split("\r\n")
                )
                sizes = [int(each[15:]) for each in lines if each.startswith("content-length:")]
                await reader.readexactly(sizes[0] if sizes else 0)
                await asyncio.sleep(wait)
                writer.write(head.encode() + b"\r\n\r\n" + content)
                await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=4096)
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


async def in_process(folder: Path, runs: int) -> None:
    """The same runs without a service; prints the seconds of processor time that they took."""
    sys.path.insert(0, str(PROJECT))
    from flows.build.builder import build
    from flows.core.store import JournalFile
    from flows.runners.local import run_plan

    os.chdir(folder)
    plan, _ = build(Path("chat.yaml"))
    file = JournalFile(Path(tempfile.mkdtemp(dir=folder)), new=True, grouped=True)
    began = time.process_time()
    made = [
        run_plan(plan.with_inputs({"query": f"number {each}"}), file=file) for each in range(runs)
    ]
    ended = Counter(each.status for each in await asyncio.gather(*made))
    file.close()
    print(json.dumps({"cpu": time.process_time() - began, "statuses": ended}), flush=True)


def measure_open(runs: int, wait: float, repeats: int) -> dict[str, object]:
    """Open runs over HTTP, and the same in a process, in turn. Of the processor times of each the
    least counts: what else the machine does adds to them."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = Process(folder, str(Path(__file__).resolve()), "--model", str(wait))
        os.environ["OPENAI_BASE_URL"] = model.address
        (folder / "chat.yaml").write_text(CHAT)
        (folder / "prompts").mkdir()
        (folder / "prompts" / "ask.j2").write_text("{#- variables: query -#}\n{{ query }}")
        try:
            found = [_measure_open_once(folder, runs) for _ in range(repeats)]
        finally:
            model.process.kill()
            model.process.wait()
    over_http, in_process = (
        min(times) for times in zip(*(each[:2] for each in found), strict=True)
    )
    return {
        "runs": runs, "wait_s": wait, "cpu_s": over_http, "in_process_cpu_s": in_process,
        "added_ms_a_request": round((over_http - in_process) / (2 * runs) * 1000, 3),
        "repeats": [{"cpu_s": one, "in_process_s": other, **more} for one, other, more in found],
    }  # fmt: skip


def _measure_open_once(folder: Path, runs: int) -> tuple[float, float, dict[str, object]]:
    """The processor time of the service and that of the process without, in seconds, and more."""
    served = serve(folder, "chat.yaml")
    try:
        cpu, found = asyncio.run(_open(served, runs))
    finally:
        code = served.end()
    alone = subprocess.run(
        [sys.executable, __file__, "--in-process", str(folder), "--open", str(runs)],
        capture_output=True, text=True, check=True, cwd=folder,
        env={**os.environ, "OPENAI_API_KEY": "none"},
    )  # fmt: skip
    same = json.loads(alone.stdout.splitlines()[-1])
    more = {**found, "in_process_statuses": same["statuses"], "exit_code": code}
    return round(cpu, 2), round(same["cpu"], 2), more


async def _open(served: Process, runs: int) -> tuple[float, dict[str, object]]:
    links = [Link(served.port) for _ in range(50)]
    await links[0].ask("POST", "/api/flows/chat/runs?wait=60", {"inputs": {"query": "first"}})
    cpu, began = served.cpu(), time.monotonic()
    ids: list[str] = []
    waits: list[float] = []

    async def begin(link: Link, numbers: range) -> None:
        for each in numbers:
            at = time.monotonic()
            status, body = await link.ask(
                "POST", "/api/flows/chat/runs", {"inputs": {"query": f"number {each}"}}
            )
            waits.append(time.monotonic() - at)
            assert status == 202, body
            ids.append(json.loads(body)["id"])

    await asyncio.gather(
        *(begin(link, range(number, runs, len(links))) for number, link in enumerate(links))
    )
    started = time.monotonic() - began
    most = 0
    while (left := await _live(links[0])) > 0:
        most = max(most, left)
        await asyncio.sleep(0.5)
    seconds = time.monotonic() - began
    for each in links:  # which the service may have closed
        each.cut()
    statuses: Counter[str] = Counter()

    async def read(link: Link, own: Sequence[str]) -> None:
        for each in own:
            _, body = await link.ask("GET", f"/api/runs/{each}")
            statuses[json.loads(body)["status"]] += 1

    await asyncio.gather(
        *(read(link, ids[number :: len(links)]) for number, link in enumerate(links))
    )
    return served.cpu() - cpu, {
        "start_s": round(started, 2), "all_s": round(seconds, 2), "open_at_once": most,
        "answer_ms": {"median": round(median(waits) * 1000, 1),
                      "p99": round(quantiles(waits, n=100)[-1] * 1000, 1)},
        "statuses": dict(statuses), "memory_mb": round(served.memory_mb(), 1),
    }  # fmt: skip


async def _live(link: Link) -> int:
    _, body = await link.ask("GET", "/metrics")
    lines = [each for each in body.decode().splitlines() if each.startswith("flows_runs{")]
    return sum(int(each.split()[-1]) for each in lines)


def measure_cut(requests: int, share: float) -> dict[str, object]:
    """Requests of which some clients go away before the answer."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "step.yaml").write_text(STEP)
        served = serve(folder, "step.yaml")
        try:
            found, ids = asyncio.run(_cut(served, requests, share))
        finally:
            code = served.end()
        made = [name for each in (folder / "runs").iterdir() for name in _runs_of(each)]
        with sqlite3.connect(folder / ".flows" / "service" / "service.sqlite") as store:
            keys = Counter(key for (key,) in store.execute("SELECT key FROM runs"))
            ends = Counter(state for (state,) in store.execute("SELECT state FROM runs"))
    return {
        **found, "lost": requests - len(set(made) & set(ids)), "doubled": len(made) - len(set(ids)),
        "keys": len(keys), "statuses": dict(ends), "exit_code": code,
    }  # fmt: skip


async def _all_over(served: Process) -> None:
    """Wait until no run is queued or running."""
    link = Link(served.port)
    while True:
        if not await _live(link):
            return
        await asyncio.sleep(0.2)


def _runs_of(folder: Path) -> list[str]:
    """The runs that have come to an end, in the journal of a folder."""
    ends = "SELECT name FROM runs JOIN journal ON run = number WHERE kind = 'end'"
    with sqlite3.connect(folder / "journal.sqlite") as journal:
        return [name for (name,) in journal.execute(ends)]


async def _cut(served: Process, requests: int, share: float) -> tuple[dict[str, object], list[str]]:
    drawn = random.Random(19)
    cuts = [drawn.random() < share for _ in range(requests)]
    ids: list[str] = []
    began, cpu = time.monotonic(), served.cpu()

    async def ask(numbers: range) -> None:
        link = Link(served.port)
        for each in numbers:
            what = ("POST", "/api/flows/step/runs", {"inputs": {"value": each}}, f"key-{each}")
            if cuts[each]:
                await link.send(*what)
                await asyncio.sleep(drawn.choice((0.0, 0.001, 0.01)))
                link.cut()
            status, body = await link.ask(*what)
            assert status in (200, 202), body
            ids.append(json.loads(body)["id"])
        link.cut()

    await asyncio.gather(*(ask(range(number, requests, 40)) for number in range(40)))
    await _all_over(served)
    seconds = time.monotonic() - began
    return {
        "requests": requests, "cut": sum(cuts), "seconds": round(seconds, 1),
        "requests_a_second": round(requests / seconds, 1), "cpu_s": round(served.cpu() - cpu, 1),
    }, ids  # fmt: skip


def measure_soak(seconds: float, pace: float) -> dict[str, object]:
    """Runs at a steady pace, and the memory while they are made."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "step.yaml").write_text(STEP)
        served = serve(folder, "step.yaml")
        try:
            memory, count = asyncio.run(_soak(served, seconds, pace))
        finally:
            code = served.end()
    early = memory[: max(1, len(memory) // 5)][-1]
    return {
        "seconds": seconds, "runs": count, "memory_mb": memory[:: max(1, len(memory) // 20)],
        "growth_percent": round((max(memory[-5:]) / early - 1) * 100, 2), "exit_code": code,
    }  # fmt: skip


async def _soak(served: Process, seconds: float, pace: float) -> tuple[list[float], int]:
    link, watcher = Link(served.port), Link(served.port)
    memory: list[float] = []
    end, count = time.monotonic() + seconds, 0
    sampled = time.monotonic()
    while time.monotonic() < end:
        at = time.monotonic()
        body = {"inputs": {"value": "x" * 1000}}
        _, told = await link.ask("POST", "/api/flows/step/runs?wait=20", body)
        await watcher.ask("GET", f"/api/runs/{json.loads(told)['id']}")
        count += 1
        if time.monotonic() - sampled > seconds / 100:
            memory.append(round(served.memory_mb(), 1))
            sampled = time.monotonic()
        await asyncio.sleep(max(0.0, 1 / pace - (time.monotonic() - at)))
    return memory, count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", choices=("open", "cut", "soak"), action="append")
    parser.add_argument("--open", type=int, default=1_000, help="runs that are open at once")
    parser.add_argument("--wait", type=float, default=20.0, help="seconds until the model answers")
    parser.add_argument("--repeats", type=int, default=3, help="times that the open runs are made")
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--cut", type=float, default=0.01, help="share of clients that go away")
    parser.add_argument("--seconds", type=float, default=600.0, help="of the soak")
    parser.add_argument("--pace", type=float, default=20.0, help="runs a second of the soak")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--model", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--in-process", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.model is not None:
        asyncio.run(fake_model(given.model))
    if given.in_process is not None:
        asyncio.run(in_process(given.in_process, given.open))
        return 0
    wanted = given.only or ["open", "cut", "soak"]
    found: dict[str, object] = {"benchmark": BENCHMARK, "machine": machine()}
    measures = {
        "open": lambda: measure_open(given.open, given.wait, given.repeats),
        "cut": lambda: measure_cut(given.requests, given.cut),
        "soak": lambda: measure_soak(given.seconds, given.pace),
    }
    for part in wanted:
        found[part] = measures[part]()
        print(part, json.dumps(found[part], indent=2), flush=True)
        write(found, BENCHMARK, given.json)  # what was measured stays if another part is ended
    return 0


if __name__ == "__main__":
    sys.exit(main())
