"""What asks for moving averages, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.methods.moving_average.arguments import MovingAverage
from flows.analysis.methods.time_series import AROUND_TIME, MANY, STEPS, UNIT, over_time, steps_of
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    said = request.settings.get("window", "")
    window, _ = steps_of(said) if said else (3, "")
    if window < 2:
        return Unread("a moving average needs a window of two steps or more")
    return over_time(request, MovingAverage, {"window": window})


CUE = Cue(
    read=_read,
    words=r"(?:moving|rolling|sliding) (?:averages?|means?)|smooth(?:ed|ing)?",
    noun=r"(?:moving|rolling) (?:averages?|means?)",
    includes=words("chart"),
    settings=(
        setting("window", rf"\b(?P<value>{MANY})[- ](?:{UNIT}|{STEPS})"
                r"(?= (?:moving|rolling|sliding|smooth))"),
        setting("window", rf"(?:,? *\b(?:over|with|of|using) )?(?:the last |a )?(?:window (?:of|"
                          rf"size) )?"
                rf"\b(?P<value>{MANY})(?:[- ](?:{UNIT}|{STEPS}))"
                r"(?: window)?\b"),
        setting("window", r"(?:,? *\b(?:over|with|of|using) )?(?:a )?window (?:of|size) "
                          r"(?P<value>\d+)"),
    ),
    around=AROUND_TIME,
    timed=True,
)  # fmt: skip
