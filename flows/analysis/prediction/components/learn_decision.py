"""Learn at which probabilities, or between which numbers, a class begins.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from flows.analysis.prediction.components.decide import decide
from flows.analysis.prediction.components.measure import measure

_LEARN_DECISION_ROWS = 20_000
_LEARN_DECISION_CLASSES = 12  # with more, only the power of the shares is learned


def learn_decision(
    truth: Any, outputs: Any, *, metric: str, classes: Sequence[str], form: str
) -> list[float]:
    """The decision (see `decide`) by which a metric of labels is best on these rows.

    Of two classes it is the middle of the best range of thresholds, of more a power of the
    classes' shares and then a factor for each in turn. Cuts begin at the middles between grades.

    Args:
        truth: places of the true classes; for "ordinal" the numbers that the classes stand for.
        outputs: one column of probabilities for each class; one column of numbers for "ordinal".
        metric: a metric of labels.
        classes: the classes in order.
        form: "classes" or "ordinal".
    Returns:
        weights of the classes, or cuts between them.
    Raises:
        ValueError: for an unknown metric.
    Example:
        weights = learn_decision(places, shares, metric="f1", classes=["no", "yes"], form="classes")
    """
    known, values = np.asarray(truth, dtype=float), np.asarray(outputs, dtype=float)
    if len(known) > _LEARN_DECISION_ROWS:
        step = len(known) / _LEARN_DECISION_ROWS
        rows = (np.arange(_LEARN_DECISION_ROWS) * step).astype(int)
        known, values = known[rows], values[rows]
    names = list(range(len(classes)))
    if form == "ordinal":
        grades = np.array([float(each) for each in classes])
        places = np.searchsorted(grades, known)
    else:
        places = known.astype(int)

    def value(decision: list[float]) -> float:
        found = decide(values, decision=decision, form=form)
        return measure(places, found, metric=metric, classes=names)

    if form == "ordinal":
        return _learn_decision_cuts(values[:, 0], places, grades, value)
    if len(classes) == 2:
        return _learn_decision_threshold(values[:, 1], value)
    return _learn_decision_weights(places, len(classes), value)


def _learn_decision_threshold(shares: Any, value: Any) -> list[float]:
    points = np.unique(np.quantile(shares, np.linspace(0.01, 0.99, 60)))
    points = np.unique(np.r_[points, 0.5])
    points = points[(points > 0) & (points < 1)]
    if len(points) == 0:
        return [1.0, 1.0]
    found = np.array([value([float(each), float(1 - each)]) for each in points])
    width = max(3, len(points) // 12)
    padded = np.pad(found, width // 2, mode="edge")
    smooth = np.convolve(padded, np.ones(width) / width, mode="valid")[: len(points)]
    best = float(points[int(np.argmax(smooth))])
    return [best, 1 - best]


def _learn_decision_weights(places: Any, count: int, value: Any) -> list[float]:
    shares = np.bincount(places, minlength=count) / len(places)
    shares = np.maximum(shares, 1 / len(places))
    powers = [shares**-power / (shares**-power).max() for power in np.linspace(0, 1, 11)]
    weights = max(powers, key=lambda each: value(each.tolist()))
    best = value(weights.tolist())
    if count > _LEARN_DECISION_CLASSES:
        return [float(each) for each in weights]
    for place in range(count):
        for factor in (0.6, 0.75, 0.9, 1.1, 1.3, 1.6):
            tried = weights.copy()
            tried[place] *= factor
            if (found := value(tried.tolist())) > best:
                best, weights = found, tried
    return [float(each) for each in weights]


def _learn_decision_cuts(numbers: Any, places: Any, grades: Any, value: Any) -> list[float]:
    middles = (grades[1:] + grades[:-1]) / 2
    below = np.cumsum(np.bincount(places, minlength=len(grades)))[:-1] / len(places)
    quantiles = np.quantile(numbers, below)
    starts = [middles, quantiles, (middles + quantiles) / 2]
    cuts = max(starts, key=lambda each: value(sorted(each.tolist())))
    best = value(cuts.tolist())
    for width in (0.4, 0.2, 0.1):
        for place in range(len(cuts)):
            for shift in (-1.0, -0.5, 0.5, 1.0):
                tried = cuts.copy()
                tried[place] += shift * width * float(np.min(np.diff(grades)))
                tried.sort()
                if (found := value(tried.tolist())) > best:
                    best, cuts = found, tried
    return [float(each) for each in cuts]


def test_a_rare_class_gets_a_lower_threshold_for_f1() -> None:
    random = np.random.default_rng(1)
    share = random.beta(1, 6, 3000)
    truth = (random.random(3000) < share).astype(int)
    outputs = np.column_stack([1 - share, share])
    weights = learn_decision(truth, outputs, metric="f1", classes=["n", "y"], form="classes")
    assert weights[0] < 0.4


def test_cuts_mend_numbers_that_are_too_small() -> None:
    random = np.random.default_rng(2)
    truth = random.integers(0, 4, 800).astype(float)
    outputs = (truth * 0.5 + random.normal(0, 0.1, 800))[:, None]
    cuts = learn_decision(truth, outputs, metric="qwk", classes=list("0123"), form="ordinal")
    found = decide(outputs, decision=cuts, form="ordinal")
    assert measure(truth, found, metric="qwk", classes=[0, 1, 2, 3]) > 0.9


def test_property_what_is_learned_is_no_worse_than_the_likeliest_class() -> None:
    random = np.random.default_rng(4)
    for _ in range(5):
        shares = random.dirichlet([4, 1, 1], 300)
        truth = np.array([random.choice(3, p=each) for each in shares])
        weights = learn_decision(
            truth, shares, metric="balanced_accuracy", classes=list("abc"), form="classes"
        )
        chosen = decide(shares, decision=weights, form="classes")
        likeliest = decide(shares, decision=None, form="classes")
        names = [0, 1, 2]
        assert measure(truth, chosen, metric="balanced_accuracy", classes=names) >= measure(
            truth, likeliest, metric="balanced_accuracy", classes=names
        )
