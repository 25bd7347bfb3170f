"""The categories of test are those of train.

Phases: data_cleaning, feature_engineering
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def categories_known(
    train: pd.DataFrame, test: pd.DataFrame, *, task: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Nearly no row of test has a category that no row of train has. It is a warning.

    A column of texts holds categories if each is there five times on average. One row in a hundred
    may have another category.

    Args:
        train: the rows to learn from.
        test: the rows to predict.
        task: what is predicted: `targets`, `identifier`, `group` and `time`.
    Returns:
        None if they are known, else what is wrong.
    Example:
        categories_known(train, test, task={"targets": ["price"]})
    """
    named = [task.get("identifier"), task.get("group"), task.get("time")]
    kept = {*task.get("targets", ()), *named}
    found = {}
    for name in train.columns:
        if name in kept or name not in test.columns or not _categories_known_are(train[name]):
            continue
        values = test[name].dropna()
        strange = values[~values.astype(str).isin(set(train[name].dropna().astype(str)))]
        if len(strange) > 0.01 * max(len(values), 1):
            found[name] = (len(strange), str(strange.iloc[0])[:40])
    if not found:
        return None
    told = [
        f"{name!r} has values in {count} rows of test that train has not, such as {first!r}"
        for name, (count, first) in list(found.items())[:3]
    ]
    more = f"; and {len(found) - 3} more columns" if len(found) > 3 else ""
    return {
        "message": "; ".join(told) + more,
        "advice": "fold_rare_categories makes one category of the rare ones, and of those of test "
        "that are new",
        "culprits": list(found),
        "level": "warning",
    }


def _categories_known_are(column: pd.Series) -> bool:
    plain = (
        pd.api.types.is_numeric_dtype(column.dtype)
        or pd.api.types.is_datetime64_any_dtype(column.dtype)
    )  # fmt: skip
    return not plain and 0 < column.astype(str).nunique() <= 0.2 * len(column)


def test_a_new_category_is_warned_of() -> None:
    train = pd.DataFrame({"a": list("xy") * 10, "b": range(20)})
    test = pd.DataFrame({"a": ["x", "z"], "b": [1, 99]})
    wrong = categories_known(train, test, task={})
    assert wrong is not None
    assert wrong["culprits"] == ["a"]
    assert wrong["level"] == "warning"
    assert categories_known(train, test[:1], task={}) is None


def test_property_names_are_no_categories() -> None:
    random = np.random.default_rng(1)
    for _ in range(5):
        words = ["".join(each) for each in random.choice(list("abcdefgh"), (60, 6))]
        train, test = pd.DataFrame({"a": words[:40]}), pd.DataFrame({"a": words[40:]})
        assert categories_known(train, test, task={}) is None
