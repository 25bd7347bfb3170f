"""What studies compute, written for pandas.

Nothing here is called by this package: `compile` hands the text of the functions that a study needs
to the sandbox, where the data is. Each returns the table that an answer is made of.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

STRONGEST = 300


def numeric(data: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """The columns as finite numbers; what is no number is missing."""
    chosen = data[columns].apply(pd.to_numeric, errors="coerce").astype("float64")
    return chosen.replace([np.inf, -np.inf], np.nan)


def say_left_out(before: int, after: int) -> None:
    if before > after:
        print(f"{before - after} of {before} rows were left out: a value is missing.")


def parts(data: pd.DataFrame, group: str) -> list[tuple[dict[str, object], pd.DataFrame]]:
    """The data of each group with the group's name, largest groups first; all of it without."""
    if not group:
        return [({}, data)]
    known = data[data[group].notna()]
    say_left_out(len(data), len(known))
    names = known[group].value_counts().index[:STRONGEST]
    return [({group: name}, known[known[group] == name]) for name in names]


def correlate(
    data: pd.DataFrame, columns: list[str], target: str, group: str, method: str
) -> pd.DataFrame:
    """Each pair with its coefficient, the strongest first; `target` is one of each pair."""
    rows = []
    for name, part in parts(data, group):
        values = numeric(part, columns)
        matrix = values.corr(method=method)
        known = values.notna().astype("int64")
        counts = known.T @ known
        for place, first in enumerate(columns):
            for second in columns[place + 1 :]:
                if target and target not in (first, second):
                    continue
                pair = (
                    (target, first if second == target else second) if target else (first, second)
                )
                rows.append(
                    {
                        **name,
                        "first": pair[0],
                        "second": pair[1],
                        "correlation": matrix.loc[first, second],
                        "rows": counts.loc[first, second],
                    }
                )
    found = pd.DataFrame(rows)
    order = found["correlation"].abs().sort_values(ascending=False, na_position="last").index
    return found.loc[order].reset_index(drop=True)


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


def scatter(data: pd.DataFrame, x: str, y: str, group: str, title: str) -> pd.DataFrame:
    """The correlation and the straight line of two columns, and their points."""
    _, axes = plt.subplots(layout="constrained")
    rows = []
    for name, part in parts(data, group):
        values = numeric(part, [x, y]).dropna()
        say_left_out(len(part), len(values))
        label = str(name[group]) if group else None
        axes.scatter(values[x], values[y], s=14, alpha=0.7, label=label)
        varies = len(values) > 1 and values[x].nunique() > 1
        slope, intercept = np.polyfit(values[x], values[y], 1) if varies else (np.nan, np.nan)
        rows.append(
            {
                **name,
                "x": x,
                "y": y,
                "correlation": values[x].corr(values[y]) if varies else np.nan,
                "slope": slope,
                "intercept": intercept,
                "rows": len(values),
                "left_out": len(part) - len(values),
            }
        )
    axes.set(xlabel=x, ylabel=y, title=title)
    if group:
        axes.legend(title=group)
    return pd.DataFrame(rows)


def histogram(
    data: pd.DataFrame, columns: list[str], group: str, bins: int, title: str
) -> pd.DataFrame:
    """Where the values of number columns lie, in bins of one width, and a drawing of it."""
    _, places = plt.subplots(
        len(columns), 1, figsize=(6.4, 4.0 * len(columns)), squeeze=False, layout="constrained"
    )
    rows = []
    for column, axes in zip(columns, places[:, 0], strict=True):
        whole = numeric(data, [column])[column].dropna()
        edges = np.histogram_bin_edges(whole, bins=bins or "auto")
        if not bins and len(edges) > 61:
            edges = np.histogram_bin_edges(whole, bins=60)
        for name, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            say_left_out(len(part), len(values))
            counts, _ = np.histogram(values, bins=edges)
            label = str(name[group]) if group else None
            axes.hist(values, bins=edges, alpha=0.6 if group else 1.0, label=label)
            fullest = int(counts.argmax())
            rows.append(
                {
                    "column": column,
                    **name,
                    "rows": len(values),
                    "left_out": len(part) - len(values),
                    "mean": values.mean(),
                    "median": values.median(),
                    "std": values.std(),
                    "minimum": values.min(),
                    "maximum": values.max(),
                    "fullest_from": edges[fullest],
                    "fullest_to": edges[fullest + 1],
                    "fullest_rows": int(counts[fullest]),
                    "bins": len(counts),
                }
            )
        axes.set(xlabel=column, ylabel="rows", title=title)
        if group:
            axes.legend(title=group)
    return pd.DataFrame(rows)


def frequencies(data: pd.DataFrame, column: str, group: str, title: str) -> pd.DataFrame:
    """How often each value of a column stands there, most frequent first, and its bars."""
    known = data.dropna(subset=[column, *([group] if group else [])])
    say_left_out(len(data), len(known))
    keys = [group, column] if group else [column]
    found = known.groupby(keys, observed=True).size().rename("rows").reset_index()
    found = found.sort_values("rows", ascending=False, kind="stable").reset_index(drop=True)
    found["percent"] = 100 * found["rows"] / len(known)
    shown = found.head(40)
    if group:
        shown = found.pivot(index=column, columns=group, values="rows").fillna(0).head(40)
        shown.plot.bar(title=title, ylabel="rows")
    else:
        shown.plot.bar(x=column, y="rows", legend=False, title=title, ylabel="rows")
    plt.tight_layout()
    return found


def box(data: pd.DataFrame, columns: list[str], group: str, title: str) -> pd.DataFrame:
    """Quartiles of each group, and how many values lie beyond 1.5 times their distance."""
    rows, shown, labels = [], [], []
    for column in columns:
        for name, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            say_left_out(len(part), len(values))
            low, middle, high = values.quantile([0.25, 0.5, 0.75])
            reach = 1.5 * (high - low)
            beyond = int(((values < low - reach) | (values > high + reach)).sum())
            rows.append(
                {
                    "column": column,
                    **name,
                    "rows": len(values),
                    "left_out": len(part) - len(values),
                    "minimum": values.min(),
                    "q1": low,
                    "median": middle,
                    "q3": high,
                    "maximum": values.max(),
                    "outliers": beyond,
                }
            )
            shown.append(values.to_numpy())
            labels.append(" ".join([*([column] if len(columns) > 1 or not group else []),
                                    *(str(each) for each in name.values())]))  # fmt: skip
    _, axes = plt.subplots(figsize=(max(6.4, 0.6 * len(shown)), 4.8), layout="constrained")
    axes.boxplot(shown[:60])
    axes.set_xticks(range(1, len(labels[:60]) + 1), labels[:60], rotation=45, ha="right")
    axes.set(ylabel=", ".join(columns), title=title)
    return pd.DataFrame(rows)


def chart(
    found: pd.DataFrame, x: str, values: list[str], series: str, line: bool, title: str
) -> pd.DataFrame:
    """Bars or lines of a grouped result, which is returned as it is."""
    shown = found.head(2000)
    if series:
        shown = shown.pivot_table(index=x, columns=series, values=values[0], observed=True)
        most = found.groupby(series, observed=True)[values[0]].max().nlargest(20).index
        shown = shown[[each for each in shown.columns if each in most]]
    else:
        shown = shown.set_index(x)[values]
    if line:
        axes = shown.sort_index().plot.line(title=title, marker="o", ms=3)
    else:
        axes = shown.head(60).plot.bar(title=title)
    axes.set(xlabel=x, ylabel=", ".join(values))
    if not series and len(values) == 1:
        axes.get_legend().remove()
    plt.tight_layout()
    return found


def design(data: pd.DataFrame, target: str, columns: list[str]) -> tuple[pd.DataFrame, pd.Series]:
    """What explains the target, as numbers: categories become one column for each value but the
    first. Rows with a missing value are left out."""
    known = data[[target, *columns]].dropna()
    say_left_out(len(data), len(known))
    plain = [each for each in columns if pd.api.types.is_numeric_dtype(known[each].dtype)]
    plain = [each for each in plain if not pd.api.types.is_bool_dtype(known[each].dtype)]
    others = [each for each in columns if each not in plain]
    explained = known[plain].astype("float64")
    if others:
        dummies = pd.get_dummies(known[others].astype("str"), drop_first=True, dtype="float64")
        explained = pd.concat([explained, dummies], axis=1)
    return explained, known[target]


def regress(data: pd.DataFrame, target: str, columns: list[str]) -> pd.DataFrame:
    """The coefficients of a linear regression by least squares, and how much it explains.

    `standardized` is the change of the target in its standard deviations for one of the term's.
    """
    from sklearn.linear_model import LinearRegression

    explained, known = design(data, target, columns)
    known = pd.to_numeric(known).astype("float64")
    if len(known) <= explained.shape[1] + 1:
        raise ValueError(f"{len(known)} whole rows are too few for {explained.shape[1]} terms")
    model = LinearRegression().fit(explained, known)
    predicted = model.predict(explained)
    found = pd.DataFrame({"term": explained.columns, "coefficient": model.coef_})
    found["standardized"] = model.coef_ * explained.std().to_numpy() / known.std()
    found = found.sort_values("standardized", key=abs, ascending=False, kind="stable")
    first = pd.DataFrame({"term": ["intercept"], "coefficient": [model.intercept_]})
    found = pd.concat([found, first], ignore_index=True)
    found["r2"] = model.score(explained, known)
    found["rmse"] = float(np.sqrt(((known - predicted) ** 2).mean()))
    found["rows"] = len(known)
    found["left_out"] = len(data) - len(known)
    _, axes = plt.subplots(layout="constrained")
    if explained.shape[1] == 1:
        x = explained.iloc[:, 0]
        axes.scatter(x, known, s=14, alpha=0.6)
        order = x.argsort()
        axes.plot(x.iloc[order], predicted[order], color="black")
        axes.set(xlabel=explained.columns[0], ylabel=target, title=f"Regression of {target}")
    else:
        axes.scatter(known, predicted, s=14, alpha=0.6)
        ends = [known.min(), known.max()]
        axes.plot(ends, ends, color="black")
        axes.set(xlabel=f"{target} in the data", ylabel="by the regression",
                 title=f"Regression of {target}")  # fmt: skip
    return found


def importance(data: pd.DataFrame, target: str, columns: list[str], classes: bool) -> pd.DataFrame:
    """How much worse a random forest gets when one column is shuffled, on rows it has not seen.

    `score` is the forest's on those rows: R² of numbers, the share that is right of classes.
    """
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.inspection import permutation_importance
    from sklearn.model_selection import train_test_split

    known = data[[target, *columns]].dropna()
    say_left_out(len(data), len(known))
    values = known[columns].copy()
    for column in columns:
        number = pd.api.types.is_numeric_dtype(values[column].dtype)
        values[column] = values[column] if number else pd.factorize(values[column], sort=True)[0]
    values = values.astype("float64")
    goal = known[target].astype("str") if classes else pd.to_numeric(known[target])
    kind = RandomForestClassifier if classes else RandomForestRegressor
    split = train_test_split(values, goal, test_size=0.25, random_state=0)
    model = kind(n_estimators=100, random_state=0, n_jobs=1).fit(split[0], split[2])
    shuffled = permutation_importance(model, split[1], split[3], n_repeats=5, random_state=0)
    found = pd.DataFrame({"feature": columns, "importance": shuffled.importances_mean})
    found = found.sort_values("importance", ascending=False, kind="stable").reset_index(drop=True)
    found["score"] = model.score(split[1], split[3])
    found["rows"] = len(known)
    found["left_out"] = len(data) - len(known)
    _, axes = plt.subplots(layout="constrained")
    shown = found.head(30).iloc[::-1]
    axes.barh(shown["feature"], shown["importance"])
    axes.set(xlabel="importance", title=f"What explains {target}")
    return found


def bounds(values: pd.Series, method: str) -> tuple[float, float]:
    """The range outside of which a value is an outlier."""
    if method == "zscore":
        return values.mean() - 3 * values.std(), values.mean() + 3 * values.std()
    low, high = values.quantile(0.25), values.quantile(0.75)
    return low - 1.5 * (high - low), high + 1.5 * (high - low)


def outliers(data: pd.DataFrame, columns: list[str], group: str, method: str) -> pd.DataFrame:
    """Of each column the bounds, and how many values lie outside of them."""
    rows = []
    for column in columns:
        for name, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            low, high = bounds(values, method)
            rows.append(
                {
                    "column": column,
                    **name,
                    "outliers": int(((values < low) | (values > high)).sum()),
                    "lower_bound": low,
                    "upper_bound": high,
                    "smallest": values.min(),
                    "largest": values.max(),
                    "rows": len(values),
                    "left_out": len(part) - len(values),
                }
            )
    found = pd.DataFrame(rows)
    return found.sort_values("outliers", ascending=False, kind="stable").reset_index(drop=True)


def outlying_rows(data: pd.DataFrame, columns: list[str], group: str, method: str) -> pd.DataFrame:
    """The rows in which a value is an outlier, those that are furthest out first."""
    far = pd.Series(0.0, index=data.index)
    for column in columns:
        for _, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            low, high = bounds(values, method)
            beyond = pd.concat([low - values, values - high], axis=1).max(axis=1)
            far.loc[values.index] = far.loc[values.index].combine(beyond.clip(lower=0), max)
    return data.loc[far[far > 0].sort_values(ascending=False).index].reset_index(drop=True)


def summarize(data: pd.DataFrame, columns: list[str], group: str, percentile: int) -> pd.DataFrame:
    """The usual statistics of number columns; std and variance are of a sample (n - 1)."""
    rows = []
    for column in columns:
        for name, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            low, middle, high = values.quantile([0.25, 0.5, 0.75])
            more = {f"p{percentile}": values.quantile(percentile / 100)} if percentile else {}
            rows.append(
                {
                    "column": column,
                    **name,
                    "rows": len(values),
                    "missing": len(part) - len(values),
                    "mean": values.mean(),
                    "std": values.std(),
                    "variance": values.var(),
                    "minimum": values.min(),
                    "q1": low,
                    "median": middle,
                    "q3": high,
                    "maximum": values.max(),
                    "skewness": values.skew(),
                    "kurtosis": values.kurt(),
                    **more,
                }
            )
    return pd.DataFrame(rows)


def normality(data: pd.DataFrame, columns: list[str], group: str) -> pd.DataFrame:
    """Whether values can come from a normal distribution: Shapiro-Wilk's test up to 5000 of
    them, D'Agostino-Pearson's above; `normal` is false where p is below 0.05."""
    from scipy import stats

    rows = []
    _, axes = plt.subplots(layout="constrained")
    for column in columns:
        for name, part in parts(data, group):
            values = numeric(part, [column])[column].dropna()
            test = "Shapiro-Wilk" if len(values) <= 5000 else "D'Agostino-Pearson"
            enough = len(values) >= 8 and values.nunique() > 1
            run = stats.shapiro if len(values) <= 5000 else stats.normaltest
            statistic, p = run(values) if enough else (np.nan, np.nan)
            rows.append(
                {
                    "column": column,
                    **name,
                    "test": test,
                    "statistic": statistic,
                    "p_value": p,
                    "normal": bool(p >= 0.05) if enough else None,
                    "skewness": values.skew(),
                    "kurtosis": values.kurt(),
                    "rows": len(values),
                    "left_out": len(part) - len(values),
                }
            )
            if enough:
                label = " ".join([column, *(str(each) for each in name.values())])
                axes.plot(*stats.probplot(values, fit=False), ".", label=label)
    axes.set(xlabel="normal quantiles", ylabel="values", title="Quantiles beside a normal curve")
    axes.legend()
    return pd.DataFrame(rows)
