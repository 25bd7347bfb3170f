"""What the agents of a phase are scored by, apart from the unit tests of its tables."""

from __future__ import annotations

import re
from statistics import mean
from typing import Any

import pytest

from flows.analysis.prediction.plan import Experience, PlanStep, UnitTestResult
from flows.analysis.prediction.review import GOOD_ENOUGH, review_phase
from flows.analysis.prediction.work import PhaseWork, Reviewing, StepOutcome
from tests.analysis.prediction.faults import reviewing, run_checks, sound


def good(phase: str = "data_cleaning", **changes: Any) -> Reviewing:
    """A phase with nothing to do better, changed so."""
    state = sound()
    return reviewing(phase, run_checks(phase, state), state).model_copy(update=changes)


def score(given: Reviewing) -> float:
    return mean(each.score for each in review_phase(given))


def work(given: Reviewing, **changes: Any) -> PhaseWork:
    return given.work.model_copy(update=changes)


def reading(**changes: Any) -> Reviewing:
    return Reviewing(
        phase="understand_background", agents=("reader",), task=sound()["task"]
    ).model_copy(update=changes)


def test_a_task_that_is_read_without_doubts_is_the_best() -> None:
    (told,) = review_phase(reading())
    assert told.score == 5
    assert "'" not in told.suggestion


def test_no_task_and_an_unclear_target_stop_the_first_phase() -> None:
    assert score(reading(task=None)) < GOOD_ENOUGH
    doubt = "the text does not say which of 'a', 'b'"
    (told,) = review_phase(reading(task_problems=(doubt,)))
    assert told.score < GOOD_ENOUGH
    assert doubt in told.reasons[0]


def test_a_small_doubt_costs_a_bit() -> None:
    doubts = ("the sample submission has the rows of test in another order of 'row'",)
    (told,) = review_phase(reading(task_problems=doubts))
    assert GOOD_ENOUGH < told.score < 5


@pytest.mark.parametrize("phase", ["preliminary_eda", "data_cleaning", "model_building"])
def test_a_plan_without_steps_stops_a_phase(phase: str) -> None:
    given = good(phase)
    assert score(given.model_copy(update={"steps": (), "work": PhaseWork(ran=True)})) < GOOD_ENOUGH


def test_steps_that_make_nothing_stop_a_phase_that_changes_tables() -> None:
    given = good()
    idle = StepOutcome(step=given.steps[0])
    changed = given.model_copy(update={"work": work(given, outcomes=(idle,))})
    planner = review_phase(changed)[0]
    assert score(changed) < GOOD_ENOUGH
    assert "train or test" in planner.suggestion


def test_code_that_did_not_run_stops_a_phase_and_its_error_is_named() -> None:
    given = good()
    failed = work(given, ran=False, outcomes=(), errors=("step 1 (x): ValueError: no column 'a'",))
    told = review_phase(given.model_copy(update={"work": failed}))
    assert mean(each.score for each in told) < GOOD_ENOUGH
    assert all("no column 'a'" in each.reasons[0] for each in told)
    assert "some_tool" in told[0].suggestion


def test_a_step_left_out_costs_a_bit_and_most_of_them_stop_the_phase() -> None:
    given = good()
    (done,) = given.work.outcomes
    step = PlanStep(purpose="Bring far values near", tool="clip_outliers", optional=True)
    gone = StepOutcome(step=step, status="left_out", error="ValueError: no")
    one = given.model_copy(update={"work": work(given, outcomes=(done, done, gone))})
    most = given.model_copy(update={"work": work(given, outcomes=(done, gone, gone))})
    assert GOOD_ENOUGH < score(one) < 5
    assert score(most) < GOOD_ENOUGH
    assert "clip_outliers" in review_phase(one)[0].suggestion


def test_warnings_and_mended_code_cost_a_bit() -> None:
    given = good()
    warning = UnitTestResult(name="categories_known", passed=False, message="m", level="warning")
    warned = given.model_copy(update={"work": work(given, checks=(warning,) * 3)})
    mended = given.model_copy(update={"work": work(given, corrections=2)})
    assert 4 < score(warned) < 5
    assert 4 < score(mended) < 5


def test_many_slight_faults_do_not_stop_a_phase() -> None:
    given = good()
    warning = UnitTestResult(name="categories_known", passed=False, message="m", level="warning")
    both = work(given, checks=(warning,) * 40, corrections=9)
    assert score(given.model_copy(update={"work": both})) >= GOOD_ENOUGH


@pytest.mark.parametrize(
    "agents",
    [("planner", "developer"), ("reader", "toolsmith", "planner", "developer"),
     ("developer",), ("toolsmith", "reader")],
)  # fmt: skip
def test_a_serious_fault_stops_the_phase_whoever_is_scored(agents: tuple[str, ...]) -> None:
    given = good(agents=agents)
    failed = UnitTestResult(name="rows_kept", passed=False, message="rows are lost")
    changed = given.model_copy(update={"work": work(given, checks=(failed,))})
    told = review_phase(changed)
    assert [each.agent for each in told] == list(agents)
    if {"planner", "developer"} & set(agents):
        assert mean(each.score for each in told) < GOOD_ENOUGH


def test_what_failed_before_is_said_and_the_same_plan_too() -> None:
    given = good()
    failed = UnitTestResult(name="rows_kept", passed=False, message="rows are lost", advice="do so")
    earlier = Experience(try_number=2, failed=(failed,), steps=given.steps)
    update = {"work": work(given, checks=(failed,)), "experience": earlier}
    reasons = " ".join(review_phase(given.model_copy(update=update))[0].reasons)
    assert "in the try before, too" in reasons
    assert "the one of the try before" in reasons


def test_tools_that_no_step_uses_cost_the_toolsmith() -> None:
    given = good("feature_engineering", made_tools=("some_tool", "idle_tool"))
    toolsmith = review_phase(given)[0]
    assert toolsmith.agent == "toolsmith"
    assert toolsmith.score == 4.5
    assert "idle_tool" in toolsmith.reasons[0]


def test_suggestions_quote_no_column_that_a_plan_would_take_for_another_test() -> None:
    given = good()
    failed = tuple(
        UnitTestResult(
            name=name, passed=False, message="of 'a'", advice=f"{name} it", culprits=("a",)
        )
        for name in ("no_constant_features", "no_leakage", "no_missing_values_left")
    )
    planner = review_phase(given.model_copy(update={"work": work(given, checks=failed)}))[0]
    assert re.findall(r"['\"`]", planner.suggestion) == []
    assert planner.score < review_phase(
        given.model_copy(update={"work": work(given, checks=failed[:1])})
    )[0].score  # fmt: skip
