"""Running a text as a run file, for the tests of the engine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.core.events import Event
from flows.core.result import RunResult
from flows.errors import CheckError, ConfigError
from flows.runners.local import run_plan
from tests.shapes import plan_of


def run_text(
    text: str, folder: Path, *overrides: str, journal: bool = False, run_id: str | None = None
) -> tuple[RunResult, list[Event]]:
    """The result of a run file with this text, and the events on the way."""
    plan = plan_of(text, folder, *overrides)
    events: list[Event] = []
    result = asyncio.run(run_plan(plan, run_id=run_id, journal=journal, listeners=(events.append,)))
    return result, events


def problems_of(text: str, folder: Path) -> list[tuple[str, int | None, int | None, str]]:
    """What building the text refuses: path, line, column and text of each problem."""
    with pytest.raises(ConfigError) as caught:
        plan_of(text, folder)
    error = caught.value
    errors = error.errors if isinstance(error, CheckError) else (error,)
    assert all(each.place for each in errors)
    return [
        (each.path, each.place.line, each.place.column, each.problem)
        for each in errors
        if each.place and not each.warning
    ]
