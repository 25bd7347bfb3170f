"""What a run made, as the page shows it and hands it out: figures that are safe to draw, files."""

from __future__ import annotations

import asyncio
import mimetypes
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from flows.core.artifacts import Artifact, Artifacts
from flows.core.values import Values
from flows.errors import NotFound, ToolError
from flows.report.charts import chart_of
from flows.services.artifact_files import ArtifactFile, read_artifact
from flows.services.hosting.artifacts import find_artifact
from flows.services.hosting.service import RunService
from flows.web.server.replies import JsonReply

MOST_BYTES: Final = 200_000_000


def content_routes(service: RunService) -> list[BaseRoute]:
    """`/page/figures/RUN/NAME` gives a figure as JSON: its title, and plotly's figure, or a PNG in
    base64, or the problem with it. `/page/files/RUN/NAME` gives an artifact in the form that people
    open: a table as CSV, a figure as a picture."""

    async def figure(request: Request) -> Response:
        return JsonReply(await asyncio.to_thread(partial(_figure, service, **request.path_params)))

    async def file(request: Request) -> Response:
        found = await asyncio.to_thread(partial(_file, service, **request.path_params))
        kind = mimetypes.guess_type(found.file_name)[0] or "application/octet-stream"
        headers = {"content-disposition": f'attachment; filename="{found.file_name}"'}
        return Response(found.content, media_type=kind, headers=headers)

    return [
        Route("/page/figures/{run}/{name}", figure, name="figure"),
        Route("/page/files/{run}/{name}", file, name="file"),
    ]


def _figure(service: RunService, run: str, name: str) -> Values:
    folder, artifact = _artifact(service, run, name)
    if artifact.what != "figure":
        raise NotFound(f"the artifact {name} is no figure")
    chart = chart_of(folder, artifact, artifact.name)
    return {
        "title": chart.title, "figure": chart.figure, "png": chart.png, "problem": chart.problem,
    }  # fmt: skip


def _file(service: RunService, run: str, name: str) -> ArtifactFile:
    folder, artifact = _artifact(service, run, name)
    try:
        return read_artifact(artifact, folder.folder, MOST_BYTES)
    except (OSError, ToolError) as error:
        raise NotFound(f"the file of the artifact {name} cannot be had: {error}") from error


def _artifact(service: RunService, run: str, name: str) -> tuple[Artifacts, Artifact]:
    """An artifact of a run and where it is kept. Errors: `NotFound`."""
    record = service.runs.state(run).record
    if record is None:
        raise NotFound(f"the run {run} has made nothing yet")
    return Artifacts(record.place.folder), find_artifact(record, name)
