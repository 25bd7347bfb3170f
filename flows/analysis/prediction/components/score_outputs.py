"""Score predictions that were made out of fold by the metric of the task.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from flows.analysis.prediction.components.decide import decide
from flows.analysis.prediction.components.learn_decision import learn_decision
from flows.analysis.prediction.components.measure import measure

# Metrics of labels for which the likeliest class is not the best one to say.
_SCORE_OUTPUTS_DECIDED = (
    "f1",
    "f1_macro",
    "f1_weighted",
    "balanced_accuracy",
    "mcc",
    "kappa",
    "qwk",
)
_SCORE_OUTPUTS_LABELS = (*_SCORE_OUTPUTS_DECIDED, "accuracy", "f1_micro", "precision", "recall")


def score_outputs(
    truth: Any,
    outputs: Any,
    folds: Any,
    *,
    task: Mapping[str, Any],
    classes: Sequence[str],
    form: str,
    decided: bool | None = None,
) -> tuple[float, float]:
    """The metric over all rows that were predicted out of fold, and its spread over the folds.

    Where a metric of labels needs a decision, that of each fold is learned from the other folds.

    Args:
        truth: the target as `encode_target` gives it.
        outputs: predictions as `read_outputs` gives them; rows without one are left out.
        folds: the fold of each row; those below 0 are left out.
        task: what is predicted: `metric`, and `own` with the source of one's own metric.
        classes: the classes in order.
        form: "number", "classes" or "ordinal".
        decided: whether a decision is learned; by default where the metric gains by one.
    Returns:
        (metric, standard deviation over the folds).
    Raises:
        ValueError: if no row was predicted out of fold.
    Example:
        score, spread = score_outputs(
            y, values, folds["fold"], task=task, classes=[], form="number"
        )
    """
    known, values, parts = np.asarray(truth, float), np.asarray(outputs, float), np.asarray(folds)
    rows = (parts >= 0) & np.isfinite(known) & np.isfinite(values).all(axis=1)
    if not rows.any():
        raise ValueError("no row was predicted out of fold")
    known, values, parts = known[rows], values[rows], parts[rows]
    metric, own = str(task["metric"]), str(task.get("own", ""))
    labels = form != "number" and not own and metric in _SCORE_OUTPUTS_LABELS
    if decided is None:
        decided = metric in _SCORE_OUTPUTS_DECIDED
    said = _score_outputs_said(known, values, parts, metric, classes, form, decided and labels)
    true, names = known, None
    if form == "ordinal":
        true = np.searchsorted([float(each) for each in classes], known)
    if form != "number":
        true, names = true.astype(int), list(range(len(classes)))
    score = measure(true, said, metric=metric, classes=names, own=own)
    each = []
    for fold in np.unique(parts):
        inside = parts == fold
        try:
            each.append(measure(true[inside], said[inside], metric=metric, classes=names, own=own))
        except ValueError:  # a fold in which the metric has no meaning, such as one class alone
            continue
    return score, float(np.std(each)) if len(each) > 1 else 0.0


def _score_outputs_said(
    known: Any, values: Any, parts: Any, metric: str, classes: Sequence[str], form: str, learn: bool
) -> Any:
    """What the metric is reckoned of: numbers, probabilities, or the places of classes."""
    if form == "number":
        return values[:, 0]
    if form == "classes" and not learn:
        return values if metric not in _SCORE_OUTPUTS_LABELS else values.argmax(axis=1)
    grades = [float(each) for each in classes] if form == "ordinal" else []
    middles = [(low + high) / 2 for low, high in pairwise(grades)]
    said = np.zeros(len(known), dtype=int)
    for fold in np.unique(parts):
        inside = parts == fold
        decision: list[float] | None = middles or None
        # A single fold has no other folds: half of its rows tell the decision of the other half.
        for learned, judged in _score_outputs_halves(inside, parts):
            if learn and learned.any():
                decision = learn_decision(
                    known[learned], values[learned], metric=metric, classes=classes, form=form
                )
            said[judged] = decide(values[judged], decision=decision, form=form)
    return said


def _score_outputs_halves(inside: Any, parts: Any) -> list[tuple[Any, Any]]:
    if (~inside).any():
        return [(~inside, inside)]
    even = np.arange(len(parts)) % 2 == 0
    return [(even, ~even), (~even, even)]


def test_the_spread_is_that_of_the_folds() -> None:
    task = {"metric": "mae"}
    score, spread = score_outputs(
        [1.0, 1.0, 5.0], [[2.0], [3.0], [0.0]], [0, 1, -1], task=task, classes=[], form="number"
    )
    assert (score, spread) == (1.5, 0.5)


def test_nothing_out_of_fold_is_an_error() -> None:
    message = ""
    try:
        score_outputs([1.0], [[1.0]], [-1], task={"metric": "mae"}, classes=[], form="number")
    except ValueError as error:
        message = str(error)
    assert "out of fold" in message


def test_property_random_outputs_gain_nothing_by_a_decision() -> None:
    random = np.random.default_rng(6)
    found = []
    for _ in range(5):
        truth, share = random.integers(0, 2, 400), random.random(400)
        outputs = np.column_stack([1 - share, share])
        score, _ = score_outputs(
            truth,
            outputs,
            np.arange(400) % 5,
            task={"metric": "mcc"},
            classes=["a", "b"],
            form="classes",
        )
        found.append(score)
    assert abs(float(np.mean(found))) < 0.1
