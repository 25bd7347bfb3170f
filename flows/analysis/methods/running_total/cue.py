"""What asks for running totals, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.method import Cue, MethodRequest, words
from flows.analysis.methods.running_total.arguments import RunningTotal
from flows.analysis.methods.time_series import AROUND_TIME, over_time
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    return over_time(request, RunningTotal, {"how": "sum"})


CUE = Cue(
    read=_read,
    words=r"cumulative(?: (?:sums?|totals?))?|running (?:totals?|sums?)|cumsum|cumulated|"
    r"accumulated",
    noun=r"cumulative sums?|running totals?",
    includes=words("chart"),
    around=AROUND_TIME,
    timed=True,
)  # fmt: skip
