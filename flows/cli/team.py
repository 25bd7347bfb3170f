"""How a command watches a team at work, and lets the person at the terminal pause it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext

from rich.console import Console

from flows.build.plan import RunPlan
from flows.cli.pause import PauseSignals
from flows.cli.show import BrokenOff, Show
from flows.core.pause import Pause
from flows.human.confirm import somebody_is_there
from flows.human.terminal import TerminalHuman
from flows.services.analysis_answer import AnalysisAnswer
from flows.ui.live import LiveScreen
from flows.ui.team import TeamScreen


class AnalysisShow(Show):
    """Shows a run of `flows analyse`; nothing of it while it goes on if it is to be `quiet`."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        live = (lambda _: TeamScreen(nowhere())) if quiet else TeamScreen
        super().__init__(as_json=as_json, verbose=False, live=live)

    def broken_off(self, status: BrokenOff, reason: str) -> dict[str, object]:
        return AnalysisAnswer.failure(reason, run_id=self.run_id, status=status).as_json()


def nowhere() -> Console:
    """A console that nobody sees."""
    return Console(file=io.StringIO(), quiet=True)


@contextmanager
def watch_team(screen: LiveScreen | None) -> Iterator[Callable[[RunPlan], Pause | None]]:
    """What a run of a team begins with: the screen is told its limits, and makes room where a
    person is asked; with a person at the terminal, Ctrl-C is a pause. Of other runs nothing."""
    signals = PauseSignals(screen.suspended) if screen is not None and somebody_is_there() else None

    def begin(plan: RunPlan) -> Pause | None:
        if screen is None:
            return None
        make_room(screen, plan)
        return signals.pause if signals is not None else None

    with signals.taken() if signals is not None else nullcontext():
        yield begin


def make_room(screen: LiveScreen, plan: RunPlan) -> None:
    """Tell a screen the limits of the run, and have it make room where a person is asked."""
    screen.limits = plan.limits
    for service in plan.services:
        if isinstance(service, TerminalHuman):
            service.around = screen.suspended
