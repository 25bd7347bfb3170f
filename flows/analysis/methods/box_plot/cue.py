"""What asks for box plots and violins, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.measures import of_numbers
from flows.analysis.methods.method import CHART, Cue, Request, setting, words
from flows.analysis.methods.specification import Study
from flows.analysis.reading.read import Unread


def _read_box(request: Request) -> Study | Unread:
    return of_numbers(request, "box", request.settings.get("style", ""))


CUE = Cue(
    read=_read_box,
    words=rf"(?:as |with )?(?:an? )?box[- ]?(?:and[- ]?whiskers?[- ]?)?{CHART}|whisker {CHART}|"
        rf"(?:as |with )?(?:an? )?violin[- ]?{CHART}?s?",
    noun=rf"box[- ]?{CHART}|violin[- ]?{CHART}?",
    includes=words("histogram chart outliers"),
    settings=(setting("style", r"\bviolin(?=s?\b)", "violin", leave="violin"),),
    around=words("distribution compare comparing spread box violin"),
)  # fmt: skip
