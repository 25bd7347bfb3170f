"""The submission has the identifiers of test, each once.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def submission_identifiers(
    submission: pd.DataFrame,
    raw_test: pd.DataFrame | None = None,
    sample: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Each identifier of test is there, once, and no other. Where test has no such column they are
    those of the sample.

    Args:
        submission: what is to be handed in.
        raw_test: test as it was read.
        sample: the sample submission.
        task: what is predicted: `identifier` and `submission` with its own `identifier`.
    Returns:
        None if they are right, else what is wrong.
    Example:
        submission_identifiers(submission, raw_test, sample, task={"identifier": "id"})
    """
    own = task.get("identifier")
    name = (task.get("submission") or {}).get("identifier") or own
    if not name or name not in submission.columns:
        return None
    tables = [(raw_test, name), (raw_test, own), (sample, name)]
    known = [each[key] for each, key in tables if each is not None and key in each.columns]
    if not known:
        return None
    made, asked = (_submission_identifiers_texts(each) for each in (submission[name], known[0]))
    told = []
    if missing := int(submission[name].isna().sum()):
        told.append(f"{missing} are missing")
    repeated = int(made.duplicated().sum()) - int(asked.duplicated().sum())
    if repeated > 0:
        told.append(f"{repeated} are there more than once")
    strange = made[~made.isin(set(asked))]
    lacking = asked[~asked.isin(set(made))]
    if len(strange):
        told.append(f"{len(strange)} are none of test, such as {strange.iloc[0]!r}")
    if len(lacking):
        told.append(f"{len(lacking)} of test are not there, such as {lacking.iloc[0]!r}")
    if not told:
        return None
    return {
        "message": f"the identifiers {name!r} of the submission: {', '.join(told)}",
        "advice": "take the identifiers of test as they were read; make_submission does so",
        "culprits": [name],
    }


def _submission_identifiers_texts(column: pd.Series) -> pd.Series:
    """Texts that are the same for 7, 7.0 and '7'."""
    known = pd.api.types.is_float_dtype(column.dtype) and bool(column.notna().all())
    if known and bool((column % 1 == 0).all()):
        return column.astype("int64").astype(str)
    return column.astype(str)


def test_a_strange_and_a_repeated_identifier_are_told() -> None:
    test, task = pd.DataFrame({"i": [1, 2, 3]}), {"identifier": "i"}
    assert submission_identifiers(test.astype(float), test, task=task) is None
    wrong = submission_identifiers(pd.DataFrame({"i": [1, 2, 2]}), test, task=task)
    assert wrong is not None
    assert "1 are there more than once" in wrong["message"]
    wrong = submission_identifiers(pd.DataFrame({"i": [1, 2, 4]}), test, task=task)
    assert wrong is not None
    assert "1 are none of test" in wrong["message"]


def test_property_any_order_passes_and_any_change_fails() -> None:
    random = np.random.default_rng(1)
    test = pd.DataFrame({"i": [f"r{at}" for at in range(30)]})
    for _ in range(10):
        mixed = test.sample(frac=1, random_state=int(random.integers(99)))
        assert submission_identifiers(mixed, test, task={"identifier": "i"}) is None
        mixed = mixed.reset_index(drop=True)
        mixed.loc[random.integers(30), "i"] = "other"
        assert submission_identifiers(mixed, test, task={"identifier": "i"}) is not None
