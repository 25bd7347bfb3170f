"""Read a model's predictions from the tables that hold them.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from flows.analysis.prediction.components.output_columns import output_columns


def read_outputs(
    table: pd.DataFrame,
    model: str,
    *,
    target: str,
    targets: Sequence[str],
    classes: Sequence[str],
    form: str,
) -> Any:
    """A model's predictions: one column of numbers, or the probability of each class.

    Args:
        table: `oof` or `predictions`.
        model: the model's name.
        target: what it predicts.
        targets: all targets.
        classes: the classes of the target, in order.
        form: "number", "classes" or "ordinal".
    Returns:
        an array with a row for each row of the table; of two classes both have a column.
    Raises:
        ValueError: if the table has no column of the model.
    Example:
        numbers = read_outputs(oof, "m", target="y", targets=["y"], classes=[], form="number")
    """
    names = output_columns(model, target=target, targets=targets, classes=classes, form=form)
    if missing := [each for each in names if each not in table.columns]:
        raise ValueError(f"there are no predictions {missing[0]!r} of model {model!r}")
    values = table[names].to_numpy(dtype=float)
    if form == "classes" and len(classes) == 2:
        return np.column_stack([1 - values[:, 0], values[:, 0]])
    return values


def test_both_of_two_classes_have_a_column() -> None:
    table = pd.DataFrame({"m": [0.25, 1.0]})
    found = read_outputs(table, "m", target="t", targets=["t"], classes=["a", "b"], form="classes")
    assert found.tolist() == [[0.75, 0.25], [0.0, 1.0]]


def test_an_unknown_model_is_named() -> None:
    message = ""
    try:
        read_outputs(pd.DataFrame(), "m", target="t", targets=["t"], classes=[], form="number")
    except ValueError as error:
        message = str(error)
    assert "'m'" in message


def test_property_numbers_are_read_as_they_are() -> None:
    random = np.random.default_rng(5)
    for _ in range(10):
        table = pd.DataFrame({"t|m": random.normal(size=7), "s|m": 0.0})
        found = read_outputs(table, "m", target="t", targets=["s", "t"], classes=[], form="number")
        assert (found[:, 0] == table["t|m"]).all()
