"""The routes of the OpenAI-compatible API."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from flows.core.values import Values
from flows.services.hosting.hosted_flow import HostedFlow
from flows.services.hosting.service import RunService
from flows.web.openai.chat import complete_chat
from flows.web.openai.errors import OpenAIErrors
from flows.web.openai.responses import create_response
from flows.web.openai.stored_responses import cancel_response, read_response, refuse_deletion
from flows.web.server.application import Door
from flows.web.server.replies import JsonReply


def openai_door(service: RunService) -> Door:
    """The flows of a service as models."""
    router = APIRouter(prefix="/v1")

    @router.get("/models", summary="The flows, as models")
    async def models() -> Response:
        return JsonReply({"object": "list", "data": [_model(e) for e in service.flows.values()]})

    @router.get("/models/{name}", summary="A flow, as a model")
    async def model(name: str) -> Response:
        return JsonReply(_model(service.flow(name)))

    @router.post("/chat/completions", summary="Go on with a conversation (OpenAI's chat)")
    async def chat(request: Request) -> Response:
        return await complete_chat(service, request)

    @router.post("/responses", summary="Go on with a conversation (OpenAI's responses)")
    async def responses(request: Request) -> Response:
        return await create_response(service, request)

    @router.get("/responses/{response_id}", summary="A response, as it stands")
    async def response(response_id: str) -> Response:
        return await read_response(service, response_id)

    @router.post("/responses/{response_id}/cancel", summary="End a response that is under way")
    async def cancel(response_id: str) -> Response:
        return await cancel_response(service, response_id)

    @router.delete("/responses/{response_id}", include_in_schema=False)
    async def delete(response_id: str) -> Response:
        del response_id
        return refuse_deletion()

    return Door(router.routes, wrap=OpenAIErrors)


def _model(flow: HostedFlow) -> Values:
    """A flow as a model: the name of its file is the id; `created` is when the file was changed."""
    file = flow.file.path
    created = int(file.stat().st_mtime) if file.is_file() else 0
    about = {"name": flow.plan.flow.name, "description": flow.plan.flow.config.description}
    return {"id": flow.name, "object": "model", "created": created, "owned_by": "flows", **about}
