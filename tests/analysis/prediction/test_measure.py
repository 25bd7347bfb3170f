"""The metrics as code of the sandbox, against scikit-learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics as theirs

from flows.analysis.prediction.components import measure as module
from flows.analysis.prediction.components.measure import measure
from flows.analysis.prediction.metrics import METRICS

RANDOM = np.random.default_rng(5)
ROWS = 200


def classes_of(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    true = np.r_[np.arange(count), RANDOM.integers(0, count, ROWS)]
    shares = RANDOM.dirichlet(np.ones(count), len(true)).round(2)
    return true, RANDOM.integers(0, count, len(true)), shares / shares.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("count", [2, 4])
def test_labels_are_measured_as_scikit_learn_does(count: int) -> None:
    true, said, _ = classes_of(count)
    expected = {
        "accuracy": theirs.accuracy_score(true, said),
        "balanced_accuracy": theirs.balanced_accuracy_score(true, said),
        "f1_macro": theirs.f1_score(true, said, average="macro"),
        "f1_weighted": theirs.f1_score(true, said, average="weighted"),
        "f1_micro": theirs.f1_score(true, said, average="micro"),
        "mcc": theirs.matthews_corrcoef(true, said),
        "kappa": theirs.cohen_kappa_score(true, said),
        "qwk": theirs.cohen_kappa_score(true, said, weights="quadratic"),
    }
    if count == 2:
        expected |= {
            "f1": theirs.f1_score(true, said),
            "precision": theirs.precision_score(true, said),
            "recall": theirs.recall_score(true, said),
        }
    found = {name: measure(true, said, metric=name) for name in expected}
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("count", [2, 3])
def test_probabilities_are_measured_as_scikit_learn_does(count: int) -> None:
    true, _, shares = classes_of(count)
    assert measure(true, shares, metric="log_loss") == pytest.approx(theirs.log_loss(true, shares))
    if count == 2:
        hit = shares[:, 1]
        area = theirs.roc_auc_score(true, hit)
        assert measure(true, hit, metric="auc") == pytest.approx(area)
        assert measure(true, shares, metric="auc_macro") == pytest.approx(area)
        assert measure(true, hit, metric="gini") == pytest.approx(2 * area - 1)
        assert measure(true, hit, metric="brier") == pytest.approx(
            theirs.brier_score_loss(true, hit)
        )
        assert measure(true, hit, metric="average_precision") == pytest.approx(
            theirs.average_precision_score(true, hit)
        )
    else:
        area = theirs.roc_auc_score(true, shares, multi_class="ovr")
        assert measure(true, shares, metric="auc_macro") == pytest.approx(area)


def test_numbers_are_measured_as_scikit_learn_does() -> None:
    true, said = RANDOM.gamma(2, 3, ROWS), RANDOM.gamma(2, 3, ROWS)
    expected = {
        "rmse": theirs.root_mean_squared_error(true, said),
        "rmsle": theirs.root_mean_squared_log_error(true, said),
        "mse": theirs.mean_squared_error(true, said),
        "mae": theirs.mean_absolute_error(true, said),
        "medae": theirs.median_absolute_error(true, said),
        "mape": theirs.mean_absolute_percentage_error(true, said),
        "r2": theirs.r2_score(true, said),
        "pearson": pd.Series(true).corr(pd.Series(said)),
        "spearman": pd.Series(true).corr(pd.Series(said), method="spearman"),
    }
    found = {name: measure(true, said, metric=name) for name in expected}
    assert found == pytest.approx(expected)
    assert measure([1, 0], [3, 0], metric="smape") == pytest.approx(0.5)


def test_every_registered_metric_is_measured_and_best_when_nothing_is_wrong() -> None:
    true = np.array([0, 1, 1, 0])
    for each in METRICS.values():
        perfect = measure(true, true.astype(float), metric=each.name)
        worse = measure(true, np.array([0.0, 1.0, 0.0, 1.0]), metric=each.name)
        assert (perfect > worse) == each.greater_is_better, each.name


def test_text_labels_and_their_order() -> None:
    true = pd.Series(["no", "yes", "yes", "no"])
    shares = pd.DataFrame({"yes": [0.1, 0.7, 0.4, 0.2], "no": [0.9, 0.3, 0.6, 0.8]})
    assert measure(true, shares, metric="accuracy", classes=["yes", "no"]) == 0.75
    assert measure(true, shares["yes"], metric="auc", classes=["no", "yes"]) == 1.0
    assert measure(true, ["no", "yes", "no", "no"], metric="f1", classes=["no", "yes"]) == (
        pytest.approx(2 / 3)
    )


def test_kappa_takes_numbers_by_the_nearest_class() -> None:
    assert measure([1, 2, 5], [1.2, 2.4, 4.9], metric="qwk", classes=[1, 2, 5]) == 1.0


def test_ones_own_metric_is_called() -> None:
    own = "def metric(truth, predicted):\n    return float((truth == predicted).sum())\n"
    assert measure([1, 2, 3], [1, 2, 0], metric="hits", own=own) == 2.0


@pytest.mark.parametrize(
    ("true", "said", "metric", "message"),
    [
        ([1, 0], [1, 0, 1], "accuracy", "2 true values and 3"),
        ([1.0, 0.0], [np.nan, 0.0], "rmse", "missing"),
        ([1.0, 0.0], [-3.0, 0.0], "rmsle", "no meaning"),
        ([1, 1], [0.2, 0.3], "auc", "rows of each class"),
        ([0, 1, 2], [0, 1, 2], "f1", "f1_macro"),
        (["a", "b"], ["a", "c"], "accuracy", "'c' is none of the classes"),
        ([0, 1], [0.2, 1.7], "log_loss", "between 0 and 1"),
        ([0, 1], [0, 1], "karma", "metrics: accuracy"),
        (["a"], ["b"], "rmse", "not numbers"),
    ],
)
def test_what_cannot_be_measured_is_said(
    true: list[object], said: list[object], metric: str, message: str
) -> None:
    classes = [0, 1] if metric == "auc" else None
    with pytest.raises(ValueError, match=message):
        measure(true, said, metric=metric, classes=classes)


@pytest.mark.parametrize("name", [each for each in vars(module) if each.startswith("test_")])
def test_its_own_tests(name: str) -> None:
    vars(module)[name]()
