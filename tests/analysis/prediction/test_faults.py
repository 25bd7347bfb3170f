"""Each planted fault is found by its unit test, and brings its phase below what goes on."""

from __future__ import annotations

from statistics import mean

import pytest

from flows.analysis.prediction.phases import TITLES
from flows.analysis.prediction.review import GOOD_ENOUGH, review_phase
from tests.analysis.prediction.faults import FAULTS, reviewing, run_checks, sound

PHASES = [each for each in TITLES if each != "understand_background"]


def test_at_least_twenty_faults_are_planted() -> None:
    assert len(FAULTS) >= 20


@pytest.mark.parametrize("kind", ["binary", "regression"])
@pytest.mark.parametrize("phase", PHASES)
def test_a_sound_phase_goes_on(phase: str, kind: str) -> None:
    state = sound(kind)
    results = run_checks(phase, state)
    assert results
    assert [(each.name, each.message) for each in results if not each.passed] == []
    scores = review_phase(reviewing(phase, results, state))
    assert mean(each.score for each in scores) == 5
    assert [each.suggestion for each in scores if each.suggestion] == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_and_stops_its_phase(fault: str) -> None:
    phase, name, plant = FAULTS[fault]
    state = sound()
    plant(state)
    results = run_checks(phase, state)
    failed = [each for each in results if not each.passed and each.level == "error"]
    assert name in [each.name for each in failed], [each.message for each in results]
    scores = review_phase(reviewing(phase, results, state))
    assert mean(each.score for each in scores) < GOOD_ENOUGH
    reasons = " ".join(reason for each in scores for reason in each.reasons)
    assert f"{name}: " in reasons
    planner = next(each for each in scores if each.agent == "planner")
    assert name in planner.suggestion
    found = next(each for each in failed if each.name == name)
    assert found.message
    assert found.advice
