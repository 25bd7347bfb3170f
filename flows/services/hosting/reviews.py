"""Looking back at runs: their steps, where a value is from, what differs, and replays."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from flows.core.values import Values
from flows.errors import ReplayDiffers
from flows.explain.explain import explain, explain_step, explainable
from flows.explain.explanation_json import explanation_json, step_json
from flows.records.compare import compare_runs
from flows.runners.replay import replay_place
from flows.services.hosting.run_index import RunIndex

T = TypeVar("T")


class RunReviews:
    """Reviews of the runs of an index, one after the other in a thread of their own. `trust` is
    what the flows of recorded runs may use.

    Errors of all: `NotFound` for a run; `JournalError` for one whose flows changed since.
    """

    def __init__(self, runs: RunIndex, trust: Sequence[str] = ()) -> None:
        self._runs, self._trust = runs, tuple(trust)
        self._thread = ThreadPoolExecutor(1, "reviews")

    async def steps(self, run_id: str) -> Values:
        """The steps in the order in which they were first recorded."""
        state = await asyncio.to_thread(self._runs.state, run_id)
        steps = state.record.steps if state.record is not None else ()
        return {"id": run_id, "steps": [each.as_json() for each in steps]}

    async def step(self, run_id: str, address: str) -> Values:
        """A step with its whole inputs and outputs, and what it asked a model.
        Errors: `NotFound`."""
        place = self._runs.begun(run_id)
        record = (await asyncio.to_thread(self._runs.state, run_id)).record
        steps = record.steps if record is not None else ()
        recorded = next((each.as_json() for each in steps if each.address == address), {})
        found = await self._aside(lambda: explain_step(place, address, self._trust))
        return {"id": run_id, **recorded, **step_json(found)}

    async def explain(self, run_id: str, path: str | None) -> Values:
        """Where a value of the run comes from; without a path the values that there are.
        Errors: `UsageError` for a path."""
        place = self._runs.begun(run_id)
        if path is not None:
            return dict(
                explanation_json(await self._aside(lambda: explain(place, path, self._trust)))
            )
        values = await self._aside(lambda: explainable(place, self._trust))
        return {"id": run_id, "values": [{"path": each, "value": value} for each, value in values]}

    async def compare(self, one: str, other: str) -> Values:
        """What differs between two runs."""
        places = self._runs.begun(one), self._runs.begun(other)
        return dict((await self._aside(lambda: compare_runs(*places))).as_json())

    async def replay(self, run_id: str, settings: Sequence[str] = ()) -> Values:
        """Whether the run comes to the same from its journal alone; else the first step that
        differs. Errors: `ConfigError` for a setting."""
        place = self._runs.begun(run_id)

        def replayed() -> Values:
            try:
                going = replay_place(place, settings, trust=self._trust)
                return {"same": True, "status": asyncio.run(going).status}
            except ReplayDiffers as error:
                where = {"step": error.step, "why": error.why, "problem": error.problem}
                return {"same": False, **where}

        return {"id": run_id, **await self._aside(replayed)}

    async def _aside(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
