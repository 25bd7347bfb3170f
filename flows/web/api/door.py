"""The routes of the JSON API."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from flows.core.values import Values
from flows.errors import ConfigError
from flows.services.hosting.service import RunService
from flows.services.hosting.view import run_json, run_line
from flows.web.api.artifacts import add_artifacts
from flows.web.api.openapi import describe_flows
from flows.web.api.requests import AnswerRequest, StartRequest
from flows.web.api.review import add_review
from flows.web.server.access import Access, check_open_runs
from flows.web.server.application import Door
from flows.web.server.body import read_body
from flows.web.server.event_stream import EventStream
from flows.web.server.replies import JsonReply

PREFIX: Final = "/api"
LONGEST_KEY: Final = 200
LONGEST_WAIT: Final = 60.0
MOST_RUNS: Final = 1_000


def api_door(service: RunService, trust: Sequence[str] = ()) -> Door:
    """The JSON API over a service. `trust` is what flows of recorded runs may use."""
    router = APIRouter(prefix=PREFIX)
    _add_flows(router, service)
    _add_runs(router, service)
    _add_actions(router, service)
    add_artifacts(router, service)
    add_review(router, service, trust)
    return Door(router.routes, describe=lambda document: describe_flows(document, service))


def _add_flows(router: APIRouter, service: RunService) -> None:
    @router.get("/flows", summary="The flows that are served")
    async def flows() -> Response:
        return JsonReply([each.as_json() for each in service.flows.values() if each.listed])

    @router.get("/flows/{name}", summary="A flow with its graph")
    async def flow(name: str) -> Response:
        found = service.flow(name)
        return JsonReply({**found.as_json(), "graph": found.graph()})

    @router.post("/flows/{name}/runs", summary="Start a run", status_code=202)
    async def start(name: str, request: Request) -> Response:
        seconds = _number(request, "wait", 0.0, LONGEST_WAIT)
        service.flow(name)
        sent = await read_body(request, StartRequest)
        access: Access = request.state.access
        key = request.headers.get("idempotency-key")
        if key is not None and not 0 < len(key) <= LONGEST_KEY:
            raise ConfigError(f"1 to {LONGEST_KEY} characters are allowed", path="Idempotency-Key")
        check_open_runs(service, access)
        started = await service.start(
            name, sent.inputs, session=sent.session, caller=access.name, key=key
        )
        status = 202 if started.is_new else 200
        if not seconds:
            return await _told(service, started.run_id, status)
        await service.wait(started.run_id, seconds)
        reply = await asyncio.to_thread(_whole, service, started.run_id, status)
        reply.headers.update(_location(started.run_id))
        return reply


def _add_runs(router: APIRouter, service: RunService) -> None:
    @router.get("/runs", summary="Runs, the newest first")
    async def runs(request: Request) -> Response:
        limit = int(_number(request, "limit", 50, MOST_RUNS))
        query = request.query_params
        found = await asyncio.to_thread(
            service.runs.newest,
            limit + 1,
            before=query.get("before"),
            statuses=query.getlist("status"),
        )
        lines = [run_line(each) for each in found]
        return JsonReply({"runs": lines[:limit], "more": len(lines) > limit})

    @router.get("/runs/{run_id}", summary="A run")
    async def run(run_id: str, request: Request) -> Response:
        if seconds := _number(request, "wait", 0.0, LONGEST_WAIT):
            await service.wait(run_id, seconds)
        return await asyncio.to_thread(_whole, service, run_id, 200)

    @router.get("/runs/{run_id}/events", summary="The events of a run, as they come")
    async def events(run_id: str, request: Request) -> Response:
        last = request.headers.get("last-event-id") or request.query_params.get("after") or "0"
        if not last.isdecimal() or len(last) > 15:
            raise ConfigError(f"{last!r} is no number of an event", path="Last-Event-ID")
        return EventStream(service.watch(run_id, int(last)))


def _add_actions(router: APIRouter, service: RunService) -> None:
    @router.post("/runs/{run_id}/answer", summary="Answer a run's question", status_code=202)
    async def answer(run_id: str, request: Request) -> Response:
        sent = await read_body(request, AnswerRequest)
        await service.answer(run_id, sent.text, sent.step)
        return await _told(service, run_id, 202)

    @router.post("/runs/{run_id}/cancel", summary="End a run", status_code=202)
    async def cancel(run_id: str) -> Response:
        await service.cancel(run_id)
        return await _told(service, run_id, 202)

    @router.post("/runs/{run_id}/resume", summary="Go on with a run", status_code=202)
    async def resume(run_id: str) -> Response:
        await service.resume(run_id)
        return await _told(service, run_id, 202)


def _whole(service: RunService, run_id: str, status: int) -> Response:
    """All of a run, written in a thread: it may be large, and others are to be answered
    meanwhile."""
    return JsonReply(run_json(service.runs.state(run_id)), status)


async def _told(service: RunService, run_id: str, status: int) -> Response:
    found: Values = {"id": run_id, "status": await service.runs.status(run_id)}
    return JsonReply(found, status, headers=_location(run_id))


def _location(run_id: str) -> dict[str, str]:
    return {"location": f"{PREFIX}/runs/{run_id}"}


def _number(request: Request, name: str, default: float, most: float) -> float:
    """A number of the query. Errors: `ConfigError`."""
    text = request.query_params.get(name)
    if text is None:
        return default
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= most:
        raise ConfigError(f"{text!r} is no number from 0 to {most:g}", path=name)
    return number
