"""The routes that look back at a run, and those that take it up again as a fork or a replay."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from flows.errors import ConfigError
from flows.services.hosting.reviews import RunReviews
from flows.services.hosting.run_host import Fork
from flows.services.hosting.service import RunService
from flows.web.api.requests import ForkRequest, ReplayRequest
from flows.web.server.access import Access
from flows.web.server.body import read_body
from flows.web.server.replies import JsonReply


def add_review(router: APIRouter, service: RunService, trust: Sequence[str]) -> None:
    """Add the routes. `trust` is what flows of recorded runs may use."""
    reviews = RunReviews(service.runs, trust)

    @router.get("/runs/{run_id}/steps", summary="The steps of a run")
    async def steps(run_id: str) -> Response:
        return JsonReply(await reviews.steps(run_id))

    @router.get("/runs/{run_id}/steps/{address:path}", summary="All of a step")
    async def step(run_id: str, address: str) -> Response:
        return JsonReply(await reviews.step(run_id, address))

    @router.get("/runs/{run_id}/explain", summary="Where a value of a run comes from")
    async def explain(run_id: str, request: Request) -> Response:
        return JsonReply(await reviews.explain(run_id, request.query_params.get("value")))

    @router.get("/compare", summary="What differs between two runs")
    async def compare(request: Request) -> Response:
        query = request.query_params
        for name in ("a", "b"):
            if not query.get(name):
                raise ConfigError("a run must be named", path=name)
        return JsonReply(await reviews.compare(query["a"], query["b"]))

    @router.post("/runs/{run_id}/replay", summary="Run it again from its journal alone")
    async def replay(run_id: str, request: Request) -> Response:
        sent = await read_body(request, ReplayRequest)
        return JsonReply(await reviews.replay(run_id, sent.settings))

    @router.post("/runs/{run_id}/fork", summary="A new run from one of its steps", status_code=202)
    async def fork(run_id: str, request: Request) -> Response:
        sent = await read_body(request, ForkRequest)
        access: Access = request.state.access
        started = await service.fork(Fork(run_id, sent.at, sent.settings), caller=access.name)
        found = {"id": started.run_id, "status": await service.runs.status(started.run_id)}
        where = {"location": f"/api/runs/{started.run_id}"}
        return JsonReply(found, 202, headers=where)
