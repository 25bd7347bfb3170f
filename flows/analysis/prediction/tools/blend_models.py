"""Weigh the models' predictions together, and keep that where it helps on rows it was not made by.

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
from flows.analysis.prediction.components.mix_models import mix_models
from flows.analysis.prediction.components.read_outputs import read_outputs
from flows.analysis.prediction.components.record_model import record_model
from flows.analysis.prediction.components.score_outputs import score_outputs
from flows.analysis.prediction.components.smooth_loss import smooth_loss
from flows.analysis.prediction.components.weigh_models import weigh_models


def blend_models(
    train: pd.DataFrame,
    folds: pd.DataFrame,
    oof: pd.DataFrame,
    scores: pd.DataFrame,
    predictions: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
    name: str = "blend",
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Add the weighted mean of the models to the tables, where it scores better than the best one.

    Each fold's weights are learned from the other folds, and so is which model is the best one
    alone: what is chosen by its score on all rows would look better than it is.

    Args:
        train: the rows to learn from, with the targets.
        folds: the table that `make_folds` gives.
        oof: predictions for train out of fold.
        scores: the models.
        predictions: predictions for test.
        task: what is predicted: `targets`, `kind`, `metric`, `greater_is_better`.
        name: what the blend is called in the tables.
    Returns:
        (oof, predictions, scores), with the blend for each target that it helps.
    Raises:
        ValueError: if a model that is scored has no predictions.
    Example:
        oof, predictions, scores = blend_models(train, folds, oof, scores, predictions, task=task)
    """
    targets = list(task["targets"])
    base = pd.DataFrame() if predictions is None else predictions
    for target in targets:
        start = time.monotonic()
        truth, classes, form = encode_target(
            train[target], kind=str(task["kind"]), metric=str(task["metric"])
        )
        given = {"target": target, "targets": targets, "classes": classes, "form": form}
        models = [
            str(each)
            for each in scores["model"][scores["target"] == target]
            if each not in ("baseline", name)
        ]
        if len(models) < 2:
            continue
        own = np.stack([read_outputs(oof, each, **given) for each in models])
        known = np.isfinite(own).all(axis=(0, 2)) & np.isfinite(truth)
        parts = np.where(known, folds["fold"].to_numpy(), -1)
        settings: Mapping[str, Any] = {"task": task, "classes": len(classes), "form": form}
        blended, single = _blend_models_honest(own, truth, parts, settings)
        found, best = (
            score_outputs(truth, each, parts, task=task, classes=classes, form=form)
            for each in (blended, single)
        )
        if not _blend_models_helps(blended, single, truth, parts, found, best, settings):
            print(f"{target}: the blend scores {found[0]:.5g}, the best model alone {best[0]:.5g}")
            continue
        rows = parts >= 0
        weights, powers = weigh_models(own[:, rows], truth[rows], **settings)
        other = None
        if len(base):
            tests = np.stack([read_outputs(base, each, **given) for each in models])
            other = mix_models(tests, weights=weights, powers=powers, form=form)
        oof, base, scores = record_model(
            oof,
            scores,
            base,
            model=name,
            target=target,
            targets=targets,
            classes=classes,
            form=form,
            own=blended,
            other=other,
            metric=str(task["metric"]),
            score=found,
            seconds=time.monotonic() - start,
            note=_blend_models_note(models, weights, powers),
            greater_is_better=bool(task["greater_is_better"]),
        )
        mine = scores["target"] == target
        scores.loc[mine, "chosen"] = scores.loc[mine, "model"] == name
    return oof, base, scores


def _blend_models_note(
    models: Sequence[str], weights: Sequence[float], powers: Sequence[float]
) -> str:
    order = sorted(range(len(models)), key=lambda place: -weights[place])
    return ", ".join(
        f"{models[place]} {weights[place]:.2f}"
        + (f" to the power of {powers[place]:g}" if powers[place] != 1 else "")
        for place in order
        if weights[place] > 0
    )


def _blend_models_honest(
    own: Any, truth: Any, parts: Any, settings: Mapping[str, Any]
) -> tuple[Any, Any]:
    """Each fold's outputs by the blend, and by the best model, as the other folds tell them."""
    blended, single = np.full(own.shape[1:], np.nan), np.full(own.shape[1:], np.nan)
    numbers = np.unique(parts[parts >= 0])
    if len(numbers) == 1:  # the halves of one fold take the place of folds
        parts = np.where(parts >= 0, np.arange(len(parts)) % 2, -1)
        numbers = np.array([0, 1])
    for number in numbers:
        learned, rows = (parts >= 0) & (parts != number), parts == number
        weights, powers = weigh_models(own[:, learned], truth[learned], **settings)
        blended[rows] = mix_models(
            own[:, rows], weights=weights, powers=powers, form=settings["form"]
        )
        losses = [smooth_loss(truth[learned], each[learned], **settings) for each in own]
        single[rows] = own[int(np.argmin(losses))][rows]
    return blended, single


def _blend_models_helps(
    blended: Any,
    single: Any,
    truth: Any,
    parts: Any,
    found: tuple[float, float],
    best: tuple[float, float],
    settings: Mapping[str, Any],
) -> bool:
    """Whether the metric gains; of labels, which are coarse, also if the loss gains and the metric
    is the same but for a quarter of its spread over the folds."""
    sign = 1 if settings["task"]["greater_is_better"] else -1
    gain = sign * (found[0] - best[0])
    if gain > 0 or settings["form"] == "number":
        return gain > 0
    rows = parts >= 0
    losses = [smooth_loss(truth[rows], each[rows], **settings) for each in (blended, single)]
    return losses[0] < losses[1] and gain > -0.25 * best[1]


def _blend_models_example(seed: int, alike: bool) -> tuple[Any, ...]:
    random = np.random.default_rng(seed)
    truth = random.normal(size=300)
    errors = [random.normal(size=300), random.normal(size=300)]
    oof = pd.DataFrame({"m": truth + errors[0], "n": truth + errors[1 - alike] * (1 + alike)})
    scores = pd.DataFrame({"target": "t", "model": ["m", "n"], "metric": "rmse", "std": 0.0})
    scores["score"] = [float(np.sqrt(np.mean((oof[each] - truth) ** 2))) for each in ("m", "n")]
    scores["chosen"] = scores["score"] == scores["score"].min()
    task = {"targets": ["t"], "kind": "regression", "metric": "rmse", "greater_is_better": False}
    folds = pd.DataFrame({"fold": np.arange(300) % 3})
    return pd.DataFrame({"t": truth}), folds, oof, scores, task


def test_models_that_err_otherwise_are_better_together() -> None:
    train, folds, oof, scores, task = _blend_models_example(1, alike=False)
    oof, predictions, scores = blend_models(train, folds, oof, scores, oof.head(5), task=task)
    assert scores.set_index("model")["score"]["blend"] < 0.85
    assert scores.set_index("model")["chosen"].to_dict() == {"m": False, "n": False, "blend": True}
    assert np.allclose(predictions["blend"], predictions[["m", "n"]].mean(axis=1), atol=0.4)


def test_one_that_only_errs_more_is_left_out() -> None:
    train, folds, oof, scores, task = _blend_models_example(1, alike=True)
    _, _, scores = blend_models(train, folds, oof, scores, task=task)
    assert scores["model"].tolist() == ["m", "n"]


def test_property_the_weights_of_a_fold_come_from_other_folds() -> None:
    for seed in range(3):
        train, folds, oof, scores, task = _blend_models_example(seed, alike=False)
        first = blend_models(train, folds, oof, scores, task=task)[0]
        changed = train.copy()
        inside = folds["fold"] == 0
        changed.loc[inside, "t"] = 0.0
        second = blend_models(changed, folds, oof, scores, task=task)[0]
        if "blend" in first and "blend" in second:
            assert np.allclose(first["blend"][inside], second["blend"][inside])
