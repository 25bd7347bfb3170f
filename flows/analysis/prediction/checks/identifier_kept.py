"""The identifier is there, tells rows apart, and is what was read.

Phases: preliminary_eda, data_cleaning, in_depth_eda, feature_engineering, model_building
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def identifier_kept(
    train: pd.DataFrame,
    raw_train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    raw_test: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Test has its identifiers in their order; those of train are some of them, in their order.

    Values that are there more than once where they were read may be so still.

    Args:
        train: the rows to learn from.
        raw_train: train as it was read.
        test: the rows to predict.
        raw_test: test as it was read.
        task: what is predicted: `identifier`.
    Returns:
        None if it is kept, else what is wrong.
    Example:
        identifier_kept(train, raw_train, test, raw_test, task={"identifier": "id"})
    """
    name = task.get("identifier")
    if not name:
        return None
    for label, table, raw in (("train", train, raw_train), ("test", test, raw_test)):
        if table is None or raw is None or name not in raw.columns:
            continue
        message = _identifier_kept_problem(name, label, table, raw)
        if message:
            return {
                "message": message,
                "advice": f"leave {name!r} as it was read: no step may change, encode, sort by or "
                "leave out the identifier",
                "culprits": [name],
            }
    return None


def _identifier_kept_problem(name: str, label: str, table: pd.DataFrame, raw: pd.DataFrame) -> str:
    if name not in table.columns:
        return f"{label} has no identifier {name!r} any more"
    now, old = _identifier_kept_alike(table[name], raw[name])
    if not now.is_unique and old.is_unique:
        first = table[name][now.duplicated().to_numpy()].iloc[0]
        return f"the identifier {name!r} of {label} has the value {first!r} more than once"
    if not old.is_unique:
        strange = ~now.isin(set(old))
        found = f"{int(strange.sum())} identifiers of {label} in {name!r} are not those that were"
        return f"{found} read" if strange.any() else ""
    places = pd.Series(np.arange(len(old)), index=old.to_numpy())
    order = places.reindex(now.to_numpy()).to_numpy(dtype=float)
    if np.isnan(order).any():
        count = int(np.isnan(order).sum())
        return f"{count} identifiers of {label} in {name!r} are not those that were read"
    if (np.diff(order) < 0).any():
        return f"the rows of {label} are in another order of {name!r} than they were read in"
    if label == "test" and len(now) != len(old):
        return f"test has {len(now)} identifiers in {name!r}, and {len(old)} were read"
    return ""


def _identifier_kept_alike(now: pd.Series, old: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Both as numbers where one of them is, else as text."""
    if pd.api.types.is_numeric_dtype(now.dtype) or pd.api.types.is_numeric_dtype(old.dtype):
        return tuple(pd.to_numeric(each, errors="coerce").astype(float) for each in (now, old))
    return now.astype(str), old.astype(str)


def test_a_changed_and_a_repeated_identifier_are_told() -> None:
    raw = pd.DataFrame({"i": ["a", "b", "c"]})
    task = {"identifier": "i"}
    wrong = identifier_kept(pd.DataFrame({"i": ["a", "x", "c"]}), raw, task=task)
    assert wrong is not None
    assert "1 identifiers of train" in wrong["message"]
    wrong = identifier_kept(pd.DataFrame({"i": ["a", "a"]}), raw, task=task)
    assert wrong is not None
    assert "more than once" in wrong["message"]
    wrong = identifier_kept(raw.rename(columns={"i": "j"}), raw, task=task)
    assert wrong is not None
    assert "no identifier" in wrong["message"]
    assert identifier_kept(raw[:2], raw, raw, raw, task=task) is None


def test_test_in_another_order_is_told() -> None:
    raw = pd.DataFrame({"i": [1, 2, 3]})
    wrong = identifier_kept(raw, raw, raw[::-1], raw, task={"identifier": "i"})
    assert wrong is not None
    assert "another order" in wrong["message"]
    assert identifier_kept(raw, raw, raw.astype(float), raw, task={"identifier": "i"}) is None


def test_property_any_part_of_train_in_its_order_passes() -> None:
    random = np.random.default_rng(1)
    raw = pd.DataFrame({"i": random.permutation(50)})
    for _ in range(10):
        part = raw[random.random(50) < 0.7]
        assert identifier_kept(part, raw, task={"identifier": "i"}) is None
        mixed = part.sample(frac=1, random_state=3)
        assert identifier_kept(mixed, raw, task={"identifier": "i"}) is not None
