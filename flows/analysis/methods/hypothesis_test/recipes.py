"""What the sandbox runs for tests whether groups differ or columns depend on each other."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import numeric, say_left_out, say_small, warn


def groups_of(data: pd.DataFrame, column: str, group: str) -> dict[str, pd.Series]:
    """The numbers of each group that has two at least, largest groups first."""
    known = numeric(data, [column]).assign(**{group: data[group]}).dropna()
    say_left_out(len(data), len(known))
    names = known[group].value_counts().index
    found = {str(name): known[known[group] == name][column] for name in names}
    single = [name for name, values in found.items() if len(values) < 2]
    if single:
        warn("small_groups", f"Left out, since one value has no spread: {', '.join(single[:5])}.")
    kept = {name: values for name, values in found.items() if len(values) > 1}
    if len(kept) == 2:  # the sign of a difference is that of the first less the second by name
        kept = dict(sorted(kept.items()))
    if len(kept) < 2:
        raise ValueError(f"{len(kept)} groups of {group} have two values of {column} or more, and "
                         f"a comparison needs two groups")  # fmt: skip
    return kept


def compare(
    data: pd.DataFrame, column: str, group: str, method: str, others: list[str], title: str
) -> pd.DataFrame:
    """The groups, and a test whether they differ: the same `test` and `p_value` in each row.

    Of two groups Welch's t-test, of more an analysis of variance, or as `method` says.
    `significant` is at 5 %; `effect_size` is Cohen's d, the rank-biserial correlation,
    eta or epsilon squared.
    """
    found = groups_of(data, column, group)
    told = test_of(list(found.values()), method)
    rows = [
        {group: name, "rows": len(values), "mean": values.mean(), "median": values.median(),
         "std": values.std(), **told}
        for name, values in found.items()
    ]  # fmt: skip
    say_small({name: len(values) for name, values in found.items()})
    doubts_of_means(found, column, method, told)
    if len(found) == 2:
        reversed_means(data, column, group, others)
    _, axes = plt.subplots(figsize=(max(6.4, 0.6 * len(found)), 4.8), layout="constrained")
    axes.boxplot([values.to_numpy() for values in list(found.values())[:60]])
    axes.set_xticks(range(1, len(found) + 1)[:60], list(found)[:60], rotation=45, ha="right")
    axes.set(xlabel=group, ylabel=column, title=title)
    return pd.DataFrame(rows)


def test_of(groups: list[pd.Series], method: str) -> dict[str, Any]:
    """The test that the number of groups and the method call for."""
    from scipy import stats

    two = len(groups) == 2
    name = method or ("welch" if two else "anova")
    if not two and name in ("welch", "student", "mannwhitney"):
        name = "kruskal" if name == "mannwhitney" else "anova"
    if name == "ranks":
        name = "mannwhitney" if two else "kruskal"
    if name in ("welch", "student"):
        found = stats.ttest_ind(*groups, equal_var=name == "student")
        said = ("Welch's t-test" if name == "welch" else "Student's t-test", "Cohen's d",
                cohen(*groups))  # fmt: skip
    elif name == "mannwhitney":
        found = stats.mannwhitneyu(*groups)
        rank = 2 * found[0] / (len(groups[0]) * len(groups[1])) - 1
        said = ("Mann-Whitney U test", "rank-biserial correlation", rank)
    elif name == "kruskal":
        found = stats.kruskal(*groups)
        total = sum(map(len, groups))
        epsilon = max(0.0, (found[0] - len(groups) + 1) / (total - len(groups)))
        said = ("Kruskal-Wallis test", "epsilon squared", epsilon)
    elif name == "levene":
        found = stats.levene(*groups)
        spreads = [each.std() for each in groups]
        said = ("Levene's test of equal variances", "largest over smallest standard deviation",
                max(spreads) / min(spreads))  # fmt: skip
    else:
        found = stats.f_oneway(*groups)
        said = ("one-way analysis of variance (ANOVA)", "eta squared", eta(groups))
    return verdict(found[0], found[1], *said)


def verdict(
    statistic: float, p: float, test: str, effect: str, effect_size: float
) -> dict[str, Any]:
    """What a test found, with its verdict at 5 %."""
    if not np.isfinite(p):
        raise ValueError(f"the {test} has no result: the values do not vary, or are too few")
    return {
        "test": test,
        "statistic": statistic,
        "p_value": p,
        "significant": bool(p < 0.05),
        "effect": effect,
        "effect_size": effect_size,
    }


def cohen(one: pd.Series, two: pd.Series) -> float:
    """The difference of two means in common standard deviations."""
    spread = (len(one) - 1) * one.var() + (len(two) - 1) * two.var()
    common = np.sqrt(spread / (len(one) + len(two) - 2))
    return float((one.mean() - two.mean()) / common) if common else np.nan


def eta(groups: list[pd.Series]) -> float:
    """The share of the variance that lies between the groups."""
    whole = pd.concat(groups)
    between = sum(len(each) * (each.mean() - whole.mean()) ** 2 for each in groups)
    total = ((whole - whole.mean()) ** 2).sum()
    return float(between / total) if total else np.nan


def doubts_of_means(
    found: dict[str, pd.Series], column: str, method: str, told: dict[str, Any]
) -> None:
    """Say where a test of means and one of ranks disagree, and where variances differ much."""
    if method not in ("", "welch", "student", "anova"):
        return
    ranked = test_of(list(found.values()), "ranks")
    if ranked["significant"] != told["significant"]:
        text = (
            f"{column} is unevenly distributed: by ranks ({ranked['test']}) p is "
            f"{ranked['p_value']:.3g}, so the verdict rests on the choice of the test."
        )
        warn("skewed", text)
    spreads = [values.std() for values in found.values()]
    if len(found) > 2 and min(spreads) > 0 and max(spreads) / min(spreads) > 3:
        warn("unequal_spread", f"The spread of {column} differs more than threefold between the "
             "groups, which an analysis of variance does not expect.")  # fmt: skip


def reversed_means(data: pd.DataFrame, column: str, group: str, others: list[str]) -> None:
    """Say where the difference of two groups turns round inside another column's values."""
    known = numeric(data, [column]).assign(**{group: data[group].astype("str")})
    means = known.groupby(group)[column].mean()
    for other in others:
        cells = known.assign(**{other: data[other]}).dropna()
        by = cells.groupby([other, group], observed=True)[column].agg(["mean", "size"]).unstack()
        by = by[(by["size"] >= 5).all(axis=1)].dropna()
        inside = by["mean"][means.index[0]] - by["mean"][means.index[1]]
        overall = means.iloc[0] - means.iloc[1]
        if len(inside) > 1 and (inside * overall < 0).all():
            text = (
                f"Within every value of {other} the difference turns round: what is larger over "
                f"all rows is smaller there (Simpson's paradox)."
            )
            warn("simpson", text)


def compare_pairs(data: pd.DataFrame, columns: list[str], method: str, title: str) -> pd.DataFrame:
    """Whether two columns differ row by row: the paired t-test, or Wilcoxon's of ranks."""
    from scipy import stats

    known = numeric(data, columns).dropna()
    say_left_out(len(data), len(known))
    if len(known) < 3:
        raise ValueError(f"{len(known)} whole pairs are too few for a test")
    one, two = known[columns[0]], known[columns[1]]
    ranked = method in ("ranks", "mannwhitney", "wilcoxon")
    found = (stats.wilcoxon if ranked else stats.ttest_rel)(one, two)
    away = (one - two).mean() / (one - two).std()
    test = "Wilcoxon signed-rank test" if ranked else "paired t-test"
    told = verdict(found[0], found[1], test, "Cohen's d of the differences", away)
    say_small({"the pairs": len(known)})
    _, axes = plt.subplots(layout="constrained")
    axes.boxplot([one, two])
    axes.set_xticks([1, 2], columns)
    axes.set_title(title)
    return pd.DataFrame(
        [
            {"column": name, "rows": len(known), "mean": known[name].mean(),
             "median": known[name].median(), "std": known[name].std(), **told}
            for name in columns
        ]
    )  # fmt: skip


def compare_level(data: pd.DataFrame, column: str, level: float) -> pd.DataFrame:
    """Whether the mean of a column can be `level` (one-sample t-test)."""
    from scipy import stats

    values = numeric(data, [column])[column].dropna()
    say_left_out(len(data), len(values))
    if len(values) < 3:
        raise ValueError(f"{len(values)} values are too few for a test")
    statistic, p = stats.ttest_1samp(values, level)
    away = (values.mean() - level) / values.std() if values.std() else np.nan
    say_small({column: len(values)})
    told = verdict(statistic, p, "one-sample t-test", "Cohen's d", away)
    return pd.DataFrame([{"column": column, "rows": len(values), "mean": values.mean(),
                          "std": values.std(), "hypothesis": level, **told}])  # fmt: skip


def independence(data: pd.DataFrame, first: str, second: str, plain: bool) -> pd.DataFrame:
    """How often each pair of values stands there, and whether one depends on the other.

    The chi-square test, with Yates' correction of a table of two by two unless `plain` (a test of
    proportions). `expected` is the count if they were independent.
    """
    from scipy import stats

    known = data[[first, second]].dropna()
    say_left_out(len(data), len(known))
    counts = pd.crosstab(known[first], known[second])
    if min(counts.shape) < 2:
        raise ValueError(f"{first} and {second} need two values each to depend on each other")
    found = stats.chi2_contingency(counts, correction=not plain)
    size = np.sqrt(stats.chi2_contingency(counts, correction=False)[0]
                   / (len(known) * (min(counts.shape) - 1)))  # fmt: skip
    name = "chi-square test of " + ("equal proportions" if plain else "independence")
    told = verdict(found[0], found[1], name, "Cramer's V", size)
    expected = pd.DataFrame(found[3], index=counts.index, columns=counts.columns)
    if (expected < 5).to_numpy().mean() > 0.2:
        warn("small_groups", "In more than a fifth of the cells fewer than 5 rows are expected, so "
             "that the p-value is rough.")  # fmt: skip
    shares = counts.div(counts.sum(axis=1), axis=0)
    _, axes = plt.subplots(layout="constrained")
    shares.plot.bar(stacked=True, ax=axes, ylabel="share", title=f"{second} by {first}")
    rows = [
        {first: one, second: two, "rows": int(counts.loc[one, two]),
         "percent": 100 * shares.loc[one, two], "expected": expected.loc[one, two],
         "degrees": int(found[2]), **told}
        for one in counts.index for two in counts.columns
    ]  # fmt: skip
    return pd.DataFrame(rows)
