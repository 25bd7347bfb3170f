"""Processes that benchmarks of the service start, and what is sent to them."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
TOKEN = "a-token-of-the-benchmark"


class Link:
    """A connection that is kept, for one request after the other."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def send(self, method: str, path: str, body: object = None, key: str = "") -> None:
        """Send a request."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        content = b"" if body is None else json.dumps(body).encode()
        lines = [
            f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self._port}",
            f"Authorization: Bearer {TOKEN}", "Content-Type: application/json",
            f"Content-Length: {len(content)}", *([f"Idempotency-Key: {key}"] if key else []),
        ]  # fmt: skip
        writer = self._streams[1]
        writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + content)
        await writer.drain()

    async def receive(self) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        assert self._streams is not None
        reader = self._streams[0]
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        length = next(int(each[15:]) for each in head if each.lower().startswith("content-length:"))
        return int(head[0].split()[1]), await reader.readexactly(length)

    async def ask(
        self, method: str, path: str, body: object = None, key: str = ""
    ) -> tuple[int, bytes]:
        """Send a request and wait for its answer."""
        await self.send(method, path, body, key)
        return await self.receive()

    def cut(self) -> None:
        """Go away."""
        if self._streams is not None:
            self._streams[1].transport.abort()
        self._streams = None


class Process:
    """A process of ours whose first line on standard output is its address."""

    def __init__(self, folder: Path, *command: str) -> None:
        environment = {**os.environ, "FLOWS_TOKEN": TOKEN, "OPENAI_API_KEY": "none",
                       "PYTHONPATH": str(PROJECT)}  # fmt: skip
        self.process = subprocess.Popen(
            [sys.executable, *command], cwd=folder, env=environment, stdout=subprocess.PIPE,
            text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        if not self.address:
            raise SystemExit(f"{' '.join(command)} did not start")
        self.port = int(self.address.rpartition(":")[2].partition("/")[0])

    def cpu(self) -> float:
        """The seconds of processor time that it has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(each for each in lines if each.startswith("VmRSS")).split()[1]) / 1024

    def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)
