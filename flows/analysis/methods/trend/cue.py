"""What asks for straight lines over time, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.methods.time_series import AROUND_TIME, over_time
from flows.analysis.methods.trend.arguments import Trend
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    return over_time(request, Trend, {})


CUE = Cue(
    read=_read,
    words=r"(?:(?:is|was) there )(?:an? |any )?(?:(?:significant|upward|downward|clear|linear|"
        r"rising|"
        r"falling) )*trends?|(?:linear|significant|upward|downward) trends?|slope(?= of| over)|"
        r"trending(?: (?:up|down)(?:wards?)?)?",
    noun=r"slope",
    includes=words("chart growth scatter_plot"),
    settings=(
        setting(
            "per",
            r"[-\u2013\u2014,:;]*\s*\bhow (?:much|fast) (?:does|did|do|has) (?:it|they) (?:rise|"
            r"fall|grow|"
            r"change|increase|decrease)\w*(?: (?:per|each|every|a) \w+)?",
        ),
    ),
    around=AROUND_TIME,
    timed=True,
)  # fmt: skip
