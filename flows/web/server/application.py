"""The application: routes of the doors that are wanted, behind one guard."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute
from starlette.types import ASGIApp

from flows.core.values import Values
from flows.errors import FlowsError
from flows.services.hosting.service import RunService
from flows.web.server.ending import EndedRequests
from flows.web.server.guard import BodyTooLarge, BodyTooSlow, Guard, GuardRules
from flows.web.server.metrics import METRICS_TYPE, Meters
from flows.web.server.replies import JsonReply, error_reply, fault_reply

log = logging.getLogger(__name__)
HEALTH: Final = frozenset({"/healthz", "/readyz"})


@dataclass(frozen=True)
class Door:
    """A way into the service: its routes, and what they need.

    `open` is entered while the application runs. `public` are paths that need no token, `bodies`
    the bytes that the body of a request may have, by paths. `describe` changes the OpenAPI
    document of the application; `wrap` puts something around all of it, the guard too.
    """

    routes: Sequence[BaseRoute]
    open: Callable[[], AbstractAsyncContextManager[object]] | None = None
    public: frozenset[str] = frozenset()
    bodies: Mapping[str, int] = field(default_factory=dict)
    describe: Callable[[Values], None] | None = None
    wrap: Callable[[ASGIApp], ASGIApp] | None = None


def make_application(service: RunService, doors: Sequence[Door], rules: GuardRules) -> FastAPI:
    """The application of these doors, to be run by any ASGI server."""

    @asynccontextmanager
    async def lifespan(application: FastAPI) -> AsyncIterator[None]:
        del application
        async with AsyncExitStack() as stack:
            for door in doors:
                if door.open is not None:
                    await stack.enter_async_context(door.open())
            yield

    application = FastAPI(
        title="flows", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan,
        exception_handlers={
            FlowsError: _fault, HTTPException: _http_error, BodyTooLarge: _too_large,
            BodyTooSlow: _too_slow, Exception: _broken,
        },
    )  # fmt: skip
    meters = Meters(service)
    for door in doors:
        application.router.routes.extend(door.routes)
    _add_health(application, service, meters)
    _add_openapi(application, doors)
    whole = replace(
        rules,
        public=rules.public.union(HEALTH, *(door.public for door in doors)),
        bodies={
            **rules.bodies,
            **{key: each for door in doors for key, each in door.bodies.items()},
        },
    )
    application.add_middleware(Guard, rules=whole)
    application.add_middleware(EndedRequests, is_open=lambda: service.is_open)
    for door in doors:
        if door.wrap is not None:
            application.add_middleware(door.wrap)
    application.add_middleware(meters.middleware)
    return application


def _add_health(application: FastAPI, service: RunService, meters: Meters) -> None:
    @application.get("/healthz", summary="Whether the process answers")
    async def healthz() -> Response:
        return PlainTextResponse("ok\n")

    @application.get("/readyz", summary="Whether runs are taken on")
    async def readyz() -> Response:
        if service.is_open:
            return PlainTextResponse("ready\n")
        return PlainTextResponse("ending\n", 503)

    @application.get("/metrics", summary="Figures for Prometheus")
    async def metrics() -> Response:
        return Response(meters.text(), media_type=METRICS_TYPE)


def _add_openapi(application: FastAPI, doors: Sequence[Door]) -> None:
    def document() -> dict[str, Any]:
        if application.openapi_schema is None:
            from importlib.metadata import version

            found = get_openapi(
                title="flows", version=version("analyst-flows"), openapi_version="3.1.0",
                routes=application.routes,
            )  # fmt: skip
            for door in doors:
                if door.describe is not None:
                    door.describe(found)
            application.openapi_schema = found
        return application.openapi_schema

    application.openapi = document  # type: ignore[method-assign]

    @application.get("/openapi.json", include_in_schema=False)
    async def openapi() -> Response:
        return JsonReply(document())


async def _fault(request: Request, error: Exception) -> Response:
    del request
    assert isinstance(error, FlowsError)
    return fault_reply(error)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    where = request.url.path
    reply = error_reply(error.status_code, error.detail or "", where)
    reply.headers.update(error.headers or {})
    return reply


async def _too_large(request: Request, error: Exception) -> Response:
    del request, error
    return error_reply(413, "the body is too large")


async def _too_slow(request: Request, error: Exception) -> Response:
    del request, error
    return error_reply(408, "the body did not come in time")


async def _broken(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return error_reply(500, "the service failed; its log says why", request.url.path)
