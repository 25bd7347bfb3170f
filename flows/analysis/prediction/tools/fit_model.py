"""Fit one kind of model: search its settings, predict train out of fold, and predict test.

Phases: model_building
Gives: oof, predictions, scores
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from flows.analysis.prediction.components.describe_columns import describe_columns
from flows.analysis.prediction.components.encode_columns import encode_columns
from flows.analysis.prediction.components.encode_target import encode_target
from flows.analysis.prediction.components.fit_estimator import fit_estimator
from flows.analysis.prediction.components.list_parameters import list_parameters
from flows.analysis.prediction.components.list_ranges import list_ranges
from flows.analysis.prediction.components.list_scales import list_scales
from flows.analysis.prediction.components.record_model import record_model
from flows.analysis.prediction.components.score_outputs import score_outputs
from flows.analysis.prediction.components.search_parameters import search_parameters
from flows.analysis.prediction.components.smooth_loss import smooth_loss
from flows.analysis.prediction.components.split_folds import split_folds

_FIT_MODEL_STYLES = {"kernel": "dense", "neural_network": "dense", "linear": "linear"}
_FIT_MODEL_CHUNK = 100_000  # rows of test at a time
_FIT_MODEL_TREES = 80  # of a forest whose settings are judged
_FIT_MODEL_STAGES = 20  # iterations of boosting between two that are judged


@dataclass
class _FitModelData:
    """What all settings of one target have in common, with the matrices that were made."""

    table: pd.DataFrame
    test: pd.DataFrame | None
    truth: Any
    classes: list[str]
    form: str
    task: Mapping[str, Any]
    kinds: dict[str, str]
    splits: list[tuple[Any, Any]]
    model: str
    seed: int
    most: int | None
    matrices: dict[tuple[int, str], list[Any]] = field(default_factory=dict)


def fit_model(
    train: pd.DataFrame,
    folds: pd.DataFrame,
    oof: pd.DataFrame,
    scores: pd.DataFrame,
    test: pd.DataFrame | None = None,
    predictions: pd.DataFrame | None = None,
    validation: pd.DataFrame | None = None,
    raw_train: pd.DataFrame | None = None,
    raw_test: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
    model: str,
    name: str = "",
    raw: bool = False,
    trials: int = 1,
    bags: int = 1,
    seconds: float = 300.0,
    most_rows: int | None = None,
    skipped: Sequence[str] = (),
    parameters: Mapping[str, Any] | None = None,
    seed: int = 0,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Add a model to the tables `oof`, `predictions` and `scores`.

    Each fold is encoded by what its own rows to learn from tell. Test is predicted by the mean of
    the folds' models; where a part is held out or folds go by time, by a model of all rows.

    Args:
        train: the rows to learn from, with the targets.
        folds: the table that `make_folds` gives.
        oof: predictions for train out of fold so far.
        scores: the models so far.
        test: the rows to predict.
        predictions: predictions for test so far.
        validation: the table that `make_folds` gives.
        raw_train: train as it was read.
        raw_test: test as it was read.
        task: what is predicted: `targets`, `kind`, `metric`, `greater_is_better`, `identifier`,
            `group`, `time`.
        model: a kind of model that `make_estimator` knows.
        name: what it is called in the tables; the kind of model by default.
        raw: whether it learns from the tables as they were read.
        trials: how many settings are tried.
        bags: how many models with other seeds are fitted on each fold at the end.
        seconds: after how many the search ends, with one bag; after twice as many, the model.
        most_rows: how many rows of a fold are learned from at most.
        skipped: columns that are not used.
        parameters: settings that are added to those that are tried.
        seed: of all that is drawn.
    Returns:
        (oof, predictions, scores) with the model added.
    Raises:
        ValueError: if train and folds have not the same rows, for an unknown model, if the time was
            up, or if the `raw` tables are missing or not of these rows.
    Example:
        oof, predictions, scores = fit_model(
            train, folds, oof, scores, test, predictions, task=task, model="boosting", trials=8
        )
    """
    if raw:
        rows = -1 if raw_test is None else len(raw_test)
        if raw_train is None or rows != (-1 if test is None else len(test)):
            raise ValueError("there are no other tables of these rows as they were read")
        if train.equals(raw_train):  # nothing was changed in them, so it would be the same model
            return oof, predictions, scores
        train, test = raw_train, raw_test
    if len(train) != len(folds):
        raise ValueError(f"train has {len(train)} rows and folds has {len(folds)}")
    targets = list(task["targets"])
    validated = "grouped" if validation is None else str(validation["kind"].iloc[0])
    left_out = {*targets, task.get("identifier"), *skipped}
    if "grouped" in validated:  # else the groups of test are known, and may tell something
        left_out.add(task.get("group"))
    kinds = describe_columns(train, skipped=[str(each) for each in left_out if each is not None])
    if test is not None:
        kinds = {each: kind for each, kind in kinds.items() if each in test.columns}
    for target in targets:
        start = time.monotonic()
        truth, classes, form = encode_target(
            train[target], kind=str(task["kind"]), metric=str(task["metric"])
        )
        splits = [
            (learned[np.isfinite(truth[learned])], judged[np.isfinite(truth[judged])])
            for learned, judged in split_folds(folds, validation)
        ]
        data = _FitModelData(
            train, test, truth, classes, form, task, kinds, splits, model, seed, most_rows
        )
        share = seconds / len(targets)
        settings, how = _fit_model_search(data, trials, share, parameters or {})
        bags = bags if time.monotonic() < start + share else 1
        whole = len(splits) == 1 or validated == "time"
        own, other = _fit_model_predict(data, settings, bags, start + 2 * share, folds, whole)
        score = score_outputs(truth, own, folds["fold"], task=task, classes=classes, form=form)
        oof, predictions, scores = record_model(
            oof,
            scores,
            predictions,
            model=name or model,
            target=target,
            targets=targets,
            classes=classes,
            form=form,
            own=own,
            other=other,
            metric=str(task["metric"]),
            score=score,
            seconds=time.monotonic() - start,
            note=_fit_model_note(data, settings, how),
            greater_is_better=bool(task["greater_is_better"]),
        )
    return oof, pd.DataFrame() if predictions is None else predictions, scores


def _fit_model_note(data: _FitModelData, settings: Mapping[str, Any], how: str) -> str:
    said = ", ".join(
        f"{key} {value:.3g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in settings.items()
    )
    largest = max(len(learned) for learned, _ in data.splits)
    if data.most is not None and largest > data.most:
        how += f", learned from {data.most:,} of {largest:,} rows of a fold"
    return f"{how}: {said}" if said else how


def _fit_model_learned(data: _FitModelData, learned: Any) -> Any:
    """At most so many of the rows, drawn at random."""
    if data.most is None or len(learned) <= data.most:
        return learned
    return np.sort(np.random.default_rng(data.seed).permutation(learned)[: data.most])


def _fit_model_encoded(
    data: _FitModelData, learned: Any, others: Sequence[pd.DataFrame], style: str
) -> list[Any]:
    return encode_columns(
        data.table.iloc[learned].reset_index(drop=True),
        others,
        data.truth[learned],
        kinds=data.kinds,
        style=style,
        form=data.form,
        classes=len(data.classes),
        seed=data.seed,
    )


def _fit_model_matrices(data: _FitModelData, fold: int, style: str) -> list[Any]:
    """The rows that are learned from, those that are judged, and test where it is not large."""
    if (fold, style) not in data.matrices:
        learned, judged = data.splits[fold]
        others = [data.table.iloc[judged].reset_index(drop=True)]
        if data.test is not None and len(data.test) <= _FIT_MODEL_CHUNK:
            others.append(data.test)
        rows = _fit_model_learned(data, learned)
        data.matrices[fold, style] = _fit_model_encoded(data, rows, others, style)
    return data.matrices[fold, style]


def _fit_model_search(
    data: _FitModelData, trials: int, seconds: float, given: Mapping[str, Any]
) -> tuple[dict[str, Any], str]:
    listed = list_parameters(
        data.model, count=max(1, trials), columns=len(data.kinds), seed=data.seed
    )
    staged = data.model == "boosting"
    caps: dict[str, int] = {}

    def evaluate(settings: Mapping[str, Any], fold: int) -> Any:
        if not staged:
            smaller = {"trees": _FIT_MODEL_TREES, **settings}  # that is all a forest needs for it
            (found,) = _fit_model_outputs(data, smaller, fold, data.seed)[0]
            return _fit_model_loss(data, found, fold)
        key = str(sorted(settings.items()))
        if key in caps:
            return _fit_model_curve(data, settings, fold, caps[key])
        losses, numbers = _fit_model_long_curve(data, settings, fold)
        caps[key] = numbers[-1]
        return losses, numbers

    return search_parameters(
        [{**each, **given} for each in listed],
        evaluate,
        variants=list_scales(
            data.truth, model=data.model, form=data.form, metric=str(data.task["metric"])
        ),
        folds=len(data.splits),
        seconds=seconds,
        staged=staged,
        ranges=list_ranges(data.model),
        seed=data.seed,
    )


def _fit_model_long_curve(
    data: _FitModelData, settings: Mapping[str, Any], fold: int
) -> tuple[list[float], list[int]]:
    """The losses up to half as many iterations again as are best."""
    most, cap = int(20 / float(settings.get("learning_rate", 0.05))), 120
    while True:
        losses, numbers = _fit_model_curve(data, settings, fold, min(cap, most))
        best = numbers[int(np.argmin(losses))]
        if best < 0.7 * cap or cap >= most:
            kept = max(3, int(1.5 * best) // _FIT_MODEL_STAGES)
            return losses[:kept], numbers[:kept]
        cap *= 2


def _fit_model_curve(
    data: _FitModelData, settings: Mapping[str, Any], fold: int, cap: int
) -> tuple[list[float], list[int]]:
    stages = list(range(_FIT_MODEL_STAGES, cap + 1, _FIT_MODEL_STAGES))
    given = {**settings, "iterations": cap}
    found = _fit_model_outputs(data, given, fold, data.seed, stages=stages)[0]
    return [_fit_model_loss(data, each, fold) for each in found], stages


def _fit_model_outputs(
    data: _FitModelData,
    settings: Mapping[str, Any],
    fold: int,
    seed: int,
    *,
    stages: Sequence[int] = (),
    tested: bool = False,
) -> list[list[Any]]:
    style = str(settings.get("style", _FIT_MODEL_STYLES.get(data.model, "tree")))
    learned, judged, *rest = _fit_model_matrices(data, fold, style)
    rows = _fit_model_learned(data, data.splits[fold][0])
    return _fit_model_fitted(
        data, settings, (learned, rows), [judged, *(rest if tested else [])], seed, stages
    )


def _fit_model_fitted(
    data: _FitModelData,
    settings: Mapping[str, Any],
    learned: tuple[Any, Any],
    others: Any,
    seed: int,
    stages: Sequence[int] = (),
) -> list[list[Any]]:
    return fit_estimator(
        data.model,
        learned[0],
        data.truth[learned[1]],
        others,
        parameters=settings,
        form=data.form,
        classes=len(data.classes),
        metric=str(data.task["metric"]),
        seed=seed,
        stages=stages,
    )


def _fit_model_loss(data: _FitModelData, outputs: Any, fold: int) -> float:
    known = data.truth[data.splits[fold][1]]
    return smooth_loss(known, outputs, task=data.task, classes=len(data.classes), form=data.form)


def _fit_model_predict(
    data: _FitModelData,
    settings: Mapping[str, Any],
    bags: int,
    end: float,
    folds: pd.DataFrame,
    whole: bool,
) -> tuple[Any, Any]:
    width = len(data.classes) if data.form == "classes" else 1
    own = np.full((len(data.table), width), np.nan)
    large = data.test is not None and len(data.test) > _FIT_MODEL_CHUNK
    seeds = [data.seed + 1 + each for each in range(max(1, bags))]
    tests = []
    for fold, (_, judged) in enumerate(data.splits):
        if fold and time.monotonic() > end:
            raise ValueError(f"the time was up after {fold} of {len(data.splits)} folds")
        found = [_fit_model_outputs(data, settings, fold, seed, tested=not whole) for seed in seeds]
        own[judged] = np.mean([each[0][0] for each in found], axis=0)
        tests += [each[1][0] for each in found if len(each) > 1]
    if data.test is None:
        return own, None
    if whole or large:
        return own, _fit_model_of_all(data, settings, folds, seeds)
    return own, np.mean(tests, axis=0)


def _fit_model_of_all(
    data: _FitModelData, settings: Mapping[str, Any], folds: pd.DataFrame, seeds: Sequence[int]
) -> Any:
    """Predictions for test by models of all rows that are used."""
    used = np.flatnonzero((folds["fold"].to_numpy() >= -1) & np.isfinite(data.truth))
    rows = _fit_model_learned(data, used)
    style = str(settings.get("style", _FIT_MODEL_STYLES.get(data.model, "tree")))
    (matrix,) = _fit_model_encoded(data, rows, [], style)

    def parts() -> Iterator[Any]:
        assert data.test is not None
        for start in range(0, len(data.test), _FIT_MODEL_CHUNK):
            part = data.test.iloc[start : start + _FIT_MODEL_CHUNK]
            yield _fit_model_encoded(data, rows, [part.reset_index(drop=True)], style)[1]

    found = [
        np.vstack(
            [each[0] for each in _fit_model_fitted(data, settings, (matrix, rows), parts(), seed)]
        )
        for seed in seeds
    ]
    return np.mean(found, axis=0)


def _fit_model_example(
    kind: str, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame, Mapping[str, Any]]:
    random = np.random.default_rng(seed)
    table = pd.DataFrame({"id": np.arange(160), "a": random.normal(size=160)})
    table["b"] = random.choice(["x", "y", "z"], 160)
    signal = table["a"] + (table["b"] == "x") + random.normal(0, 0.3, 160)
    table["t"] = (signal > 0).map({True: "yes", False: "no"}) if kind == "binary" else signal
    binary = kind == "binary"
    task = {"targets": ["t"], "kind": kind, "identifier": "id", "greater_is_better": binary}
    task["metric"] = "auc" if binary else "rmse"
    return table.iloc[:120].copy(), table.iloc[120:].reset_index(drop=True), task


def test_a_linear_model_finds_a_linear_signal() -> None:
    train, test, task = _fit_model_example("binary", 1)
    folds, empty = pd.DataFrame({"fold": np.arange(120) % 3}), pd.DataFrame()
    _, predictions, scores = fit_model(
        train, folds, empty, empty, test, task=task, model="linear", trials=2
    )
    assert scores["score"].iloc[0] > 0.9
    assert predictions["linear"][test["t"] == "yes"].mean() > 0.6


def test_property_a_second_run_gives_the_same() -> None:
    for seed in range(2):
        train, test, task = _fit_model_example("regression", seed)
        folds, empty = pd.DataFrame({"fold": np.arange(120) % 3}), pd.DataFrame()
        first, second = (
            fit_model(train, folds, empty, empty, test, task=task, model="kernel")[1]
            for _ in range(2)
        )
        assert first.equals(second)
