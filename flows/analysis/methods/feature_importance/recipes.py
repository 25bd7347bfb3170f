"""What the sandbox runs for what matters most for a column."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from flows.analysis.methods.predictive_model.recipes import check_size
from flows.analysis.methods.recipes import plain_numbers, say_left_out, warn
from flows.analysis.methods.regression.recipes import say_giveaways, say_twins


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
    numbers = plain_numbers(known, columns)
    for column in columns:
        if column not in numbers:
            values[column] = pd.factorize(values[column], sort=True)[0]
    values = values.astype("float64")
    goal = known[target].astype("str") if classes else pd.to_numeric(known[target])
    check_size(goal, classes, target)
    kind = RandomForestClassifier if classes else RandomForestRegressor
    split = train_test_split(values, goal, test_size=0.25, random_state=0)
    model = kind(n_estimators=100, random_state=0, n_jobs=1).fit(split[0], split[2])
    shuffled = permutation_importance(model, split[1], split[3], n_repeats=5, random_state=0)
    found = pd.DataFrame({"feature": columns, "importance": shuffled.importances_mean})
    found = found.sort_values("importance", ascending=False, kind="stable").reset_index(drop=True)
    found["score"] = model.score(split[1], split[3])
    found["rows"] = len(known)
    found["left_out"] = len(data) - len(known)
    say_twins(values[numbers])
    say_giveaways(values, goal, target)
    if found["score"].iloc[0] < (0.1 if not classes else goal.value_counts(normalize=True).iloc[0]):
        warn("weak_model", f"The model explains next to nothing of {target}, so that its order of "
             "columns means little.")  # fmt: skip
    draw_importance(found, target)
    return found


def draw_importance(found: pd.DataFrame, target: str) -> None:
    """The columns as bars, the most important on top."""
    _, axes = plt.subplots(layout="constrained")
    shown = found.head(30).iloc[::-1]
    axes.barh(shown["feature"], shown["importance"])
    axes.set(xlabel="importance", title=f"What explains {target}")
