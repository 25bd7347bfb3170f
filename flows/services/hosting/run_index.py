"""What runs there are, where they are kept, and how they stand."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from itertools import dropwhile, islice
from pathlib import Path
from typing import Final, NamedTuple

from flows.core.journal import has_begun
from flows.core.rows import Row
from flows.core.store import FILE
from flows.errors import JournalError, NotFound
from flows.records.lookup import RunPlace, find_run, newest, places
from flows.records.record import RunRecord, read_record, records_of
from flows.services.hosting.hosted_flow import HostedFlow
from flows.services.hosting.journals import JournalReaders
from flows.services.hosting.live_run import RUNNING, LiveRun
from flows.services.hosting.store import CANCELLED, QUEUED, HostingStore, StoredRun

FAILED: Final = "failed"
WAITING: Final = "waiting"
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")


class RunState(NamedTuple):
    """How a run stands: `record` is what its journal holds, `stored` what the service keeps of it.
    One that has recorded nothing yet has no record, one of another program is not stored."""

    run_id: str
    status: str
    record: RunRecord | None
    stored: StoredRun | None


class RunIndex:
    """The runs of hosted flows, those of other processes in the same folders with them. Its methods
    may be called from any thread."""

    def __init__(
        self, flows: Sequence[HostedFlow], store: HostingStore, live: Mapping[str, LiveRun]
    ) -> None:
        self._store, self._live = store, live
        self._readers = JournalReaders()
        self.folders: tuple[Path, ...] = ()
        for flow in flows:
            self.add_folder(flow.plan.runs_folder)

    def add_folder(self, folder: Path) -> None:
        """Look for runs in another folder too."""
        self.folders = tuple(dict.fromkeys((*self.folders, folder.absolute())))

    def find(self, run_id: str) -> RunPlace | None:
        """Where the run of exactly that id is kept, once it has a journal."""
        if not _ID.fullmatch(run_id):
            return None
        stored = self._store.find(run_id)
        if stored is not None and stored.journal:
            return self._readers.place(Path(stored.journal), run_id)
        for folder in self.folders:
            if has_begun(folder / run_id):
                place = find_run(folder, run_id)
                return place if place.run_id == run_id else None
        return next((place for place in self._shared() if place.run_id == run_id), None)

    def place(self, run_id: str) -> RunPlace | None:
        """Where a run is kept; None of one that has recorded nothing yet. Errors: `NotFound`."""
        found = self.find(run_id)
        if found is None and run_id not in self._live and self._store.find(run_id) is None:
            raise NotFound(f"there is no run {run_id!r}")
        return found

    def begun(self, run_id: str) -> RunPlace:
        """Where a run is kept. Errors: `NotFound`, also of one that has recorded nothing yet."""
        found = self.place(run_id)
        if found is None:
            raise NotFound(f"the run {run_id} has recorded nothing yet")
        return found

    def rows(self, place: RunPlace) -> list[Row]:
        """What is recorded at the place. Errors: `JournalError`."""
        return self._readers.rows(place) if place.shared else place.rows()

    def close(self) -> None:
        """Close the files that are open for reading."""
        self._readers.close()

    def state(self, run_id: str) -> RunState:
        """How a run stands: `queued`, `running`, `waiting`, or what it came to. Errors: `NotFound`,
        `JournalError`."""
        place = self.place(run_id)
        return self._state(run_id, self._record(place) if place is not None else None)

    async def status(self, run_id: str) -> str:
        """The status of a run, without keeping the event loop. Errors: as of `state`."""
        live = self._live.get(run_id)
        if live is not None and live.status == QUEUED:
            return QUEUED
        return (await asyncio.to_thread(self.state, run_id)).status

    def newest(
        self, limit: int, *, before: str | None = None, statuses: Sequence[str] = ()
    ) -> list[RunState]:
        """At most so many runs, the newest first: those before the run `before`, if it is given,
        and of these statuses."""
        states: Iterator[RunState] = self._states()
        if before is not None:
            rest = dropwhile(lambda each: each.run_id != before, states)
            states = islice(rest, 1, None)
        wanted = (each for each in states if not statuses or each.status in statuses)
        return list(islice(wanted, limit))

    def _states(self) -> Iterator[RunState]:
        """All runs, newest first; first those that have recorded nothing yet."""
        found = merge(*map(newest, self.folders), key=_age)
        for run_id in sorted(self._live, reverse=True):
            if self.find(run_id) is None:
                yield self._state(run_id, None)
        for record in records_of(found):
            yield self._state(record.place.run_id, record)

    def _record(self, place: RunPlace) -> RunRecord:
        try:
            return read_record(place, self.rows(place))
        except JournalError as error:
            return RunRecord(place, "damaged", str(error))

    def _state(self, run_id: str, record: RunRecord | None) -> RunState:
        stored = self._store.find(run_id)
        live = self._live.get(run_id)
        ended = record is not None and record.ended is not None
        if live is not None and not (ended and live.status == RUNNING):
            status: str = live.status
        elif stored is not None and stored.state == CANCELLED:
            status = CANCELLED
        elif record is not None:
            stopped = record.status == RUNNING and self._is_stopped(record.place, stored)
            refused = record.status == WAITING and not record.questions and _failed(stored)
            status = "interrupted" if stopped else FAILED if refused else record.status
        else:
            status = stored.state if stored is not None else "interrupted"
        return RunState(run_id, status, record, stored)

    def _is_stopped(self, place: RunPlace, stored: StoredRun | None) -> bool:
        """Whether nobody runs a run without an end, though a process holds the file that it shares
        with others: this one does not, and it was over before, or its process has ended."""
        if stored is None or not place.shared:
            return False
        return stored.state != QUEUED or not self._store.is_alive(stored.owner)

    def _shared(self) -> list[RunPlace]:
        """The runs of journals that many share."""
        files = [Path(each) for each in self.folders if (each / FILE).is_file()]
        return [place for folder in files for place in places(folder) if place.shared]


def _failed(stored: StoredRun | None) -> bool:
    """Whether a run that has its answer could not go on with it."""
    return stored is not None and stored.state == FAILED


def _age(place: RunPlace) -> tuple[float, str]:
    return -place.began, place.run_id
