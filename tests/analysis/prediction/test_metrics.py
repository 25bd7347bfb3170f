"""The registry of metrics: what task texts call them, and one's own."""

from __future__ import annotations

import pytest

from flows.analysis.prediction.metrics import (
    METRICS,
    default_metric,
    find_mentions,
    find_metric,
    fitting,
    read_own_metric,
)
from flows.errors import UsageError

SPELLINGS = {
    "R^2": "r2",
    "R² score": "r2",
    "coefficient of determination": "r2",
    "RMSLE (root-mean-squared logarithmic error)": "rmsle",
    "Root Mean Squared Error (RMSE)": "rmse",
    "root-mean-square error": "rmse",
    "the Quadratic Weighted Kappa": "qwk",
    "Cohen's kappa with quadratic weights": "qwk",
    "area under the receiver operating characteristic curve": "auc",
    "ROC-AUC": "auc",
    "AUROC": "auc",
    "macro-averaged F1-score": "f1_macro",
    "F1-measure": "f1",
    "balanced accuracy": "balanced_accuracy",
    "classification accuracy": "accuracy",
    "multi-class logarithmic loss": "log_loss",
    "logloss": "log_loss",
    "cross-entropy": "log_loss",
    "mean absolute percentage error": "mape",
    "MAE": "mae",
    "Matthews correlation coefficient (MCC)": "mcc",
    "Wurzel der mittleren quadratischen Abweichung": "rmse",
    "mittlerer absoluter Fehler": "mae",
    "Fläche unter der ROC-Kurve": "auc",
    "F1-Maß": "f1",
    "Bestimmtheitsmaß": "r2",
    "normalized Gini coefficient": "gini",
}
OWN = '''"""Mean cost of a wrong forecast.

Direction: lower
Kinds: regression
Wants: number
"""

def metric(truth, predicted):
    return float(abs(truth - predicted).sum())
'''


@pytest.mark.parametrize(("text", "name"), SPELLINGS.items())
def test_a_metric_is_found_by_what_people_call_it(text: str, name: str) -> None:
    found = find_mentions(f"Entries are judged by {text}, on all rows.")
    assert [each.metric.name for each in found][:1] == [name]
    assert {each.metric.name for each in found} == {name}


def test_words_that_only_hold_a_name_are_no_metric() -> None:
    assert find_mentions("The aucuba grows in Tamaera; maps and smaps of r22 are inaccuracy.") == []


def test_every_name_and_title_finds_its_own_metric() -> None:
    for each in METRICS.values():
        assert find_metric(each.name) is each
        assert find_metric(each.title) is each


def test_an_unknown_name_says_what_is_allowed_and_what_was_meant() -> None:
    with pytest.raises(UsageError, match=r"did you mean 'rmse'\?.*metrics: accuracy"):
        find_metric("rmsee")


def test_of_more_than_two_classes_f1_is_the_mean_over_them() -> None:
    macro = fitting(METRICS["f1"], "multiclass")
    assert macro is not None
    assert macro.name == "f1_macro"
    assert fitting(METRICS["rmse"], "binary") is None
    assert default_metric("regression").name == "rmse"


def test_ones_own_metric_says_its_direction() -> None:
    own = read_own_metric("cost", OWN)
    assert (own.title, own.greater_is_better, own.kinds) == (
        "Mean cost of a wrong forecast", False, ("regression",)
    )  # fmt: skip
    with pytest.raises(UsageError, match="Direction"):
        read_own_metric("cost", OWN.replace("Direction: lower", ""))
    with pytest.raises(UsageError, match=r"metric\(truth, predicted\)"):
        read_own_metric("cost", OWN.replace("def metric", "def cost"))
    with pytest.raises(UsageError, match="line 8"):
        read_own_metric("cost", OWN.replace("def metric(", "def metric(("))
