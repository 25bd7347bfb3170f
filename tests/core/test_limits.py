"""Each limit ends the run `unfinished`, with what there is."""

import asyncio
from pathlib import Path

import pytest

from flows.core.chat import Usage
from flows.core.human import Answer, Question
from flows.core.limits import Limits, Meter
from flows.core.run import Run
from flows.errors import LimitReached
from flows.runners.local import run_plan
from tests.core.running import run_text
from tests.flows_for_tests import EXECUTED, Add, Number
from tests.shapes import plan_of

LOOP = """
_target_: circular
early_exit_key: null
max_rounds: 20
input_interface: [n]
output_interface: [n]
subflows_config: {m: {_target_: T.Spend}}
topology: [{goal: spend, flow: m}]
inputs: {n: 0}
"""
NESTED = f"""
_target_: sequential
input_interface: [n]
output_interface: [n, result]
subflows_config:
  before: {{_target_: T.Add}}
  loop: {{{LOOP.replace("inputs: {n: 0}", "").strip().replace(chr(10), ", ")}}}
  after: {{_target_: T.Add, amount: 100}}
topology:
  - {{goal: before, flow: before}}
  - {{goal: loop, flow: loop, output_interface: {{keys_to_rename: {{n: result}}}}}}
  - {{goal: after, flow: after}}
inputs: {{n: 0}}
"""
LIMITS = [
    ("rounds", 3, 3),
    ("model_calls", 3, 3),
    ("tokens", 25, 3),
    ("model_calls", 0, 0),
    ("rounds", 0, 0),
]


@pytest.mark.parametrize("journal", [False, True])
@pytest.mark.parametrize(("limit", "allowed", "rounds"), LIMITS)
def test_ends_unfinished(
    tmp_path: Path, limit: str, allowed: int, rounds: int, journal: bool
) -> None:
    result, _ = run_text(LOOP, tmp_path, f"limits.{limit}={allowed}", journal=journal)

    assert (result.status, result.exit_code, result.error) == ("unfinished", 0, None)
    assert result.reason == f"the run's limit on {limit} ({allowed}) is reached"
    assert result.outputs == {"n": rounds}
    assert result.usage.model_calls == rounds


@pytest.mark.parametrize(("limit", "allowed", "rounds"), LIMITS)
def test_nested(tmp_path: Path, limit: str, allowed: int, rounds: int) -> None:
    result, _ = run_text(NESTED, tmp_path, f"limits.{limit}={allowed}")

    assert result.status == "unfinished"
    # What the loop had come to is there under the name that its interface gives it.
    assert result.outputs == {"n": 1, "result": 1 + rounds}


def test_wall_time(tmp_path: Path) -> None:
    text = LOOP.replace("T.Spend", "T.Sleep, seconds: 0.1")
    EXECUTED.clear()
    result, _ = run_text(text, tmp_path, "limits.wall_time=0.25")
    assert result.status == "unfinished"
    assert result.reason.startswith("the run's limit on wall_time (0.25) is reached")
    # The step that the time ran out in is ended, and those before it count, however fast it went.
    within = "within m#" in result.reason
    assert result.outputs == {"n": len(EXECUTED) - within}
    assert len(EXECUTED) < 20
    assert result.seconds >= 0.25


@pytest.mark.parametrize("journal", [True, False])
def test_a_step_that_takes_longer_than_what_is_left_is_ended(tmp_path: Path, journal: bool) -> None:
    plan = plan_of(LOOP.replace("T.Spend", "T.Sleep"), tmp_path, "limits.wall_time=0.2")
    EXECUTED.clear()
    first = asyncio.run(run_plan(plan, run_id="r", journal=journal))
    assert (first.status, first.outputs, EXECUTED) == ("unfinished", {"n": 0}, ["m#1"])
    assert first.reason == "the run's limit on wall_time (0.2) is reached: within m#1"
    if journal:
        again = asyncio.run(run_plan(plan, run_id="r", resume=True))
        assert (again.status, again.reason, EXECUTED) == ("unfinished", first.reason, ["m#1"])


class SlowPerson:
    async def ask(self, question: Question) -> Answer:
        await asyncio.sleep(0.4)
        return Answer(kind="text", text=f"well, {question.text}")

    async def aclose(self) -> None:
        """Nothing is held."""


class AskSlowPerson(Add):
    """Asks somebody who takes their time."""

    async def run(self, inputs: Number, run: Run) -> Number:
        answer = await run.ask_person(SlowPerson(), Question(id="q", text="how long?"))
        assert answer.text == "well, how long?"
        return Number(n=inputs.n + 1)


def test_a_question_to_a_person_is_waited_for(tmp_path: Path) -> None:
    text = LOOP.replace("T.Spend", f"{__name__}.AskSlowPerson")
    result, _ = run_text(text, tmp_path, "limits.wall_time=0.2")
    assert result.outputs == {"n": 1}
    assert result.reason == "the run's limit on wall_time (0.2) is reached"


def test_several_calls_of_one_step_are_counted_one_by_one(tmp_path: Path) -> None:
    text = LOOP.replace("T.Spend", "T.Spend, calls: 5")
    result, _ = run_text(text, tmp_path, "limits.model_calls=3")
    assert (result.status, result.usage.model_calls) == ("unfinished", 3)


def test_calls_of_parallel_steps_are_counted_together(tmp_path: Path) -> None:
    text = """
    _target_: parallel
    input_interface: [n]
    subflows_config: {a: &s {_target_: T.Spend, calls: 5}, b: *s, c: *s}
    topology:
      - {goal: a, flow: a, output_interface: {keys_to_rename: {n: a}}}
      - {goal: b, flow: b, output_interface: {keys_to_rename: {n: b}}}
      - {goal: c, flow: c, output_interface: {keys_to_rename: {n: c}}}
    inputs: {n: 0}
    limits: {model_calls: 4}
    """
    result, _ = run_text(text, tmp_path)
    assert result.status == "unfinished"
    assert result.usage.model_calls <= 4


CAUGHT = """
_target_: circular
early_exit_key: null
max_rounds: 20
input_interface: [n]
output_interface: [observation]
subflows_config:
  try:
    _target_: T.Catch
    input_interface: [n]
    subflows_config: {m: {_target_: T.Spend, fails: true}}
    topology: [{goal: spend, flow: m}]
topology: [{goal: try, flow: try}]
inputs: {n: 0}
limits: {model_calls: 3}
"""


def test_what_failed_steps_spent_is_counted(tmp_path: Path) -> None:
    result, _ = run_text(CAUGHT, tmp_path)
    assert (result.status, result.usage.model_calls) == ("unfinished", 3)
    assert result.usage.input_tokens == 30


def test_what_failed_steps_spent_is_counted_after_a_resume(tmp_path: Path) -> None:
    plan = plan_of(CAUGHT, tmp_path)
    first = asyncio.run(run_plan(plan, run_id="r"))
    EXECUTED.clear()
    again = asyncio.run(run_plan(plan, run_id="r", resume=True))
    assert (again.status, again.usage, again.outputs) == (first.status, first.usage, first.outputs)
    assert EXECUTED == ["try#4/m#1"]


def test_what_a_step_that_is_tried_again_had_spent_is_counted(tmp_path: Path) -> None:
    plan = plan_of("{_target_: T.Spend, fails: true, inputs: {n: 0}}", tmp_path)
    assert asyncio.run(run_plan(plan, run_id="r")).usage.model_calls == 1
    assert asyncio.run(run_plan(plan, run_id="r", resume=True)).usage.model_calls == 2
    assert asyncio.run(run_plan(plan, run_id="r", resume=True)).usage.model_calls == 3


@pytest.mark.parametrize("limit", ["rounds=3", "model_calls=3", "tokens=25"])
def test_resuming_does_not_begin_the_budget_again(tmp_path: Path, limit: str) -> None:
    plan = plan_of(LOOP, tmp_path, f"limits.{limit}")
    first = asyncio.run(run_plan(plan, run_id="r"))
    again = asyncio.run(run_plan(plan, run_id="r", resume=True))
    assert (again.status, again.outputs) == ("unfinished", first.outputs)
    assert again.usage == first.usage


def test_resuming_after_the_deadline_gives_what_there_was(tmp_path: Path) -> None:
    text = LOOP.replace("T.Spend", "T.Sleep, seconds: 0.1")
    plan = plan_of(text, tmp_path, "limits.wall_time=0.25")
    first = asyncio.run(run_plan(plan, run_id="r"))
    EXECUTED.clear()
    again = asyncio.run(run_plan(plan, run_id="r", resume=True))
    assert (again.status, again.outputs) == ("unfinished", first.outputs)
    assert EXECUTED == []


def test_meter() -> None:
    meter = Meter(Limits(model_calls=2, tokens=10))
    meter.claim()
    meter.spend(Usage(model_calls=1, input_tokens=3, output_tokens=None))
    meter.claim()  # this one fails, and is counted all the same
    with pytest.raises(LimitReached, match="model_calls"):
        meter.claim()
    assert meter.usage == Usage(model_calls=1, input_tokens=3)


def test_no_limit_is_no_limit() -> None:
    meter = Meter(Limits())
    for _ in range(100):
        meter.begin_round()
        meter.claim()
        meter.check_time()
    assert meter.rounds == 100
