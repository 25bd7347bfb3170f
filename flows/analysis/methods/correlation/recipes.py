"""What the sandbox runs for correlations."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import numeric, parts, say_left_out, say_sizes, warn


def coefficient(values: pd.DataFrame, method: str) -> tuple[float, float]:
    """The correlation of two columns and its p-value; not a number where one does not vary."""
    from scipy import stats

    x, y = values.iloc[:, 0], values.iloc[:, 1]
    if len(values) < 3 or x.min() == x.max() or y.min() == y.max():
        return np.nan, np.nan
    run = {"spearman": stats.spearmanr, "kendall": stats.kendalltau}.get(method, stats.pearsonr)
    found = run(x, y)
    return float(found[0]), float(found[1])


def correlate(
    data: pd.DataFrame, columns: list[str], target: str, group: str, method: str, order: str
) -> pd.DataFrame:
    """Each pair with its coefficient, the strongest first; `target` is one of each pair.

    `p_value` is of the hypothesis that there is none, `p_adjusted` is for many pairs at once
    (Benjamini-Hochberg). `order` is strongest, weakest, highest or lowest.
    """
    rows, sizes = [], []
    for name, part in parts(data, group):
        values = numeric(part, columns)
        for place, first in enumerate(columns):
            for second in columns[place + 1 :]:
                if target and target not in (first, second):
                    continue
                pair = (
                    (target, first if second == target else second) if target else (first, second)
                )
                whole = values[list(pair)].dropna()
                value, p = coefficient(whole, method)
                rows.append({**name, "first": pair[0], "second": pair[1], "correlation": value,
                             "p_value": p, "rows": len(whole)})  # fmt: skip
                sizes.append((name, len(whole)))
    found = pd.DataFrame(rows)
    if len(found) == 1:
        say_left_out(len(data), int(found["rows"].iloc[0]))
    say_sizes(sizes, group)
    if len(found) > 1:
        found["p_adjusted"] = adjusted(found["p_value"])
        say_many(found)
    return in_order(found, order)


def say_twins_among(data: pd.DataFrame, columns: list[str], target: str) -> None:
    """Which columns say the same as another, so that one of them adds nothing."""
    names = [each for each in columns if each != target]
    matrix = numeric(data, names).corr().abs().to_numpy()
    pairs = [
        f"{names[one]} and {names[two]}"
        for one in range(len(names))
        for two in range(one + 1, len(names))
        if matrix[one, two] > 0.99
    ]
    if pairs:
        more = f" and {len(pairs) - 8} more pairs" if len(pairs) > 8 else ""
        warn("twins", f"These say the same (they go together at more than 0.99): "
             f"{'; '.join(pairs[:8])}{more}. Each pair counts as one finding.")  # fmt: skip


def in_order(found: pd.DataFrame, order: str) -> pd.DataFrame:
    """The pairs by the size of their coefficient, or by the coefficient itself."""
    by = found["correlation"]
    by = by.abs() if order in ("strongest", "weakest") else by
    up = order in ("weakest", "lowest")
    at = by.sort_values(ascending=up, na_position="last", kind="stable").index
    return found.loc[at].reset_index(drop=True)


def adjusted(p_values: pd.Series) -> pd.Series:
    """The p-values after Benjamini and Hochberg's correction for many tests."""
    known = p_values.dropna().sort_values()
    scaled = known * len(known) / np.arange(1, len(known) + 1)
    return scaled[::-1].cummin()[::-1].clip(upper=1).reindex(p_values.index)


def say_many(found: pd.DataFrame) -> None:
    """How many of many tests would come out by chance alone."""
    tested = int(found["p_value"].notna().sum())
    if tested < 10:
        return
    seen, left = int((found["p_value"] < 0.05).sum()), int((found["p_adjusted"] < 0.05).sum())
    text = (
        f"{tested} pairs were tested: about {0.05 * tested:.0f} would be below p = 0.05 by chance "
        f"alone. {seen} are; {left} after Benjamini-Hochberg's correction (p_adjusted)."
    )
    warn("many_tests", text)


def doubts_of_pair(data: pd.DataFrame, first: str, second: str, method: str) -> None:
    """Say where Pearson's coefficient of a pair rests on few extreme values."""
    values = numeric(data, [first, second]).dropna()
    plain, _ = coefficient(values, "pearson")
    ranked, _ = coefficient(values, "spearman")
    if method == "pearson" and abs(plain - ranked) > 0.1:
        text = (
            f"Spearman's rank correlation of {first} and {second} is {ranked:.3g}, Pearson's "
            f"{plain:.3g}: few extreme values or a bend make the difference."
        )
        warn("skewed", text)


def reversals(data: pd.DataFrame, first: str, second: str, groups: list[str]) -> None:
    """Say where an association turns round inside the groups of another column (Simpson)."""
    values = numeric(data, [first, second])
    overall, _ = coefficient(values.dropna(), "pearson")
    for group in groups:
        whole = values.assign(**{group: data[group]}).dropna()
        by = whole.groupby(group, observed=True)
        names = [name for name, part in by if len(part) >= 8]
        inside = [coefficient(by.get_group(name)[[first, second]], "pearson")[0] for name in names]
        within = whole[[first, second]] - by[[first, second]].transform("mean")
        pooled, _ = coefficient(within, "pearson")
        turned = sum(each * overall < 0 for each in inside)
        if abs(overall) < 0.05 or abs(pooled) < 0.15 or overall * pooled > 0 or len(inside) < 2:
            continue
        if turned * 3 >= len(inside) * 2:
            text = (
                f"Within the values of {group} it turns round: {overall:.3g} over all rows, but "
                f"{pooled:.3g} inside the groups ({turned} of {len(inside)} turn; Simpson's "
                f"paradox)."
            )
            warn("simpson", text)


def correlation_matrix(data: pd.DataFrame, columns: list[str], method: str) -> pd.DataFrame:
    """The coefficients of all pairs, and a heat map of them."""
    matrix = numeric(data, columns).corr(method=method)
    size = max(4.0, 0.7 * len(columns) + 2)
    figure, axes = plt.subplots(figsize=(size, size * 0.85), layout="constrained")
    image = axes.imshow(matrix, vmin=-1, vmax=1, cmap="RdBu_r")
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
    axes.set_yticks(range(len(columns)), columns)
    for row in range(len(columns)):
        for column in range(len(columns)):
            value = matrix.iloc[row, column]
            shade = "white" if abs(value) > 0.6 else "black"
            axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=shade)
    figure.colorbar(image, shrink=0.8)
    axes.set_title(f"Correlation matrix ({method})")
    return matrix.rename_axis("column").reset_index()
