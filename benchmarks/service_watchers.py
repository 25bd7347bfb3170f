"""How soon those who watch runs see what happens: `flows web`, many event streams, one browser.

    python benchmarks/service_watchers.py                   # 200 clients, 20 runs, one Chromium
    python benchmarks/service_watchers.py --clients 400 --runs 40 --pace 0.2

Each run makes a step every `--pace` seconds. Each client reads the events of one run; one of them
is a page in Chromium, which reads as the page does. `ms` is from the time that stands in the event
(when its row was written) to when the client has it, for all events after the clients are there.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from report import machine, write
from service_process import Process

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext

BENCHMARK = "service_watchers"
RUN = """\
_target_: circular
name: Ticks
early_exit_key: null
max_rounds: {rounds}
input_interface: [n]
output_interface: [n]
subflows_config: {{tick: {{_target_: tests.flows_for_tests.Sleep, seconds: {pace}}}}}
topology: [{{goal: Tick, flow: tick}}]
"""
# What a page does: the time of each event, and of the browser when it came.
WATCH = """
(path) => {
  window.seen = [];
  const stream = new EventSource(path);
  stream.onmessage = (message) => {
    const event = JSON.parse(message.data);
    if (event.at) window.seen.push(Date.now() - Date.parse(event.at));
  };
}
"""


async def watch(port: int, cookie: str, run_id: str, seen: list[tuple[float, float]]) -> None:
    """Read the events of a run: seconds since 1970 when each came, and how old it was."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    head = [
        f"GET /api/runs/{run_id}/events HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Cookie: {cookie}"
    ]  # fmt: skip
    writer.write("\r\n".join(head).encode() + b"\r\n\r\n")
    status = await reader.readline()
    if b" 200 " not in status:
        raise SystemExit(f"a client was refused: {status!r}")
    try:
        while line := await reader.readline():
            if line.startswith(b"data: "):
                now = time.time()
                at = json.loads(line[6:]).get("at")
                if at:
                    seen.append((now, now - datetime.fromisoformat(at).timestamp()))
    finally:
        writer.close()


async def begin(context: BrowserContext, base: str, runs: int) -> list[str]:
    """Start the runs, as the page does, and return their ids."""
    ids = []
    for number in range(runs):
        reply = await context.request.post(
            f"{base}api/flows/ticks/runs", data={"inputs": {"n": number}},
            headers={"Origin": base.rstrip("/")},
        )  # fmt: skip
        if reply.status != 202:
            raise SystemExit(await reply.text())
        ids.append((await reply.json())["id"])
    return ids


async def measure(served: Process, clients: int, runs: int, seconds: float) -> dict[str, object]:
    from playwright.async_api import async_playwright

    base = served.address.partition("?")[0]
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(served.address)
        cookies = await context.cookies()
        cookie = "; ".join(f"{each['name']}={each['value']}" for each in cookies)
        ids = await begin(context, base, runs)
        seen: list[list[tuple[float, float]]] = [[] for _ in range(clients - 1)]
        tasks = [
            asyncio.create_task(watch(served.port, cookie, ids[number % runs], each))
            for number, each in enumerate(seen)
        ]
        await page.evaluate(WATCH, f"/api/runs/{ids[0]}/events")
        await asyncio.sleep(3)  # all have read the past
        await page.evaluate("() => { window.seen = []; }")
        cpu, began = served.cpu(), time.time()
        await asyncio.sleep(seconds)
        used, ended = served.cpu() - cpu, time.time()
        in_browser = [float(each) for each in await page.evaluate("() => window.seen")]
        for task in tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks)
        await browser.close()
    ages = [age * 1000 for each in seen for came, age in each if began <= came <= ended]
    silent = sum(not any(began <= came <= ended for came, _ in each) for each in seen)
    return {
        "clients": clients, "runs": runs, "seconds": seconds, "events": len(ages),
        "clients_without_events": silent, "ms": spread(ages), "chromium_events": len(in_browser),
        "chromium_ms": spread(in_browser), "server_cpu_share": round(used / (ended - began), 2),
    }  # fmt: skip


def spread(numbers: list[float]) -> dict[str, float]:
    if len(numbers) < 2:
        return {}
    cuts = quantiles(numbers, n=100)
    found = {"median": median(numbers), "p95": cuts[94], "p99": cuts[98], "most": max(numbers)}
    return {name: round(each, 1) for name, each in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clients", type=int, default=200, help="one of them is Chromium")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument(
        "--pace", type=float, default=0.5, help="seconds between two steps of a run"
    )
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if not shutil.which("chromium"):
        raise SystemExit("chromium is not on this machine")
    rounds = int((given.seconds + 60) / given.pace)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "ticks.yaml").write_text(RUN.format(rounds=rounds, pace=given.pace))
        command = ("-m", "flows", "web", "ticks.yaml", "--no-browser", "--port", "0")
        served = Process(folder, *command, "--trust", "tests")
        try:
            found = asyncio.run(measure(served, given.clients, given.runs, given.seconds))
        finally:
            served.end()
    print(json.dumps(found, indent=2))
    write({"benchmark": BENCHMARK, "machine": machine(), **found}, BENCHMARK, given.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
