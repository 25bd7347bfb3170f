"""Figures that untrusted code drew, as files that can be opened without running anything of it."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from flows.errors import CodeFailed

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_HEAD: Final = b"\x00\x00\x00\rIHDR"
_END: Final = b"IEND\xaeB\x60\x82"
_KEYS: Final = ("data", "layout", "frames")
_DRAW: Final = (
    "const figure = JSON.parse(document.getElementById('figure').textContent);"
    "Plotly.newPlot('plot', figure.data, figure.layout, {responsive: true, displaylogo: false})"
    ".then(() => figure.frames && Plotly.addFrames('plot', figure.frames));"
)
_PAGE: Final = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>html, body {{ margin: 0; height: 100%; }} #plot {{ height: 100%; min-height: 24em; }}</style>
</head>
<body>
<div id="plot"></div>
<script type="application/json" id="figure">{figure}</script>
<script>{library}</script>
<script>{draw}</script>
</body>
</html>
"""


# A figure as plotly writes it, with `data` and `layout`; its schema has thousands of keys.
Plotly = dict[str, Any]


def checked_png(content: bytes, name: str) -> bytes:
    """The content as it is. Errors: `CodeFailed` when it does not begin and end as a PNG does."""
    whole = content.startswith(_SIGNATURE + _HEAD) and content.endswith(_END)
    if not whole:
        raise CodeFailed(f"the figure {name!r} is no whole PNG")
    return content


def checked_plotly(text: str, name: str) -> Plotly:
    """A figure of plotly: its data, layout and frames. Errors: `CodeFailed` for anything else."""
    try:
        found = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise CodeFailed(f"the figure {name!r} is no JSON: {error}") from error
    if not isinstance(found, dict) or not isinstance(found.get("data"), list):
        raise CodeFailed(f"the figure {name!r} has no list `data`, so it is no plotly figure")
    if not all(isinstance(trace, dict) for trace in found["data"]):
        raise CodeFailed(f"the figure {name!r} has a trace that is no object")
    if not isinstance(found.get("layout", {}), dict) or not isinstance(
        found.get("frames", []), list
    ):
        raise CodeFailed(f"the figure {name!r} has a layout or frames of another shape")
    return {key: found[key] for key in _KEYS if key in found}


def figure_json(figure: Plotly) -> bytes:
    """The figure as JSON that can stand in a page: no character of it ends a script."""
    text = json.dumps(figure, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.encode()


def figure_page(figure: Plotly, title: str) -> bytes:
    """A page that draws the figure with the plotly.js inside it, and may load nothing else.

    Only the two scripts whose hashes the page's policy names are run: no text of the figure is.
    """
    library = plotly_js()
    allowed = " ".join(f"'sha256-{_hash(each)}'" for each in (library, _DRAW))
    policy = (
        f"default-src 'none'; script-src {allowed} 'unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; worker-src blob:"
    )
    page = _PAGE.format(
        policy=policy,
        title=html.escape(title or "Figure"),
        figure=figure_json(figure).decode(),
        library=library,
        draw=_DRAW,
    )
    return page.encode()


@cache
def plotly_js() -> str:
    """The text of plotly.js, as it may stand in a page."""
    text = (files("plotly") / "package_data" / "plotly.min.js").read_text("utf-8")
    # The hash is over the text that the browser reads, in which every line end is a line feed.
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("</script", "<\\/script")


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
