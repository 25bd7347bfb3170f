"""Say how test differs from train: column by column, and whether a model can tell them apart.

Phases: preliminary_eda, in_depth_eda
"""

from __future__ import annotations

from datetime import date, timedelta

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scipy import stats
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict


def compare_train_and_test(
    train: pd.DataFrame,
    test: pd.DataFrame,
    *,
    ignore: list[str] | None = None,
    rows: int = 5000,
) -> pd.DataFrame:
    """Measure the drift of each column that both tables have.

    Args:
        train: The rows to learn from.
        test: The rows to predict.
        ignore: Columns that are not compared: identifiers, targets.
        rows: How many rows of each table are looked at, drawn at random with a fixed seed.
    Returns:
        column, drift (0 the same to 1 quite different: Kolmogorov-Smirnov of numbers, else total
        variation), p_value (that both are the same), unseen_share (of test, of values that train
        has not), missing_difference; from the strongest drift on. In a first row, named "(all)",
        the drift is 2 AUC - 1 of a model that tells train from test, cross-validated.
    Raises:
        ValueError: The tables have no column in common.
    Example:
        compare_train_and_test(train, test, ignore=["id"])
    """
    names = [each for each in train if each in test.columns and each not in (ignore or [])]
    if not names:
        raise ValueError("train and test have no column in common to compare")
    left = train[names] if len(train) <= rows else train[names].sample(rows, random_state=0)
    right = test[names] if len(test) <= rows else test[names].sample(rows, random_state=0)
    found = pd.DataFrame(
        [{"column": each, **_compare_train_and_test_one(left[each], right[each])} for each in names]
    )
    found = found.sort_values("drift", ascending=False, kind="stable")
    told = _compare_train_and_test_model(left, right)
    whole = pd.DataFrame([{"column": "(all)", "drift": told}])
    shown = found.head(25)
    figure, axes = plt.subplots(figsize=(8, 1.5 + 0.3 * len(shown)), layout="constrained")
    axes.barh([name[:30] for name in shown["column"]][::-1], shown["drift"].to_numpy()[::-1])
    axes.set_xlim(0, 1)
    axes.set_xlabel("drift (0: the same, 1: quite different)")
    figure.suptitle(f"Train and test compared: a model tells them apart by {told:.2f}")
    return pd.concat([whole, found], ignore_index=True)


def _compare_train_and_test_one(left: pd.Series, right: pd.Series) -> dict[str, float]:
    gap = float(right.isna().mean() - left.isna().mean())
    left, right = _compare_train_and_test_dates(left), _compare_train_and_test_dates(right)
    first, second = left.dropna(), right.dropna()
    numbers = all(
        pd.api.types.is_numeric_dtype(each) or pd.api.types.is_datetime64_any_dtype(each)
        for each in (left, right)
    )
    if first.empty or second.empty:
        drift = float(first.empty != second.empty)
        return {"drift": drift, "p_value": 1 - drift, "unseen_share": 0, "missing_difference": gap}
    if numbers:
        test = stats.ks_2samp(
            first.astype("int64") if first.dtype.kind == "M" else first,
            second.astype("int64") if second.dtype.kind == "M" else second,
        )
        outside = float(((second < first.min()) | (second > first.max())).mean())
        drift, p_value = float(test.statistic), float(test.pvalue)
        return {
            "drift": drift,
            "p_value": p_value,
            "unseen_share": outside,
            "missing_difference": gap,
        }
    counts = pd.concat(
        [each.map(str).value_counts() for each in (first, second)], axis=1, keys=["left", "right"]
    ).fillna(0)
    shares = counts / counts.sum()
    drift = float((shares["left"] - shares["right"]).abs().sum() / 2)
    common = counts[counts.sum(axis=1) >= 10]
    known = len(common) > 1 and (common.sum() > 0).all()
    p_value = float(stats.chi2_contingency(common.to_numpy().T).pvalue) if known else 1.0
    unseen = float((~second.map(str).isin(set(first.map(str)))).mean())
    return {"drift": drift, "p_value": p_value, "unseen_share": unseen, "missing_difference": gap}


def _compare_train_and_test_dates(column: pd.Series) -> pd.Series:
    """A column of Python's dates as moments, which have an order and a distance."""
    if pd.api.types.infer_dtype(column, skipna=True) not in ("date", "datetime"):
        return column
    return pd.to_datetime(column, errors="coerce")


def _compare_train_and_test_model(left: pd.DataFrame, right: pd.DataFrame) -> float:
    """How well a model tells the tables apart, of what no row but itself has: 0 to 1."""
    if min(len(left), len(right)) < 20:
        return 0.0
    both = pd.concat([left, right], ignore_index=True)
    columns = {}
    for name in both.columns:
        column = both[name]
        if pd.api.types.is_datetime64_any_dtype(column):
            columns[name] = column.astype("int64").astype("float64").where(column.notna())
        elif pd.api.types.is_numeric_dtype(column):
            columns[name] = column.astype("float64")
        elif column.nunique() <= 0.5 * column.notna().sum():
            frequent = column.map(str).value_counts().index[:200]
            codes = {value: at for at, value in enumerate(frequent)}
            columns[name] = column.map(str).map(codes).astype("float64")
    if not columns:
        return 0.0
    table = pd.DataFrame(columns).replace([np.inf, -np.inf], np.nan)
    table = table.fillna(table.min() - 1).fillna(0)
    model = ExtraTreesClassifier(60, min_samples_leaf=5, max_depth=10, random_state=0)
    truth = np.repeat([0, 1], [len(left), len(right)])
    told = cross_val_predict(model, table, truth, cv=3, method="predict_proba")[:, 1]
    return float(max(0.0, 2 * roc_auc_score(truth, told) - 1))


def test_a_column_that_moved_comes_first() -> None:
    generator = np.random.default_rng(15)
    train = pd.DataFrame({"a": generator.normal(size=80), "b": generator.choice(["x", "z"], 80)})
    test = train.assign(a=train["a"] + 5)
    found = compare_train_and_test(train, test)
    assert found["column"].tolist() == ["(all)", "a", "b"]
    assert found["drift"].iloc[0] > 0.8
    assert found["drift"].iloc[1] > 0.9
    assert found["drift"].iloc[2] == 0.0
    plt.close("all")


def test_dates_are_compared_by_their_order() -> None:
    days = [date(2024, 1, 1) + timedelta(days=each) for each in range(200)]
    train, test = pd.DataFrame({"a": days[::2]}), pd.DataFrame({"a": days[1::2]})
    found = compare_train_and_test(train, test)
    assert found["drift"].iloc[1] < 0.05
    plt.close("all")


def test_unseen_values_are_counted() -> None:
    found = compare_train_and_test(
        pd.DataFrame({"a": ["x", "z"]}), pd.DataFrame({"a": ["x", "new", None]})
    )
    assert found["unseen_share"].iloc[1] == 0.5
    assert abs(found["missing_difference"].iloc[1] - 1 / 3) < 1e-9
    plt.close("all")


def test_property_equal_tables_do_not_differ() -> None:
    generator = np.random.default_rng(16)
    for rows in (1, 15, 60):
        train = pd.DataFrame({"a": generator.normal(size=rows)})
        train["when"] = pd.date_range("2024-01-01", periods=rows)
        train["none"] = None
        found = compare_train_and_test(train, train)
        assert found["drift"].iloc[1:].max() == 0
        assert found["drift"].iloc[0] < 0.5
        plt.close("all")
