"""One change of a run at a time: what is asked of it meanwhile waits, and is then told how the run
stands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar
from weakref import WeakValueDictionary

P = ParamSpec("P")
T = TypeVar("T")


class RunLocks:
    """A lock for each run that is changed now, for one event loop."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, run_id: str) -> asyncio.Lock:
        """The lock of a run; whoever changes the run holds it."""
        return self._locks.setdefault(run_id, asyncio.Lock())


class ChangesRuns(Protocol):
    """What changes runs, each under its lock."""

    @property
    def locks(self) -> RunLocks: ...


S = TypeVar("S", bound=ChangesRuns)


def one_at_a_time(
    change: Callable[Concatenate[S, str, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[S, str, P], Coroutine[Any, Any, T]]:
    """A method that changes the run of an id, and waits until no other changes it."""

    @wraps(change)
    async def changed(service: S, run_id: str, /, *more: P.args, **named: P.kwargs) -> T:
        async with service.locks.of(run_id):
            return await change(service, run_id, *more, **named)

    return changed
