"""The figures that code draws: matplotlib's as PNG, plotly's as JSON, shown without a screen."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

MOST = 40
_DPI = 110


@dataclass
class Drawn:
    """A figure with its content; `object` is what it was in the code."""

    title: str
    object: Any
    png: bytes | None = None
    plotly: str | None = None


@dataclass
class Figures:
    """Collects what is shown while code runs, and what is still open at its end."""

    drawn: list[Drawn] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _saved: set[int] = field(default_factory=set)

    def install(self) -> None:
        """Make `show` collect instead of open a window, and note which figures are saved."""
        from matplotlib import figure, pyplot
        from plotly import basedatatypes
        from plotly import io as plotly_io

        kind: Any = figure.Figure
        save: Callable[..., Any] = kind.savefig

        def savefig(shown: Any, target: Any, **options: Any) -> Any:
            saved = save(shown, target, **options)
            if isinstance(target, (str, os.PathLike)):
                self._saved.add(id(shown))
            return saved

        def show(*_arguments: Any, **_options: Any) -> None:
            self.take_open()

        def show_plotly(shown: Any, *_arguments: Any, **_options: Any) -> None:
            self.take_plotly(shown)

        kind.savefig = savefig
        kind.show = show
        pyplot.show = show
        basedatatypes.BaseFigure.show = show_plotly
        plotly_io.show = show_plotly

    def forget(self) -> None:
        self.drawn, self.notes = [], []

    def take_open(self) -> None:
        """Draw every open figure of matplotlib that the code has not saved itself; close all."""
        from matplotlib import pyplot

        for number in pyplot.get_fignums():
            figure = pyplot.figure(number)
            if id(figure) in self._saved or not (figure.axes or figure.texts):
                continue
            if self._has_room():
                target = io.BytesIO()
                figure.savefig(target, format="png", dpi=_DPI, bbox_inches="tight")
                self.drawn.append(Drawn(_title(figure), figure, png=target.getvalue()))
        pyplot.close("all")
        self._saved.clear()

    def take_plotly(self, figure: Any) -> None:
        """Keep a figure of plotly, as a mapping or as its own kind; once, however often shown."""
        from plotly import graph_objects

        if isinstance(figure, Mapping):
            figure = graph_objects.Figure(figure)
        if any(each.object is figure for each in self.drawn) or not self._has_room():
            return
        title = str(figure.layout.title.text or "")
        self.drawn.append(Drawn(title, figure, plotly=figure.to_json()))

    def _has_room(self) -> bool:
        if len(self.drawn) < MOST:
            return True
        note = f"only the first {MOST} figures came back"
        if note not in self.notes:
            self.notes.append(note)
        return False


def is_plotly(value: object) -> bool:
    module = sys.modules.get("plotly.basedatatypes")
    return module is not None and isinstance(value, module.BaseFigure)


def is_drawing(value: object) -> bool:
    """Whether the value is a figure, or a part of one."""
    module = sys.modules.get("matplotlib.artist")
    return is_plotly(value) or (module is not None and isinstance(value, module.Artist))


def _title(figure: Any) -> str:
    titles = [figure.get_suptitle(), *(axes.get_title() for axes in figure.axes)]
    return next((str(each)[:300] for each in titles if each), "")
