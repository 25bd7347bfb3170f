"""Clients that want to be told when a run has come further: they subscribe to its address."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from anyio import BrokenResourceError, ClosedResourceError
from mcp import MCPError
from mcp.server import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourceUpdated
from mcp_types import (
    INVALID_PARAMS,
    EmptyResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from flows.errors import FlowsError, NotFound
from flows.web.mcp.clients import ClientTable, client_of
from flows.web.mcp.flow_resources import FlowResources
from flows.web.mcp.resources import ArtifactUri, run_of
from flows.web.mcp.runs import ClientRuns

log = logging.getLogger(__name__)
Context = ServerRequestContext[Any, Any]

_MOST: Final = 1_000  # addresses that one client subscribes to


class Subscriptions:
    """The addresses that clients subscribed to. The journal of each run among them is followed
    once, however many want to hear of it: each of its rows is an update."""

    def __init__(self, runs: ClientRuns, resources: FlowResources) -> None:
        self._runs, self._service, self._resources = runs, runs.service, resources
        self._bus = InMemorySubscriptionBus()
        self._listen = ListenHandler(self._bus)
        self._sessions: ClientTable[dict[str, ServerSession]] = ClientTable()
        self._wanted: Counter[str] = Counter()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._telling: set[asyncio.Task[None]] = set()
        self._bus.subscribe(self._tell_sessions)

    async def subscribe(self, context: Context, params: SubscribeRequestParams) -> EmptyResult:
        """Tell the session of updates of an address from now on. Errors: as of `_check`."""
        self._check(context, params.uri)
        mine = self._sessions.setdefault(client_of(context), {})
        if params.uri not in mine and len(mine) < _MOST:
            mine[params.uri] = context.session
            self._follow(params.uri)
        return EmptyResult()

    async def unsubscribe(self, context: Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Tell the session no more of them."""
        mine = self._sessions.get(client_of(context), {})
        if mine.pop(params.uri, None) is not None:
            self._leave(params.uri)
        return EmptyResult()

    async def listen(
        self, context: Context, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Tell of updates on the stream of this request, until the client ends it. Errors: as of
        `_check`."""
        for uri in params.notifications.resource_subscriptions or ():
            self._check(context, uri)
        with self._followed(params.notifications.resource_subscriptions or ()):
            return await self._listen(context, params)

    def close(self) -> None:
        """End all streams."""
        self._listen.close()
        for task in self._tasks.values():
            task.cancel()

    def _check(self, context: Context, uri: str) -> None:
        """Errors: `MCPError` for an address of which no update is ever told: that of a flow, which
        runs anew for each who reads it, and that of a run that is not the client's."""
        if self._resources.find(uri) is not None:
            text = f"{uri} is made anew each time that it is read: there are no updates of it"
            raise MCPError(code=INVALID_PARAMS, message=text, data={"uri": uri})
        if (run_id := _followed_run(uri)) is not None:
            try:
                self._runs.check_own(context, run_id)
            except NotFound as error:
                raise MCPError(INVALID_PARAMS, str(error), {"uri": uri}) from error

    @contextmanager
    def _followed(self, uris: Iterable[str]) -> Iterator[None]:
        wanted = list(uris)[:_MOST]
        for uri in wanted:
            self._follow(uri)
        try:
            yield
        finally:
            for uri in wanted:
                self._leave(uri)

    def _follow(self, uri: str) -> None:
        self._wanted[uri] += 1
        run_id = _followed_run(uri)
        if uri not in self._tasks and run_id is not None:
            self._tasks[uri] = asyncio.create_task(self._watch(uri, run_id))

    def _leave(self, uri: str) -> None:
        self._wanted[uri] -= 1
        if self._wanted[uri] <= 0:
            del self._wanted[uri]
            if (task := self._tasks.pop(uri, None)) is not None:
                task.cancel()

    async def _watch(self, uri: str, run_id: str) -> None:
        """Tell of each row of a run. A run that is unknown has none."""
        try:
            place = self._service.runs.place(run_id)
            rows = await asyncio.to_thread(self._service.runs.rows, place) if place else []
            async for item in self._service.watch(run_id, rows[-1].seq if rows else 0):
                if item.id is not None or item.last:
                    await self._bus.publish(ResourceUpdated(uri=uri))
        except FlowsError as error:
            log.info("%s is not followed: %s", uri, error)

    def _tell_sessions(self, event: object) -> None:
        if isinstance(event, ResourceUpdated):
            for key, mine in list(self._sessions.items()):
                if event.uri in mine:
                    task = asyncio.create_task(self._tell(key, event.uri, mine[event.uri]))
                    self._telling.add(task)
                    task.add_done_callback(self._telling.discard)

    async def _tell(self, key: str, uri: str, session: ServerSession) -> None:
        try:
            await session.send_resource_updated(uri)
        except (MCPError, BrokenResourceError, ClosedResourceError):  # the session has ended
            for each in self._sessions.pop(key, {}):
                self._leave(each)


def _followed_run(uri: str) -> str | None:
    """The run that an address is of."""
    try:
        return run_of(uri) or ArtifactUri(uri).run
    except FlowsError:
        return None
