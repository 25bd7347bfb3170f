"""The values of the submission can be predictions of the target.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

_SUBMISSION_VALUES_SHARES = ("auc", "auc_macro", "gini", "average_precision", "log_loss", "brier")
_SUBMISSION_VALUES_SIGNED = ("rmsle",)  # metrics of numbers from 0 on


def submission_values(
    submission: pd.DataFrame,
    raw_train: pd.DataFrame | None = None,
    *,
    task: Mapping[str, Any],
) -> dict[str, Any] | None:
    """No value is missing; probabilities lie from 0 to 1, labels are those of train, and numbers
    lie where those of train do, or half its range beyond.

    One number in a hundred may lie farther out. Predictions that are all the same are a warning,
    and so are probabilities of classes that do not add up to 1.

    Args:
        submission: what is to be handed in.
        raw_train: train as it was read, with the targets.
        task: what is predicted: `targets`, `kind`, `metric`, and `submission` with `predictions`
            and `values`.
    Returns:
        None if they are right, else what is wrong.
    Example:
        submission_values(submission, raw_train, task={"targets": ["y"], "kind": "binary"})
    """
    for name in submission.columns:
        if missing := int(submission[name].isna().sum()):
            return {
                "message": f"{missing} values of {name!r} are missing in the submission",
                "advice": "predict each row of test; fill what no model predicts by the mean or "
                "the most frequent class of train",
                "culprits": [name],
            }
    asked = dict(task.get("submission") or {})
    mapped = dict(asked.get("predictions") or {each: each for each in task["targets"]})
    mapped = {name: str(said) for name, said in mapped.items() if name in submission.columns}
    for name, said in mapped.items():
        message = _submission_values_problem(submission[name], said, raw_train, task, asked)
        if message:
            return {
                "message": f"{name!r} of the submission: {message}",
                "advice": "make_submission writes what the task asks for: probabilities, the "
                "labels of train, or numbers",
                "culprits": [name],
            }
    return _submission_values_warning(submission, mapped)


def _submission_values_problem(
    column: pd.Series,
    said: str,
    raw_train: pd.DataFrame | None,
    task: Mapping[str, Any],
    asked: Mapping[str, Any],
) -> str:
    targets = list(task["targets"])
    target = next((each for each in targets if said == each), said.partition("=")[0])
    metric, kind = str(task.get("metric")), str(task.get("kind"))
    values = asked.get("values")
    shares = metric in _SUBMISSION_VALUES_SHARES if values is None else values == "probability"
    truth = None if raw_train is None or target not in raw_train else raw_train[target].dropna()
    if said not in targets or (kind == "binary" and shares):
        return _submission_values_share(column)
    if kind == "regression" and not (metric == "qwk" and values == "label"):
        return _submission_values_number(column, truth, metric)
    if truth is None:
        return ""
    known = set(_submission_values_texts(truth))
    strange = [each for each in _submission_values_texts(column) if each not in known]
    if not strange:
        return ""
    few = ", ".join(sorted(known)[:6])
    return f"{len(strange)} labels are no class of train, such as {strange[0]!r} (classes: {few})"


def _submission_values_share(column: pd.Series) -> str:
    numbers = pd.to_numeric(column, errors="coerce")
    if numbers.isna().any():
        first = column[numbers.isna()].iloc[0]
        return f"probabilities are asked for, and {first!r} is no number"
    outside = int(((numbers < -1e-9) | (numbers > 1 + 1e-9)).sum())
    return f"{outside} probabilities lie outside of the range from 0 to 1" if outside else ""


def _submission_values_number(column: pd.Series, truth: pd.Series | None, metric: str) -> str:
    numbers = pd.to_numeric(column, errors="coerce")
    if not np.isfinite(numbers.to_numpy(dtype=float, na_value=np.nan)).all():
        first = column[~np.isfinite(numbers.astype(float))].iloc[0]
        return f"numbers are asked for, and {first!r} is none"
    if metric in _SUBMISSION_VALUES_SIGNED and (numbers < 0).any():
        return f"{int((numbers < 0).sum())} numbers are below 0, where {metric} has no meaning"
    if truth is None:
        return ""
    known = pd.to_numeric(truth, errors="coerce").dropna()
    if known.empty:
        return ""
    low, high = float(known.min()), float(known.max())
    room = (high - low) / 2 or abs(high) or 1.0
    outside = numbers[(numbers < low - room) | (numbers > high + room)]
    far = numbers[(numbers < low - 20 * room) | (numbers > high + 20 * room)]
    if len(outside) <= 0.01 * len(numbers) and not len(far):
        return ""
    return (
        f"{len(outside)} numbers lie outside of the range of the target, {low:g} to {high:g}, such "
        f"as {float(outside.iloc[0]):g}"
    )


def _submission_values_warning(
    submission: pd.DataFrame, mapped: Mapping[str, str]
) -> dict[str, Any] | None:
    same = [name for name in mapped if len(submission) > 20 and submission[name].nunique() == 1]
    if same and len(same) == len(mapped):
        return {
            "message": f"all values of {', '.join(map(repr, same[:5]))} in the submission are the "
            "same",
            "advice": "look whether the chosen model has learned anything",
            "culprits": same,
            "level": "warning",
        }
    classes = [name for name, said in mapped.items() if "=" in said]
    if len(classes) > 1 and len({mapped[name].partition("=")[0] for name in classes}) == 1:
        sums = submission[classes].astype(float).sum(axis=1)
        if (sums - 1).abs().max() > 0.01:
            return {
                "message": "the probabilities of the classes do not add up to 1 in "
                f"{int(((sums - 1).abs() > 0.01).sum())} rows",
                "advice": "divide the probabilities of a row by their sum",
                "culprits": classes,
                "level": "warning",
            }
    return None


def _submission_values_texts(column: pd.Series) -> list[str]:
    """Texts that are the same for 1, 1.0 and '1'."""
    numbers = pd.to_numeric(column, errors="coerce")
    truth = pd.api.types.is_bool_dtype(column.dtype)
    if not truth and numbers.notna().all():
        return [f"{each:g}" for each in numbers.astype(float)]
    return [str(each) for each in column]


def test_probabilities_lie_from_0_to_1() -> None:
    task = {"targets": ["y"], "kind": "binary", "metric": "auc"}
    assert submission_values(pd.DataFrame({"y": [0.2, 1.0]}), task=task) is None
    wrong = submission_values(pd.DataFrame({"y": [0.2, 1.1]}), task=task)
    assert wrong is not None
    assert "range from 0 to 1" in wrong["message"]
    wrong = submission_values(pd.DataFrame({"y": ["yes", "no"]}), task=task)
    assert wrong is not None
    assert "no number" in wrong["message"]


def test_labels_are_those_of_train() -> None:
    task = {"targets": ["y"], "kind": "multiclass", "metric": "accuracy"}
    train = pd.DataFrame({"y": [1.0, 2.0, 3.0, np.nan]})
    assert submission_values(pd.DataFrame({"y": [1, 3]}), train, task=task) is None
    wrong = submission_values(pd.DataFrame({"y": [1, 4]}), train, task=task)
    assert wrong is not None
    assert "'4'" in wrong["message"]


def test_one_column_of_many_classes_holds_labels_whatever_the_metric() -> None:
    task = {"targets": ["y"], "kind": "multiclass", "metric": "log_loss"}
    train = pd.DataFrame({"y": ["a", "b", "c"]})
    assert submission_values(pd.DataFrame({"y": ["a", "c"]}), train, task=task) is None
    assert submission_values(pd.DataFrame({"y": ["a", "d"]}), train, task=task) is not None


def test_numbers_lie_where_those_of_train_do() -> None:
    task = {"targets": ["y"], "kind": "regression", "metric": "rmse"}
    train = pd.DataFrame({"y": [10.0, 20.0]})
    assert submission_values(pd.DataFrame({"y": [9.0, 21.0]}), train, task=task) is None
    wrong = submission_values(pd.DataFrame({"y": [900.0, 21.0]}), train, task=task)
    assert wrong is not None
    assert "10 to 20" in wrong["message"]
    wrong = submission_values(pd.DataFrame({"y": [None, 21.0]}), train, task=task)
    assert wrong is not None
    assert "1 values of 'y' are missing" in wrong["message"]


def test_the_same_for_all_is_a_warning() -> None:
    task = {"targets": ["y"], "kind": "binary", "metric": "auc"}
    wrong = submission_values(pd.DataFrame({"y": [0.5] * 30}), task=task)
    assert wrong is not None
    assert wrong["level"] == "warning"


def test_property_values_of_train_pass() -> None:
    random = np.random.default_rng(1)
    for kind, values in (("regression", random.normal(size=50)), ("multiclass", list("abcde") * 9)):
        train = pd.DataFrame({"y": values})
        task = {"targets": ["y"], "kind": kind, "metric": ""}
        assert submission_values(train.sample(20, random_state=1), train, task=task) is None
