"""Standing still before a step: the run goes on, is saved, or ends with what there is."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from pydantic import TypeAdapter

from flows.build.restoration import recorded_plan
from flows.core.events import Event, StepFinished, StepStarted
from flows.core.flow import CompositeFlow, FlowConfig, Ports
from flows.core.limits import Limits, Meter
from flows.core.pause import Choice, Pause, PauseCommand
from flows.core.result import RunResult
from flows.core.run import Run
from flows.core.topology import CompositeConfig
from flows.errors import LimitReached, StopAsked
from flows.runners.local import run_plan
from flows.runners.replay import replay
from tests.flows_for_tests import EXECUTED, Number
from tests.flows_for_tests import __name__ as module
from tests.shapes import plan_of

HERE = __name__
CHOICE: TypeAdapter[Choice] = TypeAdapter(Choice)
CHAIN = f"""\
_target_: sequential
name: Chain
input_interface: {{n: int}}
output_interface: [n]
subflows_config:
  a: {{_target_: {module}.Add}}
  b: {{_target_: {module}.Add}}
  c: {{_target_: {module}.Add}}
topology: [{{goal: a, flow: a}}, {{goal: b, flow: b}}, {{goal: c, flow: c}}]
inputs: {{n: 1}}
"""
# `slow` works for a while; when `quick` has ended, `last` is to begin.
BESIDE = f"""\
_target_: parallel
name: Beside
input_interface: {{n: int}}
output_interface: [a, b, c]
subflows_config:
  quick: {{_target_: {module}.Add}}
  slow: {{_target_: {module}.Sleep, seconds: 0.2}}
  last: {{_target_: {module}.Add}}
topology:
  - {{goal: q, flow: quick, output_interface: {{keys_to_rename: {{n: a}}}}}}
  - {{goal: s, flow: slow, output_interface: {{keys_to_rename: {{n: b}}}}}}
  - {{goal: l, flow: last, after: [quick], output_interface: {{keys_to_rename: {{n: c}}}}}}
inputs: {{n: 1}}
"""
EARLY = f"""\
_target_: {HERE}.Early
name: Early
subflows_config:
  work: {{_target_: {module}.Add}}
  tell: {{_target_: {module}.Double}}
inputs: {{n: 1}}
"""


class Early(CompositeFlow):
    """Adds one five times, or until it is stopped, and doubles what there is then."""

    Config: ClassVar[type[FlowConfig]] = CompositeConfig
    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Number

    async def run(self, inputs: Number, run: Run) -> Mapping[str, Any]:
        n = inputs.n
        try:
            for _ in range(5):
                n = (await run.call(self.subflows["work"], {"n": n}))["n"]
        except StopAsked:
            run.take_stop()
        return await run.call(self.subflows["tell"], {"n": n})


class Person:
    """Wants a pause when a step has ended, or begun, and says one thing each time it is asked: how
    the run goes on, or a command with its colon."""

    def __init__(self, at: str, *says: str, kind: type[Event] = StepFinished) -> None:
        self.at = at
        self.kind = kind
        self.says = list(says)
        self.asked = 0
        self.told: list[str] = []
        self.events: list[Event] = []
        self.pause = Pause(self.choose)

    async def choose(self, reply: str) -> Choice | PauseCommand:
        self.asked += 1
        self.told.append(reply)
        await asyncio.sleep(0)
        said = self.says.pop(0)
        if said.startswith(":"):
            return PauseCommand(said.removeprefix(":"))
        return CHOICE.validate_python(said)

    def listen(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, self.kind) and event.address == self.at and not self.asked:
            self.pause.want()


@pytest.fixture(autouse=True)
def _fresh() -> None:
    EXECUTED.clear()


def paused(text: str, folder: Path, person: Person, *overrides: str) -> RunResult:
    plan = plan_of(text, folder, *overrides)
    return asyncio.run(run_plan(plan, run_id="r", listeners=(person.listen,), pause=person.pause))


def resumed(folder: Path) -> RunResult:
    plan = recorded_plan(folder / "runs" / "r", trust=("tests",))
    return asyncio.run(run_plan(plan, run_id="r", resume=True))


def test_it_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    person = Person("a#1", "go on")
    result = paused(CHAIN, tmp_path, person)
    assert (result.status, dict(result.outputs), person.asked) == ("finished", {"n": 4}, 1)


def test_it_is_changed_where_it_stands_and_goes_on_so(tmp_path: Path) -> None:
    person = Person(
        "a#1", ":help", ":set b.amount=x", ":set b.amount=5", ":set inputs.n=3", ":undo",
        ":set b.amount=7", "go on",
    )  # fmt: skip
    result = paused(CHAIN, tmp_path, person)
    assert dict(result.outputs) == {"n": 10}
    assert EXECUTED == ["a#1", "b#1", "c#1"]
    first, helped, wrong, changed, inputs, undone, last = person.told
    assert first == ""
    assert helped.startswith("Commands to the session")
    assert "amount" in wrong
    assert "is now 5. It holds from the next step on" in changed
    assert "the run's inputs cannot be changed" in inputs
    assert undone.startswith("Taken back")
    assert "is now 7" in last
    assert [each.seq for each in person.events] == list(range(1, len(person.events) + 1))
    began = [each.address for each in person.events if isinstance(each, StepStarted)]
    assert began == ["", "a#1", "b#1", "c#1"]
    told = replay("r", runs=tmp_path / "runs", trust=("tests",))
    assert told.outputs == result.outputs


def test_a_change_at_a_pause_is_kept_when_it_is_saved(tmp_path: Path) -> None:
    with pytest.raises(asyncio.CancelledError):
        paused(CHAIN, tmp_path, Person("a#1", ":set b.amount=5", "save"))
    assert EXECUTED == ["a#1"]
    assert dict(resumed(tmp_path).outputs) == {"n": 8}


def test_a_change_at_a_pause_waits_for_the_steps_beside(tmp_path: Path) -> None:
    person = Person("slow#1", ":set last.amount=10", "go on", kind=StepStarted)
    result = paused(BESIDE, tmp_path, person)
    assert dict(result.outputs) == {"a": 2, "b": 2, "c": 11}
    assert sorted(EXECUTED) == ["last#1", "quick#1", "slow#1"]
    began = [each.address for each in person.events if isinstance(each, StepStarted)]
    assert sorted(began) == ["", "last#1", "quick#1", "slow#1"]


def test_a_run_that_is_not_recorded_takes_no_commands_at_a_pause(tmp_path: Path) -> None:
    person = Person("a#1", ":set b.amount=5", "go on")
    running = run_plan(
        plan_of(CHAIN, tmp_path), journal=False, listeners=(person.listen,), pause=person.pause
    )
    assert dict(asyncio.run(running).outputs) == {"n": 4}
    assert person.told[1].startswith("This run takes no commands")


def test_saved_it_ends_before_the_next_step_and_is_gone_on_with(tmp_path: Path) -> None:
    with pytest.raises(asyncio.CancelledError):
        paused(CHAIN, tmp_path, Person("a#1", "save"))
    assert EXECUTED == ["a#1"]
    assert dict(resumed(tmp_path).outputs) == {"n": 4}
    assert EXECUTED == ["a#1", "b#1", "c#1"]


@pytest.mark.parametrize("on_limit", ["partial", "raise"])
def test_stopped_it_ends_with_what_there_is_and_is_told_again_so(
    tmp_path: Path, on_limit: str
) -> None:
    person = Person("b#1", "stop")
    result = paused(CHAIN, tmp_path, person, f"+limits.on_limit={on_limit}")
    assert (result.status, dict(result.outputs)) == ("unfinished", {"n": 3})
    assert result.reason == "the person ended it early"
    told = replay("r", runs=tmp_path / "runs", trust=("tests",))
    assert (told.status, told.outputs) == (result.status, result.outputs)
    assert EXECUTED == ["a#1", "b#1"]


def test_a_flow_that_hears_the_stop_makes_something_of_what_there_is(tmp_path: Path) -> None:
    result = paused(EARLY, tmp_path, Person("work#2", "stop"))
    assert (result.status, dict(result.outputs)) == ("finished", {"n": 6})
    assert EXECUTED == ["work#1", "work#2", "tell#1"]
    told = replay("r", runs=tmp_path / "runs", trust=("tests",))
    assert told.outputs == result.outputs
    assert len(EXECUTED) == 3


def test_a_resumed_run_stops_where_it_was_stopped(tmp_path: Path) -> None:
    person = Person("work#2", "stop")

    def fall(event: Event) -> None:
        person.listen(event)
        if isinstance(event, StepStarted) and event.flow == "tell":
            person.pause.leave()  # what a kill does, without losing the process of this test

    plan = plan_of(EARLY, tmp_path)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(run_plan(plan, run_id="r", listeners=(fall,), pause=person.pause))
    assert dict(resumed(tmp_path).outputs) == {"n": 6}
    assert EXECUTED.count("work#2") == 1
    assert "work#3" not in EXECUTED


def test_steps_that_have_begun_come_to_their_ends_before_it_is_saved(tmp_path: Path) -> None:
    with pytest.raises(asyncio.CancelledError):
        paused(BESIDE, tmp_path, Person("slow#1", "save", kind=StepStarted))
    assert sorted(EXECUTED) == ["quick#1", "slow#1"]
    assert dict(resumed(tmp_path).outputs) == {"a": 2, "b": 2, "c": 2}
    assert sorted(EXECUTED) == ["last#1", "quick#1", "slow#1"]


def test_two_pauses_are_two_questions(tmp_path: Path) -> None:
    person = Person("a#1", "go on", "stop")

    def again(event: Event) -> None:
        person.listen(event)
        if isinstance(event, StepFinished) and event.address == "b#1":
            person.pause.want()

    plan = plan_of(CHAIN, tmp_path)
    result = asyncio.run(run_plan(plan, run_id="r", listeners=(again,), pause=person.pause))
    assert (dict(result.outputs), person.asked) == ({"n": 3}, 2)


def test_standing_still_uses_up_no_time() -> None:
    meter = Meter(Limits(wall_time=50), used_seconds=100)
    with pytest.raises(LimitReached):
        meter.check_time()
    meter.put_off(100)
    meter.check_time()
