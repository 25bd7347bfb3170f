"""Score what every model has to beat: the mean or the most frequent class, and plain boosting.

Phases: model_building
Gives: oof, predictions, scores
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from flows.analysis.prediction.components.encode_target import encode_target
from flows.analysis.prediction.components.record_model import record_model
from flows.analysis.prediction.components.score_outputs import score_outputs
from flows.analysis.prediction.components.split_folds import split_folds

_FIT_YARDSTICKS_MEDIANS = ("mae", "medae", "mape", "smape")


def fit_yardsticks(
    train: pd.DataFrame,
    folds: pd.DataFrame,
    test: pd.DataFrame | None = None,
    raw_train: pd.DataFrame | None = None,
    raw_test: pd.DataFrame | None = None,
    validation: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
    skipped: Sequence[str] = (),
    seed: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Begin the tables `oof`, `predictions` and `scores` with two models.

    `baseline` says the same of each row: the shares of the classes, the mean, or the median where
    absolute errors count. `hist_gradient_boosting` is that of scikit-learn with its own settings,
    on all columns as they were read (or as they are, where rows have changed since).

    Args:
        train: the rows to learn from, with the targets.
        folds: the table that `make_folds` gives.
        test: the rows to predict.
        raw_train: train as it was read.
        raw_test: test as it was read.
        validation: the table that `make_folds` gives.
        task: what is predicted: `targets`, `kind`, `metric`, `greater_is_better`, `identifier`.
        skipped: columns that are not used, such as one that gives the target away.
        seed: of all that is drawn.
    Returns:
        (oof, predictions, scores).
    Raises:
        ValueError: if train and folds have not the same rows, and if there is no column to learn
            from.
    Example:
        oof, predictions, scores = fit_yardsticks(train, folds, test, task=task)
    """
    if len(train) != len(folds):
        raise ValueError(f"train has {len(train)} rows and folds has {len(folds)}")
    raw = raw_train is not None and len(raw_train) == len(train)
    raw = raw and (test is None or (raw_test is not None and len(raw_test) == len(test)))
    own, other = (raw_train, raw_test) if raw and raw_train is not None else (train, test)
    left_out = {*task["targets"], task.get("identifier"), *skipped}
    names = [each for each in own.columns if each not in left_out]
    if other is not None:
        names = [each for each in names if each in other.columns]
    if not names:
        raise ValueError(
            "there is no column to learn from: beside the targets and the identifier, train and "
            "test have none in common"
        )
    table, further = _fit_yardsticks_places(own[names], None if other is None else other[names])
    oof, scores = pd.DataFrame(index=range(len(train))), pd.DataFrame()
    predictions = pd.DataFrame(index=range(0 if test is None else len(test)))
    for target in task["targets"]:
        truth, classes, form = encode_target(
            train[target], kind=str(task["kind"]), metric=str(task["metric"])
        )
        for model in ("baseline", "hist_gradient_boosting"):
            start = time.monotonic()
            said = np.full((len(train), len(classes) if form == "classes" else 1), np.nan)
            tests = []
            for learned, judged in split_folds(folds, validation):
                known = learned[np.isfinite(truth[learned])]
                predict = (
                    _fit_yardsticks_baseline(truth[known], len(classes), form, str(task["metric"]))
                    if model == "baseline"
                    else _fit_yardsticks_boosting(table[known], truth[known], form, classes, seed)
                )
                said[judged] = predict(table[judged])
                tests += [] if further is None else [predict(further)]
            oof, predictions, scores = record_model(
                oof,
                scores,
                predictions,
                model=model,
                target=target,
                targets=list(task["targets"]),
                classes=classes,
                form=form,
                own=said,
                other=np.mean(tests, axis=0) if tests else None,
                metric=str(task["metric"]),
                score=score_outputs(
                    truth, said, folds["fold"], task=task, classes=classes, form=form
                ),
                seconds=time.monotonic() - start,
                note="on columns as they were read" if raw else "on columns as they are",
                greater_is_better=bool(task["greater_is_better"]),
            )
    return oof, predictions, scores


def _fit_yardsticks_places(own: pd.DataFrame, other: pd.DataFrame | None) -> tuple[Any, Any]:
    """The columns as numbers: of what is no number, the place among the values of train."""
    columns, further = [], []
    for name in own.columns:
        if pd.api.types.is_numeric_dtype(own[name].dtype):
            columns.append(own[name].to_numpy(dtype=float, na_value=np.nan))
            if other is not None:
                numbers = pd.to_numeric(other[name], errors="coerce")
                further.append(numbers.to_numpy(dtype=float, na_value=np.nan))
        else:
            texts = own[name].astype(object).map(str).where(own[name].notna())
            values = sorted(texts.dropna().unique())
            places = {value: float(place) for place, value in enumerate(values)}
            columns.append(texts.map(places).to_numpy(dtype=float))
            if other is not None:
                said = other[name].astype(object).map(str)
                further.append(said.map(places).to_numpy(dtype=float))
    matrices = [np.column_stack(each).astype(np.float32) if each else None
                for each in (columns, further)]  # fmt: skip
    return matrices[0], matrices[1]


def _fit_yardsticks_baseline(truth: Any, count: int, form: str, metric: str) -> Any:
    if form == "classes":
        value = np.bincount(truth.astype(int), minlength=count) / len(truth)
    elif metric in _FIT_YARDSTICKS_MEDIANS:
        value = np.array([np.median(truth)])
    elif metric == "rmsle" and truth.min() > -1:
        value = np.array([np.expm1(np.log1p(truth).mean())])
    else:
        value = np.array([truth.mean()])
    return lambda table: np.tile(value, (len(table), 1))


def _fit_yardsticks_boosting(
    table: Any, truth: Any, form: str, classes: Sequence[str], seed: int
) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    known = ~np.isnan(table).all(axis=0)
    table = np.where(known, table, 0.0)  # a column without any value cannot be parted into bins
    if form != "classes":
        regressor = HistGradientBoostingRegressor(random_state=seed).fit(table, truth)
        low = 0.0 if truth.min() >= 0 else -np.inf
        return lambda given: np.maximum(regressor.predict(np.where(known, given, 0.0)), low)[
            :, None
        ]
    classifier = HistGradientBoostingClassifier(random_state=seed).fit(table, truth.astype(int))
    seen = np.asarray(classifier.classes_, dtype=int)

    def shares(given: Any) -> Any:
        found = np.zeros((len(given), len(classes)))
        found[:, seen] = classifier.predict_proba(np.where(known, given, 0.0))
        return found

    return shares


def _fit_yardsticks_example(seed: int) -> tuple[pd.DataFrame, Mapping[str, Any]]:
    random = np.random.default_rng(seed)
    table = pd.DataFrame({"a": random.normal(size=150), "b": random.choice(["x", "y"], 150)})
    table["t"] = table["a"] * 2 + (table["b"] == "y")
    task = {"targets": ["t"], "kind": "regression", "metric": "rmse", "greater_is_better": False}
    return table, task


def test_both_are_scored_and_the_better_one_is_marked() -> None:
    train, task = _fit_yardsticks_example(1)
    folds = pd.DataFrame({"fold": np.arange(150) % 3})
    oof, predictions, scores = fit_yardsticks(train, folds, train.head(4), task=task)
    assert scores["model"].tolist() == ["baseline", "hist_gradient_boosting"]
    assert scores["chosen"].tolist() == [False, True]
    assert (len(oof), len(predictions)) == (150, 4)


def test_folds_of_other_rows_are_an_error() -> None:
    train, task = _fit_yardsticks_example(1)
    message = ""
    try:
        fit_yardsticks(train, pd.DataFrame({"fold": [0]}), task=task)
    except ValueError as error:
        message = str(error)
    assert "150 rows" in message


def test_property_the_baseline_never_saw_the_rows_that_it_is_judged_by() -> None:
    for seed in range(3):
        train, task = _fit_yardsticks_example(seed)
        folds = pd.DataFrame({"fold": np.arange(150) % 3})
        oof, _, _ = fit_yardsticks(train, folds, task=task)
        for fold in range(3):
            mean = train["t"][folds["fold"] != fold].mean()
            assert np.allclose(oof["baseline"][folds["fold"] == fold], mean)


def test_a_column_without_any_value_is_no_obstacle() -> None:
    for kind in ("regression", "binary"):
        table, task = _fit_yardsticks_example(6)
        table["c"] = np.nan
        if kind == "binary":
            table["t"] = np.where(table["t"] > 0, "yes", "no")
            more = {"kind": kind, "metric": "accuracy", "greater_is_better": True}
            task = {**task, **more}
        folds = pd.DataFrame({"fold": np.arange(150) % 3})
        test = table.drop(columns="t")
        scores = fit_yardsticks(table, folds, test, task=task)[2]
        assert scores["score"].notna().all()


def test_without_a_column_to_learn_from_it_says_so() -> None:
    table, task = _fit_yardsticks_example(7)
    folds = pd.DataFrame({"fold": np.arange(150) % 3})
    message = ""
    try:
        fit_yardsticks(table[["t"]], folds, task=task)
    except ValueError as error:
        message = str(error)
    assert "no column to learn from" in message
