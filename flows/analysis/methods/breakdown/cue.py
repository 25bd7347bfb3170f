"""How a text that asks to break a target down is read."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments, plots
from flows.analysis.methods.breakdown.arguments import Breakdown, breaks_down
from flows.analysis.methods.method import Cue, MethodRequest
from flows.analysis.methods.supervised import EXPLAINING
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    if not request.target:
        return Unread("it does not say what is to be broken down")
    target = request.of(request.target)
    named = [c.name for c in request.columns if c.name != target.name]
    able = [c.name for c in request.table.columns if c.name != target.name and breaks_down(c)]
    how = "average" if plots(target) else "share"
    given = {"target": target.name, "fields": tuple(named or able), "how": how}
    return request.make(Breakdown, given)


CUE = Cue(read=_read, around=EXPLAINING, explains=True)
