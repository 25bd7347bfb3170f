"""What asks for histograms and frequencies, and how the text is read."""

from __future__ import annotations

import re

from flows.analysis.methods.arguments import Arguments, plots
from flows.analysis.methods.columns import group_left
from flows.analysis.methods.distribution.arguments import Distribution
from flows.analysis.methods.measures import of_numbers
from flows.analysis.methods.method import CHART, Cue, MethodRequest, setting, words
from flows.analysis.reading.reader import Unread
from flows.data.tables import Column


def _read(request: MethodRequest) -> Arguments | Unread:
    columns, group = group_left(request, 1)
    if len(columns) == 1 and not _is_spread(columns[0], request):
        given = {"fields": (columns[0].name,), "group": group, "variant": "frequencies"}
        return request.make(Distribution, given)
    return of_numbers(request, Distribution, {"bins": int(request.settings.get("number", 0))})


def _is_spread(column: Column, request: MethodRequest) -> bool:
    """Whether values are numbers, and not only asked how often each stands there."""
    often = re.search(r"how often|frequency (?:table|distribution)", request.text, re.IGNORECASE)
    return plots(column) and not (often and column.distinct <= 20)


CUE = Cue(
    read=_read,
    words=rf"histograms?|(?:frequency |value )?distributions?(?: {CHART})?|distributed|"
        rf"density {CHART}|frequency (?:{CHART}|table)",
    noun=r"histograms?",
    includes=words("chart"),
    settings=(
        setting("number", r"(?:,? *(?:with|in|into|using|of|and) )?(?P<value>\d{1,3}) (?:bins?|"
                          r"bars|"
                r"buckets|classes)\b"),
        setting("often", r"\bhow often (?:did|does|do|has|have|is|was)(?: each| every)? \w+ \w+\?"),
    ),
    around=words("histogram distribution distributed spread looks like frequency often how win"),
)  # fmt: skip
