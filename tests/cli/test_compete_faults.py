"""`flows compete` with something wrong in its folder: a good submission, the repair told; or none,
and a reason. Never a wrong submission without a word, never an error of our own."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from tests.analysis.prediction.input_faults import Competition, Fault, written
from tests.cli.command import Ended, flows
from tests.cli.competition_faults import ALL, LEAST_RIGHT, Submitted, is_learnable, learnable

# The phases that only look at the data are left out, and the tools that are made of it.
SHORT = (
    "~PreliminaryEDA", "~InDepthEDA", "~FeatureEngineering.ToolSmith",
    "DataCleaning.most_tries=2", "FeatureEngineering.most_tries=2", "ModelBuilding.most_tries=2",
)  # fmt: skip
SECONDS = "30"
# Those that are refused before a model is learned take a few seconds.
QUICK = (
    "train is empty", "train is binary", "test is broken", "train has no rows",
    "train has no target", "one class", "target wholly missing",
)  # fmt: skip
SLOW = [each for each in ALL if each not in QUICK]


def spoilt(fault: Fault, folder: Path) -> tuple[Competition, Competition]:
    """The parts of a competition before and after a fault; they are written with it."""
    before = learnable()
    parts = copy.deepcopy(before)
    fault.change(parts)
    written(parts, folder)
    fault.spoil(folder)
    return before, parts


def compete(folder: Path, *overrides: str, seconds: str = SECONDS) -> Ended:
    out = str(folder.parent / "out")
    options = ("--out", out, "--time", seconds, "--json")
    return flows("compete", folder.name, *overrides, *options, cwd=folder.parent)


def told_of(ended: Ended, result: dict[str, Any]) -> str:
    """All that a user is told beside the table of scores."""
    task = result.get("task") or {}
    said = [result.get("reason") or "", *result["notes"], *task.get("doubts", ()), ended.err]
    return "\n".join(map(str, [*said, *(each["report"] for each in result["phases"])]))


def outcome_of(fault: Fault, folder: Path) -> str:
    """`submission` or `refusal`, after all that must hold of it was checked."""
    before, parts = spoilt(fault, folder)
    ended = compete(folder, *SHORT)
    assert "Traceback" not in ended.err, ended.err
    result = ended.json()
    said = told_of(ended, result)
    if fault.named:
        assert re.search(fault.named, said), said
    path = folder.parent / "out" / "submission.csv"
    if ended.code:
        assert ended.code in (1, 2), (ended.code, said)
        assert result.get("reason") or result["notes"], result
        assert not path.exists()
        assert not result["submission"]
        return "refusal"
    if not path.exists():
        assert result["task"]["has_test"] is False, result
        assert not result["submission"]
        return "refusal"
    submitted = Submitted(pd.read_csv(path), parts)
    assert submitted.problems() == [], said
    if is_learnable(before, parts) and fault.targets[0] == "grade":
        assert submitted.right() >= LEAST_RIGHT, said
    return "submission"


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize("name", QUICK)
def test_what_cannot_be_learned_is_refused(name: str, tmp_path: Path) -> None:
    assert outcome_of(ALL[name], tmp_path / "kilns") == "refusal"


@pytest.mark.long("a whole pipeline for each fault")
@pytest.mark.parametrize("name", SLOW[::6])
def test_a_fault_never_gives_a_wrong_submission(name: str, tmp_path: Path) -> None:
    assert outcome_of(ALL[name], tmp_path / "kilns") in ("submission", "refusal")


@pytest.mark.soak("a whole pipeline for each of many faults")
@pytest.mark.parametrize("name", [each for each in SLOW if each not in SLOW[::6]])
def test_no_other_fault_gives_a_wrong_submission(name: str, tmp_path: Path) -> None:
    assert outcome_of(ALL[name], tmp_path / "kilns") in ("submission", "refusal")
