"""Write a model's predictions and score to the tables of all models, and mark the best one.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from flows.analysis.prediction.components.output_columns import output_columns


def record_model(
    oof: pd.DataFrame,
    scores: pd.DataFrame,
    predictions: pd.DataFrame | None = None,
    *,
    model: str,
    target: str,
    targets: Sequence[str],
    classes: Sequence[str],
    form: str,
    own: Any,
    other: Any = None,
    metric: str,
    score: tuple[float, float],
    seconds: float,
    note: str,
    greater_is_better: bool,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The tables with a model added; one of the same name and target is replaced.

    Args:
        oof: predictions for train out of fold so far.
        scores: the models so far.
        predictions: predictions for test so far.
        model: the model's name.
        target: what it predicts.
        targets: all targets.
        classes: the classes of the target, in order.
        form: "number", "classes" or "ordinal".
        own: its predictions for train, a column for numbers or for each class.
        other: the same for test.
        metric: the name of the metric.
        score: what it is, and its spread over the folds.
        seconds: how long it took.
        note: its settings, and what was left out.
        greater_is_better: whether the best model has the highest score.
    Returns:
        (oof, predictions, scores). `scores` has the columns target, model, metric, score, std,
        seconds, chosen and note.
    Raises:
        ValueError: if there are not as many predictions as rows.
    Example:
        oof, predictions, scores = record_model(oof, scores, predictions, model="linear", ...)
    """
    names = output_columns(model, target=target, targets=targets, classes=classes, form=form)
    oof = _record_model_columns(oof, names, np.asarray(own, dtype=float))
    if other is None:
        predictions = pd.DataFrame() if predictions is None else predictions
    else:
        base = pd.DataFrame(index=range(len(other))) if predictions is None else predictions
        predictions = _record_model_columns(base, names, np.asarray(other, dtype=float))
    row = {
        "target": target,
        "model": model,
        "metric": metric,
        "score": float(score[0]),
        "std": float(score[1]),
        "seconds": round(float(seconds), 3),
        "chosen": False,
        "note": note,
    }
    kept = scores
    if len(scores):
        kept = scores[(scores["target"] != target) | (scores["model"] != model)]
    table = pd.concat([kept, pd.DataFrame([row])], ignore_index=True) if len(kept) else (
        pd.DataFrame([row])
    )  # fmt: skip
    return oof, predictions, _record_model_chosen(table, greater_is_better)


def _record_model_columns(table: pd.DataFrame, names: list[str], values: Any) -> pd.DataFrame:
    if len(table) == 0 and len(table.columns) == 0:
        table = pd.DataFrame(index=range(len(values)))
    if len(table) != len(values):
        raise ValueError(f"{len(values)} predictions of {names[0]!r} for {len(table)} rows")
    if len(names) < values.shape[1]:
        values = values[:, 1:]
    kept = table.drop(columns=[each for each in names if each in table.columns])
    return pd.concat([kept, pd.DataFrame(values, columns=names)], axis=1)


def _record_model_chosen(scores: pd.DataFrame, greater_is_better: bool) -> pd.DataFrame:
    """Mark the best model of each target; of equal ones the first."""
    scores = scores.copy()
    signed = scores["score"] if greater_is_better else -scores["score"]
    best = signed.groupby(scores["target"], sort=False).idxmax()
    scores["chosen"] = scores.index.isin(best.to_numpy())
    return scores


def _record_model_given(model: str, score: float) -> dict[str, Any]:
    return {
        "model": model,
        "target": "t",
        "targets": ["t"],
        "classes": ["a", "b"],
        "form": "classes",
        "own": [[0.2, 0.8], [0.6, 0.4]],
        "metric": "auc",
        "score": (score, 0.0),
        "seconds": 0.0,
        "note": "",
        "greater_is_better": True,
    }


def test_the_best_is_marked_and_the_same_name_replaced() -> None:
    oof, scores = pd.DataFrame(index=range(2)), pd.DataFrame()
    for model, score in (("m", 0.5), ("n", 0.7), ("m", 0.9)):
        oof, _, scores = record_model(oof, scores, **_record_model_given(model, score))
    assert oof["m"].tolist() == [0.8, 0.4]
    assert scores["model"].tolist() == ["n", "m"]
    assert scores["chosen"].tolist() == [False, True]


def test_too_few_predictions_are_an_error() -> None:
    message = ""
    try:
        record_model(pd.DataFrame(index=range(3)), pd.DataFrame(), **_record_model_given("m", 0.5))
    except ValueError as error:
        message = str(error)
    assert "2 predictions" in message


def test_property_one_model_of_a_target_is_chosen() -> None:
    random = np.random.default_rng(1)
    for _ in range(10):
        oof, scores = pd.DataFrame(), pd.DataFrame()
        for place, score in enumerate(random.random(4)):
            given = _record_model_given(f"m{place}", float(score))
            oof, _, scores = record_model(oof, scores, **given)
        assert scores["chosen"].sum() == 1
