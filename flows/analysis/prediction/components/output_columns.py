"""Name the columns that hold a model's predictions.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Sequence


def output_columns(
    model: str, *, target: str, targets: Sequence[str], classes: Sequence[str], form: str
) -> list[str]:
    """The names of a model's columns in the tables `oof` and `predictions`.

    Args:
        model: its name.
        target: what it predicts.
        targets: all targets; the name of the target is told where there are several.
        classes: the classes of the target, in order.
        form: "number", "classes" or "ordinal".
    Returns:
        one name for numbers, grades, and the probability of the last of two classes; else one for
        each class.
    Raises:
        ValueError: if the target is none of the targets.
    Example:
        names = output_columns("m", target="y", targets=["y"], classes=["a", "b"], form="classes")
    """
    if target not in targets:
        raise ValueError(f"{target!r} is none of the targets {list(targets)}")
    name = model if len(targets) == 1 else f"{target}|{model}"
    if form != "classes" or len(classes) == 2:
        return [name]
    return [f"{name}|{each}" for each in classes]


def test_names_by_example() -> None:
    classes = ["a", "b", "c"]
    several = output_columns("m", target="t", targets=["s", "t"], classes=[], form="number")
    assert several == ["t|m"]
    assert output_columns("m", target="t", targets=["t"], classes=classes, form="classes") == [
        "m|a",
        "m|b",
        "m|c",
    ]


def test_property_models_and_targets_never_share_a_column() -> None:
    names = [
        name
        for target in ("s", "t")
        for model in ("m", "n")
        for name in output_columns(
            model, target=target, targets=["s", "t"], classes=["a", "b", "c"], form="classes"
        )
    ]
    assert len(names) == len(set(names)) == 12
