"""What the unit tests advise is what the rules of the next plan act upon."""

from __future__ import annotations

import pandas as pd
import pytest

from flows.analysis.prediction.plan import Experience
from flows.analysis.prediction.planning import plan_steps
from flows.analysis.prediction.review import review_phase
from tests.analysis.prediction.faults import FAULTS, reviewing, run_checks, sound
from tests.analysis.prediction.tables import planning, run

# Faults that lie in the tables with which the phase begins.
MENDED = (
    "missing left",
    "column only in train",
    "column only in test",
    "another kind in test",
    "constant feature",
    "duplicate feature",
    "target in test",
    "leak by copy",
    "leak by name",
    "leak by time",
    "doubled row",
)


@pytest.mark.long("whole analyses over their data")
@pytest.mark.parametrize("fault", MENDED)
def test_the_second_try_mends_what_was_found(fault: str) -> None:
    phase, name, plant = FAULTS[fault]
    state = sound()
    plant(state)
    first = run_checks(phase, state)
    failed = tuple(each for each in first if not each.passed and each.level == "error")
    assert name in [each.name for each in failed]
    scores = review_phase(reviewing(phase, first, state))
    experience = Experience(
        try_number=2,
        failed=failed,
        suggestions=tuple(each.suggestion for each in scores if each.suggestion),
    )
    frames: dict[str, pd.DataFrame] = {each: state[each] for each in ("train", "test")}
    given = planning(state["task"], phase, frames, experience=experience)
    run(given, plan_steps(given), frames)
    state |= frames
    again = {each.name: each for each in run_checks(phase, state)}
    assert again[name].passed, again[name].message
