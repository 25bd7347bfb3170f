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

from flows.analysis.prediction.tools.encode_target import encode_target
from flows.analysis.prediction.tools.read_outputs import read_outputs
from flows.analysis.prediction.tools.record_model import record_model
from flows.analysis.prediction.tools.score_outputs import score_outputs
from flows.analysis.prediction.tools.smooth_loss import smooth_loss

_BLEND_MODELS_ROWS = 20_000
_BLEND_MODELS_ROUNDS = 25


def blend_models(
    train: pd.DataFrame,
    folds: pd.DataFrame,
    oof: pd.DataFrame,
    scores: pd.DataFrame,
    predictions: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
    name: str = "blend",
    rounds: int = _BLEND_MODELS_ROUNDS,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Add the weighted mean of the models to the tables, where it scores better than each.

    Models are chosen one after the other, some several times, so that the mean of all chosen has
    the least loss. The score is of weights that each fold had from the other folds.

    Args:
        train: the rows to learn from, with the targets.
        folds: the table that `make_folds` gives.
        oof: predictions for train out of fold.
        scores: the models.
        predictions: predictions for test.
        task: what is predicted: `targets`, `kind`, `metric`, `greater_is_better`.
        name: what the blend is called in the tables.
        rounds: how many models are chosen in all.
    Returns:
        (oof, predictions, scores), with the blend for each target that it helps.
    Raises:
        ValueError: if a model that is scored has no predictions.
    Example:
        oof, predictions, scores = blend_models(train, folds, oof, scores, predictions, task=task)
    """
    targets = list(task["targets"])
    tested = predictions is not None and len(predictions) > 0
    told = []
    for target in targets:
        start = time.monotonic()
        truth, classes, form = encode_target(
            train[target], kind=str(task["kind"]), metric=str(task["metric"])
        )
        models = [
            str(each)
            for each in scores["model"][scores["target"] == target]
            if each not in ("baseline", name)
        ]
        if len(models) < 2:
            continue

        def read(
            table: Any,
            target: str = target,
            classes: list[str] = classes,
            form: str = form,
            models: list[str] = models,
        ) -> Any:
            return np.stack(
                [
                    read_outputs(
                        table, each, target=target, targets=targets, classes=classes, form=form
                    )
                    for each in models
                ]
            )

        own = read(oof)
        parts = np.where(np.isfinite(own).all(axis=(0, 2)), folds["fold"].to_numpy(), -1)
        parts = np.where(np.isfinite(truth), parts, -1)
        weights, honest = _blend_models_weights(own, truth, parts, task, len(classes), form, rounds)
        score = score_outputs(truth, honest, parts, task=task, classes=classes, form=form)
        best = scores[(scores["target"] == target) & scores["chosen"]].iloc[0]
        if not _blend_models_helps(
            own, honest, truth, parts, task, classes, form, score[0], best, models
        ):
            told.append(f"{target}: {score[0]:.5g} of the blend is no better than {best['model']}")
            continue
        shares = [
            f"{model} {weight:.2f}"
            for model, weight in sorted(zip(models, weights, strict=True), key=lambda x: -x[1])
            if weight > 0
        ]
        oof, predictions, scores = record_model(
            oof,
            scores,
            predictions,
            model=name,
            target=target,
            targets=targets,
            classes=classes,
            form=form,
            own=honest,
            other=np.tensordot(weights, read(predictions), axes=1) if tested else None,
            metric=str(task["metric"]),
            score=score,
            seconds=time.monotonic() - start,
            note=", ".join(shares),
            greater_is_better=bool(task["greater_is_better"]),
        )
        mine = scores["target"] == target
        scores.loc[mine, "chosen"] = scores.loc[mine, "model"] == name
    for each in told:
        print(each)
    return oof, pd.DataFrame() if predictions is None else predictions, scores


def _blend_models_helps(
    own: Any,
    honest: Any,
    truth: Any,
    parts: Any,
    task: Mapping[str, Any],
    classes: Sequence[str],
    form: str,
    score: float,
    best: Any,
    models: list[str],
) -> bool:
    """Whether the metric gains; of labels, which are coarse, also if the loss gains and the metric
    is the same but for a quarter of its spread over the folds."""
    sign = 1 if task["greater_is_better"] else -1
    gain = sign * (score - float(best["score"]))
    if gain > 0:
        return True
    if form == "number" or str(best["model"]) not in models:
        return False
    rows = parts >= 0
    single = own[models.index(str(best["model"]))]
    losses = [
        _blend_models_loss(each[rows], truth[rows], task, len(classes), form)
        for each in (honest, single)
    ]
    return losses[0] < losses[1] and gain > -0.25 * float(best["std"])


def _blend_models_loss(
    outputs: Any, truth: Any, task: Mapping[str, Any], classes: int, form: str
) -> float:
    return smooth_loss(truth, outputs, task=task, classes=classes, form=form)


def _blend_models_weights(
    own: Any, truth: Any, parts: Any, task: Mapping[str, Any], classes: int, form: str, rounds: int
) -> tuple[Any, Any]:
    """Weights from all folds, and each fold's outputs by weights from the other ones."""

    def chosen(rows: Any) -> Any:
        places = np.flatnonzero(rows)
        if len(places) > _BLEND_MODELS_ROWS:
            places = places[:: len(places) // _BLEND_MODELS_ROWS + 1]
        return _blend_models_chosen(own[:, places], truth[places], task, classes, form, rounds)

    honest = np.full(own.shape[1:], np.nan)
    numbers = np.unique(parts[parts >= 0])
    if len(numbers) == 1:  # the halves of one fold take the place of folds
        halves = np.where(parts >= 0, np.arange(len(parts)) % 2, -1)
        judged = [(halves == 1 - half, halves == half) for half in (0, 1)]
    else:
        judged = [((parts >= 0) & (parts != each), parts == each) for each in numbers]
    for learned, rows in judged:
        honest[rows] = np.tensordot(chosen(learned), own[:, rows], axes=1)
    return chosen(parts >= 0), honest


def _blend_models_chosen(
    own: Any, truth: Any, task: Mapping[str, Any], classes: int, form: str, rounds: int
) -> Any:
    losses = [_blend_models_loss(each, truth, task, classes, form) for each in own]
    counts = np.zeros(len(own))
    total, best, kept = np.zeros(own.shape[1:]), np.inf, counts
    for step in range(1, rounds + 1):
        if step == 1:
            chosen = int(np.argmin(losses))
        else:
            tried = [
                _blend_models_loss((total + each) / step, truth, task, classes, form)
                for each in own
            ]
            chosen = int(np.argmin(tried))
        counts = counts.copy()
        counts[chosen] += 1
        total = total + own[chosen]
        loss = _blend_models_loss(total / step, truth, task, classes, form)
        if loss < best:
            best, kept = loss, counts
    return kept / kept.sum()


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
