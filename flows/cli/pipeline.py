"""How a command watches a pipeline at work."""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from flows.cli.show import BrokenOff, Show
from flows.core.result import RunResult
from flows.services.competition_answer import CompetitionAnswer
from flows.services.competition_results import SUBMISSION
from flows.ui.screen import Screen


class CompetitionShow(Show):
    """Shows a run of `flows compete`; nothing of it while it goes on if it is to be `quiet`."""

    def __init__(self, *, as_json: bool, quiet: bool) -> None:
        super().__init__(as_json=as_json, verbose=False)
        if quiet:
            self.screen = Screen(Console(file=io.StringIO(), quiet=True))

    def broken_off(self, status: BrokenOff, reason: str) -> dict[str, object]:
        return CompetitionAnswer.failure(reason, run_id=self.run_id, status=status).as_json()


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
