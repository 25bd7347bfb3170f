"""Learn how much each model counts in a blend, and how sure it should be of what it says.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from flows.analysis.prediction.components.mix_models import mix_models
from flows.analysis.prediction.components.smooth_loss import smooth_loss

_WEIGH_MODELS_ROWS = 20_000
_WEIGH_MODELS_POWERS = (0.4, 0.55, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0, 2.6, 3.5)


def weigh_models(
    outputs: Any,
    truth: Any,
    *,
    task: Mapping[str, Any],
    classes: int = 0,
    form: str,
    rounds: int = 25,
    bags: int = 5,
    seed: int = 0,
) -> tuple[list[float], list[float]]:
    """Weights and powers, as `mix_models` takes them.

    A power is what makes the log loss of a model's probabilities least. Then models are chosen one
    after the other, some several times, so that the mean of all chosen has the least loss: on
    halves of the rows, whose counts are averaged, so that no weight hangs on a few rows.

    Args:
        outputs: an array of models, rows and columns: predictions out of fold.
        truth: the target as `encode_target` gives it, without missing values.
        task: what is predicted: `metric`, `greater_is_better`.
        classes: how many classes there are.
        form: "number", "classes" or "ordinal".
        rounds: how many models are chosen on each half.
        bags: how many halves there are.
        seed: of the halves.
    Returns:
        (weights, powers).
    Raises:
        ValueError: if there is no model.
    Example:
        weights, powers = weigh_models(outputs, y, task=task, classes=2, form="classes")
    """
    own, known = np.asarray(outputs, dtype=float), np.asarray(truth, dtype=float)
    if len(own) == 0:
        raise ValueError("there is no model to weigh")
    random = np.random.default_rng(seed)
    if len(known) > _WEIGH_MODELS_ROWS:
        rows = random.permutation(len(known))[:_WEIGH_MODELS_ROWS]
        own, known = own[:, rows], known[rows]
    powers = [1.0] * len(own)
    if form == "classes":
        powers = [_weigh_models_power(each, known.astype(int)) for each in own]
        alone = np.eye(len(own))
        own = np.stack(
            [mix_models(own, weights=each, powers=powers, form=form) for each in alone.tolist()]
        )
    counts = np.zeros(len(own))
    for _ in range(bags):
        rows = random.permutation(len(known))[: max(1, len(known) // 2)]
        counts += _weigh_models_chosen(
            own[:, rows],
            lambda mixed, rows=rows: smooth_loss(
                known[rows], mixed, task=task, classes=classes, form=form
            ),
            rounds,
        )
    return [float(each) for each in counts / counts.sum()], powers


def _weigh_models_power(shares: Any, places: Any) -> float:
    logarithms = np.log(np.clip(shares, 1e-9, 1))

    def loss(power: float) -> float:
        raised = logarithms * power
        raised -= np.log(np.exp(raised).sum(axis=1, keepdims=True))
        return float(-raised[np.arange(len(places)), places].mean())

    return min(_WEIGH_MODELS_POWERS, key=loss)


def _weigh_models_chosen(own: Any, loss: Any, rounds: int) -> Any:
    """The share of the rounds in which each model was chosen, up to the best of the rounds."""
    counts, kept = np.zeros(len(own)), np.zeros(len(own))
    total, best = np.zeros(own.shape[1:]), np.inf
    for step in range(1, rounds + 1):
        losses = [loss((total + each) / step) for each in own]
        chosen = int(np.argmin(losses))
        counts[chosen] += 1
        total = total + own[chosen]
        if losses[chosen] < best:
            best, kept = losses[chosen], counts.copy()
    return kept / max(1.0, kept.sum())


def test_an_unsure_model_is_made_surer() -> None:
    random = np.random.default_rng(1)
    share = random.beta(0.5, 0.5, 2000)
    truth = (random.random(2000) < share).astype(int)
    unsure = np.sqrt(share) / (np.sqrt(share) + np.sqrt(1 - share))
    outputs = np.stack([np.column_stack([1 - unsure, unsure])])
    task = {"metric": "log_loss", "greater_is_better": False}
    weights, powers = weigh_models(outputs, truth, task=task, classes=2, form="classes")
    assert weights == [1.0]
    assert powers[0] in (1.5, 2.0, 2.6)


def test_no_model_is_an_error() -> None:
    message = ""
    try:
        weigh_models([], [1.0], task={"metric": "mae"}, form="number")
    except ValueError as error:
        message = str(error)
    assert "no model" in message


def test_property_what_only_adds_noise_counts_little() -> None:
    task = {"metric": "rmse", "greater_is_better": False}
    for seed in range(5):
        random = np.random.default_rng(seed)
        truth = random.normal(size=400)
        good = truth + random.normal(size=400) * 0.3
        outputs = np.stack([good, good + random.normal(size=400)])[:, :, None]
        weights, _ = weigh_models(outputs, truth, task=task, form="number")
        assert weights[0] > 0.9
