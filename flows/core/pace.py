"""How fast models are asked: the calls of a run, wherever they are made, one after the other."""

from __future__ import annotations

import asyncio
from time import perf_counter
from typing import Final, Protocol

MINUTE: Final = 60.0


class ModelTurns(Protocol):
    """Gives each call of a model its turn."""

    async def wait(self, model: str) -> None:
        """Return when the model may be asked next."""
        ...


class Pace:
    """Lets each model be asked `per_minute` times a minute, at even distances, so that no minute
    has more. A call that is given up leaves its turn unused."""

    def __init__(self, per_minute: int) -> None:
        self.seconds = MINUTE / per_minute
        self._next: dict[str, float] = {}

    async def wait(self, model: str) -> None:
        """Return when the model may be asked next."""
        now = perf_counter()
        turn = max(now, self._next.get(model, now))
        self._next[model] = turn + self.seconds
        if turn > now:
            await asyncio.sleep(turn - now)
