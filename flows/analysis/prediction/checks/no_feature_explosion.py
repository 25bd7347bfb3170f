"""There are not many more columns than before.

Phases: data_cleaning, feature_engineering
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

_NO_FEATURE_EXPLOSION_FEW = 30  # columns that are never too many, unless the rulebook says so


def no_feature_explosion(
    train: pd.DataFrame, before_train: pd.DataFrame, *, rules: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """Train has at most a few times the columns that it had when the phase began.

    Args:
        train: the rows to learn from.
        before_train: train when the phase began.
        rules: the rulebook; `most_features_factor` says how many times, 3 without it (and 30
            columns are never too many then).
    Returns:
        None if there are not too many, else what is wrong.
    Example:
        no_feature_explosion(train, before_train, rules={"most_features_factor": 2})
    """
    said = (rules or {}).get("most_features_factor")
    factor = 3.0 if said is None else float(said)
    most = max(factor * len(before_train.columns), 0 if said else _NO_FEATURE_EXPLOSION_FEW)
    if len(train.columns) <= most:
        return None
    known = set(before_train.columns)
    return {
        "message": f"{len(train.columns)} columns are too many features: it was "
        f"{len(before_train.columns)} before, and at most {most:.0f} are allowed",
        "advice": "make fewer columns: of texts, dates and pairs those alone that tell most; fold "
        "rare categories and encode categories without a column for each",
        "culprits": [name for name in train.columns if name not in known][:20],
    }


def test_too_many_columns_are_told() -> None:
    before = pd.DataFrame({"a": [1], "b": [2]})
    wide = pd.DataFrame({f"c{at}": [1] for at in range(40)})
    wrong = no_feature_explosion(wide, before)
    assert wrong is not None
    assert "40 columns" in wrong["message"]
    assert no_feature_explosion(wide, before, rules={"most_features_factor": 20}) is None


def test_property_the_rule_is_the_limit() -> None:
    before = pd.DataFrame({f"c{at}": [1] for at in range(5)})
    for columns in range(6, 20):
        table = pd.DataFrame({f"c{at}": [1] for at in range(columns)})
        told = no_feature_explosion(table, before, rules={"most_features_factor": 2})
        assert (told is None) == (columns <= 10)
