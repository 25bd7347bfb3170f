"""The last readings: the analyst and the narrator of one question read it once."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from typing import Final

from flows.analysis.reading.read import Reading, Unread, read
from flows.analysis.study.plan import Study
from flows.analysis.study.read import read_study
from flows.data.tables import Table

_KEPT: Final = 8
# How sure a reading has to be is decided by its confidence: here only what says nothing is out.
_MOST_DOUBT: Final = 2.5
_Read = Reading | Unread | Study | None


class Readings:
    """Reads questions and studies over tables. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: deque[tuple[str, str, tuple[Table, ...], _Read]] = deque(maxlen=_KEPT)

    def question(self, text: str, tables: Sequence[Table]) -> Reading | Unread:
        found = self._find("question", text, tables)
        if not isinstance(found, Reading | Unread):
            found = read(text, tables, most_doubt=_MOST_DOUBT)
            self._keep("question", text, tables, found)
        return found

    def study(self, text: str, tables: Sequence[Table]) -> Study | Unread | None:
        """As `read_study`; what is no study is found out again, which costs next to nothing."""
        found = self._find("study", text, tables)
        if not isinstance(found, Study | Unread):
            found = read_study(text, tables)
            self._keep("study", text, tables, found)
        return found

    def _find(self, kind: str, text: str, tables: Sequence[Table]) -> _Read:
        wanted = tuple(tables)
        with self._lock:
            known = list(self._known)
        # Copies of a profile share their columns, so that comparing them looks at few things.
        return next(
            (found for k, t, over, found in known if (k, t) == (kind, text) and over == wanted),
            None,
        )

    def _keep(self, kind: str, text: str, tables: Sequence[Table], found: _Read) -> None:
        with self._lock:
            self._known.append((kind, text, tuple(tables), found))
