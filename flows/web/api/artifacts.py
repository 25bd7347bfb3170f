"""The routes of a run's artifacts."""

from __future__ import annotations

import asyncio
import mimetypes
import re
from collections.abc import AsyncIterator
from io import BufferedReader
from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from flows.errors import ConfigError, NotFound
from flows.records.record import RunRecord
from flows.services.hosting.artifacts import MOST_ROWS, open_artifact, table_rows
from flows.services.hosting.service import RunService
from flows.services.hosting.view import artifact_json
from flows.web.server.replies import JsonReply

PIECE: Final = 256 * 1024
_ROWS: Final = re.compile(r"(\d{1,12})-(\d{1,12})")
_NAME: Final = re.compile(r"[^A-Za-z0-9._-]")


def add_artifacts(router: APIRouter, service: RunService) -> None:
    """Add the list of a run's artifacts, and each of them."""

    @router.get("/runs/{run_id}/artifacts", summary="What a run made")
    async def artifacts(run_id: str) -> Response:
        found = await asyncio.to_thread(service.runs.state, run_id)
        made = found.record.artifacts if found.record is not None else ()
        return JsonReply({"artifacts": [artifact_json(each) for each in made]})

    @router.get("/runs/{run_id}/artifacts/{name}", summary="A file, or rows of a table")
    async def artifact(run_id: str, name: str, request: Request) -> Response:
        record = (await asyncio.to_thread(service.runs.state, run_id)).record
        if record is None:
            raise NotFound(f"the run {run_id} has made nothing yet")
        if (rows := request.query_params.get("rows")) is not None:
            first, last = _read_rows(rows)
            return JsonReply(await asyncio.to_thread(table_rows, record, name, first, last))
        return await _file(record, name, request.query_params.get("form"))


async def _file(record: RunRecord, name: str, form: str | None) -> Response:
    opened = await asyncio.to_thread(open_artifact, record, name, form)
    kind = mimetypes.guess_type(opened.name)[0] or "application/octet-stream"
    shown = _NAME.sub("_", opened.name)
    headers = {
        "content-disposition": f'attachment; filename="{shown}"',
        "content-security-policy": "sandbox; default-src 'none'",
        "etag": f'"{opened.saved.sha256}"',
    }
    return StreamingResponse(_pieces(opened.file), media_type=kind, headers=headers)


async def _pieces(file: BufferedReader) -> AsyncIterator[bytes]:
    try:
        while piece := await asyncio.to_thread(file.read, PIECE):
            yield piece
    finally:
        file.close()


def _read_rows(text: str) -> tuple[int, int]:
    """The first and the last row that are meant. Errors: `ConfigError`."""
    found = _ROWS.fullmatch(text)
    first, last = (int(found[1]), int(found[2])) if found else (1, 0)
    if not first <= last < first + MOST_ROWS:
        raise ConfigError(
            f"{text!r} is no range of rows such as 0-99, of at most {MOST_ROWS}", path="rows"
        )
    return first, last
