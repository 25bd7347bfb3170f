"""The streams of all runs that anybody watches."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from functools import partial

from flows.core.events import Event, Listener
from flows.records.lookup import RunPlace
from flows.services.hosting.live_run import LiveRun
from flows.services.hosting.stream import RunStream, StreamItem


class RunStreams:
    """Makes a stream for a run when the first comes to watch it, and drops it with the last.
    `find` is where a run is kept, `live` holds those that this process runs, by their ids."""

    def __init__(self, find: Callable[[str], RunPlace | None], live: Mapping[str, LiveRun]) -> None:
        self._find, self._live = find, live
        self._streams: dict[str, RunStream] = {}

    async def watch(
        self, run_id: str, after: int = 0, last: StreamItem | None = None
    ) -> AsyncGenerator[StreamItem, None]:
        """The events of a run, as of `RunStream.watch`."""
        stream = self._streams.get(run_id)
        if stream is None:
            locate = partial(self._find, run_id)
            stream = RunStream(locate, partial(self._live.get, run_id))
            self._streams[run_id] = stream
        items = stream.watch(after, last)
        try:
            async for item in items:
                yield item
        finally:
            await items.aclose()
            if not stream.is_watched and self._streams.get(run_id) is stream:
                del self._streams[run_id]

    def listener(self, run_id: str) -> Listener:
        """What a run is given to tell its events to, in the thread of the runs."""

        def hear(event: Event) -> None:
            stream = self._streams.get(run_id)
            if stream is not None and stream.is_watched:
                stream.hear(event)

        return hear

    def tell(self, run_id: str, item: StreamItem) -> None:
        """Tell those that watch a run what no row says."""
        if (stream := self._streams.get(run_id)) is not None:
            stream.tell(item)

    def end(self) -> None:
        """Send all away."""
        for stream in self._streams.values():
            stream.end()
