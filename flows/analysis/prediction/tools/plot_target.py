"""Draw how the targets are spread: the shares of classes, or a histogram of numbers.

Phases: preliminary_eda, in_depth_eda
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd


def plot_target(train: pd.DataFrame, *, targets: list[str], kind: str) -> pd.DataFrame:
    """One panel for each target.

    Args:
        train: The rows to learn from.
        targets: The columns to predict, at most 12 are drawn.
        kind: "regression", "binary" or "multiclass".
    Returns:
        target, value, rows, share: of each class; of numbers the quantiles (value "p5", "p50", ...)
        with the number in `amount`.
    Raises:
        ValueError: A target is not a column of train, or a number is asked of text.
    Example:
        plot_target(train, targets=["price"], kind="regression")
    """
    if unknown := [name for name in targets if name not in train.columns]:
        raise ValueError(f"there is no column {unknown[0]!r} in train")
    shown = targets[:12]
    figure, grid = plt.subplots(
        1, len(shown), figsize=(max(5, 3.5 * len(shown)), 3.5), squeeze=False, layout="constrained"
    )
    rows: list[dict[str, object]] = []
    for axes, name in zip(grid.flat, shown, strict=True):
        known = train[name].dropna()
        axes.set_title(name[:40], fontsize=9)
        if kind == "regression":
            if not pd.api.types.is_numeric_dtype(known):
                raise ValueError(f"the target {name!r} holds no numbers")
            axes.hist(known.astype("float64"), bins=min(50, max(1, known.nunique())))
            for part in (5, 25, 50, 75, 95):
                amount = float(known.quantile(part / 100))
                rows.append({"target": name, "value": f"p{part}", "amount": amount})
            continue
        counts = known.map(str).value_counts()
        top = counts.head(30)
        axes.bar([str(each)[:15] for each in top.index], top.to_numpy() / max(1, len(known)))
        axes.tick_params(axis="x", rotation=45 if len(top) > 4 else 0, labelsize=8)
        for value, count in counts.items():
            share = float(count / len(known))
            rows.append({"target": name, "value": value, "rows": int(count), "share": share})
    figure.suptitle("Target" if len(targets) == 1 else "Targets")
    return pd.DataFrame(rows)


def test_shares_of_classes() -> None:
    train = pd.DataFrame({"y": ["a", "b", "a", "a", None]})
    found = plot_target(train, targets=["y"], kind="binary")
    assert found["share"].tolist() == [0.75, 0.25]
    plt.close("all")


def test_quantiles_of_numbers() -> None:
    found = plot_target(pd.DataFrame({"y": range(101)}), targets=["y"], kind="regression")
    assert found["amount"].tolist() == [5.0, 25.0, 50.0, 75.0, 95.0]
    plt.close("all")


def test_property_shares_add_up_to_one() -> None:
    generator = np.random.default_rng(12)
    for classes in (1, 3, 40):
        train = pd.DataFrame({"y": generator.integers(0, classes, 60)})
        found = plot_target(train, targets=["y"], kind="multiclass")
        assert abs(found["share"].sum() - 1) < 1e-9
        plt.close("all")
