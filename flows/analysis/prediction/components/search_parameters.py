"""Search the settings with the least loss over the folds, the least promising dropped early.

Phases: model_building
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

_SEARCH_PARAMETERS_FIRST = 2  # folds on which all settings are judged
_SEARCH_PARAMETERS_LISTED = 6  # settings that are tried before others are proposed


def search_parameters(
    tried: Sequence[Mapping[str, Any]],
    evaluate: Any,
    *,
    variants: Sequence[Mapping[str, Any]] = (),
    folds: int,
    seconds: float,
    staged: bool = False,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    seed: int = 0,
) -> tuple[dict[str, Any], str]:
    """The best of some settings, and how it was found.

    The variants are judged first, with the first settings; all others then have the best of them.
    All are judged on two folds, the better third on the others, too. Where Optuna is installed,
    settings after the first six are proposed by it from those before. The clock only guards: a
    search that it ends keeps its best, and says so.

    Args:
        tried: settings, the most promising first.
        evaluate: called with settings and a fold, gives the loss; or a pair of the losses and
            what number of `iterations` each is of.
        variants: further settings that are added to each of the tried ones.
        folds: how many folds there are.
        seconds: after how many no further settings are judged.
        staged: whether `evaluate` gives pairs, so that even settings alone have to be judged.
        ranges: the lowest and highest value of each setting that can be proposed.
        seed: of what is proposed.
    Returns:
        (settings, what was done in words).
    Raises:
        ValueError: if there is nothing to try.
    Example:
        best, how = search_parameters([{"a": 1}, {"a": 2}], loss, folds=5, seconds=60)
    """
    if not tried:
        raise ValueError("there are no settings to try")
    end = time.monotonic() + seconds
    first = list(range(min(_SEARCH_PARAMETERS_FIRST, folds)))
    losses: dict[int, dict[int, Any]] = {}
    settings = [dict(each) for each in tried]
    extra: Mapping[str, Any] = {}
    if len(variants) > 1:
        judged = [
            _search_parameters_mean([evaluate({**settings[0], **each}, fold) for fold in first])[0]
            for each in variants
        ]
        extra = variants[int(np.argmin(judged))]
    settings = [{**each, **extra} for each in settings]
    propose = _search_parameters_proposing(ranges or {}, seed)
    if len(settings) == 1 and not staged:
        return settings[0], "settings as given"
    for place, each in enumerate(settings):
        if place and time.monotonic() > end:
            break
        if propose is not None and place >= _SEARCH_PARAMETERS_LISTED:
            known = [_search_parameters_mean(losses[other].values())[0] for other in range(place)]
            each = settings[place] = {**each, **propose(settings[:place], known)}
        losses[place] = {fold: evaluate(each, fold) for fold in first}
    done = len(losses)
    order = sorted(losses, key=lambda place: _search_parameters_mean(losses[place].values())[0])
    kept = order[: max(2, len(settings) // 3)]
    for fold in range(len(first), folds):
        for place in kept:
            if time.monotonic() > end and place != kept[0]:
                continue
            losses[place][fold] = evaluate(settings[place], fold)
    most = max(len(losses[place]) for place in kept)
    whole = [place for place in kept if len(losses[place]) == most]
    best = min(whole, key=lambda place: _search_parameters_mean(losses[place].values())[0])
    _, iterations = _search_parameters_mean(losses[best].values())
    found = settings[best] if iterations is None else {**settings[best], "iterations": iterations}
    how = f"{done} of {len(settings)} settings tried"
    return found, how + (", then the time was up" if done < len(settings) else "")


def _search_parameters_proposing(ranges: Mapping[str, tuple[float, float]], seed: int) -> Any:
    """What proposes settings from those that are judged; None where Optuna is not installed."""
    try:
        import optuna
    except ImportError:
        return None
    if not ranges:
        return None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    spread: dict[str, optuna.distributions.BaseDistribution] = {
        name: optuna.distributions.IntDistribution(low, high, log=True)
        if isinstance(low, int) and isinstance(high, int)
        else optuna.distributions.FloatDistribution(low, high, log=True)
        for name, (low, high) in ranges.items()
    }

    def propose(settings: Sequence[Mapping[str, Any]], losses: Sequence[float]) -> Any:
        sampler = optuna.samplers.TPESampler(seed=seed + len(losses), n_startup_trials=4)
        study = optuna.create_study(sampler=sampler)
        for each, loss in zip(settings, losses, strict=True):
            given = {name: each[name] for name in spread}
            study.add_trial(
                optuna.trial.create_trial(params=given, distributions=spread, value=loss)
            )
        return dict(study.ask(spread).params)

    return propose


def _search_parameters_mean(found: Any) -> tuple[float, int | None]:
    """The mean loss over folds, at the number of iterations that is best over all of them."""
    each = list(found)
    if not isinstance(each[0], tuple):
        return float(np.mean(each)), None
    common = min(len(losses) for losses, _ in each)
    means = np.mean([losses[:common] for losses, _ in each], axis=0)
    best = int(np.argmin(means))
    return float(means[best]), int(each[0][1][best])


def test_the_best_is_found() -> None:
    found, how = search_parameters(
        [{"a": each} for each in range(6)],
        lambda settings, fold: (settings["a"] - 4) ** 2 + fold,
        folds=4,
        seconds=10,
    )
    assert found == {"a": 4}
    assert how == "6 of 6 settings tried"


def test_variants_go_with_all_settings() -> None:
    found, _ = search_parameters(
        [{"a": 1}, {"a": 2}],
        lambda settings, _: -settings["a"] - (settings["b"] == "log"),
        variants=[{"b": "plain"}, {"b": "log"}],
        folds=2,
        seconds=10,
    )
    assert found == {"a": 2, "b": "log"}


def test_proposals_stay_in_their_ranges() -> None:
    tried = [{"a": 1.0 + each} for each in range(12)]
    found, how = search_parameters(
        tried, lambda settings, _: (settings["a"] - 3.3) ** 2, folds=2, seconds=60,
        ranges={"a": (1.0, 20.0)},
    )  # fmt: skip
    assert 1.0 <= found["a"] <= 20.0
    assert abs(found["a"] - 3.3) <= 0.31
    assert how == "12 of 12 settings tried"


def test_an_ended_search_keeps_its_best_and_says_so() -> None:
    found, how = search_parameters(
        [{"a": 1}, {"a": 2}], lambda settings, _: -settings["a"], folds=3, seconds=-1
    )
    assert found == {"a": 1}
    assert "time was up" in how


def test_property_iterations_are_best_over_all_folds() -> None:
    random = np.random.default_rng(4)
    for _ in range(10):
        curves = random.random((3, 5))
        found, _ = search_parameters(
            [{}, {}],
            lambda _, fold, curves=curves: (curves[fold], [10, 20, 30, 40, 50]),
            folds=3,
            seconds=10,
        )
        assert found["iterations"] == 10 * (1 + int(np.argmin(curves.mean(axis=0))))
