"""What the sandbox runs to predict rows that lack a target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from flows.analysis.methods.recipes import plain_numbers, warn
from flows.analysis.methods.regression.recipes import say_balance, say_giveaways
from flows.analysis.prediction.components.decide import decide
from flows.analysis.prediction.components.encode_target import encode_target
from flows.analysis.prediction.components.read_outputs import read_outputs
from flows.analysis.prediction.components.score_outputs import score_outputs
from flows.analysis.prediction.tools.blend_models import blend_models
from flows.analysis.prediction.tools.fit_model import fit_model
from flows.analysis.prediction.tools.fit_yardsticks import fit_yardsticks
from flows.analysis.prediction.tools.make_folds import make_folds
from flows.analysis.prediction.tools.make_submission import make_submission

# How many settings of each kind of model are tried: of at most so many rows, and of more.
TRIED: dict[str, tuple[int, int]] = {"linear": (4, 1), "boosting": (2, 1), "extra_trees": (1, 0)}
SMALL, LEARNED_BY = 1_000, 10_000
# What makes them quick: fewer trees, and larger steps of boosting.
QUICK: dict[str, dict[str, float]] = {
    "boosting": {"learning_rate": 0.1}, "extra_trees": {"trees": 120},
}  # fmt: skip
# The search of each kind of model ends early after so many seconds, which is only a guard.
SECONDS = 20.0
JUDGED: dict[str, dict[str, str]] = {
    "regression": {"RMSE": "rmse", "MAE": "mae", "R2": "r2"},
    "binary": {"accuracy": "accuracy", "F1": "f1_macro", "AUC": "auc"},
    "multiclass": {"accuracy": "accuracy", "F1": "f1_macro", "AUC": "auc_macro"},
}


def predict_rows(
    data: pd.DataFrame,
    other: pd.DataFrame | None,
    target: str,
    columns: list[str],
    identifier: str,
    time: str,
    classes: bool,
    file: str,
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The target for the rows of `other`, or for those of `data` that lack it, how good the model
    is beside its yardsticks, and what it says of rows that it did not learn from.

    The first has a row for each that is predicted, in their order. `validated` is the metric out of
    fold; `baseline` that of one answer for all rows. Of two or more classes `probability` is that
    of the class which is said. With a `file` the first two are written to it as well.
    """
    known = data[data[target].notna()]
    rows = data[data[target].isna()] if other is None else other
    learned = prediction_rows(known, target, columns, classes)
    if rows.empty:
        raise ValueError(f"there is no row to predict {target} for")
    named = rows[identifier] if identifier else pd.Series(np.arange(1, len(rows) + 1))
    wanted = rows[columns].reset_index(drop=True)
    kind = (
        "regression" if not classes else "binary" if known[target].nunique() == 2 else "multiclass"
    )
    task: Mapping[str, Any] = {
        "targets": [target], "kind": kind, "identifier": None, "time": time or None,
        "metric": "accuracy" if classes else "rmse", "greater_is_better": classes,
    }  # fmt: skip
    folds, oof, told, scores = searched(learned, wanted, task, seed)
    truth, labels, form = encode_target(learned[target], kind=kind, metric=task["metric"])
    given: Mapping[str, Any] = {
        "target": target,
        "targets": [target],
        "classes": labels,
        "form": form,
    }
    best = str(scores["model"][scores["chosen"]].iloc[0])
    own = read_outputs(oof, best, **given)
    measured = validated(truth, oof, folds, best, task, given)
    measured["target"], measured["rows"] = target, len(learned)
    measured["learned_rows"] = int((folds["fold"] > -2).sum())
    handed = make_submission(learned, told, scores, task=task)
    handed.insert(0, identifier or "row", named.to_numpy(), allow_duplicates=True)
    result = handed.set_axis([identifier or "row", f"predicted_{target}"], axis=1)
    if form == "classes":
        result["probability"] = read_outputs(told, best, **given).max(axis=1)
    first = measured.iloc[0]
    for name, column in (("metric", "metric"), ("validated", "cross_validated"),
                         ("baseline", "baseline"), ("untuned_boosting", "untuned_boosting"),
                         ("learner", "model"), ("learned_rows", "learned_rows")):  # fmt: skip
        result[name] = first[column]
    if file:
        handed.to_csv(file, index=False)
    say_doubts(learned, target, classes, first)
    return result, measured, out_of_fold(learned[target], own, folds, labels, form)


def prediction_rows(
    known: pd.DataFrame, target: str, columns: list[str], classes: bool
) -> pd.DataFrame:
    """The rows to learn from. Raises ValueError where they are too few, or all the same."""
    if len(known) < 20:
        raise ValueError(f"{len(known)} rows have {target}: too few to learn from, it needs 20")
    if known[target].nunique() < 2:
        raise ValueError(f"{target} has one value only: there is nothing to learn")
    learned = known[[*columns, target]].reset_index(drop=True)
    if not classes:
        learned[target] = pd.to_numeric(learned[target]).astype("float64")
    return learned


def searched(
    learned: pd.DataFrame, wanted: pd.DataFrame, task: Mapping[str, Any], seed: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """The folds, predictions out of fold and of the rows that are wanted, and the scores: of the
    yardsticks, of a few models, and of their blend where it is better."""
    folds, validation = make_folds(learned, wanted, task=task, most_rows=LEARNED_BY, seed=seed)
    oof, told, scores = fit_yardsticks(learned, folds, wanted, validation=validation, task=task)
    tried = {name: each[len(learned) > SMALL] for name, each in TRIED.items()}
    for model in filter(tried.get, tried):
        try:
            oof, told, scores = fit_model(
                learned, folds, oof, scores, wanted, told, validation, task=task, model=model,
                trials=tried[model], seconds=SECONDS, most_rows=LEARNED_BY, seed=seed,
                parameters=QUICK.get(model, {}),
            )  # fmt: skip
        except ValueError as fault:
            warn("not_tried", f"The model {model.replace('_', ' ')} was left out: {fault}.")
    oof, told, scores = blend_models(learned, folds, oof, scores, told, task=task)
    return folds, oof, told, scores


def validated(
    truth: Any, oof: pd.DataFrame, folds: pd.DataFrame, best: str, task: Mapping[str, Any],
    given: Mapping[str, Any],
) -> pd.DataFrame:  # fmt: skip
    """Each measure of the model out of fold, that which chose it first, beside the yardsticks."""
    rows = []
    for name, metric in JUDGED[task["kind"]].items():
        found = {
            model: score_outputs(
                truth, read_outputs(oof, model, **given), folds["fold"],
                task={**task, "metric": metric}, classes=given["classes"], form=given["form"],
                decided=False,
            )[0]
            for model in (best, "baseline", "hist_gradient_boosting")
        }  # fmt: skip
        rows.append({"metric": name, "cross_validated": found[best], "baseline": found["baseline"],
                     "untuned_boosting": found["hist_gradient_boosting"],
                     "model": best.replace("_", " ")})  # fmt: skip
    return pd.DataFrame(rows)


def out_of_fold(
    known: pd.Series, own: Any, folds: pd.DataFrame, labels: list[str], form: str
) -> pd.DataFrame:
    """What the model says of rows that it did not learn from, beside what is known."""
    rows = np.flatnonzero((folds["fold"].to_numpy() >= 0) & np.isfinite(own).all(axis=1))
    said = own[rows, 0]
    if form == "classes":
        said = np.asarray(labels, dtype=object)[decide(own[rows], decision=None, form=form)]
    return pd.DataFrame({"row": rows, "actual": known.iloc[rows].to_numpy(), "predicted": said})


def say_doubts(learned: pd.DataFrame, target: str, classes: bool, first: pd.Series) -> None:
    """What a reader of the predictions has to know."""
    gain = float(first["cross_validated"]) - float(first["baseline"])
    if gain <= 0 if classes else gain >= 0:
        warn("weak_model", f"By validation the model is no better than one answer for all rows: "
             f"the columns tell nothing of {target}.")  # fmt: skip
    goal = learned[target].astype("str") if classes else learned[target]
    explained = learned[plain_numbers(learned, [c for c in learned if c != target])]
    explained = explained.astype("float64").replace([np.inf, -np.inf], np.nan)
    explained = explained.fillna(explained.median()).fillna(0.0)
    if explained.shape[1]:
        say_giveaways(explained.loc[:, explained.nunique() > 1], goal, target)
    if classes:
        say_balance(goal, target)
