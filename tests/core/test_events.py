"""The stream of events: closed, numbered, and without influence on the run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import get_args

import pytest

from flows.core import events as module
from flows.core.events import Event, RunEnded, RunStarted, StepErred, StepFinished, StepStarted
from flows.runners.local import run_plan
from tests.core.running import run_text
from tests.shapes import SHAPES, Shape, plan_of

every_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


def test_the_union_is_closed() -> None:
    kinds = {
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, tuple) and each.__module__ == module.__name__
    }
    assert kinds == set(get_args(Event))
    for kind in kinds:
        assert kind._fields[:4] == ("run", "seq", "address", "round")  # type: ignore[attr-defined]


@every_shape
def test_numbered_without_gaps_from_start_to_end(shape: Shape, tmp_path: Path) -> None:
    _, events = run_text(shape.text, tmp_path)
    assert [each.seq for each in events] == list(range(1, len(events) + 1))
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunEnded)
    assert (events[-1].status, events[-1].reason) == (shape.status, shape.reason)
    assert all(isinstance(each, get_args(Event)) for each in events)


@every_shape
def test_every_step_that_begins_ends(shape: Shape, tmp_path: Path) -> None:
    _, events = run_text(shape.text, tmp_path)
    open_steps: list[str] = []
    for event in events:
        if isinstance(event, StepStarted):
            assert event.address not in open_steps
            open_steps.append(event.address)
        elif isinstance(event, StepFinished):
            open_steps.remove(event.address)
            assert event.elapsed_ms >= 0
        elif isinstance(event, StepErred):
            # The composite above caught it, and goes on.
            assert shape.name == "a failure that is caught"
            open_steps.remove(event.address)
    assert open_steps == []


def test_a_listener_that_fails_gets_no_more_and_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shape = SHAPES[3]
    plan = plan_of(shape.text, tmp_path)
    heard: list[int] = []
    bad: list[int] = []

    def failing(event: Event) -> None:
        bad.append(event.seq)
        if len(bad) == 3:
            raise RuntimeError("the screen is gone")

    result = asyncio.run(
        run_plan(plan, journal=False, listeners=(failing, lambda event: heard.append(event.seq)))
    )

    assert (result.status, result.outputs) == (shape.status, shape.outputs)
    assert bad == [1, 2, 3]
    assert heard == list(range(1, len(heard) + 1))
    assert len(heard) > 5
    assert "the screen is gone" in caplog.text


def test_the_only_listener_fails(tmp_path: Path) -> None:
    shape = SHAPES[9]
    plan = plan_of(shape.text, tmp_path)

    def failing(event: Event) -> None:
        raise RuntimeError("at once")

    result = asyncio.run(run_plan(plan, journal=False, listeners=(failing,)))
    assert (result.status, result.outputs) == (shape.status, shape.outputs)


def test_events_cannot_be_changed(tmp_path: Path) -> None:
    _, events = run_text(SHAPES[0].text, tmp_path)
    with pytest.raises(AttributeError):
        events[0].seq = 7  # type: ignore[misc]


def test_a_resumed_run_says_so(tmp_path: Path) -> None:
    plan = plan_of(SHAPES[3].text, tmp_path)
    asyncio.run(run_plan(plan, run_id="r"))
    events: list[Event] = []
    asyncio.run(run_plan(plan, run_id="r", resume=True, listeners=(events.append,)))
    first = events[0]
    assert isinstance(first, RunStarted)
    assert (first.run, first.resumed, first.inputs) == ("r", True, {"n": 1})
    assert [each.seq for each in events] == list(range(1, len(events) + 1))
