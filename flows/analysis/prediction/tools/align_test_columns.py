"""Give the test table the columns of train, without the targets, in the same order and kind.

Phases: data_cleaning, feature_engineering
Gives: test
"""

from __future__ import annotations

import pandas as pd


def align_test_columns(
    train: pd.DataFrame, test: pd.DataFrame, *, targets: list[str], identifier: str | None = None
) -> pd.DataFrame:
    """Make the columns of test those of train.

    A column that test has not is added and empty, but for the identifier, which would identify
    nothing; one that train has not is left out. Where train
    has numbers and test has text, the text is read as numbers; where train has text, as text.

    Args:
        train: The rows to learn from, with the targets.
        test: The rows to predict.
        targets: The columns to predict. Test keeps none of them.
        identifier: The column that identifies rows.
    Returns:
        The test table, rows unchanged.
    Raises:
        ValueError: A target is not a column of train.
    Example:
        test = align_test_columns(train, test, targets=["price"])
    """
    if unknown := [name for name in targets if name not in train.columns]:
        raise ValueError(f"there is no column {unknown[0]!r} in train")
    found = {}
    for name in train.columns:
        if name in targets or (name == identifier and name not in test.columns):
            continue
        column = test[name] if name in test.columns else pd.Series(pd.NA, index=test.index)
        found[name] = _align_test_columns_kind(column, train[name])
    return pd.DataFrame(found, index=test.index).reset_index(drop=True)


def _align_test_columns_kind(column: pd.Series, like: pd.Series) -> pd.Series:
    """The column in the kind of the other one."""
    numbers = pd.api.types.is_numeric_dtype(like.dtype)
    if column.dtype == like.dtype:
        return column
    if column.isna().all():
        whole = numbers and not pd.api.types.is_bool_dtype(like.dtype)
        return pd.Series(
            float("nan") if whole else None,
            index=column.index,
            dtype="float64" if whole else _align_test_columns_empty(like),
        )
    if numbers and not pd.api.types.is_numeric_dtype(column.dtype):
        return pd.to_numeric(column, errors="coerce")
    if pd.api.types.is_datetime64_any_dtype(like.dtype):
        return pd.to_datetime(column, errors="coerce")
    if not numbers:
        return column.map(str, na_action="ignore").astype(object)
    return column


def _align_test_columns_empty(like: pd.Series) -> object:
    return like.dtype if pd.api.types.is_datetime64_any_dtype(like.dtype) else object


def test_columns_are_those_of_train() -> None:
    train = pd.DataFrame({"a": [1.5, 2.0], "b": ["x", "y"], "y": [0, 1]})
    test = pd.DataFrame({"b": [7, None], "z": [1, 2]})
    found = align_test_columns(train, test, targets=["y"])
    assert list(found.columns) == ["a", "b"]
    assert found["a"].isna().all()
    assert found["b"].isna().tolist() == [False, True]


def test_an_identifier_is_not_made_up() -> None:
    train = pd.DataFrame({"i": [1, 2], "a": [1.5, 2.0], "y": [0, 1]})
    test = pd.DataFrame({"a": [3.0]})
    found = align_test_columns(train, test, targets=["y"], identifier="i")
    assert list(found.columns) == ["a"]


def test_text_is_read_as_numbers_where_train_has_numbers() -> None:
    train = pd.DataFrame({"a": [1.5, 2.0], "y": [0, 1]})
    found = align_test_columns(train, pd.DataFrame({"a": ["3", "?"]}), targets=["y"])
    assert found["a"].iloc[0] == 3.0
    assert found["a"].isna().tolist() == [False, True]


def test_property_a_test_that_fits_stays_as_it_is() -> None:
    for rows in (1, 2, 9):
        train = pd.DataFrame({"a": range(rows), "b": ["x"] * rows, "y": [1] * rows})
        test = train[["b", "a"]].copy()
        pd.testing.assert_frame_equal(
            align_test_columns(train, test, targets=["y"]), train[["a", "b"]]
        )
