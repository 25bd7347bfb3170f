"""The page's own part of the API: conversations about data, and the files that are brought."""

from __future__ import annotations

import asyncio
import shutil
from typing import Final

from pydantic import BaseModel, ConfigDict
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from flows.data.files.file_kinds import KINDS
from flows.errors import SourceError, UsageError
from flows.services.hosting.chats import ChatSessions
from flows.services.hosting.uploads import MOST_BYTES, MOST_FILES
from flows.web.server.body import read_body
from flows.web.server.replies import JsonReply

UPLOADS: Final = "/api/uploads"
UPLOAD_BODY: Final = MOST_BYTES + 100_000
_SHOWN: Final = 100


class NewSession(BaseModel):
    """The body that begins a conversation: the ids of uploaded files, and a first question."""

    model_config = ConfigDict(extra="forbid")

    files: tuple[str, ...] = ()
    question: str = ""


class NextTurn(BaseModel):
    """The body that goes on with a conversation: what the person says."""

    model_config = ConfigDict(extra="forbid")

    text: str


def session_routes(chats: ChatSessions) -> list[BaseRoute]:
    """`/api/sessions` lists and begins conversations, `/api/sessions/ID` is one,
    `/api/sessions/ID/turns` takes the next turn of it, `/api/sessions/ID/turns/N` tells one that is
    over, `/api/sessions/ID/stop` stops one, `/api/sessions/ID/resume` goes on with it,
    `/api/uploads` takes a file, `/api/suggestions` are questions that can be asked of the data that
    all conversations are about."""

    async def listed(request: Request) -> Response:
        del request
        found = (await asyncio.to_thread(chats.all))[:_SHOWN]
        kinds = list(dict.fromkeys(KINDS.values()))
        limits = {"bytes": MOST_BYTES, "files": MOST_FILES, "kinds": kinds}
        sessions = [chats.as_json(each) for each in found]
        return JsonReply({"sessions": sessions, "data": chats.given, "limits": limits})

    async def suggested(request: Request) -> Response:
        del request
        return JsonReply({"questions": await asyncio.to_thread(chats.suggest)})

    async def started(request: Request) -> Response:
        body = await read_body(request, NewSession)
        caller = request.state.access.name
        key = request.headers.get("idempotency-key")
        record = await chats.start(body.question, body.files, caller=caller, key=key)
        return JsonReply(chats.as_json(record), 202)

    async def opened(request: Request) -> Response:
        found = await asyncio.to_thread(chats.find, request.path_params["session"])
        return JsonReply(chats.as_json(found))

    async def said(request: Request) -> Response:
        body = await read_body(request, NextTurn)
        await chats.say(request.path_params["session"], body.text)
        return JsonReply({}, 202)

    async def resumed(request: Request) -> Response:
        await chats.resume(request.path_params["session"])
        return JsonReply({}, 202)

    async def stopped(request: Request) -> Response:
        await chats.stop(request.path_params["session"])
        return JsonReply({}, 202)

    async def turn(request: Request) -> Response:
        session, number = request.path_params["session"], request.path_params["number"]
        found = await asyncio.to_thread(chats.turn, session, number)
        return JsonReply(found.model_dump(mode="json", exclude={"request"}))

    async def uploaded(request: Request) -> Response:
        async with request.form(max_files=1, max_fields=1) as form:
            file = form.get("file")
            if not isinstance(file, UploadFile):
                raise UsageError("the form has no file under the name 'file'")
            path = chats.uploads.place(file.filename or "")
            try:
                with path.open("xb") as target:
                    await asyncio.to_thread(shutil.copyfileobj, file.file, target)
            except BaseException:
                chats.uploads.drop(path)
                raise
        try:
            found = await asyncio.to_thread(chats.uploads.check, path)
        except SourceError as error:
            raise UsageError(str(error)) from error
        return JsonReply(found.as_json(), 201)

    return [
        Route("/api/sessions", listed, methods=["GET"], name="sessions"),
        Route("/api/sessions", started, methods=["POST"], name="new session"),
        Route("/api/sessions/{session}", opened, methods=["GET"], name="session"),
        Route("/api/sessions/{session}/turns", said, methods=["POST"], name="say"),
        Route("/api/sessions/{session}/resume", resumed, methods=["POST"], name="resume"),
        Route("/api/sessions/{session}/stop", stopped, methods=["POST"], name="stop"),
        Route("/api/sessions/{session}/turns/{number:int}", turn, methods=["GET"], name="turn"),
        Route("/api/suggestions", suggested, methods=["GET"], name="suggestions"),
        Route(UPLOADS, uploaded, methods=["POST"], name="upload"),
    ]
