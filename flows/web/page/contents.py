"""What a run made, as the page shows it and hands it out: figures that are safe to draw, files."""

from __future__ import annotations

import asyncio
import mimetypes
import shutil
import tempfile
from functools import partial
from pathlib import Path
from typing import Final

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import BaseRoute, Route

from flows.core.artifacts import Artifact, Artifacts
from flows.core.values import Values
from flows.errors import NotFound, ToolError
from flows.records.record import RunRecord
from flows.report.charts import chart_of
from flows.services.artifact_files import ArtifactFile, read_artifact
from flows.services.conversation_report import conversation_page
from flows.services.export import export
from flows.services.hosting.artifacts import find_artifact
from flows.services.hosting.service import RunService
from flows.web.server.replies import JsonReply

MOST_BYTES: Final = 200_000_000


def content_routes(service: RunService) -> list[BaseRoute]:
    """`/page/figures/RUN/NAME` gives a figure as JSON: its title, and plotly's figure, or a PNG in
    base64, or the problem with it. `/page/files/RUN/NAME` gives an artifact in the form that people
    open: a table as CSV, a figure as a picture. `/page/reports/RUN` gives the answers of a
    conversation as one HTML page, `/page/exports/RUN` all of a run as a zip file, with a page to
    read it by."""

    async def figure(request: Request) -> Response:
        return JsonReply(await asyncio.to_thread(partial(_figure, service, **request.path_params)))

    async def file(request: Request) -> Response:
        found = await asyncio.to_thread(partial(_file, service, **request.path_params))
        kind = mimetypes.guess_type(found.file_name)[0] or "application/octet-stream"
        headers = {"content-disposition": f'attachment; filename="{found.file_name}"'}
        return Response(found.content, media_type=kind, headers=headers)

    async def report(request: Request) -> Response:
        run = request.path_params["run"]
        content = await asyncio.to_thread(lambda: conversation_page(_record(service, run)))
        headers = {
            "content-disposition": f'attachment; filename="report-{run}.html"',
            "content-security-policy": "sandbox; default-src 'none'",
        }
        return Response(content, media_type="text/html", headers=headers)

    async def exported(request: Request) -> Response:
        run = request.path_params["run"]
        archive = await asyncio.to_thread(_archive, service, run)
        removed = BackgroundTask(shutil.rmtree, archive.parent, ignore_errors=True)
        return FileResponse(archive, filename=f"{run}.zip", background=removed)

    return [
        Route("/page/exports/{run}", exported, name="export"),
        Route("/page/reports/{run}", report, name="report"),
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


def _archive(service: RunService, run: str) -> Path:
    """The exported folder of a run as a zip file, in a folder of its own. Errors: `NotFound`."""
    record = _record(service, run)
    folder = Path(tempfile.mkdtemp(prefix="flows-export-"))
    try:
        export(record, folder / run)
        return Path(shutil.make_archive(str(folder / "export"), "zip", folder, run))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _record(service: RunService, run: str) -> RunRecord:
    """What a run recorded. Errors: `NotFound`."""
    record = service.runs.state(run).record
    if record is None:
        raise NotFound(f"the run {run} has made nothing yet")
    return record


def _artifact(service: RunService, run: str, name: str) -> tuple[Artifacts, Artifact]:
    """An artifact of a run and where it is kept. Errors: `NotFound`."""
    record = _record(service, run)
    return Artifacts(record.place.folder), find_artifact(record, name)
