"""How a command watches a pipeline at work."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from flows.build.plan import RunPlan
from flows.cli.show import BrokenOff, Show
from flows.cli.team import make_room, nowhere
from flows.core.result import RunResult
from flows.library.pipeline.pipeline import PipelineFlow
from flows.services.competition_answer import CompetitionAnswer
from flows.services.competition_results import SUBMISSION, write_results
from flows.ui.live import LiveScreen
from flows.ui.pipeline import PipelineScreen


class CompetitionShow(Show):
    """Shows a run of `flows compete`; nothing of it while it goes on if it is to be `quiet`."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        live = (lambda _: PipelineScreen(nowhere())) if quiet else PipelineScreen
        super().__init__(as_json=as_json, verbose=False, live=live)

    def broken_off(self, status: BrokenOff, reason: str) -> dict[str, object]:
        return CompetitionAnswer.failure(reason, run_id=self.run_id, status=status).as_json()


def watch_pipeline(screen: LiveScreen | None, plan: RunPlan) -> None:
    """What a run of a pipeline begins with: the screen is told its phases and its limits, and makes
    room where a person is asked."""
    if screen is None:
        return
    make_room(screen, plan)
    if isinstance(screen, PipelineScreen) and isinstance(plan.flow, PipelineFlow):
        for name, phase in plan.flow.phases.items():
            title = getattr(phase, "title", name)
            screen.board.expect(name, title, tuple(getattr(phase, "agents", ())))


def end_resumed(result: RunResult, out: Path | None, show: Show) -> int:
    """Write the results that flows compete was to write, show what the run came to and return the
    exit code, which is that of flows run."""
    results = write_results(result, out)
    code = show.end(result, written=tuple(results.values()))
    if result.status != "waiting":
        note_unwritten(out, results)
    return code


def note_unwritten(out: Path | None, written: Mapping[str, Path]) -> None:
    """Say where there is no submission though one was asked for, or only that of another run."""
    if out is None or SUBMISSION in written:
        return
    left = "; the one that is there is of another run" if (out / SUBMISSION).exists() else ""
    print(f"{out / SUBMISSION} was not written: there is no submission{left}", file=sys.stderr)


def competition_exit_code(result: RunResult) -> int:
    """What a shell is told."""
    from flows.cli.ask import ABSTAINED
    from flows.services.competition_answer import status_of
    from flows.services.exit_code import request_exit_code

    if code := request_exit_code(result):
        return code
    return ABSTAINED if status_of(result) == "failed" else 0
