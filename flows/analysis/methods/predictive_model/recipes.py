"""What the sandbox runs for models that are tested on rows that they have not seen."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from flows.analysis.methods.regression.recipes import design, say_balance, say_giveaways, say_twins

# The measures of which less is better, which scikit-learn gives with a minus.
ERRORS = ("MAE", "MSE", "RMSE")


def check_size(goal: pd.Series, classes: bool, target: str) -> None:
    """Raise ValueError where there is too little to learn from and to judge by."""
    if len(goal) < 20:
        raise ValueError(f"{len(goal)} whole rows are too few rows for a model that is tested on "
                         "rows it has not seen: it needs 20")  # fmt: skip
    counts = goal.value_counts()
    if classes and (len(counts) < 2 or counts.iloc[-1] < 5):
        raise ValueError(f"each value of {target} needs 5 rows for a model to learn it")


def learn(
    data: pd.DataFrame,
    target: str,
    columns: list[str],
    classes: bool,
    only: str,
    test: float,
    seed: int,
) -> pd.DataFrame:
    """The better of a linear model and a random forest (or `only` one of them), and how good it is.

    The part `test` of the rows is held out; the model is chosen by cross-validation (5 parts) over
    the others. `baseline` is what guessing the mean, or the most frequent class, comes to.
    """
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.model_selection import cross_validate, train_test_split

    explained, known = design(data, target, columns)
    goal = known.astype("str") if classes else pd.to_numeric(known).astype("float64")
    check_size(goal, classes, target)
    split = train_test_split(explained, goal, test_size=test, random_state=seed,
                             stratify=goal if classes else None)  # fmt: skip
    scores = metrics(classes, goal.nunique())
    tried = {
        name: cross_validate(model, split[0], split[2], cv=folds(classes), scoring=scores)
        for name, model in candidates(classes).items()
        if only in ("", name)
    }
    first = next(iter(scores))
    best = max(tried, key=lambda name: tried[name][f"test_{first}"].mean())
    model = candidates(classes)[best].fit(split[0], split[2])
    dummy = (DummyClassifier(strategy="prior") if classes else DummyRegressor()).fit(
        split[0], split[2]
    )
    held, guessed = judged(model, split, scores), judged(dummy, split, scores)
    rows = []
    for name in scores:
        mean = tried[best][f"test_{name}"].mean()
        rows.append({"metric": name, "held_out": held[name], "cross_validated": abs(mean)
                     if name in ERRORS else mean, "baseline": guessed[name],
                     "model": best, "learned_rows": len(split[0]), "held_out_rows": len(split[1]),
                     "columns": explained.shape[1]})  # fmt: skip
    say_twins(explained)
    say_giveaways(explained, goal, target)
    if classes:
        say_balance(goal, target)
    draw_judged(model, split, classes, target)
    return pd.DataFrame(rows)


def candidates(classes: bool) -> dict[str, Any]:
    """The models that are tried."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if classes:
        line = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
        forest = RandomForestClassifier(n_estimators=60, random_state=0, n_jobs=1)
        return {"logistic regression": line, "random forest": forest}
    line = make_pipeline(StandardScaler(), LinearRegression())
    forest = RandomForestRegressor(n_estimators=60, random_state=0, n_jobs=1)
    return {"linear regression": line, "random forest": forest}


def folds(classes: bool) -> Any:
    """Five parts, mixed the same way each time."""
    from sklearn.model_selection import KFold, StratifiedKFold

    kind = StratifiedKFold if classes else KFold
    return kind(5, shuffle=True, random_state=0)


def metrics(classes: bool, values: int) -> dict[str, str]:
    """What is measured, by scikit-learn's names, the one that chooses first."""
    if not classes:
        return {"R2": "r2", "MAE": "neg_mean_absolute_error",
                "MSE": "neg_mean_squared_error", "RMSE": "neg_root_mean_squared_error"}  # fmt: skip
    return {"accuracy": "accuracy", "F1": "f1_macro",
            "AUC": "roc_auc" if values == 2 else "roc_auc_ovr"}  # fmt: skip


def judged(model: Any, split: list[Any], scores: dict[str, str]) -> dict[str, float]:
    """The measures of a fitted model on the rows that were held out."""
    from sklearn.metrics import get_scorer

    found = {name: get_scorer(score)(model, split[1], split[3]) for name, score in scores.items()}
    return {name: abs(v) if name in ERRORS else v for name, v in found.items()}


def draw_judged(model: Any, split: list[Any], classes: bool, target: str) -> None:
    """What was predicted beside what is known, of the rows that were held out."""
    predicted = model.predict(split[1])
    _, axes = plt.subplots(layout="constrained")
    if classes:
        counts = pd.crosstab(split[3], predicted)
        axes.imshow(counts, cmap="Blues")
        axes.set_xticks(range(counts.shape[1]), counts.columns, rotation=45, ha="right")
        axes.set_yticks(range(counts.shape[0]), counts.index)
        for row, column in np.ndindex(counts.shape):
            axes.text(column, row, str(counts.iloc[row, column]), ha="center", va="center")
    else:
        axes.scatter(split[3], predicted, s=14, alpha=0.6)
        ends = [split[3].min(), split[3].max()]
        axes.plot(ends, ends, color="black")
    axes.set(xlabel="predicted" if classes else "in the data",
             ylabel="in the data" if classes else "predicted",
             title=f"{target} of rows that were held out")  # fmt: skip
