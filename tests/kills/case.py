"""One case: runs that are killed as planned and go on until they have ended, and what was seen."""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from flows.core.rows import Row
from flows.errors import JournalError
from tests.kills.attempt import SHARED, Order, Way, attempt
from tests.kills.points import Point
from tests.kills.process import Ended, in_a_process
from tests.kills.verdict import Seen, after_attempt, at_the_end
from tests.kills.world import World

MOST_ATTEMPTS = 25


class Moment(NamedTuple):
    """A share of the time that the attempt takes when nobody disturbs it."""

    share: float


Kill = Point | Moment | None


@dataclass(frozen=True)
class Case:
    """`kills` are those of its attempts, in order; None lets one be, as are all after the last.

    `base_url` is the model's server. With `note_points` the attempts tell what they pass.
    """

    name: str
    way: Way
    kills: tuple[Kill, ...]
    base_url: str
    note_points: bool = False


@dataclass
class Report:
    """What came of a case. `faults` counts what must not be; `details` are sentences on it."""

    case: Case
    faults: Counter[str] = field(default_factory=Counter)
    details: list[str] = field(default_factory=list)
    kills: int = 0
    killed_at: list[str] = field(default_factory=list)
    possibly_billed: int = 0
    points: list[list[Point]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    seen: Seen | None = None

    def blame(self, fault: str, detail: str, times: int = 1) -> None:
        if times:
            self.faults[fault] += times
            self.details.append(f"{self.case.name} ({self.case.way}): {fault}: {detail}")


def play(case: Case, expected: Seen | None, seconds: Sequence[float]) -> Report:
    """Play a case in a folder that is removed after. `seconds` are those of undisturbed attempts;
    `expected` is what an undisturbed case came to, None for such a one."""
    report = Report(case)
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    try:
        Play(case, World(folder, case.way), report, seconds).to_the_end(expected)
    finally:
        shutil.rmtree(folder)
    return report


class Play:
    """A case under way."""

    def __init__(self, case: Case, world: World, report: Report, seconds: Sequence[float]) -> None:
        self.case = case
        self.world = world
        self.report = report
        self.usual = seconds
        self.number = 0
        self.begun = False
        self.told_start = False
        self.run_ids: tuple[str, ...] = self._new_ids()

    def to_the_end(self, expected: Seen | None) -> None:
        results: list[dict[str, Any]] | None = None
        while results is None or any(each["status"] != "finished" for each in results):
            if self.number == MOST_ATTEMPTS:
                self.report.blame("never_ended", f"not within {MOST_ATTEMPTS} attempts")
                return
            try:
                results = self._attempt(results or [])
            except JournalError as error:
                self.report.blame("unreadable", str(error))
                return
        records = {run_id: self.world.rows(run_id) for run_id in self.run_ids}
        self.report.seen = at_the_end(self.world, results, records, expected, self.report)

    def _attempt(self, before: Sequence[dict[str, Any]]) -> list[dict[str, Any]] | None:
        records = {run_id: self.world.rows(run_id) for run_id in self.run_ids}
        if any(_ended(rows) == "failed" for rows in records.values()):
            self.world.mend()
        kill = self.case.kills[self.number] if self.number < len(self.case.kills) else None
        done = len(self.world.done())
        ended = self._carry_out(records, kill)
        self.number += 1
        self._note(kill, ended)
        if not self._find_beginning():
            if self.world.done()[done:] or self.told_start:
                self.report.blame("lost_steps", "something was done before the record began")
            self.run_ids = self._new_ids()
            return None
        after = {run_id: self.world.rows(run_id) for run_id in self.run_ids}
        after_attempt(
            records, after, self.world.done()[done:], self.report,
            killed=ended.killed, shared=self.case.way == "shared",
        )  # fmt: skip
        results: list[dict[str, Any]] | None = ended.last("results")
        return results

    def _carry_out(self, records: dict[str, list[Row]], kill: Kill) -> Ended:
        order = Order(
            way=self.case.way,
            runs=tuple(
                (run_id, self.world.answer(rows) if rows else None)
                for run_id, rows in records.items()
            ),
            begun=self.begun,
            kills=self.report.kills,
            overrides=(f"model.base_url={self.case.base_url}", f"model.model={self.case.name}"),
            target=kill if isinstance(kill, Point) else None,
            note_points=self.case.note_points,
        )
        kill_after = None
        if isinstance(kill, Moment):
            usual = self.usual[min(self.number, len(self.usual) - 1)]
            kill_after = kill.share * usual
        return in_a_process(partial(attempt, order), self.world.folder, self.world.log, kill_after)

    def _note(self, kill: Kill, ended: Ended) -> None:
        report = self.report
        report.seconds.append(ended.seconds)
        report.points.append([Point(*each["point"]) for each in ended.told if "point" in each])
        if ended.last("started") is not None:
            self.told_start = True
        if ended.killed:
            report.kills += 1
            report.killed_at.append(kill.name if isinstance(kill, Point) else "moment")
        if ended.hung:
            report.blame("hung", "an attempt did not end by itself")
        elif ended.trouble:
            report.blame("broke", ended.trouble.strip().splitlines()[-1])

    def _find_beginning(self) -> bool:
        """Whether a run's record has a beginning; a run without one is begun anew."""
        if self.case.way == "door":
            self.run_ids = tuple(each for each in self.world.folders() if self.world.rows(each))[:1]
        self.begun = any(self.world.rows(run_id) for run_id in self.run_ids)
        return self.begun

    def _new_ids(self) -> tuple[str, ...]:
        if self.case.way == "shared":
            shutil.rmtree(self.world.folder / SHARED, ignore_errors=True)
        ways = 2 if self.case.way == "shared" else 1
        return tuple(f"{self.case.name}-{self.number}-{each}" for each in range(ways))


def _ended(rows: Sequence[Row]) -> str:
    """The status at the end of a record, or nothing."""
    return str(rows[-1].data()["status"]) if rows and rows[-1].kind == "end" else ""
