"""The files that the page is made of, as they are shipped, and the policy that they run under."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from flows.data.results.figures import plotly_js
from flows.report.policy import drawing_styles, styles_of

INDEX: Final = "index.html"
CLOSED: Final = "closed.html"
FOLDER: Final = "assets"
# What the page for strangers is made of: files that tell nothing.
PUBLIC: Final = frozenset({"/assets/base.css", "/assets/icon.svg", "/assets/theme.js"})
_TYPES: Final[Mapping[str, str]] = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "csv": "text/csv; charset=utf-8",
}


def asset_routes() -> list[BaseRoute]:
    """The page at `/`, its files under `/assets/`, and plotly.js, which draws charts."""
    return [
        Route("/", _index, name="page"),
        Route("/assets/{name}", _asset, name="asset"),
        Route("/page/plotly.js", _plotly, name="plotly"),
    ]


def policy() -> str:
    """The Content-Security-Policy of the page: its own scripts and styles, no request elsewhere.
    Of styles in elements only those are allowed that plotly.js sets while it draws."""
    elements, attributes = drawing_styles()
    return (
        "default-src 'none'; script-src 'self'; connect-src 'self'; font-src 'self'; "
        f"style-src 'self'; style-src-elem 'self' {elements}; style-src-attr {attributes}; "
        "img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def closed_page() -> bytes:
    """What a browser is shown that is not let in: how it can be."""
    content = content_of(CLOSED)
    assert content is not None
    return content


@cache
def content_of(name: str) -> bytes | None:
    """A file of the page; None for a name that none has."""
    folder = files("flows.web.page") / FOLDER
    known = {each.name for each in folder.iterdir() if each.is_file()}
    return (folder / name).read_bytes() if name in known else None


async def _index(request: Request) -> Response:
    reply = _file(request, INDEX)
    reply.headers["content-security-policy"] = policy()
    return reply


async def _asset(request: Request) -> Response:
    return _file(request, request.path_params["name"])


async def _plotly(request: Request) -> Response:
    return _reply(request, _drawing_script(), _TYPES["js"])


def _file(request: Request, name: str) -> Response:
    content = content_of(name)
    if content is None:
        return Response("There is no such file.\n", 404, media_type="text/plain")
    return _reply(request, content, _TYPES[name.rpartition(".")[2]])


def _reply(request: Request, content: bytes, kind: str) -> Response:
    """The content; the browser keeps it, and asks each time whether it changed."""
    tag = f'"{hashlib.sha256(content).hexdigest()[:24]}"'
    headers = {"etag": tag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


@cache
def _drawing_script() -> bytes:
    """plotly.js. The style sheets of its maps, which are never drawn here, are there already as
    empty ones, so that it adds none."""
    library = plotly_js()
    made = "".join(
        f"document.head.append(Object.assign(document.createElement('style'),{{id:'{name}'}}));"
        for name in styles_of(library)
    )
    return f"{made}\n{library}".encode()
