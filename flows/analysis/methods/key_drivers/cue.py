"""How a text about what drives a column is read; the modeller asks for it, and no word does."""

from __future__ import annotations

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.key_drivers.arguments import KeyDrivers
from flows.analysis.methods.method import Cue, MethodRequest
from flows.analysis.methods.supervised import EXPLAINING, explaining, with_classes
from flows.analysis.reading.reader import Unread


def _read(request: MethodRequest) -> Arguments | Unread:
    found = with_classes(request, explaining(request))
    return found if isinstance(found, Unread) else request.make(KeyDrivers, dict(found))


CUE = Cue(read=_read, around=EXPLAINING, explains=True)
