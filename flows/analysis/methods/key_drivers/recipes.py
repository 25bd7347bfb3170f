"""What the sandbox runs for what drives a column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from flows.analysis.methods.breakdown.recipes import PART
from flows.analysis.methods.correlation.recipes import adjusted
from flows.analysis.methods.predictive_model.recipes import (
    ERRORS,
    check_size,
    folds,
    judged,
    metrics,
)
from flows.analysis.methods.recipes import FEW, plain_numbers, say_left_out, warn
from flows.analysis.methods.regression.recipes import least_squares, say_balance, say_giveaways

# More rows than the first are sampled; above the second trees are boosted and no forest grown;
# of the rows that are held out, the third are enough to weigh columns by.
LEARNED, FOREST, WEIGHED = 50_000, 1_000, 4_000


# Columns that go together more closely than the first say the same; what goes with the target more
# closely than the second is the target itself; a model has to be better by the third to be chosen
# before a simpler one. More missing values than the fourth leave a column out.
SAME, ITSELF, BETTER, MISSING = 0.99, 0.999, 0.01, 0.3


def drivers(
    data: pd.DataFrame, target: str, columns: list[str], classes: bool, only: str, kin: list[str]
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, Any]:
    """What counts for the target, how good the model is, its predictions, and the model.

    The first has a row for each column, the most important first: `importance` is by how much the
    score (R², or the share that is right) falls on rows that were not learned from when the column
    is shuffled, `effect` by how much the target changes with one standard deviation of the column.
    """
    from sklearn.model_selection import train_test_split

    known = whole_rows(data, target, columns)
    goal = known[target].astype("str") if classes else pd.to_numeric(known[target]).astype("float")
    check_size(goal, classes, target)
    features = without_twins(terms(known, target), goal, target, kin)
    split = train_test_split(features, goal, test_size=0.25, random_state=0,
                             stratify=goal if classes else None)  # fmt: skip
    scores = metrics(classes, goal.nunique())
    name, model, crossed = chosen(split, classes, scores, only)
    measured = measures(model, split, classes, scores, crossed)
    found = weights(model, split, classes, features, goal)
    measured = measured.assign(model=name, target=target, rows=len(known),
                               learned_rows=len(split[0]), held_out_rows=len(split[1]))  # fmt: skip
    predicted = pd.DataFrame({"row": split[3].index, "actual": split[3].to_numpy(),
                              "predicted": model.predict(split[1])})  # fmt: skip
    say_limits(found, measured, features, goal, target, classes)
    return found, measured, predicted, model


def whole_rows(data: pd.DataFrame, target: str, columns: list[str]) -> pd.DataFrame:
    """The rows to learn from: none with a missing value, of very many a sample."""
    missing = data[columns].isna().mean()
    sparse = [each for each in columns if missing[each] > MISSING]
    if sparse:
        warn("missing_left_out", f"{', '.join(sparse[:6])}: left out, since more than "
             f"{100 * MISSING:.0f} % of the values are missing.")  # fmt: skip
    used = [each for each in columns if each not in sparse]
    known = data[[target, *used]].replace([np.inf, -np.inf], np.nan).dropna()
    say_left_out(len(data), len(known))
    if len(known) > LEARNED:
        warn("sampled", f"The model learned from a random sample of {LEARNED:,} of "
             f"{len(known):,} rows.")  # fmt: skip
        known = known.sample(LEARNED, random_state=0).sort_index()
    return known


def terms(known: pd.DataFrame, target: str) -> pd.DataFrame:
    """What explains, as numbers: categories become one column for each value but the first, and
    what does not vary is left out."""
    columns = [each for each in known.columns if each != target]
    plain = plain_numbers(known, columns)
    explained = known[plain].astype("float64")
    others = [each for each in columns if each not in plain]
    if others:
        texts = known[others].astype("str")
        dummies = pd.get_dummies(texts, drop_first=True, dtype="float64", prefix_sep=" = ")
        explained = pd.concat([explained, dummies], axis=1)
    varies = explained.loc[:, explained.nunique() > 1]
    constant = [each for each in columns if each in plain and each not in varies.columns]
    if constant:
        warn("constant", f"{', '.join(constant[:6])}: left out, since there is one value only.")
    if varies.shape[1] == 0:
        raise ValueError(f"no column is left that could explain {target}")
    return varies


def without_twins(
    features: pd.DataFrame, goal: pd.Series, target: str, kin: list[str]
) -> pd.DataFrame:
    """The columns without those that say what another says, or what the target says."""
    left_out: dict[str, str] = {}
    if pd.api.types.is_numeric_dtype(goal.dtype):
        close = features.corrwith(goal).abs()
        itself = [each for each in features.columns if close[each] > ITSELF]
        if itself:
            warn("leakage", f"{', '.join(itself[:6])}: left out as a copy of {target}: it "
                 "says the same.")  # fmt: skip
            features = features.drop(columns=itself)
        made_of = [each for each in kin if each in features and close[each] >= PART]
        if made_of:
            warn("leakage", f"{', '.join(made_of[:6])}: left out, since it is a part of {target}, "
                 "follows from it or is another measure of it.")  # fmt: skip
            features = features.drop(columns=made_of)
    if features.shape[1] == 0:
        raise ValueError(f"no column is left that could explain {target}")
    matrix = features.corr().abs().to_numpy()
    # Of two that say the same the one with the shorter name stays: the other is made from it.
    order = sorted(range(features.shape[1]), key=lambda at: (len(features.columns[at]), at))
    kept: list[int] = []
    for at in order:
        twin = next((each for each in kept if matrix[at, each] > SAME), None)
        if twin is None:
            kept.append(at)
        else:
            left_out[features.columns[at]] = features.columns[twin]
    if left_out:
        pairs = [f"{one} (as {other})" for one, other in sorted(left_out.items())]
        more = f" and {len(pairs) - 8} more" if len(pairs) > 8 else ""
        warn("twins", f"Columns that say the same as another were left out: "
             f"{', '.join(pairs[:8])}{more}. What is said of the one holds for both.")  # fmt: skip
    return features.iloc[:, sorted(kept)]


def models(classes: bool, rows: int) -> dict[str, Any]:
    """The models that are tried, the simplest first."""
    from sklearn.ensemble import (
        HistGradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    line: Any = LogisticRegression(max_iter=1000) if classes else LinearRegression()
    name = "logistic regression" if classes else "linear regression"
    forest: Any = RandomForestClassifier if classes else RandomForestRegressor
    boosted: Any = HistGradientBoostingClassifier if classes else HistGradientBoostingRegressor
    trees = (
        {"random forest": forest(n_estimators=50, random_state=0, n_jobs=1)}
        if rows <= FOREST
        else {"gradient boosting": boosted(max_iter=60, early_stopping=False, random_state=0)}
    )
    return {name: make_pipeline(StandardScaler(), line), **trees}


def chosen(
    split: list[Any], classes: bool, scores: dict[str, str], only: str
) -> tuple[str, Any, dict[str, float]]:
    """The model that is best in cross-validation, learned from all rows but those held out, and
    its measures there; a simpler one where the other is hardly better."""
    from sklearn.model_selection import cross_validate

    known = models(classes, len(split[0]))
    tried = {name: each for name, each in known.items() if only in ("", name)} or known
    first, parts = next(iter(scores)), folds(classes)
    if len(split[0]) > FOREST:
        parts.n_splits = 3
    means: dict[str, dict[str, float]] = {}
    for name, model in tried.items():
        run = cross_validate(model, split[0], split[2], cv=parts, scoring=scores)
        means[name] = {each: float(run[f"test_{each}"].mean()) for each in scores}
    best = next(iter(tried))
    for name in tried:
        if means[name][first] > means[best][first] + BETTER:
            best = name
    return best, tried[best].fit(split[0], split[2]), means[best]


def measures(
    model: Any, split: list[Any], classes: bool, scores: dict[str, str], crossed: dict[str, float]
) -> pd.DataFrame:
    """Each measure on the rows that were held out, in cross-validation, and of a guess: the mean,
    or the most frequent class."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    dummy: Any = DummyClassifier(strategy="prior") if classes else DummyRegressor()
    held = judged(model, split, scores)
    guessed = judged(dummy.fit(split[0], split[2]), split, scores)
    return pd.DataFrame(
        {"metric": name, "held_out": held[name], "baseline": guessed[name],
         "cross_validated": abs(crossed[name]) if name in ERRORS else crossed[name]}
        for name in scores
    )  # fmt: skip


def weights(
    model: Any, split: list[Any], classes: bool, features: pd.DataFrame, goal: pd.Series
) -> pd.DataFrame:
    """Each column with its importance and its effect, the most important first.

    `p_value` is of the hypothesis that a linear regression on all columns does without this one,
    corrected for as many hypotheses as there are columns (Benjamini and Hochberg).
    """
    from sklearn.inspection import permutation_importance

    seen, known = split[1].iloc[:WEIGHED], split[3].iloc[:WEIGHED]
    shuffled = permutation_importance(model, seen, known, n_repeats=5, random_state=0)
    found = pd.DataFrame({"feature": features.columns, "importance": shuffled.importances_mean})
    found["effect"] = [effect(model, seen, name, features[name], classes) for name in features]
    if classes:
        found["correlation"] = np.nan
    else:
        found["correlation"] = features.corrwith(goal).to_numpy()
        found["p_value"] = adjusted(pd.Series(least_squares(features, goal)["p"][1:])).to_numpy()
    return found.sort_values("importance", ascending=False, kind="stable").reset_index(drop=True)


def effect(model: Any, seen: pd.DataFrame, name: str, values: pd.Series, classes: bool) -> float:
    """By how much the model's target changes on average with one standard deviation of a column,
    half below and half above, or with a value of a category against the category's first one; of
    two classes the probability of the later one."""
    if classes and len(model.classes_) != 2:
        return np.nan
    half = float(values.std()) / 2
    ends = (1.0, 0.0) if " = " in name else (seen[name] + half, seen[name] - half)
    told = [
        model.predict_proba(moved)[:, 1] if classes else model.predict(moved)
        for moved in (seen.assign(**{name: each}) for each in ends)
    ]
    return float(np.mean(told[0]) - np.mean(told[1]))


def say_limits(
    found: pd.DataFrame, measured: pd.DataFrame, features: pd.DataFrame, goal: pd.Series,
    target: str, classes: bool,
) -> None:  # fmt: skip
    """What a reader of the model has to know."""
    rows, first = len(goal), measured.iloc[0]
    if rows < max(FEW, 10 * features.shape[1]):
        warn("small_sample", f"{rows} rows are few for {features.shape[1]} columns: the order of "
             "the columns is unsure.")  # fmt: skip
    if first["held_out"] < first["baseline"] + 0.1:
        warn("weak_model", f"The model explains next to nothing of {target}, so that its order of "
             "columns means little.")  # fmt: skip
    nothing = [name for name, value in zip(found["feature"], found["importance"], strict=True)
               if value <= 0.002]  # fmt: skip
    if nothing and len(nothing) < len(found):
        warn("no_influence", f"{', '.join(nothing[:8])}: next to no influence in the model.")
    say_giveaways(features, goal, target)
    if classes:
        say_balance(goal, target)
    warn("not_cause", f"Importance says what goes along with {target} in this data, and not what "
         "causes it: a change has to be tried before it is relied on.")  # fmt: skip
    warn("extrapolation", "The model holds for values as they are in this data, and says nothing "
         "beyond them.")  # fmt: skip
