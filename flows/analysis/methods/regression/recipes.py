"""What the sandbox runs for linear and logistic regressions."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import numeric, plain_numbers, say_left_out, warn


def design(data: pd.DataFrame, target: str, columns: list[str]) -> tuple[pd.DataFrame, pd.Series]:
    """What explains the target, as numbers: categories become one column for each value but the
    first. Rows with a missing value are left out, and columns that do not vary."""
    known = data[[target, *columns]].dropna()
    say_left_out(len(data), len(known))
    plain = plain_numbers(known, columns)
    others = [each for each in columns if each not in plain]
    explained = known[plain].astype("float64")
    if others:
        dummies = pd.get_dummies(known[others].astype("str"), drop_first=True, dtype="float64")
        explained = pd.concat([explained, dummies], axis=1)
    varies = explained.loc[:, explained.nunique() > 1]
    if len(known) <= varies.shape[1] + 1:
        raise ValueError(f"{len(known)} whole rows are too few for {varies.shape[1]} terms")
    return varies, known[target]


def least_squares(explained: pd.DataFrame, known: pd.Series) -> dict[str, Any]:
    """Coefficients (the intercept first) with their errors, and what is left unexplained."""
    from scipy import stats

    x = np.column_stack([np.ones(len(explained)), explained.to_numpy()])
    y = known.to_numpy(dtype="float64")
    solved = np.linalg.pinv(x) @ y
    rest = y - x @ solved
    degrees = len(y) - np.linalg.matrix_rank(x)
    variance = rest @ rest / degrees
    spread = variance * np.linalg.pinv(x.T @ x)
    errors = np.sqrt(np.clip(np.diag(spread), 0, None))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = solved / errors
    p = 2 * stats.t.sf(np.abs(ratio), degrees)
    total = ((y - y.mean()) ** 2).sum()
    r2 = 1 - rest @ rest / total if total else np.nan
    return {"solved": solved, "errors": errors, "ratio": ratio, "p": p, "degrees": degrees,
            "variance": variance, "spread": spread, "r2": r2, "rest": rest}  # fmt: skip


def regress(data: pd.DataFrame, target: str, columns: list[str]) -> pd.DataFrame:
    """The coefficients of a linear regression by least squares, and how much it explains.

    `standardized` is the change of the target in its standard deviations for one of the term's;
    `p_value` is of the hypothesis that a coefficient is 0.
    """
    explained, known = design(data, target, columns)
    known = pd.to_numeric(known).astype("float64")
    fit = least_squares(explained, known)
    rows, terms = len(known), explained.shape[1]
    found = pd.DataFrame({"term": ["intercept", *explained.columns], "coefficient": fit["solved"],
                          "std_error": fit["errors"], "t": fit["ratio"],
                          "p_value": fit["p"]})  # fmt: skip
    found["standardized"] = [np.nan, *(fit["solved"][1:] * explained.std() / known.std())]
    order = found["standardized"].abs().sort_values(ascending=False, na_position="last").index
    found = found.loc[order].reset_index(drop=True)
    found["r2"] = fit["r2"]
    found["adjusted_r2"] = 1 - (1 - fit["r2"]) * (rows - 1) / max(rows - terms - 1, 1)
    found["rmse"] = float(np.sqrt((fit["rest"] ** 2).mean()))
    found["rows"] = rows
    found["left_out"] = len(data) - rows
    say_twins(explained)
    say_giveaways(explained, known, target)
    if rows < 10 * terms:
        warn("small_sample", f"{rows} rows for {terms} terms are few: the coefficients are unsure.")
    draw_fit(explained, known, known - fit["rest"], target)
    return found


def draw_fit(explained: pd.DataFrame, known: pd.Series, fitted: pd.Series, target: str) -> None:
    """The line through the points of one column, or what was fitted beside what is known."""
    _, axes = plt.subplots(layout="constrained")
    if explained.shape[1] == 1:
        x = explained.iloc[:, 0]
        order = x.argsort()
        axes.scatter(x, known, s=14, alpha=0.6)
        axes.plot(x.iloc[order], fitted.iloc[order], color="black")
        axes.set(xlabel=explained.columns[0], ylabel=target)
    else:
        axes.scatter(known, fitted, s=14, alpha=0.6)
        ends = [known.min(), known.max()]
        axes.plot(ends, ends, color="black")
        axes.set(xlabel=f"{target} in the data", ylabel="by the model")
    axes.set_title(f"Regression of {target}")


def say_twins(explained: pd.DataFrame) -> None:
    """Which of the explaining columns say nearly the same."""
    matrix = explained.corr().abs().to_numpy().copy()
    np.fill_diagonal(matrix, 0)
    pairs = [
        (matrix[one, two], explained.columns[one], explained.columns[two])
        for one, two in zip(*np.where(np.triu(matrix) > 0.95), strict=True)
    ]
    doubled = explained.shape[1] - np.linalg.matrix_rank(explained - explained.mean())
    if pairs:
        named = "; ".join(f"{a} and {b} ({r:.3f})" for r, a, b in sorted(pairs, reverse=True)[:4])
        more = f" and {len(pairs) - 4} more pairs" if len(pairs) > 4 else ""
        warn("collinear", f"Nearly the same: {named}{more}. Their single coefficients and weights "
             "mean little.")  # fmt: skip
    elif doubled > 0:
        warn("collinear", "Some of the columns follow from the others exactly, so that their "
             "single coefficients mean little.")  # fmt: skip
    elif explained.shape[1] > 1 and (factors := inflation(explained)) and factors[0][0] > 10:
        named = ", ".join(f"{name} ({factor:.0f})" for factor, name in factors[:4] if factor > 10)
        warn("collinear", f"Largely explained by the other columns (variance inflation): {named}. "
             "Their single coefficients mean little.")  # fmt: skip


def inflation(explained: pd.DataFrame) -> list[tuple[float, str]]:
    """How much the variance of each coefficient grows by the other columns, largest first."""
    inverse = np.diag(np.linalg.pinv(explained.corr().to_numpy()))
    return sorted(zip(inverse.tolist(), explained.columns, strict=True), reverse=True)


def say_giveaways(explained: pd.DataFrame, known: pd.Series, target: str) -> None:
    """Which single column nearly determines the target: a copy, or known only afterwards."""
    if pd.api.types.is_numeric_dtype(known.dtype):
        close = explained.corrwith(known.astype("float64")).abs()
        near = {name: value for name, value in close.items() if value > 0.98}
    else:
        near = separating(explained, known)
    if near:
        named = ", ".join(f"{name} ({value:.3f})" for name, value in list(near.items())[:4])
        warn("leakage", f"{named} alone nearly determines {target}. If it is only known together "
             "with it, or is a copy of it, the model is worth nothing.")  # fmt: skip


def separating(explained: pd.DataFrame, known: pd.Series) -> dict[str, float]:
    """Columns whose values alone tell the classes apart, with the share that they get right."""
    from sklearn.tree import DecisionTreeClassifier

    found = {}
    classes = known.astype("str")
    for name in explained.columns:
        tree = DecisionTreeClassifier(max_leaf_nodes=4 * classes.nunique(), min_samples_leaf=3)
        share = tree.fit(explained[[name]], classes).score(explained[[name]], classes)
        if share > 0.99:
            found[name] = float(share)
    return found


def two_classes(known: pd.Series, target: str) -> tuple[np.ndarray[Any, Any], str]:
    """The target as 0 and 1, and which of its two values is 1: yes, or else the later one."""
    names = sorted(known.astype("str").unique())
    if len(names) != 2:
        raise ValueError(f"{target} has {len(names)} values here, and odds need two")
    yes = [name for name in names if name.casefold() in ("yes", "y", "true", "t", "1", "1.0")]
    one = (yes or names[-1:])[0]
    return (known.astype("str") == one).to_numpy(dtype="float64"), one


def likelihood(
    explained: pd.DataFrame, goal: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The coefficients of a logistic regression (the intercept first), and their covariance.

    Newton's steps over standardised columns; ValueError where the classes can be told apart
    completely, so that no coefficients are the likeliest.
    """
    middle, scale = explained.mean().to_numpy(), explained.std().to_numpy()
    x = np.column_stack([np.ones(len(goal)), (explained.to_numpy() - middle) / scale])
    solved = np.zeros(x.shape[1])
    for _ in range(60):
        chance = 1 / (1 + np.exp(-np.clip(x @ solved, -500, 500)))
        bend = x.T @ (x * (chance * (1 - chance))[:, None])
        step = np.linalg.pinv(bend) @ (x.T @ (goal - chance))
        solved = solved + step
        if np.abs(solved).max() > 200:
            break
        if np.abs(step).max() < 1e-9:
            back = np.eye(len(solved))
            back[1:, 1:] = np.diag(1 / scale)
            back[0, 1:] = -middle / scale
            return back @ solved, back @ np.linalg.pinv(bend) @ back.T
    raise ValueError("the columns tell the two classes apart completely, so that a logistic "
                     "regression has no likeliest coefficients")  # fmt: skip


def logistic(data: pd.DataFrame, target: str, columns: list[str]) -> pd.DataFrame:
    """A logistic regression without penalty: the change of the log odds for one more of a term.

    `positive` is the value whose odds it is about; `accuracy` and `auc` are on the same rows.
    """
    from scipy import stats
    from sklearn.metrics import roc_auc_score

    explained, known = design(data, target, columns)
    goal, positive = two_classes(known, target)
    solved, spread = likelihood(explained, goal)
    errors = np.sqrt(np.diag(spread))
    line = solved[0] + explained.to_numpy() @ solved[1:]
    found = pd.DataFrame({"term": ["intercept", *explained.columns], "coefficient": solved,
                          "odds_ratio": np.exp(np.clip(solved, -500, 500)), "std_error": errors,
                          "p_value": 2 * stats.norm.sf(np.abs(solved / errors))})  # fmt: skip
    found["positive"] = positive
    found["accuracy"] = float(((line > 0) == (goal == 1)).mean())
    found["auc"] = float(roc_auc_score(goal, line))
    found["rows"] = len(goal)
    found["left_out"] = len(data) - len(goal)
    order = np.argsort([np.inf, *-np.abs(solved[1:] * explained.std().to_numpy())], kind="stable")
    say_twins(explained)
    say_giveaways(explained, known.astype("str"), target)
    say_balance(known, target)
    return found.iloc[order].reset_index(drop=True)


def say_balance(known: pd.Series, target: str) -> None:
    """That one class is so frequent that guessing it is right most of the time."""
    shares = known.astype("str").value_counts(normalize=True)
    if shares.iloc[0] > 0.8 or shares.iloc[-1] < 0.05:
        text = (
            f"The classes of {target} are uneven: {100 * shares.iloc[0]:.0f} % are "
            f"{shares.index[0]}, so that accuracy alone says little."
        )
        warn("imbalance", text)


def predict(data: pd.DataFrame, target: str, at: dict[str, Any], classes: bool) -> pd.DataFrame:
    """What a linear (of two classes: logistic) regression on the given columns expects there.

    `lower` and `upper` enclose a single new value with 95 %.
    """
    from scipy import stats

    columns = list(at)
    explained, known = design(data, target, columns)
    point = pd.Series(0.0, index=explained.columns)
    numbers = plain_numbers(data, columns)
    for name, value in at.items():
        if name in numbers:
            point[name] = float(value)
            say_outside(name, float(value), numeric(data, [name])[name].dropna())
        elif f"{name}_{value}" in point.index:
            point[f"{name}_{value}"] = 1.0
    x = np.array([1.0, *point])
    if classes:
        goal, positive = two_classes(known, target)
        solved, _ = likelihood(explained, goal)
        chance = 1 / (1 + np.exp(-(x @ solved)))
        made = {"target": target, "positive": positive, "probability": chance}
        return pd.DataFrame([{**at, **made, "rows": len(goal)}])
    fit = least_squares(explained, pd.to_numeric(known))
    expected = x @ fit["solved"]
    reach = stats.t.ppf(0.975, fit["degrees"]) * np.sqrt(fit["variance"] + x @ fit["spread"] @ x)
    made = {"target": target, "predicted": expected, "lower": expected - reach,
            "upper": expected + reach, "r2": fit["r2"], "rows": len(known)}  # fmt: skip
    return pd.DataFrame([{**at, **made}])


def say_outside(name: str, value: float, seen: pd.Series) -> None:
    """That a prediction lies where no data is."""
    if value < seen.min() or value > seen.max():
        warn("extrapolation", f"{name} = {value:g} lies outside of the data, which goes from "
             f"{seen.min():g} to {seen.max():g}.")  # fmt: skip
