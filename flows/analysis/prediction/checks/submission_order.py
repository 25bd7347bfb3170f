"""The rows of the submission are in the order that is asked for.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def submission_order(
    submission: pd.DataFrame,
    raw_test: pd.DataFrame | None = None,
    sample: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
) -> dict[str, Any] | None:
    """The order of the sample where it has the rows of the submission, else that of test.

    Args:
        submission: what is to be handed in.
        raw_test: test as it was read.
        sample: the sample submission.
        task: what is predicted: `identifier` and `submission` with its own `identifier`.
    Returns:
        None if it is right, else what is wrong. Other identifiers are told by another test.
    Example:
        submission_order(submission, raw_test, sample, task={"identifier": "id"})
    """
    own = task.get("identifier")
    name = (task.get("submission") or {}).get("identifier") or own
    if not name or name not in submission.columns:
        return None
    made = _submission_order_texts(submission[name])
    tables = [("the sample", sample, name), ("test", raw_test, name), ("test", raw_test, own)]
    for label, table, key in tables:
        if table is None or key not in table.columns:
            continue
        asked = _submission_order_texts(table[key])
        if len(asked) != len(made) or set(asked) != set(made):
            continue
        wrong = int((asked.to_numpy() != made.to_numpy()).sum())
        if not wrong:
            return None
        return {
            "message": f"{wrong} rows of the submission are in another order of {name!r} than "
            f"{label} has",
            "advice": "put the rows in the order of the sample submission, else of test; "
            "make_submission does so",
            "culprits": [name],
        }
    return None


def _submission_order_texts(column: pd.Series) -> pd.Series:
    """Texts that are the same for 7, 7.0 and '7'."""
    known = pd.api.types.is_float_dtype(column.dtype) and bool(column.notna().all())
    if known and bool((column % 1 == 0).all()):
        return column.astype("int64").astype(str)
    return column.astype(str)


def test_another_order_is_told() -> None:
    test, task = pd.DataFrame({"i": [1, 2, 3]}), {"identifier": "i"}
    assert submission_order(test, test, task=task) is None
    wrong = submission_order(test[::-1], test, task=task)
    assert wrong is not None
    assert "2 rows" in wrong["message"]


def test_the_sample_has_the_say() -> None:
    test, task = pd.DataFrame({"i": [1, 2, 3]}), {"identifier": "i"}
    sample = test[::-1].reset_index(drop=True)
    assert submission_order(sample, test, sample, task=task) is None
    assert submission_order(test, test, sample, task=task) is not None


def test_property_two_rows_that_change_places_are_told() -> None:
    random = np.random.default_rng(1)
    test = pd.DataFrame({"i": [f"r{at}" for at in range(30)]})
    for _ in range(10):
        left, right = random.choice(30, 2, replace=False)
        order = list(range(30))
        order[left], order[right] = order[right], order[left]
        assert submission_order(test.iloc[order], test, task={"identifier": "i"}) is not None
