"""Serving flows over the standard streams until the client or a signal ends it."""

from __future__ import annotations

import asyncio
import logging
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress

from flows.services.hosting.hosted_flow import HostedFile
from flows.services.hosting.live_run import RunListener
from flows.services.hosting.open_service import open_service
from flows.services.hosting.service import RunService
from flows.web.mcp.server import FlowServer
from flows.web.mcp.stdio import connection, own_streams
from flows.web.signals import end_signal


async def serve_stdio(
    files: Sequence[HostedFile],
    trust: Sequence[str],
    listeners: Callable[[], Sequence[RunListener]],
) -> signal.Signals | None:
    """Serve the flows of run files over stdin and stdout until stdin ends, or a signal tells the
    process to, which it returns. What runs is cancelled then, and can be resumed. Runs of a process
    that was killed go on.

    Errors: `ConfigError`, `UsageError` for run files.
    """
    logging.basicConfig(format="%(levelname)s %(message)s", level=logging.ERROR)
    told = end_signal()
    with own_streams() as descriptors:
        async with open_service(files, trust=trust, listeners=listeners) as service:
            await service.recover()
            served = asyncio.create_task(_serve(service, *descriptors))
            told.add_done_callback(lambda _: served.cancel())
            with suppress(asyncio.CancelledError):
                await served
            return told.result() if told.done() else None


async def _serve(service: RunService, inlet: int, outlet: int) -> None:
    server = FlowServer(service).server()
    async with connection(inlet, outlet) as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())
