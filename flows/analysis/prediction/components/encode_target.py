"""Turn a target into numbers that estimators learn, and say of what form they are.

Phases: model_building
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

_ENCODE_TARGET_MOST_GRADES = 60


def encode_target(values: Any, *, kind: str, metric: str) -> tuple[Any, list[str], str]:
    """The target as numbers, its classes as texts, and its form.

    The form is "number"; "classes", where the numbers are places among the classes, of which the
    last of two is the positive one; or "ordinal" for grades that are judged by how far they are
    apart (quadratic weighted kappa): numbers that are cut into the classes.

    Args:
        values: one value a row; missing ones become NaN.
        kind: "regression", "binary" or "multiclass".
        metric: the name of the metric.
    Returns:
        (numbers, classes in their order, form); no classes for the form "number".
    Raises:
        ValueError: if a target of a regression is not of numbers, or has one value only.
    Example:
        numbers, classes, form = encode_target(train["kind"], kind="binary", metric="auc")
    """
    series = pd.Series(np.asarray(values, dtype=object)).reset_index(drop=True)
    known = series[series.notna()]
    if known.nunique() < 2:
        raise ValueError("the target has fewer than two values: there is nothing to learn")
    numbers = pd.to_numeric(series, errors="coerce").astype(float)
    numeric = bool(numbers[known.index].notna().all())
    if kind == "regression" and not numeric:
        raise ValueError("the target of a regression is not of numbers")
    grades = numeric and known.nunique() <= _ENCODE_TARGET_MOST_GRADES
    if kind == "regression" and not (metric == "qwk" and grades):
        return numbers.to_numpy(), [], "number"
    texts = series.map(_encode_target_text)
    names = [str(each) for each in texts[known.index].unique()]
    if numeric:
        order = {_encode_target_text(each): float(each) for each in known.unique()}
        classes = sorted(names, key=lambda name: order[name])
    else:
        classes = sorted(names)
    if metric == "qwk" and numeric:
        return numbers.to_numpy(), classes, "ordinal"
    places = {name: place for place, name in enumerate(classes)}
    return texts.map(places).astype(float).to_numpy(), classes, "classes"


def _encode_target_text(value: Any) -> Any:
    """A class as text: 1, 1.0 and "1" are the same."""
    if value is None or value is pd.NA or (isinstance(value, float) and np.isnan(value)):
        return np.nan
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def test_numbers_that_name_classes_keep_their_order() -> None:
    numbers, classes, form = encode_target([10, 9, 10, None], kind="multiclass", metric="accuracy")
    assert classes == ["9", "10"]
    assert form == "classes"
    assert numbers[:3].tolist() == [1.0, 0.0, 1.0]
    assert np.isnan(numbers[3])


def test_grades_are_ordinal() -> None:
    numbers, classes, form = encode_target([1.0, 3.0, 2.0], kind="multiclass", metric="qwk")
    assert (numbers.tolist(), classes, form) == ([1.0, 3.0, 2.0], ["1", "2", "3"], "ordinal")


def test_texts_are_no_target_of_a_regression() -> None:
    message = ""
    try:
        encode_target(["a", "b"], kind="regression", metric="rmse")
    except ValueError as error:
        message = str(error)
    assert "numbers" in message


def test_property_places_lead_back_to_the_classes() -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        values = random.choice(["x", "y", "z"], 30)
        values[:3] = ["x", "y", "z"]
        numbers, classes, _ = encode_target(values, kind="multiclass", metric="accuracy")
        assert [classes[int(each)] for each in numbers] == values.tolist()
