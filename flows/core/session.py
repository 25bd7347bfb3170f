"""What the scopes of one run share: journal, events, limits, states, artifacts."""

from __future__ import annotations

import asyncio
import logging
from asyncio import Timeout
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from time import perf_counter
from typing import Any, Final, Protocol, TypeVar, cast, runtime_checkable
from weakref import WeakKeyDictionary

from pydantic_core import to_json

from flows.core.artifacts import Artifacts
from flows.core.editions import Edition, Editions
from flows.core.events import Event, Listener, Notice
from flows.core.history import History
from flows.core.human import Human
from flows.core.journal import Journal
from flows.core.limits import Limits, Meter, Prices
from flows.core.pace import ModelTurns, Pace
from flows.core.pause import Pause
from flows.core.rows import Row
from flows.core.sandbox import ProbeFinding, Sandbox
from flows.core.wall_time import WallTime
from flows.core.workers import StepWorkers
from flows.errors import LimitReached, StopAsked

log = logging.getLogger(__name__)
STOP: Final = '{"stop":true}'


@runtime_checkable
class Held(Protocol):
    """Something that a run has only while it goes."""

    async def aclose(self) -> None: ...


H = TypeVar("H", bound=Held)


NO_COMMANDS: Final = (
    "This run takes no commands. An answer that begins with a colon is written with two: ::text"
)


class CommandTaker(Protocol):
    """Carries out what a person commands a session, instead of answering its question.

    `changes` says that the session ends here, to go on as it was changed.
    """

    @property
    def changes(self) -> bool: ...

    async def perform(self, text: str, session: Session, addresses: Sequence[str]) -> None: ...

    def take_reply(self) -> str: ...


class EventLoopTurn:
    """When the event loop was last seen to go round, by any run on it."""

    __slots__ = ("at",)

    def __init__(self) -> None:
        self.at = perf_counter()


_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, EventLoopTurn] = WeakKeyDictionary()


def turn_of_loop() -> EventLoopTurn:
    """The turn that all runs of the running event loop share; one of its own without a loop."""
    try:
        return _turns.setdefault(asyncio.get_running_loop(), EventLoopTurn())
    except RuntimeError:
        return EventLoopTurn()


class Session:
    """One run from its beginning, or its resumption, to its end."""

    def __init__(
        self,
        run_id: str,
        folder: Path,
        *,
        journal: Journal | None = None,
        limits: Limits | None = None,
        prices: Prices | None = None,
        human: Human | None = None,
        listeners: tuple[Listener, ...] = (),
        pause: Pause | None = None,
        editions: Sequence[Edition] = (),
        meter: Meter | None = None,
    ) -> None:
        self.run_id = run_id
        self.folder = folder
        self.journal = journal
        self.human = human
        past = journal.history if journal is not None else History()
        self.meter = meter or Meter(limits or Limits(), past.used_seconds, prices)
        per_minute = self.meter.limits.requests_per_minute
        self.turns: ModelTurns | None = None if per_minute is None else Pace(per_minute)
        self.workers: StepWorkers | None = None  # that do steps beforehand
        self.unattended = False  # in a worker: who asks a person leaves the step to the run
        self.wall_time = None
        if self.meter.limits.wall_time is not None:
            self.wall_time = WallTime(self.meter, lambda: self.stands_still, self.out_of_time)
        if past.epoch:
            self.meter.restore(past.usage, past.held_tokens, past.held_cost)
        self.listeners = list(listeners)
        self.tell = self._teller()
        self.at_work = 0  # atomic steps that have begun and not ended, of a run with a journal
        self.stop_wanted = False  # a person wants it to end, and no flow has taken that up yet
        self.stopped = False
        self.stoppable: Timeout | None = None  # the limit of the step that a person can stop
        self.ended_early: Timeout | None = None  # that of the one which was stopped last
        self.limits_retold: set[str] = set()  # the steps whose recorded limit was met again
        self.deadline = 0.0
        self.set_deadline()
        self.pause = pause
        if pause is not None:
            pause.begin(self)
        self.artifacts = Artifacts(folder)
        self.states: dict[str, Any] = {}
        self.frozen: tuple[str, ...] = ()  # the composites that timed out, while they are retold
        self.prompts: dict[str, str] = {}  # the system prompts of the last calls, by flow
        self.seq = 0
        self.turn = turn_of_loop()
        self.title = ""  # the top flow's name
        self.tells_private = False  # for who goes on with what events tell, and shows none of it
        self.unfinished = ""
        self.shortfalls: dict[str, str] = {}  # what is missing in what a flow gave, by its path
        self.command_counts: dict[str, int] = {"ok": 0, "empty": 0, "error": 0}
        self.given: Counter[str] = Counter()
        self.walls: ProbeFinding | None = None
        self.held: dict[object, Held] = {}
        self.commands: CommandTaker | None = None
        self.asked: list[str] = []  # the steps that stopped at a question to a person
        self.halted: list[str] = []  # those that a pause keeps from beginning
        rows = journal.rows if journal is not None else ()
        self.editions = Editions(editions, rows) if editions else None

    def stop_step(self) -> bool:
        """End the step that a person can stop, as its time limit would; False where there is none.
        May be called by a signal."""
        limit = self.stoppable
        if limit is None:
            return False
        self.stoppable, self.ended_early = None, limit
        loop = asyncio.get_running_loop()
        loop.call_soon_threadsafe(limit.reschedule, loop.time())
        return True

    def hold(self, key: object, make: Callable[[], H]) -> H:
        """What steps of this run share and its end gives up: the one under the key, else a new."""
        if key not in self.held:
            self.held[key] = make()
        held: Any = self.held[key]
        return cast(H, held)

    async def give_up(self) -> None:
        """Close what is held; one that fails keeps none of the others from it."""
        if self.wall_time is not None:
            self.wall_time.end()
        if not self.held:
            return
        async with AsyncExitStack() as stack:
            for each in self.held.values():
                stack.push_async_callback(each.aclose)
            self.held = {}

    def gone(self) -> tuple[str, ...]:
        """The paths of files that the run saved and that are no longer in its folder."""
        return self.artifacts.missing()

    def next_seq(self) -> int:
        self.seq += 1
        return self.seq

    def emit(self, event: Event) -> None:
        """Give an event to every listener. One that fails is dropped: it cannot change a run."""
        for listener in self.listeners:
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 - a screen's fault is not the run's
                self.lose(listener, error)

    def _teller(self) -> Listener | None:
        """The shortest way to tell all listeners; an only one is told directly, and may raise."""
        if len(self.listeners) > 1:
            return self.emit
        return self.listeners[0] if self.listeners else None

    def lose(self, listener: Listener, error: Exception) -> None:
        """Give no more events to a listener that failed."""
        self.listeners = [each for each in self.listeners if each is not listener]
        self.tell = self._teller()
        log.warning("a listener failed and gets no more events: %r", error)

    def set_deadline(self) -> None:
        """From when on a step has to ask `before_step` first: at once if anything may keep it."""
        past = self.journal.history.limits if self.journal is not None else {}
        self.deadline = 0.0 if past or self.stop_wanted else self.meter.deadline

    def extend(self) -> None:
        """Let the last answer of a run at its limit have what was kept for it."""
        self.meter.begin_final()
        if self.deadline:
            self.deadline = self.meter.deadline

    async def before_step(self, address: str) -> float:
        """Pause, if that is wanted, and look at the time. Returns when the step begins.

        Errors: `StopAsked`, which is recorded; `LimitReached`; `SessionChanged` at a pause.
        """
        if self.journal is not None and self.journal.prepared and self._is_prepared(address):
            return perf_counter()
        if self.pause is not None and self.pause.wanted and not self._is_recorded(address):
            self.halted.append(address)
            await self.pause.hold()
            self.halted.remove(address)
        await self.check_time(address)
        if self.stop_wanted and (self.journal is None or not self.journal.steps):
            if self.journal is not None:
                await self.journal.write("limit", address, "", STOP)
            self.stopped = True
            raise StopAsked
        return perf_counter()

    def _is_recorded(self, address: str) -> bool:
        """Whether the step, or one below it, will be told again."""
        return self.journal is not None and _has(self.journal.steps, address)

    def _is_prepared(self, address: str) -> bool:
        """Whether a worker has done the step, or one below it: it is only told."""
        return self.journal is not None and _has(self.journal.prepared, address)

    async def command(self, text: str) -> tuple[str, bool]:
        """Carry out a command of a person at a pause; none without a text. Gives what is to be said
        of it, and whether it changes the session."""
        commands = self.commands
        if commands is None:
            return (NO_COMMANDS if text else ""), False
        if text and not commands.changes:
            await commands.perform(text, self, (*self.asked, *self.halted))
        return ("" if commands.changes else commands.take_reply()), commands.changes

    @property
    def stands_still(self) -> bool:
        """Whether a person has halted the run: the time until it goes on is not its own."""
        return self.pause is not None and self.pause.wanted

    async def out_of_time(self, address: str, why: str) -> LimitReached:
        """The error of a step that the limit on wall time has ended, which is recorded; `why` says
        where that was."""
        if self.journal is not None:
            await self.journal.write("limit", address, "", to_json({"why": why}).decode())
        return LimitReached("wall_time", self.meter.limits.wall_time or 0, why)

    def recorded_limit(self, row: Row) -> LimitReached:
        """The limit, or the wish to stop, that a row records."""
        if not row.data().get("stop"):
            said = row.data().get("why", "")
            return LimitReached("wall_time", self.meter.limits.wall_time or 0, said)
        self.stopped = True
        return StopAsked()

    async def check_time(self, address: str) -> None:
        """Errors: `LimitReached` at a step after the deadline, which is recorded, as time will not
        tell it again. Steps that are retold cost no time: a resumed run goes on to where it was."""
        if self.journal is None:
            self.meter.check_time()
            return
        recorded = self.journal.history.limits
        if (row := recorded.get(address)) is not None:
            self.limits_retold.add(address)
            raise self.recorded_limit(row)
        if not self.journal.steps and self.limits_retold.issuperset(recorded):
            try:
                self.meter.check_time()
            except LimitReached:
                await self.journal.write("limit", address, "", "{}")
                raise

    def notice(self, address: str, round_number: int, text: str, *, alarm: bool = False) -> None:
        if self.listeners:
            self.emit(Notice(self.run_id, self.next_seq(), address, round_number, text, alarm))

    async def find_walls(self, sandbox: Sandbox, address: str, round_number: int) -> None:
        """Tell, once a run, what the sandbox holds. Errors: `SandboxUnsafe`, `SandboxError`."""
        if self.walls is None:
            found = await sandbox.finding()
            if self.walls is None:  # else a step beside this one was faster
                self.walls = found
                alarm = not found.is_whole
                self.notice(address, round_number, found.sentence, alarm=alarm)
        self.walls.require()


def _has(steps: Mapping[str, object], address: str) -> bool:
    """Whether the step at the address is among them, or one below it."""
    below = f"{address}/" if address else ""
    return any(each == address or each.startswith(below) for each in steps)
