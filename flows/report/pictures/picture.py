"""The PNG of a figure of plotly, and what drew it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from flows.data.results.figures import Plotly
from flows.report.figures import safe_figure, title_of
from flows.report.pictures.browser import NoBrowser, draw_in_browser
from flows.report.pictures.plot import draw_plot


@dataclass(frozen=True, slots=True)
class Picture:
    """A PNG; `instead` says why matplotlib drew it and no browser, "" where one did."""

    png: bytes
    instead: str = ""


async def picture_of(figure: Plotly) -> Picture:
    """Draw a figure that untrusted code made, without what it would load, link or run.

    Errors: `ValueError` for one that no browser draws here and that matplotlib has no form for.
    """
    safe = safe_figure(figure)
    if safe is None:
        raise ValueError("its kind needs the network or a graphics card")
    title = title_of(figure)
    try:
        return Picture(await draw_in_browser(safe, title))
    except NoBrowser as error:
        png = await asyncio.to_thread(draw_plot, safe, title)
        return Picture(png, instead=str(error))
