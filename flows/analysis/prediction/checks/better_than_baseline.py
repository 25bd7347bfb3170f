"""What predicts is better than the same answer for all rows.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def better_than_baseline(scores: pd.DataFrame, *, task: Mapping[str, Any]) -> dict[str, Any] | None:
    """Of each target the chosen model scores better than `baseline`. Else it is a warning, also
    where it is worse than plain boosting.

    Args:
        scores: the models: target, model, score, chosen.
        task: what is predicted: `greater_is_better`.
    Returns:
        None if it is better, else what is wrong.
    Example:
        better_than_baseline(scores, task={"greater_is_better": True})
    """
    sign = 1 if task.get("greater_is_better", True) else -1
    for target, rows in scores.groupby("target", sort=False):
        chosen = rows[rows["chosen"].astype(bool)]
        if chosen.empty:
            continue
        score = float(chosen["score"].iloc[0])
        for yardstick in ("baseline", "hist_gradient_boosting"):
            other = rows[rows["model"] == yardstick]
            if other.empty or str(chosen["model"].iloc[0]) == yardstick != "baseline":
                continue
            least = float(other["score"].iloc[0])
            worse = sign * score < sign * least
            if worse or (yardstick == "baseline" and score == least):
                return {
                    "message": f"of {target!r} the chosen {chosen['model'].iloc[0]!r} scores "
                    f"{score:.4g}, no better than {yardstick!r} with {least:.4g}",
                    "advice": "try other features or models; perhaps nothing here tells the "
                    "target, and then that is the answer",
                    "culprits": [target],
                    "level": "warning",
                }
    return None


def _better_than_baseline_example(score: float) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "target": "y",
            "model": ["baseline", "linear"],
            "score": [0.5, score],
            "chosen": [False, True],
        }
    )


def test_a_model_that_is_no_better_is_warned_of() -> None:
    task = {"greater_is_better": True}
    assert better_than_baseline(_better_than_baseline_example(0.7), task=task) is None
    wrong = better_than_baseline(_better_than_baseline_example(0.5), task=task)
    assert wrong is not None
    assert wrong["level"] == "warning"


def test_property_the_direction_counts() -> None:
    for score in np.linspace(0, 1, 11):
        if score == 0.5:
            continue
        table = _better_than_baseline_example(float(score))
        told = [better_than_baseline(table, task={"greater_is_better": each})
                for each in (True, False)]  # fmt: skip
        assert (told[0] is None) != (told[1] is None)
