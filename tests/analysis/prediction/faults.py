"""A sound state of the tables at the end of each phase, and faults that are planted in it."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from flows.analysis.prediction import checks
from flows.analysis.prediction.plan import PlanStep, UnitTestResult
from flows.analysis.prediction.task import PredictionTask, SubmissionFormat
from flows.analysis.prediction.work import PhaseWork, Reviewing, StepOutcome
from flows.core.observation import Preview
from flows.tools.functions.shipped import shipped_checks

State = dict[str, Any]


def sound(kind: str = "binary", rows: int = 240) -> State:
    """Tables with an identifier, numbers, a category and a target, as cleaning leaves them."""
    random = np.random.default_rng(5)
    table = pd.DataFrame(random.normal(size=(rows, 3)).round(6), columns=["size", "age", "depth"])
    table.insert(0, "row", np.arange(rows) + 100)
    table["town"] = random.choice(["Ulm", "Bonn", "Kiel"], rows)
    table["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(rows), "D")
    told = table["size"] + random.normal(0, 0.7, rows)
    table["sold"] = told.round(3) if kind == "regression" else np.where(told > 0, "yes", "no")
    cut = rows * 3 // 4
    train = table[:cut].reset_index(drop=True)
    test = table[cut:].drop(columns="sold").reset_index(drop=True)
    metric = "rmse" if kind == "regression" else "auc"
    handed = SubmissionFormat(
        columns=("row", "sold"), identifier="row", predictions={"sold": "sold"},
        values="number" if kind == "regression" else "probability", rows=len(test),
    )  # fmt: skip
    task = PredictionTask(
        targets=("sold",), identifier="row", time="day", submission=handed,
        kind="regression" if kind == "regression" else "binary",
        metric=metric, greater_is_better=kind != "regression",
    )  # fmt: skip
    share = random.random(len(test)) * (1 if kind == "binary" else 2)
    state = {name: train.copy() for name in ("train", "raw_train", "before_train")}
    state |= {name: test.copy() for name in ("test", "raw_test", "before_test")}
    scores = pd.DataFrame(
        {
            "target": "sold", "model": ["baseline", "linear"], "score": [0.5, 0.8],
            "chosen": [False, True],
        }
    )  # fmt: skip
    if kind == "regression":
        scores["score"] = [1.0, 0.7]
    return state | {
        "sample": test[["row"]].assign(sold=0.5),
        "folds": pd.DataFrame({"fold": np.arange(cut) * 4 // cut - 1}),
        "scores": scores,
        "oof": pd.DataFrame({"linear": random.random(cut)}),
        "submission": test[["row"]].assign(sold=share),
        "task": task,
        "rules": {},
        "figures": 3,
    }


def run_checks(phase: str, state: State) -> tuple[UnitTestResult, ...]:
    """All unit tests of the phase over the state, as the pipeline runs them."""
    found = []
    for tool in shipped_checks():
        if phase not in tool.phases:
            continue
        function = getattr(importlib.import_module(f"{checks.__name__}.{tool.name}"), tool.name)
        given = {**state, "task": state["task"].model_dump(mode="json")}
        wanted = inspect.signature(function).parameters
        needed = [each.name for each in tool.parameters if each.frame and each.required]
        if any(given.get(name) is None for name in needed):
            continue
        told = function(**{name: given[name] for name in wanted if name in given}) or {}
        found.append(
            UnitTestResult(
                name=tool.name, passed=not told, message=told.get("message", ""),
                advice=told.get("advice", ""), level=told.get("level", "error"),
                culprits=tuple(map(str, told.get("culprits", ()))),
            )
        )  # fmt: skip
    return tuple(found)


def reviewing(phase: str, results: tuple[UnitTestResult, ...], state: State) -> Reviewing:
    """What the reviewer is given of a phase whose code ran and whose unit tests came to this."""
    step = PlanStep(purpose="Do what the phase is for", tool="some_tool")
    preview = Preview(columns=("a",), types=("integer",), rows=((1,),), total_rows=1)
    made = dict.fromkeys(("train", "test", "scores", "submission"), preview)
    outcome = StepOutcome(step=step, made=made)
    agents = ("planner", "developer")
    return Reviewing(
        phase=phase,
        agents=("toolsmith", *agents) if phase == "feature_engineering" else agents,
        task=state["task"],
        steps=(step,),
        plan="1. Do what the phase is for",
        work=PhaseWork(outcomes=(outcome,), ran=True, checks=results),
    )


Plant = Callable[[State], None]


def _set(name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Plant:
    def plant(state: State) -> None:
        state[name] = change(state[name].copy()).reset_index(drop=True)

    return plant


def _with(name: str, row: int, column: str, value: Any) -> Plant:
    def change(table: pd.DataFrame) -> pd.DataFrame:
        table.loc[row, column] = value
        return table

    return _set(name, change)


def _all(*plants: Plant) -> Plant:
    def plant(state: State) -> None:
        for each in plants:
            each(state)

    return plant


def _in_both(change: Callable[[pd.DataFrame], pd.DataFrame]) -> Plant:
    return _all(_set("train", change), _set("test", change))


def _truth(table: pd.DataFrame) -> pd.Series:
    return (table["sold"] == "yes").astype(float)


def _noisy(table: pd.DataFrame) -> pd.Series:
    """Nearly the target: another value in one row of a hundred."""
    truth = _truth(table)
    truth[:: max(1, len(truth) // 2)] = 0.0
    return truth


def _as_codes(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(size=table["size"].astype(str))


def _later(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(paid=table["day"] + pd.Timedelta(30, "D"))


def _twice(table: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([table, table[:1]])


def _put_in(state: State) -> None:
    """Rows of test among those of train, with a target that somebody knew."""
    rows = state["test"][:30].assign(sold="yes")
    state["train"] = pd.concat([state["train"], rows], ignore_index=True)


def _no_submission(state: State) -> None:
    state["submission"] = None


def _of_classes(state: State) -> None:
    """Labels are asked for, and one of them is of no class."""
    handed = state["task"].submission.model_copy(update={"values": "label"})
    update = {"metric": "accuracy", "submission": handed}
    state["task"] = state["task"].model_copy(update=update)
    state["submission"] = state["submission"].assign(sold="yes")
    state["submission"].loc[3, "sold"] = "perhaps"


CLEANING, FEATURES, MODELS = "data_cleaning", "feature_engineering", "model_building"
# What is planted, in which phase, and the unit test that finds it.
FAULTS: dict[str, tuple[str, str, Plant]] = {
    "lost row": (CLEANING, "rows_kept", _set("train", lambda t: t.drop(index=4))),
    "lost row of test": (CLEANING, "rows_kept", _set("test", lambda t: t[1:])),
    "doubled row": (CLEANING, "rows_kept", _set("train", _twice)),
    "changed identifier": (CLEANING, "identifier_kept", _with("train", 5, "row", 7)),
    "identifier twice": (CLEANING, "identifier_kept", _with("test", 5, "row", 281)),
    "no identifier": (FEATURES, "identifier_kept",
                      _in_both(lambda t: t.drop(columns="row"))),
    "test in another order": (FEATURES, "identifier_kept", _set("test", lambda t: t[::-1])),
    "no target": (FEATURES, "target_kept", _set("train", lambda t: t.drop(columns="sold"))),
    "changed target": (CLEANING, "target_kept", _set(
        "train", lambda t: t.assign(sold=["yes", *t["sold"][1:]] if t["sold"][0] == "no"
                                    else ["no", *t["sold"][1:]]))),
    "emptied target": (CLEANING, "target_kept", _with("train", 5, "sold", None)),
    "target in test": (FEATURES, "target_kept", _set("test", lambda t: t.assign(sold="no"))),
    "missing left": (CLEANING, "no_missing_values_left", _with("train", 5, "age", np.nan)),
    "infinite left": (CLEANING, "no_missing_values_left", _with("test", 5, "age", np.inf)),
    "column only in train": (FEATURES, "same_columns",
                             _set("train", lambda t: t.assign(more=t["size"] * t["age"]))),
    "column only in test": (CLEANING, "same_columns",
                            _set("test", lambda t: t.assign(more=t["size"] * t["age"]))),
    "another kind in test": (CLEANING, "same_columns", _set("test", _as_codes)),
    "constant feature": (FEATURES, "no_constant_features", _in_both(lambda t: t.assign(same=1))),
    "duplicate feature": (FEATURES, "no_duplicate_features",
                          _in_both(lambda t: t.assign(again=t["size"]))),
    "explosion": (FEATURES, "no_feature_explosion", _in_both(lambda t: t.assign(
        **{f"f{at}": t["size"] * at + t["age"] ** at for at in range(2, 60)}))),
    "leak by copy": (FEATURES, "no_leakage", _all(
        _set("train", lambda t: t.assign(told=_truth(t))),
        _set("test", lambda t: t.assign(told=0.5 + t["size"] * 0)))),
    "leak by name": (CLEANING, "no_leakage", _all(
        _set("train", lambda t: t.assign(sold_last=_noisy(t))),
        _set("test", lambda t: t.assign(sold_last=(t["size"] > 0) * 1.0)))),
    "leak by time": (CLEANING, "no_leakage", _all(
        _set("train", _later), _set("test", lambda t: t.assign(paid=pd.NaT)))),
    "leak by rows of test": (FEATURES, "no_leakage", _put_in),
    "leak by folds": (MODELS, "validation_made", _set("folds", lambda t: t.sample(
        frac=1, random_state=1))),
    "no figure": ("in_depth_eda", "figures_made", lambda state: state.update(figures=0)),
    "no validation": (MODELS, "validation_made", lambda state: state.update(folds=None)),
    "no score": (MODELS, "validation_made", _with("scores", 1, "score", np.nan)),
    "no submission": (MODELS, "submission_columns", _no_submission),
    "another column": (MODELS, "submission_columns",
                       _set("submission", lambda t: t.rename(columns={"sold": "told"}))),
    "columns in another order": (MODELS, "submission_columns",
                                 _set("submission", lambda t: t[["sold", "row"]])),
    "strange identifiers": (MODELS, "submission_identifiers",
                            _with("submission", 3, "row", 1)),
    "another order": (MODELS, "submission_order", _set("submission", lambda t: t[::-1])),
    "a row too few": (MODELS, "submission_rows", _set("submission", lambda t: t[:-1])),
    "a row too many": (MODELS, "submission_rows", _set("submission", _twice)),
    "a missing value": (MODELS, "submission_values", _with("submission", 3, "sold", np.nan)),
    "out of range": (MODELS, "submission_values", _with("submission", 3, "sold", 1.5)),
    "an unknown class": (MODELS, "submission_values", _of_classes),
}  # fmt: skip
