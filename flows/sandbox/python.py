"""Untrusted Python behind walls: a zygote that forks a guest for each execution or session."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flows.core.sandbox import Execution, ProbeFinding, SandboxConfig
from flows.errors import SandboxError
from flows.sandbox import bubblewrap, findings
from flows.sandbox.frames import MOST_DESCRIPTORS
from flows.sandbox.guest_session import Living
from flows.sandbox.keeper import ALL_LAYERS, Guest, Keeper
from flows.sandbox.libraries import wanted
from flows.sandbox.probe import probe
from flows.sandbox.syntax import UnreadableCode, compiled
from flows.sandbox.validate import validate
from flows.sandbox.walls import MISSING

# A spare guest has run nothing, and ends when it is told.
_SPARE_SECONDS = 5.0


@dataclass
class _Session:
    """A name whose variables live on. `deadly` are pieces that ended its process."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    living: Living | None = None
    deadly: set[str] = field(default_factory=set)


class PythonSandbox:
    """Implements `flows.core.sandbox.Sandbox`. `layers` leaves walls out, to test the others.

    Belongs to the event loop that uses it; in another one it starts anew, without its sessions.
    """

    def __init__(self, config: SandboxConfig, layers: Collection[str] = ALL_LAYERS) -> None:
        self.config = config
        self.layers = () if config.mode == "off" else tuple(layers)
        self._keeper: Keeper | None = None
        self._former: list[Keeper] = []  # with sessions that go on
        self._spare: Guest | None = None
        self._finding: ProbeFinding | None = None
        self._sessions: OrderedDict[str, _Session] = OrderedDict()
        self._wanted: list[frozenset[str]] = []  # the libraries of those who wait for a guest
        self._ending: set[asyncio.Task[object]] = set()
        self._starting = asyncio.Lock()
        self._probing = asyncio.Lock()

    async def finding(self, *, anew: bool = False) -> ProbeFinding:
        """What the probe found. The walls are raised and compared in each process; the attacks run
        where they have not run on this machine as it is, or `anew`. Errors: `SandboxError`."""
        async with self._probing:
            if anew:
                bubblewrap.doubt()
                findings.forget()
                self._finding = None
            if self._finding is None:
                self._finding = await self._found()
            return self._finding

    async def _found(self) -> ProbeFinding:
        walls = await self._walls()
        missing = [name for name, what in walls.items() if what.startswith(MISSING)]
        told = {name: what.removeprefix(MISSING) for name, what in walls.items()}
        known = findings.read(self.config.mode, self.layers)
        if known is not None and (known.walls, known.missing) == (told, tuple(missing)):
            return known
        found = await probe(self.config.mode, told, missing, self._inside)
        findings.write(found, self.layers)
        return found

    async def execute(
        self,
        code: str,
        *,
        tables: Mapping[str, Path] = {},
        session: str | None = None,
        past: Sequence[str] = (),
        seconds: float | None = None,
    ) -> Execution:
        """Run code; see the protocol. Errors: `SandboxError`, `SandboxUnsafe`."""
        if self.config.mode == "strict":
            (await self.finding()).require()
        fault = validate(code)
        if fault is not None:
            return Execution(status="error", fault=fault)
        note = ""
        if len(tables) > MOST_DESCRIPTORS:
            note = f"only the first {MOST_DESCRIPTORS} of {len(tables)} tables were given"
            tables = dict(list(tables.items())[:MOST_DESCRIPTORS])
        limit = seconds or self.config.seconds
        if session is None:
            done = await self._once(code, tables, limit)
        else:
            done = await self._in_session(session, code, tables, past, limit)
        return done.model_copy(update={"notes": (note, *done.notes)}) if note else done

    async def forget(self, session: str) -> None:
        """Throw a session away, with its process."""
        known = self._sessions.pop(session, None)
        if known is not None:
            async with known.lock:
                await _end(known)
            self._end_former()

    async def aclose(self) -> None:
        """End every process that has run code, and remove every folder. A zygote, which runs none,
        rests for the next sandbox of this process."""
        keeper, former = self._keeper, self._former
        self._keeper, self._spare, self._former = None, None, []
        self._sessions.clear()
        await asyncio.gather(*self._ending, return_exceptions=True)
        for each in former:
            await each.aclose()
        if keeper is not None:
            await keeper.rest()

    async def _once(self, code: str, tables: Mapping[str, Path], seconds: float) -> Execution:
        living = await self._fresh(self._libraries((code,), tables))
        try:
            return await living.run(code, tables, seconds, last=True)
        finally:
            if living.alive:  # the execution was cancelled, or failed
                self._finish(living.end()).add_done_callback(lambda _: living.drop())
            else:
                living.drop()
            self._prepare()

    async def _in_session(
        self, name: str, code: str, tables: Mapping[str, Path], past: Sequence[str], seconds: float
    ) -> Execution:
        known = self._sessions.setdefault(name, _Session())
        self._sessions.move_to_end(name)
        async with known.lock:
            notes: list[str] = []
            try:
                if known.living is None or not known.living.alive or known.living.keeper.dead:
                    await _end(known)
                    await self._make_room()
                    known.living = await self._fresh(self._libraries((*past, code), tables))
                    lost = await _replay(known, tables, past, seconds, notes)
                    if lost is not None:
                        return lost
                done = await known.living.run(code, tables, seconds)
            except BaseException:
                await _end(known)
                raise
            if not known.living.alive:
                known.deadly.add(code)
                await _end(known)
                self._end_former()
        return done.model_copy(update={"notes": (*notes, *done.notes)})

    async def _make_room(self) -> None:
        """End the sessions that were not used for longest, so that one more is not too many."""
        alive = [each for each in self._sessions.values() if each.living is not None]
        idle = [each for each in alive if not each.lock.locked()]
        for each in idle[: max(0, len(alive) - self.config.sessions + 1)]:
            async with each.lock:
                await _end(each)

    async def _fresh(self, libraries: frozenset[str]) -> Living:
        """A guest that nobody has used, with these libraries. A zygote that was killed meanwhile
        is started again."""
        try:
            return await self._ready_guest(libraries)
        except SandboxError:
            if self._keeper is not None and not self._keeper.dead:
                raise
        return await self._ready_guest(libraries)

    def _libraries(self, pieces: Sequence[str], tables: Mapping[str, Path]) -> frozenset[str]:
        """The libraries that a process for these pieces finds imported."""
        read = []
        for piece in pieces:
            with suppress(UnreadableCode):  # an earlier piece that is left out
                read.append(compiled(piece, "<code>"))
        names = frozenset[str]().union(*(each.names for each in read))
        imports = frozenset[str]().union(*(each.imports for each in read))
        memory = self.config.memory_mb
        return wanted(names, imports, tables=bool(tables), memory_mb=memory)

    async def _ready_guest(self, libraries: frozenset[str]) -> Living:
        self._wanted.append(libraries)
        try:
            async with self._starting:
                keeper = await self._ready_keeper()
                guest, self._spare = self._spare or keeper.guest(), None
        finally:
            self._wanted.remove(libraries)
        living = Living.of(keeper, guest)
        try:
            await living.ready()
        except BaseException:
            await living.end()
            living.drop()
            raise
        return living

    async def _ready_keeper(self) -> Keeper:
        """A zygote with the libraries of all who wait for one: each start imports all anew."""
        keeper = self._keeper
        if keeper is not None and (keeper.dead or keeper.loop is not asyncio.get_running_loop()):
            keeper.kill()
            keeper = self._keeper = self._spare = None
        if keeper is None:
            keeper = self._keeper = await Keeper.rested(self.config, self.layers)
        if keeper is not None and not self._all_wanted <= keeper.libraries:
            await self._load(keeper)
        if keeper is None or not self._all_wanted <= keeper.libraries:
            known = keeper.libraries if keeper is not None else frozenset()
            started = await Keeper.start(self.config, self.layers, self._all_wanted | known)
            self._replace(keeper)
            keeper = self._keeper = started
            await self._load(keeper)
        return keeper

    @property
    def _all_wanted(self) -> frozenset[str]:
        return frozenset[str]().union(*self._wanted)

    async def _load(self, keeper: Keeper) -> None:
        """Have a zygote without guests import more: to start another takes twice as long."""
        spare, self._spare = self._spare, None
        if spare is not None:
            await keeper.end(spare, within=_SPARE_SECONDS)
            keeper.drop(spare)
        while not self._all_wanted <= keeper.libraries and keeper.can_load:
            await keeper.load(self._all_wanted | keeper.libraries)

    def _replace(self, keeper: Keeper | None) -> None:
        """Let go of a keeper that has too few libraries, once its last guest is gone."""
        spare, self._spare = self._spare, None
        if keeper is not None:
            if spare is not None:
                keeper.drop(spare)
            self._former.append(keeper)
        self._end_former()

    def _end_former(self) -> None:
        for each in [each for each in self._former if each.is_idle]:
            self._former.remove(each)
            self._finish(each.aclose())

    def _finish(self, ending: Coroutine[Any, Any, object]) -> asyncio.Task[object]:
        task = asyncio.create_task(ending)
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
        return task

    def _prepare(self) -> None:
        """Have a guest forked for the next execution; it is not waited for."""
        keeper = self._keeper
        if self._spare is None and keeper is not None and not keeper.dead:
            self._spare = keeper.guest()

    async def _walls(self) -> dict[str, str]:
        """Every layer, and what it is here."""
        living = await self._fresh(self._libraries((), {}))
        inner = await living.ready()
        self._spare = self._spare or living.guest
        walls = {**living.keeper.outer, **inner}
        unused = f"{MISSING}off, as it was typed" if self.config.mode == "off" else f"{MISSING}off"
        return {**walls, **{name: unused for name in ALL_LAYERS if name not in walls}}

    async def _inside(self, code: str) -> str:
        done = await self._once(code, {}, self.config.seconds)
        if done.status != "ok":
            why = done.fault.message if done.fault else "; ".join(done.notes)
            raise SandboxError(f"the probe ended with {done.status}: {why}")
        return done.stdout


async def _end(known: _Session) -> None:
    living, known.living = known.living, None
    if living is not None:
        await living.end()
        living.drop()


async def _replay(
    known: _Session,
    tables: Mapping[str, Path],
    past: Sequence[str],
    seconds: float,
    notes: list[str],
) -> Execution | None:
    """Run earlier pieces again, for their variables; an Execution only when that ends it."""
    again = [piece for piece in past if piece not in known.deadly and validate(piece) is None]
    assert known.living is not None
    for piece in again:
        done = await known.living.run(piece, tables, seconds, dropped=True)
        if not known.living.alive:
            known.deadly.add(piece)
            await _end(known)
            note = "the session was lost, and an earlier piece did not end when it ran again"
            return done.model_copy(update={"stdout": "", "stderr": "", "notes": (note,)})
    if past:
        notes.append(f"the session was started anew: {len(again)} earlier pieces ran again")
    if len(again) < len(past):
        notes.append(f"{len(past) - len(again)} earlier pieces were left out")
    return None
