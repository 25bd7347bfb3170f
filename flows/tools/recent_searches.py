"""The last observations of a search, so that the same question is not asked twice."""

from __future__ import annotations

import time
from collections import OrderedDict

from flows.core.observation import Observation


class RecentObservations:
    """A bounded memory of observations by question. Not shared between threads."""

    def __init__(self, size: int, keep_s: float) -> None:
        self._size = size
        self._keep_s = keep_s
        self._kept: OrderedDict[str, tuple[float, Observation]] = OrderedDict()

    def get(self, question: str) -> Observation | None:
        until, observation = self._kept.get(question, (0.0, None))
        if observation is None or time.monotonic() > until:
            self._kept.pop(question, None)
            return None
        self._kept.move_to_end(question)
        return observation

    def keep(self, question: str, observation: Observation) -> None:
        if self._size == 0:
            return
        self._kept[question] = (time.monotonic() + self._keep_s, observation)
        self._kept.move_to_end(question)
        while len(self._kept) > self._size:
            self._kept.popitem(last=False)
