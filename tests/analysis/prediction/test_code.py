"""The code that the rules write for a plan."""

from __future__ import annotations

import json

from flows.analysis.prediction.plan import PlanStep
from flows.analysis.prediction.speech import write_code
from flows.tools.functions.shipped import shipped_tools


def test_a_table_that_there_is_not_is_given_to_no_step() -> None:
    names = ("mark_missing", "fill_missing_values")
    given = {
        "steps": [PlanStep(purpose="Clean", tool=name) for name in names],
        "tools": [each for each in shipped_tools() if each.name in names],
    }
    lone = json.loads(write_code({**given, "frames": ["train"]}))["code"]
    both = json.loads(write_code({**given, "frames": ["train", "test"]}))["code"]
    assert not any("test=test" in each for each in lone)
    assert all("test=test" in each for each in both)
