"""Figures drawn by kaleido in a Chromium that can reach nothing."""

from __future__ import annotations

import asyncio
import html
import logging
import os
from importlib.util import find_spec
from typing import Final

from flows.data.results.figures import Plotly, checked_png
from flows.errors import CodeFailed

SECONDS: Final = 30
_FORM: Final = {"format": "png", "width": 800, "height": 480, "scale": 1.5}
# kaleido's page loads its own two scripts from this disk; nothing of the figure may load anything.
_POLICY: Final = (
    "default-src 'none'; script-src file: 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; worker-src blob:"
)
# Chromium asks this for every address, and nobody answers there.
_NO_NETWORK: Final = "http://127.0.0.1:1"


class NoBrowser(Exception):
    """Why no browser drew a figure."""


class _Page:
    """The page that kaleido draws on, with a policy that lets it load nothing."""

    def generate_index(self) -> str:
        from kaleido import PageGenerator

        page: str = PageGenerator(mathjax=False).generate_index()
        policy = f'<meta http-equiv="Content-Security-Policy" content="{html.escape(_POLICY)}">'
        return page.replace("<head>", f"<head>{policy}", 1)


async def draw_in_browser(figure: Plotly, title: str) -> bytes:
    """The figure as a PNG, 1200 pixels wide and 720 high.

    Errors: `NoBrowser` where that cannot be.
    """
    if find_spec("kaleido") is None:
        raise NoBrowser("kaleido is not installed (pip install 'analyst-flows[png]')")
    import kaleido
    from choreographer.errors import BrowserClosedError, BrowserFailedError, ChromeNotFoundError

    # What a browser writes about itself is of no use to who asked a question.
    logging.getLogger("kaleido").setLevel(logging.CRITICAL)
    logging.getLogger("choreographer").setLevel(logging.CRITICAL)
    whole = {
        **figure,
        "layout": {**figure.get("layout", {}), "title": {"text": html.escape(title)}},
    }
    try:
        browser = kaleido.Kaleido(
            timeout=SECONDS,
            page_generator=_Page(),
            proxy_server=_NO_NETWORK,
            # Chromium's own sandbox cannot be had by root.
            enable_sandbox=os.geteuid() != 0,
        )
    except ChromeNotFoundError as error:
        raise NoBrowser("no Chromium is installed") from error
    try:
        async with asyncio.timeout(SECONDS), browser:
            return checked_png(await browser.calc_fig(whole, opts=dict(_FORM)), "picture")
    except TimeoutError as error:
        raise NoBrowser(f"Chromium took longer than {SECONDS} s") from error
    except (BrowserClosedError, BrowserFailedError, CodeFailed) as error:
        raise NoBrowser(f"Chromium failed: {error}") from error
