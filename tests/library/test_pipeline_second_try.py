"""Faults that are planted in the work of a phase bring it below the least score; the second try,
all by rules, mends them."""

from __future__ import annotations

import re

import pytest

from flows.analysis.prediction.work import PhaseRecord
from tests.library.desk import Desk
from tests.library.planting import FAULTS, MODELS
from tests.library.rooms import INPUTS, PIPELINE, furnish, only

__all__ = ["furnish"]
QUICK = ("a row of test lost", "an identifier changed", "a constant")
LEAST = 3.0
# The models search for as long as they may; what they find is not what is judged here.
SECONDS = 15


def second_try(desk: Desk, name: str) -> None:
    """The phase in which the fault is planted, and the first alone."""
    planted = FAULTS[name]
    developer = f"{planted.phase}.Developer"
    result = desk.run(
        PIPELINE,
        *only(planted.phase),
        f"{developer}._target_=tests.library.planting.PlantingDeveloper",
        f"+{developer}.fault='{name}'",
        f"~{planted.phase}.ToolSmith" if planted.phase == "FeatureEngineering" else "name=Planted",
        f"{planted.phase}.most_tries=2",
        f"seconds={SECONDS}",
        inputs=INPUTS,
    )
    assert result.status == "finished", result.error
    record: PhaseRecord = result.outputs["phases"][-1]
    [first] = [each for each in desk.inputs("Planner") if each["experience"].try_number == 2]
    experience = first["experience"]
    assert experience.score < LEAST, experience
    failed = " ".join(each.name for each in experience.failed)
    assert re.search(planted.told, failed), failed
    assert experience.suggestions
    assert record.tries == 2
    assert not record.kept_best
    assert record.score is not None
    assert record.score >= LEAST, record.scores
    assert record.work.failed == (), record.work.failed
    if planted.phase == MODELS:
        assert result.outputs["status"] == "done"
        assert result.outputs["rows"] == 20


@pytest.mark.long("phases of a pipeline, whose code runs in the sandbox")
@pytest.mark.parametrize("name", QUICK)
def test_a_planted_fault_is_found_and_mended(desk: Desk, name: str) -> None:
    second_try(desk, name)


@pytest.mark.long("a phase that is done twice, for each fault")
@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", [each for each in FAULTS if each not in QUICK])
def test_each_planted_fault_is_found_and_mended(desk: Desk, name: str) -> None:
    second_try(desk, name)
