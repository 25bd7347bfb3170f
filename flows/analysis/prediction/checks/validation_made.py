"""The models were validated on rows that they were not learned from.

Phases: model_building
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd


def validation_made(
    train: pd.DataFrame,
    folds: pd.DataFrame | None = None,
    scores: pd.DataFrame | None = None,
    oof: pd.DataFrame | None = None,
    test: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
) -> dict[str, Any] | None:
    """Each row of train has its fold, each target a chosen model with a score, and the folds are
    like the way from train to test: later rows are judged by earlier ones where test is later, and
    groups stay together where those of test are new.

    Args:
        train: the rows to learn from.
        folds: the fold of each row; below 0 are rows that are not judged.
        scores: the models: target, model, score, chosen.
        oof: the predictions of rows that were not learned from.
        test: the rows to predict.
        task: what is predicted: `targets`, `group` and `time`.
    Returns:
        None if it was made, else what is wrong.
    Example:
        validation_made(train, folds, scores, oof, test, task={"targets": ["price"]})
    """
    message = _validation_made_folds(train, folds, oof) or _validation_made_scores(scores, task)
    if message:
        return {
            "message": message,
            "advice": "make_folds parts the rows, fit_yardsticks and fit_model score on them; do "
            "not change the rows of train afterwards",
        }
    assert folds is not None
    message = _validation_made_leak(train, test, folds, task)
    if not message:
        return None
    return {
        "message": message,
        "advice": "make_folds makes folds that fit, if the task names the time and the group",
        "culprits": [each for each in (task.get("time"), task.get("group")) if each],
    }


def _validation_made_folds(
    train: pd.DataFrame, folds: pd.DataFrame | None, oof: pd.DataFrame | None
) -> str:
    if folds is None or "fold" not in folds.columns:
        return "the rows of train are not parted into folds"
    for label, table in (("folds", folds), ("oof", oof)):
        if table is not None and len(table) != len(train):
            return f"train has {len(train)} rows, and {label} has {len(table)}"
    judged = folds["fold"][folds["fold"] >= 0]
    learned = int((folds["fold"] == -1).sum())
    if judged.empty or (judged.nunique() < 2 and not learned):
        return "all rows are in one fold, so that none is judged by what others teach"
    return ""


def _validation_made_scores(scores: pd.DataFrame | None, task: Mapping[str, Any]) -> str:
    if scores is None or not {"target", "model", "score", "chosen"} <= set(scores.columns):
        return "no model has a score by validation"
    for target in task["targets"]:
        chosen = scores[(scores["target"] == target) & scores["chosen"].astype(bool)]
        if len(chosen) != 1:
            return f"{len(chosen)} models are chosen for {target!r}, and one is to be"
        if not np.isfinite(float(chosen["score"].iloc[0])):
            return f"the score of the model that is chosen for {target!r} is no number"
    return ""


def _validation_made_leak(
    train: pd.DataFrame, test: pd.DataFrame | None, folds: pd.DataFrame, task: Mapping[str, Any]
) -> str:
    time, group = task.get("time"), task.get("group")
    if test is None or not len(test):
        return ""
    fold = folds["fold"].to_numpy()
    if time in train.columns and time in test.columns:
        own, other = (_validation_made_moments(each[time]) for each in (train, test))
        if np.mean(other > np.nanquantile(own, 0.95)) > 0.9:
            parts = sorted(set(fold[fold >= 0]))
            spans = [own[fold == each] for each in parts]
            spans = [each[np.isfinite(each)] for each in spans]
            for earlier, later in itertools.pairwise(spans):
                if len(earlier) and len(later) and np.mean(earlier > later.min()) > 0.02:
                    return (
                        f"leakage by time: test is later than train by {time!r}, and rows are "
                        "judged by what later ones teach"
                    )
    if group in train.columns and group in test.columns and time not in train.columns:
        seen = test[group].astype(str).isin(set(train[group].astype(str)))
        known = fold >= -1
        parts = pd.Series(fold[known]).groupby(train[group].astype(str).to_numpy()[known]).nunique()
        torn = int((parts > 1).sum())
        if seen.mean() < 0.2 and torn:
            return (
                f"leakage by group: the groups {group!r} of test are new, and {torn} groups of "
                "train are in several folds"
            )
    return ""


def _validation_made_moments(column: pd.Series) -> np.ndarray:
    """Times as numbers, which may be of any year."""
    numbers = pd.to_numeric(column, errors="coerce")
    if pd.api.types.is_datetime64_any_dtype(column.dtype) or numbers.isna().mean() > 0.5:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            read = pd.to_datetime(column, errors="coerce", format="mixed", utc=True)
        seconds = read.dt.tz_localize(None).astype("datetime64[s]")
        numbers = seconds.astype("int64").astype(float).where(read.notna())
    return np.asarray(numbers, dtype=float)


def _validation_made_example(rows: int = 60) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    train = pd.DataFrame({"t": range(rows), "g": np.arange(rows) // 5, "y": 1.0})
    folds = pd.DataFrame({"fold": np.arange(rows) * 3 // rows})
    scores = pd.DataFrame({"target": ["y"], "model": ["m"], "score": [0.7], "chosen": [True]})
    return train, folds, scores


def test_a_validation_that_lacks_a_part_is_told() -> None:
    train, folds, scores = _validation_made_example()
    task = {"targets": ["y"]}
    assert validation_made(train, folds, scores, task=task) is None
    for given, part in (
        ((train,), "not parted"),
        ((train, folds[:5], scores), "folds has 5"),
        ((train, folds * 0, scores), "one fold"),
        ((train, folds, scores[:0]), "0 models are chosen"),
        ((train, folds, scores.assign(score=np.nan)), "no number"),
    ):
        wrong = validation_made(*given, task=task)
        assert wrong is not None
        assert part in wrong["message"]


def test_later_rows_do_not_teach_and_groups_stay_together() -> None:
    train, folds, scores = _validation_made_example()
    test = pd.DataFrame({"t": range(100, 110), "g": range(100, 110)})
    for task in ({"targets": ["y"], "time": "t"}, {"targets": ["y"], "group": "g"}):
        assert validation_made(train, folds, scores, test=test, task=task) is None
        mixed = pd.DataFrame({"fold": np.arange(60) % 3})
        wrong = validation_made(train, mixed, scores, test=test, task=task)
        assert wrong is not None
        assert wrong["message"].startswith("leakage by")


def test_times_may_be_of_any_year() -> None:
    train, folds, scores = _validation_made_example()
    days = np.datetime64("2200-01-01", "s") + np.arange(70) * np.timedelta64(366 * 86_400, "s")
    train, test = train.assign(t=days[:60]), pd.DataFrame({"t": days[60:]})
    task = {"targets": ["y"], "time": "t"}
    assert validation_made(train, folds, scores, test=test, task=task) is None
    mixed = folds[::-1].reset_index(drop=True)
    assert validation_made(train, mixed, scores, test=test, task=task) is not None


def test_property_shuffled_folds_pass_without_time_and_group() -> None:
    train, folds, scores = _validation_made_example()
    for seed in range(5):
        mixed = folds.sample(frac=1, random_state=seed).reset_index(drop=True)
        assert validation_made(train, mixed, scores, task={"targets": ["y"]}) is None
