"""What asks for rank and share within groups, and how the text is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments, plots
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.methods.ranking.arguments import Ranking
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    """A column of numbers, what is ranked (a column of text), and the groups it is ranked in."""
    numbers = [c for c in request.columns if plots(c)]
    texts = [c for c in request.columns if not plots(c)]
    label = texts or [c for c in request.draft.label() if c.name != request.group]
    if len(numbers) != 1 or not request.group or len(label) != 1:
        return Unread("a rank within groups needs one column of numbers, what is ranked, and the "
                      "groups")  # fmt: skip
    fields = (label[0].name, numbers[0].name)
    return request.make(Ranking, {"fields": fields, "group": request.group})


CUE = Cue(
    read=_read,
    words=r"(?:rank|ranks|ranked|ranking|shares?|percentages?)(?= .*\bwithin (?:the|their|its|"
    r"each|every)\b)",
    settings=(setting("method", r"\bshares?\b", "share", leave="share"),),
    around=words("rank ranks ranked ranking share shares percentage total"),
)  # fmt: skip
