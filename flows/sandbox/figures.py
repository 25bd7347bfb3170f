"""The figures that code draws: matplotlib's as PNG, plotly's as JSON, shown without a screen."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flows.sandbox.imports import when_imported

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
class FigureCollector:
    """Collects what is shown while code runs, and what is still open at its end."""

    drawn: list[Drawn] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _saved: set[int] = field(default_factory=set)

    def install(self) -> None:
        """Make `show` collect instead of open a window, and note which figures are saved."""
        when_imported("matplotlib.figure", self._install_saving)
        when_imported("matplotlib.pyplot", self._install_show)
        when_imported("plotly.basedatatypes", self._install_show_plotly)
        when_imported("plotly.io", self._install_show_of_io)

    def _install_saving(self, module: Any) -> None:
        kind = module.Figure
        save: Callable[..., Any] = kind.savefig

        def savefig(shown: Any, target: Any, **options: Any) -> Any:
            saved = save(shown, target, **options)
            if isinstance(target, (str, os.PathLike)):
                self._saved.add(id(shown))
            return saved

        kind.savefig = savefig
        kind.show = lambda *_arguments, **_options: self.take_open()

    def _install_show(self, module: Any) -> None:
        # A function, since matplotlib gives it the signature of its backend's.
        module.show = lambda *_arguments, **_options: self.take_open()

    def _install_show_plotly(self, module: Any) -> None:
        module.BaseFigure.show = lambda shown, *_arguments, **_options: self.take_plotly(shown)

    def _install_show_of_io(self, module: Any) -> None:
        module.show = lambda shown, *_arguments, **_options: self.take_plotly(shown)

    def forget(self) -> None:
        self.drawn, self.notes = [], []

    def take_open(self) -> None:
        """Draw every open figure of matplotlib that the code has not saved itself; close all."""
        pyplot = sys.modules.get("matplotlib.pyplot")
        if pyplot is None:
            return
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
