"""Make the file to hand in from the predictions of the chosen models.

Phases: model_building
Gives: submission
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from flows.analysis.prediction.components.decide import decide
from flows.analysis.prediction.components.encode_target import encode_target
from flows.analysis.prediction.components.read_outputs import read_outputs

_MAKE_SUBMISSION_SHARES = ("auc", "auc_macro", "gini", "average_precision", "log_loss", "brier")


def make_submission(
    train: pd.DataFrame,
    predictions: pd.DataFrame,
    scores: pd.DataFrame,
    test: pd.DataFrame | None = None,
    sample: pd.DataFrame | None = None,
    thresholds: pd.DataFrame | None = None,
    raw_train: pd.DataFrame | None = None,
    raw_test: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
) -> pd.DataFrame:
    """The submission, in the form that the task asks for.

    Rows are in the order of the sample where it has the identifiers of test, else in that of test,
    which is said. Labels are those of train as it was read, also where train has codes for them.

    Args:
        train: the rows that were learned from, with the targets.
        predictions: predictions for test.
        scores: the models, one of each target chosen.
        test: the rows that were predicted.
        sample: the sample submission.
        thresholds: the table that `choose_threshold` gives.
        raw_train: train as it was read.
        raw_test: test as it was read.
        task: what is predicted: `targets`, `kind`, `metric`, `identifier`, and `submission` with
            `columns`, `identifier`, `predictions` and `values`.
    Returns:
        a table with the columns that are asked for.
    Raises:
        ValueError: if an identifier or a prediction is missing, or a column is of an unknown
            target or class.
    Example:
        submission = make_submission(train, predictions, scores, test, sample, task=task)
    """
    asked = dict(task.get("submission") or {})
    columns = list(asked.get("columns") or [])
    mapped = dict(asked.get("predictions") or {each: each for each in task["targets"]})
    identifier = asked.get("identifier") or (None if columns else task.get("identifier"))
    if not columns:
        columns = [*([identifier] if identifier else []), *mapped]
    made: dict[str, Any] = {}
    for column in columns:
        if column in mapped:
            made[column] = _make_submission_values(
                str(mapped[column]), train, predictions, scores, thresholds, raw_train, task, asked
            )
    count = len(next(iter(made.values()))) if made else 0
    order = np.arange(count)
    if identifier:
        tables = [each for each in (raw_test, test) if each is not None and len(each) == count]
        made[identifier], order = _make_submission_rows(identifier, tables, sample, count)
        made = {
            key: value if key == identifier else np.asarray(value)[order]
            for key, value in made.items()
        }
    for column in columns:
        if column not in made:
            if sample is None or column not in sample or len(sample) != count:
                raise ValueError(f"nobody knows what to write to the column {column!r}")
            made[column] = sample[column].to_numpy()
    submission = pd.DataFrame({column: made[column] for column in columns})
    for column in columns:
        if missing := int(submission[column].isna().sum()):
            raise ValueError(f"{missing} values of {column!r} are missing")
    return submission.reset_index(drop=True)


def _make_submission_rows(
    identifier: str, tables: Sequence[pd.DataFrame], sample: pd.DataFrame | None, count: int
) -> tuple[Any, Any]:
    """The identifiers, and for each row of the submission its place in test."""
    table = next((each for each in tables if identifier in each.columns), None)
    plain = np.arange(count)
    if table is None:
        if sample is not None and identifier in sample and len(sample) == count:
            print(f"test has no {identifier!r}: rows are taken to be in the order of the sample")
            return sample[identifier].to_numpy(), plain
        raise ValueError(f"test has no column {identifier!r}, and no sample of its rows tells it")
    own = table[identifier]
    if sample is None or identifier not in sample:
        return own.to_numpy(), plain
    places = {_make_submission_text(value): place for place, value in enumerate(own)}
    wanted = [_make_submission_text(value) for value in sample[identifier]]
    if len(places) == count == len(set(wanted)) == len(wanted) and set(wanted) == set(places):
        return sample[identifier].to_numpy(), np.array([places[each] for each in wanted])
    print(
        f"the sample has {len(wanted)} rows whose {identifier!r} are not those of the {count} rows "
        "of test: the submission has the rows of test"
    )
    return own.to_numpy(), plain


def _make_submission_values(
    said: str,
    train: pd.DataFrame,
    predictions: pd.DataFrame,
    scores: pd.DataFrame,
    thresholds: pd.DataFrame | None,
    raw_train: pd.DataFrame | None,
    task: Mapping[str, Any],
    asked: Mapping[str, Any],
) -> Any:
    targets, metric = [str(each) for each in task["targets"]], str(task["metric"])
    target, wanted = said, ""
    if said not in targets:
        target = next((each for each in targets if said.startswith(f"{each}=")), "")
        wanted = said[len(target) + 1 :]
    if not target:
        raise ValueError(f"{said!r} is none of the targets {targets}")
    truth, classes, form = encode_target(train[target], kind=str(task["kind"]), metric=metric)
    chosen = scores[(scores["target"] == target) & scores["chosen"]]
    if len(chosen) == 0:
        raise ValueError(f"no model of {target!r} is chosen")
    model = str(chosen["model"].iloc[0])
    outputs = read_outputs(
        predictions, model, target=target, targets=targets, classes=classes, form=form
    )
    labels = _make_submission_labels(train, raw_train, target, truth, classes)
    if wanted:
        names = [_make_submission_text(each) for each in labels]
        wanted = wanted if wanted in names else _make_submission_text(wanted)
        if form != "classes" or wanted not in names:
            raise ValueError(f"{wanted!r} is no class of {target!r} (classes: {names[:20]})")
        return outputs[:, names.index(wanted)]
    values = asked.get("values")
    if form == "number":
        return np.rint(outputs[:, 0]).astype(int) if values == "label" else outputs[:, 0]
    shares = metric in _MAKE_SUBMISSION_SHARES if values is None else values == "probability"
    if form == "classes" and shares and len(classes) == 2:
        return outputs[:, 1]
    decision = _make_submission_decision(thresholds, target, model, classes, form)
    places = decide(outputs, decision=decision, form=form)
    return pd.Series(labels)[places].to_numpy()


def _make_submission_decision(
    thresholds: pd.DataFrame | None, target: str, model: str, classes: Sequence[str], form: str
) -> list[float] | None:
    if thresholds is not None and len(thresholds):
        mine = thresholds[(thresholds["target"] == target) & (thresholds["model"] == model)]
        if len(mine):
            return [float(each) for each in mine["value"]]
    if form != "ordinal":
        return None
    grades = [float(each) for each in classes]
    return [(low + high) / 2 for low, high in pairwise(grades)]


def _make_submission_labels(
    train: pd.DataFrame,
    raw_train: pd.DataFrame | None,
    target: str,
    truth: Any,
    classes: Sequence[str],
) -> list[Any]:
    """What each class is called in the file that was read, in the order of the classes."""
    if not classes:
        return []
    own = train[target]
    if raw_train is not None and target in raw_train and len(raw_train) == len(train):
        pairs = pd.DataFrame({"own": own.to_numpy(), "raw": raw_train[target].to_numpy()}).dropna()
        pairs = pairs.drop_duplicates()
        if pairs["own"].is_unique and pairs["raw"].is_unique:
            own = raw_train[target]
    known = np.isfinite(np.asarray(truth, dtype=float))
    order = np.unique(np.asarray(truth, dtype=float)[known])
    found: dict[float, Any] = {}
    for value, place in zip(own[known], np.asarray(truth)[known], strict=True):
        found.setdefault(float(place), value)
    labels = [found[float(each)] for each in order]
    if all(isinstance(each, (float, np.floating)) and float(each).is_integer() for each in labels):
        return [int(each) for each in labels]  # numbers became real by a missing value alone
    return labels


def _make_submission_text(value: Any) -> str:
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    return str(int(number)) if number.is_integer() else str(value)


def _make_submission_example() -> tuple[Any, ...]:
    train = pd.DataFrame({"t": ["no", "yes", "no"]})
    predictions = pd.DataFrame({"m": [0.9, 0.2, 0.6]})
    scores = pd.DataFrame({"target": ["t"], "model": ["m"], "chosen": [True]})
    task = {"targets": ["t"], "kind": "binary", "metric": "accuracy", "identifier": "id"}
    return train, predictions, scores, pd.DataFrame({"id": [7, 8, 9]}), task


def test_rows_are_in_the_order_of_the_sample() -> None:
    train, predictions, scores, test, task = _make_submission_example()
    sample = pd.DataFrame({"id": [9, 7, 8], "t": "no"})
    found = make_submission(train, predictions, scores, test, sample, task=task)
    assert found.to_dict("list") == {"id": [9, 7, 8], "t": ["yes", "yes", "no"]}


def test_probabilities_have_a_column_for_each_class() -> None:
    train, predictions, scores, test, task = _make_submission_example()
    asked: dict[str, Any] = {
        "columns": ["id", "no", "yes"],
        "identifier": "id",
        "values": "probability",
    }
    asked["predictions"] = {"no": "t=no", "yes": "t=yes"}
    found = make_submission(
        train, predictions, scores, test, task={**task, "submission": asked, "metric": "log_loss"}
    )
    assert np.allclose(found[["no", "yes"]], [[0.1, 0.9], [0.8, 0.2], [0.4, 0.6]])


def test_codes_of_labels_are_turned_back() -> None:
    train, predictions, scores, test, task = _make_submission_example()
    coded = pd.DataFrame({"t": [0, 1, 0]})
    found = make_submission(coded, predictions, scores, test, raw_train=train, task=task)
    assert found["t"].tolist() == ["yes", "no", "yes"]


def test_a_missing_prediction_is_an_error() -> None:
    train, predictions, scores, test, task = _make_submission_example()
    predictions.loc[1, "m"] = np.nan
    task = {**task, "metric": "auc"}
    message = ""
    try:
        make_submission(train, predictions, scores, test, task=task)
    except ValueError as error:
        message = str(error)
    assert "'t'" in message


def test_property_integers_stay_integers() -> None:
    random = np.random.default_rng(1)
    for _ in range(10):
        train = pd.DataFrame({"t": random.permutation([3.0, 4.0, 5.0, np.nan])})
        predictions = pd.DataFrame(random.dirichlet(np.ones(3), 5), columns=["m|3", "m|4", "m|5"])
        scores = pd.DataFrame({"target": ["t"], "model": ["m"], "chosen": [True]})
        task = {"targets": ["t"], "kind": "multiclass", "metric": "accuracy"}
        found = make_submission(train, predictions, scores, task=task)
        assert found["t"].dtype.kind == "i"
