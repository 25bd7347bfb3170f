"""A store of entities that is refreshed again and again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from flows.errors import FlowsError
from flows.services.entities import EntityRefresh, LoadedType


class RefreshSchedule:
    """Refreshes of a file, each so many seconds after the last began, or as soon as that has ended.

    `every_s` is in the place of the file's own `every`; 0 is once. Each turn reads the file and the
    data anew. A turn that fails after the first is told with `tell`; the entities of before stay.
    """

    def __init__(
        self,
        path: Path,
        overrides: Sequence[str],
        trust: Sequence[str],
        every_s: float | None,
        tell: Callable[[str], None],
    ) -> None:
        self._path = path
        self._overrides = overrides
        self._trust = trust
        self._given = every_s
        self._tell = tell

    def turns(self) -> Iterator[list[LoadedType]]:
        """What became of each refresh. Errors: those of the first one."""
        begun = time.monotonic()
        done, every = self._refreshed()
        yield done
        while every:
            begun = max(begun + every, time.monotonic())
            time.sleep(max(0.0, begun - time.monotonic()))
            try:
                done, every = self._refreshed()
            except FlowsError as error:
                self._tell(f"not refreshed: {error}")
            else:
                yield done

    def _refreshed(self) -> tuple[list[LoadedType], float]:
        """One refresh, and the seconds to the next; 0 where there is none."""
        refresh = EntityRefresh(self._path, self._overrides, self._trust)
        try:
            done = refresh.run()
        finally:
            refresh.store.engine.close()
        return done, (refresh.config.every or 0.0) if self._given is None else self._given
