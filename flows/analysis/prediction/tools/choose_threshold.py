"""Choose from which probability a class is said, or between which numbers, by rows out of fold.

Phases: model_building
Gives: thresholds, scores
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from flows.analysis.prediction.components.encode_target import encode_target
from flows.analysis.prediction.components.learn_decision import learn_decision
from flows.analysis.prediction.components.read_outputs import read_outputs
from flows.analysis.prediction.components.score_outputs import score_outputs

# Of the spread over the folds: what a decision has to gain where the likeliest class is as a rule
# the best one to say, as it is for accuracy.
_CHOOSE_THRESHOLD_GAIN = 0.25
_CHOOSE_THRESHOLD_COARSE = ("accuracy", "f1_micro")
_CHOOSE_THRESHOLD_METRICS = (
    *_CHOOSE_THRESHOLD_COARSE, "balanced_accuracy", "f1", "f1_macro", "f1_weighted", "mcc",
    "kappa", "qwk",
)  # fmt: skip


def choose_threshold(
    train: pd.DataFrame,
    folds: pd.DataFrame,
    oof: pd.DataFrame,
    scores: pd.DataFrame,
    *,
    task: Mapping[str, Any],
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The decision of the chosen model of each target, where a metric of labels gains by one.

    It is judged on each fold by what the other folds tell, and learned from all in the end.

    Args:
        train: the rows to learn from, with the targets.
        folds: the table that `make_folds` gives.
        oof: predictions for train out of fold.
        scores: the models, the best of each target chosen.
        task: what is predicted: `targets`, `kind`, `metric`, `greater_is_better`.
    Returns:
        (thresholds, scores). `thresholds` has the columns target, model, class and value: the
        weight of each class's probability; for grades the number at which the class begins. It
        has no rows for a target that gains nothing.
    Raises:
        ValueError: if a target has no chosen model.
    Example:
        thresholds, scores = choose_threshold(train, folds, oof, scores, task=task)
    """
    rows, scores = [], scores.copy()
    metric = str(task["metric"])
    for target in task["targets"]:
        truth, classes, form = encode_target(train[target], kind=str(task["kind"]), metric=metric)
        if form == "number" or metric not in _CHOOSE_THRESHOLD_METRICS or task.get("own"):
            continue
        chosen = scores.index[(scores["target"] == target) & scores["chosen"]]
        if len(chosen) == 0:
            raise ValueError(f"no model of {target!r} is chosen")
        model = str(scores.loc[chosen[0], "model"])
        outputs = read_outputs(
            oof, model, target=target, targets=list(task["targets"]), classes=classes, form=form
        )
        plain, decided = (
            score_outputs(
                truth, outputs, folds["fold"], task=task, classes=classes, form=form, decided=each
            )
            for each in (False, True)
        )
        least = _CHOOSE_THRESHOLD_GAIN * plain[1] if metric in _CHOOSE_THRESHOLD_COARSE else 0.0
        keeps = decided[0] - plain[0] > least
        scores.loc[chosen[0], ["score", "std"]] = list(decided if keeps else plain)
        if not keeps:
            continue
        used = (folds["fold"].to_numpy() >= 0) & np.isfinite(truth)
        used &= np.isfinite(outputs).all(axis=1)
        decision = learn_decision(
            truth[used], outputs[used], metric=metric, classes=classes, form=form
        )
        begins = classes[1:] if form == "ordinal" else classes
        rows += [
            {"target": target, "model": model, "class": name, "value": value}
            for name, value in zip(begins, decision, strict=True)
        ]
    return pd.DataFrame(rows, columns=["target", "model", "class", "value"]), scores


def _choose_threshold_example(seed: int, metric: str) -> tuple[Any, ...]:
    random = np.random.default_rng(seed)
    share = random.beta(1, 6, 1500)
    train = pd.DataFrame({"t": (random.random(1500) < share).astype(int)})
    scores = pd.DataFrame(
        {"target": ["t"], "model": ["m"], "score": [0.0], "std": [0.0], "chosen": [True]}
    )
    task = {"targets": ["t"], "kind": "binary", "metric": metric, "greater_is_better": True}
    folds = pd.DataFrame({"fold": np.arange(1500) % 5})
    return train, folds, pd.DataFrame({"m": share}), scores, task


def test_f1_of_a_rare_class_gains() -> None:
    train, folds, oof, scores, task = _choose_threshold_example(1, "f1")
    thresholds, scores = choose_threshold(train, folds, oof, scores, task=task)
    assert thresholds["class"].tolist() == ["0", "1"]
    assert thresholds["value"].iloc[0] < 0.4
    assert scores["score"].iloc[0] > 0.2


def test_a_target_without_a_chosen_model_is_an_error() -> None:
    train, folds, oof, scores, task = _choose_threshold_example(1, "f1")
    message = ""
    try:
        choose_threshold(train, folds, oof, scores.assign(chosen=False), task=task)
    except ValueError as error:
        message = str(error)
    assert "'t'" in message


def test_property_what_wants_probabilities_has_no_threshold() -> None:
    for metric in ("auc", "log_loss", "brier"):
        train, folds, oof, scores, task = _choose_threshold_example(2, metric)
        assert len(choose_threshold(train, folds, oof, scores, task=task)[0]) == 0
