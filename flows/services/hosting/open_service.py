"""A service with its store and its host, from run files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from flows.core.chat import PreparedModel
from flows.core.flow import Flow, walk
from flows.services.hosting.hosted_flow import HostedFile, HostedFlow, name_flows
from flows.services.hosting.live_run import RunListener
from flows.services.hosting.run_host import RunHost
from flows.services.hosting.service import QUEUE, RunService
from flows.services.hosting.store import HostingStore

AT_ONCE = 1_000
STATE = Path(".flows") / "service"


@asynccontextmanager
async def open_service(
    files: Sequence[HostedFile],
    *,
    trust: Sequence[str] = (),
    at_once: int = AT_ONCE,
    queue: int = QUEUE,
    state: Path = STATE,
    listeners: Callable[[], Sequence[RunListener]] = tuple,
) -> AsyncIterator[RunService]:
    """A service of these run files, which are built first. Runs that were under way when a process
    before it ended are not gone on with until `recover`.

    Errors: `ConfigError` for a run file, `UsageError` for two of one name, and for the store.
    """
    named = name_flows(files)
    host = RunHost(trust=trust, at_once=at_once)
    try:
        flows = [HostedFlow(name, file, await host.plan(file)) for name, file in named.items()]
        for each in flows:
            _prepare_models(each.plan.flow)
        store = HostingStore(state)
    except BaseException:
        await host.aclose()
        raise
    service = RunService(host, flows, store, queue=queue, listeners=listeners)
    try:
        yield service
    finally:
        await service.aclose()


def _prepare_models(flow: Flow) -> None:
    """Have the first request of a model take no longer than others."""
    for _, each in walk(flow):
        model = getattr(each, "model", None)
        if isinstance(model, PreparedModel):
            model.prepare()
