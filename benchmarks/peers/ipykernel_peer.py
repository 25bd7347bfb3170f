"""Runs a piece of code again and again in an IPython kernel, and says how long each took.

    python ipykernel_peer.py --times 100 --pause 0.05 --code CODE --first CODE

From the request to the kernel's idle message, with all output read, as a notebook would. Prints a
line of JSON: seconds each, and the versions.
"""

from __future__ import annotations

import argparse
import json
import time

import ipykernel
from jupyter_client.manager import start_new_kernel


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--times", type=int, required=True)
    parser.add_argument("--pause", type=float, required=True)
    parser.add_argument("--code", required=True)
    parser.add_argument("--first", required=True)
    options = parser.parse_args()
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        run(client, options.first)
        run(client, options.code)
        taken = []
        for _ in range(options.times):
            time.sleep(options.pause)
            taken.append(run(client, options.code))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    print(json.dumps({"seconds": taken, "version": ipykernel.__version__}))


def run(client, code: str) -> float:
    failed: list[str] = []

    def output(message) -> None:
        if message["msg_type"] == "error":
            failed.append(message["content"]["evalue"])

    started = time.perf_counter()
    client.execute_interactive(code, output_hook=output, timeout=60)
    taken = time.perf_counter() - started
    if failed:
        raise SystemExit(f"the kernel says: {failed[0]}")
    return taken


if __name__ == "__main__":
    main()
