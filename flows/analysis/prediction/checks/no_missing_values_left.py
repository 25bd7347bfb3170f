"""No value is missing any more where the cleaning promises it.

Phases: data_cleaning
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def no_missing_values_left(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
    rules: Mapping[str, Any] | None = None,
) -> dict[str, Any] | None:
    """No column of train or test misses a value or holds an infinite one.

    Targets, the identifier, the group and the time are not looked at: no step may fill them.

    Args:
        train: the rows to learn from.
        test: the rows to predict.
        task: what is predicted: `targets`, `identifier`, `group` and `time`.
        rules: the rulebook; `keep_missing` is true where nothing is to be filled, or the list of
            the columns that may miss values.
    Returns:
        None if none is missing, else what is wrong.
    Example:
        no_missing_values_left(train, test, task={"targets": ["price"]})
    """
    kept = (rules or {}).get("keep_missing", [])
    if kept is True:
        return None
    named = [task.get("identifier"), task.get("group"), task.get("time")]
    left_out = {*(kept or []), *task.get("targets", ()), *named}
    found: dict[str, list[str]] = {}
    tables = {"train": train} if test is None else {"train": train, "test": test}
    for label, table in tables.items():
        for name in table.columns:
            count = 0 if name in left_out else _no_missing_values_left_count(table[name])
            if count:
                found.setdefault(name, []).append(f"{count} of {len(table)} rows of {label}")
    if not found:
        return None
    told = [f"{name!r} ({', '.join(where)})" for name, where in list(found.items())[:5]]
    more = f" and {len(found) - 5} more" if len(found) > 5 else ""
    return {
        "message": f"values are missing or infinite in {', '.join(told)}{more}",
        "advice": "use fill_missing_values for these columns after all other steps",
        "culprits": list(found),
    }


def _no_missing_values_left_count(column: pd.Series) -> int:
    if pd.api.types.is_float_dtype(column.dtype):
        numbers = column.to_numpy(dtype=float, na_value=np.nan)
        return int((~np.isfinite(numbers)).sum())
    return int(column.isna().sum())


def test_what_is_missing_in_test_is_named() -> None:
    train = pd.DataFrame({"a": [1.0, 2.0], "y": [None, 1.0]})
    test = pd.DataFrame({"a": [1.0, np.inf]})
    wrong = no_missing_values_left(train, test, task={"targets": ["y"]})
    assert wrong is not None
    assert wrong["culprits"] == ["a"]
    assert "1 of 2 rows of test" in wrong["message"]


def test_a_target_may_be_missing_and_what_the_rules_keep() -> None:
    train = pd.DataFrame({"a": ["x", None], "y": [None, 1.0]})
    task = {"targets": ["y"]}
    assert no_missing_values_left(train, task=task) is not None
    assert no_missing_values_left(train, task=task, rules={"keep_missing": ["a"]}) is None
    assert no_missing_values_left(train, task=task, rules={"keep_missing": True}) is None


def test_property_filled_tables_pass() -> None:
    random = np.random.default_rng(1)
    for _ in range(10):
        table = pd.DataFrame(random.normal(size=(20, 3)), columns=list("abc"))
        holes = table.mask(random.random(table.shape) < 0.2)
        holes.loc[3, "b"] = np.nan
        assert no_missing_values_left(holes, task={}) is not None
        assert no_missing_values_left(holes.fillna(0), task={}) is None
