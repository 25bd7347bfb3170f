"""One attempt of a run, in a process of its own: begin it, answer it, go on with it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from flows.build.builder import build
from flows.build.plan import RunPlan
from flows.build.restoration import recorded_plan
from flows.core.events import Event, RunStarted
from flows.core.journal import Journal
from flows.core.result import RunResult
from flows.runners import door
from flows.runners.answer import record_answer
from flows.runners.local import make_folder, run_with
from tests.kills.naive import NaiveJournal
from tests.kills.points import Point, Points, WatchedFile

RUN: Final = Path(__file__).with_name("run.yaml")
RUNS: Final = Path("runs")
SHARED: Final = Path("shared")
TRUST: Final = ("tests",)

Way = Literal["door", "own", "normal", "shared", "naive"]
"""`door` is the package's own door; `own` a journal whose points are watched; `normal` is that with
`durability: normal`; `shared` two runs at once in one file; `naive` the journal that must fail."""

Tell = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class Said:
    """An answer to the question of a step."""

    step: str
    text: str


@dataclass(frozen=True)
class Order:
    """What an attempt does. `runs` are the ids of runs with what was said to each, if anything;
    `begun` whether their records have a beginning; `kills` counts those of the case so far."""

    way: Way
    runs: tuple[tuple[str, Said | None], ...]
    begun: bool
    kills: int
    overrides: tuple[str, ...] = ()
    target: Point | None = None
    note_points: bool = False


def attempt(order: Order, tell: Tell) -> None:
    """Carry it out; `tell` is given that it started, the points passed, and the results."""

    def listen(event: Event) -> None:
        if isinstance(event, RunStarted):
            tell({"started": event.run})

    if order.way == "door":
        results = [_by_the_door(order, listen)]
    else:
        told = (lambda point: tell({"point": list(point)})) if order.note_points else None
        points = Points(order.target, told)
        points.watch()
        results = asyncio.run(_watched(order, points, listen))
    tell({"results": [each.as_json() for each in results]})


def _by_the_door(order: Order, listen: Callable[[Event], None]) -> RunResult:
    [(run_id, said)] = order.runs
    if not order.begun:
        return door.run(RUN, _overrides(order, 0), listeners=(listen,), trust=TRUST)
    answer, step = (said.text, said.step) if said else (None, None)
    return door.resume(
        run_id, runs=RUNS, answer=answer, step=step, listeners=(listen,), trust=TRUST
    )


async def _watched(
    order: Order, points: Points, listen: Callable[[Event], None]
) -> list[RunResult]:
    grouped = order.way == "shared"
    durability: Literal["full", "normal"] = "normal" if order.way == "normal" else "full"
    with ExitStack() as stack:
        file = None
        if grouped:
            SHARED.mkdir(exist_ok=True)
            file = WatchedFile(SHARED, points, new=not order.begun, grouped=True)
            stack.callback(file.close)
        plans, journals = [], []
        for place, (run_id, said) in enumerate(order.runs):
            plan = _plan(order, run_id, place)
            plans.append(plan)
            journal = _opened(order, run_id, points, file, durability)
            stack.callback(journal.close)
            journals.append(journal)
            if said is not None:
                waiting = journal.history.open_questions()
                question = next(row for row in waiting if row.address == said.step)
                await record_answer(journal, question, said.text)
        return await _run_all(order, plans, journals, listen)


def _plan(order: Order, run_id: str, place: int) -> RunPlan:
    if order.begun and order.way != "shared":
        return recorded_plan(RUNS / run_id, trust=TRUST)
    plan, _ = build(RUN, _overrides(order, place), trust=TRUST)
    return plan


def _overrides(order: Order, place: int) -> Sequence[str]:
    return (*order.overrides, f"runs={RUNS}", f"inputs.n={1 + 100 * place}")


def _opened(
    order: Order,
    run_id: str,
    points: Points,
    shared: WatchedFile | None,
    durability: Literal["full", "normal"],
) -> Journal:
    if shared is not None:
        return Journal(shared, run_id)
    folder = RUNS / run_id
    if not order.begun:
        make_folder(folder)
    kind = NaiveJournal if order.way == "naive" else Journal
    file = WatchedFile(folder, points, new=not order.begun, durability=durability)
    return kind(file, run_id, owned=True)


async def _run_all(
    order: Order,
    plans: Sequence[RunPlan],
    journals: Sequence[Journal],
    listen: Callable[[Event], None],
) -> list[RunResult]:
    # Effect keys are made of the run's id; a naive engine makes up new ones after each kill.
    made_up = f"-{order.kills}" if order.way == "naive" else ""
    try:
        return await asyncio.gather(
            *(
                run_with(
                    plan,
                    journal,
                    f"{run_id}{made_up}",
                    resumed=bool(journal.rows),
                    listeners=[listen],
                )
                for plan, journal, (run_id, _) in zip(plans, journals, order.runs, strict=True)
            )
        )
    finally:
        for plan in plans:
            await plan.aclose()


def tell_by(pipe: int) -> Tell:
    """Tells by a pipe, a JSON object a line."""

    def tell(what: dict[str, Any]) -> None:
        left = f"{json.dumps(what)}\n".encode()
        while left:
            left = left[os.write(pipe, left) :]

    return tell
