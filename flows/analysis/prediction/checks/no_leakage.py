"""No column gives the target away, and no row of test is learned from.

Phases: data_cleaning, feature_engineering
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

_NO_LEAKAGE_ROWS = 4000  # rows of train that are looked at, drawn with a fixed seed
_NO_LEAKAGE_PERFECT = 0.995  # of what a column alone tells of rows that it was not learned from
_NO_LEAKAGE_NAMED = 0.9  # the same of a column that is called as the target is
_NO_LEAKAGE_DRIFT = 0.25  # how far test may differ from train in a column


def no_leakage(
    train: pd.DataFrame,
    test: pd.DataFrame | None = None,
    raw_train: pd.DataFrame | None = None,
    raw_test: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
) -> dict[str, Any] | None:
    """No column alone tells the target as if it were a copy, none that is called like the target
    tells most of it, none holds what is known only later, and no rows of test were put into train.

    A column that tells all, as alike in test as in train and made by the steps or no exact copy,
    may be an honest one: that is a warning, and so are rows of test that were in train when it was
    read. 4,000 rows are looked at.

    Args:
        train: the rows to learn from.
        test: the rows to predict.
        raw_train: train as it was read.
        raw_test: test as it was read.
        task: what is predicted: `targets`, `kind`, `identifier`, `group` and `time`.
    Returns:
        None if nothing leaks, else what is wrong.
    Example:
        no_leakage(train, test, raw_train, task={"targets": ["price"], "kind": "regression"})
    """
    targets = [name for name in task.get("targets", ()) if name in train.columns]
    kept = {*targets, task.get("identifier"), task.get("time")}
    names = [name for name in train.columns if name not in kept]
    sure: dict[str, str] = {}
    doubtful: dict[str, str] = {}
    for target in targets:
        known = train[train[target].notna()]
        looked = known.sample(min(len(known), _NO_LEAKAGE_ROWS), random_state=0)
        truth = _no_leakage_truth(looked[target], str(task.get("kind")))
        if len(looked) < 30 or truth.shape[1] == 0:
            continue
        for name in names:
            power = _no_leakage_power(looked[name], truth)
            if power >= _NO_LEAKAGE_NAMED and _no_leakage_is_called(name, target):
                sure[name] = f"{name!r} is called as {target!r} is, and tells it"
            if power < _NO_LEAKAGE_PERFECT:
                continue
            drift = _no_leakage_drift(name, train, test)
            exact = _no_leakage_is_copy(looked[name], looked[target])
            given = raw_train is not None and name in raw_train.columns
            if drift > _NO_LEAKAGE_DRIFT:
                sure[name] = f"{name!r} tells {target!r} by itself, and is another one in test"
            elif exact and given:
                sure[name] = f"{name!r} is a copy of {target!r}"
            else:
                doubtful[name] = f"{name!r} tells {target!r} by itself"
    for name in names:
        if _no_leakage_is_later(name, train, test, task):
            sure.setdefault(name, f"{name!r} is of a time after {task['time']!r}, and not in test")
    if sure:
        return _no_leakage_told(sure, "error")
    rows = _no_leakage_rows(train, test, raw_train, raw_test, task)
    if rows is not None or not doubtful:
        return rows
    return _no_leakage_told(doubtful, "warning")


def _no_leakage_told(found: Mapping[str, str], level: str) -> dict[str, Any]:
    more = f", and {len(found) - 5} more" if len(found) > 5 else ""
    advice = "drop_columns leaves out what leaks the target"
    if level == "warning":
        advice = "ask whether this is known when a row is predicted; if not, leave it out"
    return {
        "message": f"leakage: {'; '.join(list(found.values())[:5])}{more}",
        "advice": advice,
        "culprits": list(found),
        "level": level,
    }


def _no_leakage_truth(target: pd.Series, kind: str) -> np.ndarray:
    """Of numbers their ranks, of classes one column each; none of those that are too few."""
    if kind == "regression":
        numbers = pd.to_numeric(target, errors="coerce")
        told = numbers.nunique() > 1 and numbers.notna().all()
        ranks = numbers.rank(pct=True).to_numpy(dtype=float)[:, None]
        return ranks if told else np.empty((len(target), 0))
    texts = target.astype(str)
    counts = texts.value_counts()
    classes = [each for each in counts.index[:20] if 5 <= counts[each] < len(texts)]
    columns = [(texts == each).to_numpy(dtype=float) for each in classes]
    return np.column_stack(columns) if columns else np.empty((len(target), 0))


def _no_leakage_power(column: pd.Series, truth: np.ndarray) -> float:
    """What part of the target's variance the column tells, of rows that were not learned from."""
    from sklearn.model_selection import KFold
    from sklearn.tree import DecisionTreeRegressor

    numbers = _no_leakage_numbers(column)
    told = np.tile(truth.mean(axis=0), (len(truth), 1))
    texts = column.astype(object).map(str)
    if numbers is None and texts.nunique() > 0.5 * len(texts):
        return 0.0
    for learned, judged in KFold(3, shuffle=True, random_state=0).split(truth):
        if numbers is not None:
            tree = DecisionTreeRegressor(min_samples_leaf=2, random_state=0)
            found = tree.fit(numbers[learned], truth[learned]).predict(numbers[judged])
            told[judged] = found.reshape(len(judged), -1)
        else:
            means = pd.DataFrame(truth[learned]).groupby(texts.iloc[learned].to_numpy()).mean()
            found = means.reindex(texts.iloc[judged].to_numpy()).to_numpy()
            told[judged] = np.where(np.isnan(found), told[judged], found)
    spread = ((truth - truth.mean(axis=0)) ** 2).sum()
    return float(1 - ((truth - told) ** 2).sum() / spread) if spread else 0.0


def _no_leakage_numbers(column: pd.Series) -> np.ndarray | None:
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        plain = pd.to_datetime(column, utc=True).dt.tz_localize(None)
        moments = plain.astype("datetime64[s]").astype("int64").astype(float)
        moments = moments.where(column.notna())
    elif pd.api.types.is_numeric_dtype(column.dtype):
        moments = column.astype(float)
    else:
        return None
    moments = moments.replace([np.inf, -np.inf], np.nan)
    lowest = float(moments.min()) - 1 if moments.notna().any() else 0.0
    return np.asarray(moments.fillna(lowest), dtype=float).reshape(-1, 1)


def _no_leakage_is_copy(column: pd.Series, target: pd.Series) -> bool:
    """Whether each value of the column is one of the target, and the other way around."""
    pairs = pd.DataFrame({"a": column.astype(str), "b": target.astype(str)}).drop_duplicates()
    return bool(pairs["a"].is_unique and pairs["b"].is_unique)


def _no_leakage_is_called(name: str, target: str) -> bool:
    """Whether the words of the target's name stand in the other name."""
    words = [re.findall(r"[A-Z]?[^\W_A-Z\d]+|[A-Z]+|\d+", each) for each in (name, target)]
    told, asked = ([word.casefold() for word in each] for each in words)
    places = range(len(told) - len(asked) + 1)
    return bool(asked) and any(told[at : at + len(asked)] == asked for at in places)


def _no_leakage_drift(name: str, train: pd.DataFrame, test: pd.DataFrame | None) -> float:
    """How far the column of test differs from that of train: 0 the same, 1 quite different."""
    if test is None or not len(test):
        return 0.0
    if name not in test.columns:
        return 1.0
    sides = [each[name].sample(min(len(each), 4000), random_state=0) for each in (train, test)]
    gap = abs(float(sides[0].isna().mean() - sides[1].isna().mean()))
    left, right = (each.dropna() for each in sides)
    if left.empty or right.empty:
        return float(left.empty != right.empty)
    numbers = [_no_leakage_numbers(each) for each in (left, right)]
    if all(each is not None for each in numbers) and left.nunique() > 20:
        first, second = (np.sort(np.ravel(each)) for each in numbers)  # type: ignore[arg-type]
        points = np.concatenate([first, second])
        heights = [np.searchsorted(each, points, "right") / len(each) for each in (first, second)]
        return max(gap, float(np.abs(heights[0] - heights[1]).max()))
    texts = [each.map(_no_leakage_text).value_counts(normalize=True) for each in (left, right)]
    return max(gap, float((texts[0].sub(texts[1], fill_value=0)).abs().sum() / 2))


def _no_leakage_text(value: Any) -> str:
    try:
        return str(float(value))
    except (TypeError, ValueError):
        return str(value)


def _no_leakage_is_later(
    name: str, train: pd.DataFrame, test: pd.DataFrame | None, task: Mapping[str, Any]
) -> bool:
    """Whether a date is nearly always after the row's time, and nearly never known in test."""
    time = task.get("time")
    if time not in train.columns or test is None or not len(test):
        return False
    if name in test.columns and test[name].isna().mean() < 0.9:
        return False
    column, moment = train[name], train[time]
    if not all(pd.api.types.is_datetime64_any_dtype(each.dtype) for each in (column, moment)):
        return False
    known = column.notna() & moment.notna()
    return bool(known.sum() >= 10 and (column[known] > moment[known]).mean() > 0.98)


def _no_leakage_rows(
    train: pd.DataFrame,
    test: pd.DataFrame | None,
    raw_train: pd.DataFrame | None,
    raw_test: pd.DataFrame | None,
    task: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Rows of test that are in train with a target: put there, or there from the beginning."""
    if test is None or raw_train is None or raw_test is None or not len(test):
        return None
    name = task.get("identifier")
    if all(name in each.columns for each in (train, test, raw_train, raw_test)):
        asked = set(test[name].astype(str))
        put = int(train[name].astype(str).isin(asked).sum())
        put -= int(raw_train[name].astype(str).isin(set(raw_test[name].astype(str))).sum())
        if put > 0:
            return {
                "message": f"leakage: {put} rows of test are in train by {name!r}",
                "advice": "learn from the rows of train alone: put no row of test into it",
                "culprits": [name],
            }
    left_out = {*task.get("targets", ()), name}
    names = [each for each in raw_train.columns if each in raw_test and each not in left_out]
    shared = _no_leakage_shared(raw_train, raw_test, names)
    more = len(train) - len(raw_train)
    own = [each for each in train.columns if each in test.columns and each not in left_out]
    if more > 0 and _no_leakage_shared(train, test, own) > shared:
        return {
            "message": f"leakage: train has {more} rows more than were read, and rows of test are "
            "among them",
            "advice": "learn from the rows of train alone: put no row of test into it",
        }
    if shared <= 0.01 * len(raw_test) or not _no_leakage_are_rich(raw_train, names):
        return None
    return {
        "message": f"leakage: {shared} of {len(raw_test)} rows of test are in train, value for "
        "value, with their target known",
        "advice": "say so beside the score: what is repeated is known and not predicted",
        "level": "warning",
    }


def _no_leakage_shared(train: pd.DataFrame, test: pd.DataFrame, names: list[str]) -> int:
    """How many rows of test are rows of train."""
    if not names:
        return 0
    plain = [
        pd.DataFrame(
            {
                name: table[name].astype(float)
                if all(pd.api.types.is_numeric_dtype(each[name].dtype) for each in (train, test))
                else table[name].astype(str)
                for name in names
            }
        )
        for table in (train, test)
    ]
    marks = [pd.util.hash_pandas_object(each, index=False) for each in plain]
    return int(marks[1].isin(set(marks[0])).sum())


def _no_leakage_are_rich(table: pd.DataFrame, names: list[str]) -> bool:
    """Whether two rows are hardly the same by chance: nearly all rows of train differ."""
    rows = table[names].head(20_000).astype(str)
    return len(names) >= 3 and float(rows.duplicated().mean()) < 0.02


def _no_leakage_example(seed: int, rows: int = 200) -> tuple[pd.DataFrame, pd.DataFrame]:
    random = np.random.default_rng(seed)
    table = pd.DataFrame(random.normal(size=(rows, 3)), columns=["a", "b", "c"])
    table["y"] = table["a"] + random.normal(size=rows)
    return table[: rows // 2], table[rows // 2 :].drop(columns="y").reset_index(drop=True)


def test_a_copy_and_a_name_are_told() -> None:
    train, test = _no_leakage_example(1)
    task = {"targets": ["y"], "kind": "regression"}
    assert no_leakage(train, test, train, test, task=task) is None
    copy = train.assign(d=train["y"] * 2)
    wrong = no_leakage(copy, test.assign(d=0.0), copy, test, task=task)
    assert wrong is not None
    assert wrong["culprits"] == ["d"]
    assert wrong["level"] == "error"
    near = train.assign(y_last=train["y"] + train["b"] * 0.1)
    wrong = no_leakage(near, test.assign(y_last=test["a"]), near, test, task=task)
    assert wrong is not None
    assert wrong["culprits"] == ["y_last"]


def test_what_is_known_later_is_told() -> None:
    train, test = _no_leakage_example(2)
    days = pd.Series(pd.date_range("2024-01-01", periods=100))
    train = train.assign(day=days, paid=days + pd.Timedelta(9, "D"))
    test = test.assign(day=days + pd.Timedelta(100, "D"), paid=pd.NaT)
    task = {"targets": ["y"], "kind": "regression", "time": "day"}
    wrong = no_leakage(train, test, train, test, task=task)
    assert wrong is not None
    assert wrong["culprits"] == ["paid"]


def test_rows_of_test_in_train_are_told() -> None:
    train, test = _no_leakage_example(3)
    task = {"targets": ["y"], "kind": "regression"}
    more = pd.concat([train, test[:3].assign(y=0.5)], ignore_index=True)
    wrong = no_leakage(more, test, train, test, task=task)
    assert wrong is not None
    assert "rows of test are among them" in wrong["message"]
    given = pd.concat([test[:30].assign(y=0.5), train], ignore_index=True)
    wrong = no_leakage(given, test, given, test, task=task)
    assert wrong is not None
    assert wrong["message"].startswith("leakage: 30 of 100 rows")
    assert wrong["level"] == "warning"


def test_a_formula_that_holds_in_test_is_a_warning() -> None:
    train, test = _no_leakage_example(4)
    train["y"] = train["a"] * train["b"]
    own, other = (each.assign(ab=each["a"] * each["b"]) for each in (train, test))
    task = {"targets": ["y"], "kind": "regression"}
    wrong = no_leakage(own, other, train, test, task=task)
    assert wrong is not None
    assert wrong["level"] == "warning"


def test_dates_of_another_unit_are_the_same_dates() -> None:
    train, test = _no_leakage_example(6)
    days = pd.Series(pd.date_range("2024-01-01", periods=100))
    told = {"targets": ["y"], "kind": "regression"}
    train = train.assign(day=days.astype("datetime64[ns]"))
    train["y"] = days.astype("int64").astype(float) ** 0.5
    wrong = no_leakage(train, test.assign(day=days.astype("datetime64[s]")), task=told)
    assert wrong is not None
    assert wrong["level"] == "warning"


def test_a_table_of_one_row_is_no_leak() -> None:
    train = pd.DataFrame({"a": [1], "y": ["yes"]})
    test = pd.DataFrame({"a": [2]})
    assert no_leakage(train, test, train, test, task={"targets": ["y"], "kind": "binary"}) is None


def test_property_honest_columns_pass() -> None:
    for seed in range(5):
        train, test = _no_leakage_example(seed)
        task = {"targets": ["y"], "kind": "binary"}
        train["y"] = np.where(train["y"] > 0, "yes", "no")
        assert no_leakage(train, test, train, test, task=task) is None
