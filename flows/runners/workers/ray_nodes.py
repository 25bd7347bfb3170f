"""Workers on the nodes of a Ray cluster, by Ray's core alone: each is an actor there, which starts
the program of a worker beside itself and passes its lines on."""

from __future__ import annotations

import asyncio
import logging
import os
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from flows.errors import UsageError
from flows.runners.workers.links import MODULE, LocalProcesses, WorkerLink


class NodeRelay:
    """The actor: a worker in a process of its node, whose lines go through in groups."""

    def __init__(self, module: str, folder: str) -> None:
        self._launcher = LocalProcesses(1, module, folder)
        self._started = asyncio.Lock()
        self._groups: dict[int, list[bytes]] = {}
        self._sent = 0
        self._link: WorkerLink | None = None
        self._lines: asyncio.Queue[bytes] = asyncio.Queue()
        self._reading: asyncio.Task[None] | None = None

    async def send(self, number: int, lines: list[bytes]) -> None:
        """Send lines to the worker, which the first of them starts. They are the group of that
        number, from 1: Ray may bring one after another that was sent later."""
        self._groups[number] = lines
        async with self._started:
            if self._link is None:
                self._link = await self._launcher.start()
                self._reading = asyncio.create_task(self._read_all(self._link))
            while self._sent + 1 in self._groups:
                self._sent += 1
                await self._link.send(b"".join(self._groups.pop(self._sent)))

    async def read(self) -> list[bytes]:
        """The next lines, as many as there are; the last is empty when the worker has ended."""
        lines = [await self._lines.get()]
        while not self._lines.empty():
            lines.append(self._lines.get_nowait())
        return lines

    async def end(self) -> None:
        """End the worker."""
        if self._link is not None:
            await self._link.end()

    async def _read_all(self, link: WorkerLink) -> None:
        while line := await link.read():
            await self._lines.put(line)
        await self._lines.put(b"")


class RayLink:
    """A worker on a node. Of one whose node or actor is gone there are no more lines."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor
        self._groups = 0
        self._unsent: list[bytes] = []
        self._read: deque[bytes] = deque()

    async def read(self) -> bytes:
        from ray.exceptions import RayError

        while not self._read:
            try:
                self._read += await self._actor.read.remote()
            except RayError:
                return b""
        return self._read.popleft()

    async def send(self, line: bytes) -> None:
        """Send a line, with those that come at the same time."""
        if not self._unsent:
            asyncio.get_running_loop().call_soon(self._send_all)
        self._unsent.append(line)

    def _send_all(self) -> None:
        lines, self._unsent = self._unsent, []
        self._groups += 1
        self._actor.send.remote(self._groups, lines)

    async def end(self) -> None:
        import ray
        from ray.exceptions import RayError

        with suppress(RayError, TimeoutError):  # else it ends with its actor
            await asyncio.wait_for(self._actor.end.remote(), 5.0)
        ray.kill(self._actor)


class RayNodes:
    """Starts workers on the nodes of the cluster at the address, or of one that is begun on this
    machine, on loopback alone, and that ends with the last run in this process that uses it."""

    said = "what they said stands in the logs of Ray's session"
    users: ClassVar[int] = 0
    begun: ClassVar[bool] = False

    def __init__(self, processes: int | None, address: str | None, module: str = MODULE) -> None:
        self._processes = processes
        self._module = module
        self._address = address
        self._uses = False

    async def count(self) -> int:
        """As many as are wanted, else as the cluster has cores. Errors: `UsageError`."""
        await asyncio.to_thread(self._connect)
        import ray

        return self._processes or max(1, int(ray.cluster_resources().get("CPU", 1)))

    async def start(self) -> WorkerLink:
        import ray

        relay = ray.remote(num_cpus=1, max_restarts=0)(NodeRelay)
        return RayLink(relay.remote(self._module, str(Path.cwd())))

    async def aclose(self) -> None:
        """Leave the cluster, when no other run of this process uses it."""
        if not self._uses:
            return
        self._uses = False
        RayNodes.users -= 1
        if not RayNodes.users and RayNodes.begun:
            import ray

            RayNodes.begun = False
            await asyncio.to_thread(ray.shutdown)

    def _connect(self) -> None:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # Ray would tell its makers of each cluster
        if self._address is None:  # by Ray's own account of it, that it is alone on its machine
            os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
        import ray

        self._uses = True
        RayNodes.users += 1
        if ray.is_initialized():
            return
        # Ray would write on stdout what its nodes say, among what a command tells there.
        quiet = {"logging_level": logging.ERROR, "log_to_driver": False}
        try:
            if self._address is not None:
                ray.init(address=self._address, **quiet)
            else:
                ray.init(
                    address="local", num_cpus=self._processes or os.cpu_count(),
                    include_dashboard=False, _node_ip_address="127.0.0.1",
                    _system_config={"worker_niceness": 0}, **quiet,
                )  # fmt: skip
        except (ConnectionError, RuntimeError, ValueError) as error:
            where = self._address or "this machine"
            raise UsageError(f"no Ray cluster at {where}: {error}") from error
        RayNodes.begun = True
