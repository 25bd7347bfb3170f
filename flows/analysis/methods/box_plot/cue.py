"""What asks for box plots and violins, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.box_plot.arguments import BoxPlot
from flows.analysis.methods.measures import of_numbers
from flows.analysis.methods.method import CHART, Cue, MethodRequest, setting, words
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    return of_numbers(request, BoxPlot, {"variant": request.settings.get("style", "box")})


CUE = Cue(
    read=_read,
    words=rf"(?:as |with )?(?:an? )?box[- ]?(?:and[- ]?whiskers?[- ]?)?{CHART}|whisker {CHART}|"
        rf"(?:as |with )?(?:an? )?violin[- ]?{CHART}?s?",
    noun=rf"box[- ]?{CHART}|violin[- ]?{CHART}?",
    includes=words("distribution chart outliers"),
    settings=(setting("style", r"\bviolin(?=s?\b)", "violin", leave="violin"),),
    around=words("distribution compare comparing spread box violin"),
)  # fmt: skip
