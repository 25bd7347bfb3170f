"""The tools of the model phase together: what they make of tables that are not easy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from flows.analysis.prediction.components.measure import measure
from flows.analysis.prediction.tools.blend_models import blend_models
from flows.analysis.prediction.tools.choose_threshold import choose_threshold
from flows.analysis.prediction.tools.fit_model import fit_model
from flows.analysis.prediction.tools.fit_yardsticks import fit_yardsticks
from flows.analysis.prediction.tools.make_folds import make_folds
from flows.analysis.prediction.tools.make_submission import make_submission

ROWS = 300

pytestmark = pytest.mark.long("models are learned")


def task(kind: str, metric: str, **more: Any) -> dict[str, Any]:
    greater = metric not in ("rmse", "rmsle", "mae", "log_loss")
    return {
        "targets": ["y"],
        "kind": kind,
        "metric": metric,
        "greater_is_better": greater,
        "identifier": "id",
        **more,
    }


def hard_table(seed: int = 0, rows: int = ROWS) -> pd.DataFrame:
    """Numbers with missing and infinite values, categories, a flag, dates as text, sentences."""
    random = np.random.default_rng(seed)
    table = pd.DataFrame({"id": np.arange(rows) + 1000, "size": random.normal(size=rows)})
    table["weight"] = np.exp(random.normal(size=rows) * 2)
    table.loc[::7, "weight"] = np.nan
    table.loc[3, "weight"] = np.inf
    table["kind"] = pd.Categorical(random.choice(["x", "y", "z"], rows))
    table["code"] = random.integers(0, 90, rows).astype(str)
    table.loc[::11, "code"] = None
    table["flag"] = random.random(rows) < 0.5
    table["when"] = pd.date_range("2023-01-01", periods=rows).strftime("%Y-%m-%d")
    words = np.array(["red", "fine", "old", "large", "small", "late", "good", "new"])
    table["said"] = [" ".join(random.choice(words, 5)) for _ in range(rows)]
    table["same"] = 1
    late = table["said"].str.contains("late").astype(float)
    table["signal"] = table["size"] + (table["kind"] == "x") + late
    return table


def parted(table: pd.DataFrame, target: Any) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series]:
    """Train, test and what is hidden of test."""
    table = table.drop(columns="signal").assign(y=target)
    train, test = table.iloc[:200], table.iloc[200:].reset_index(drop=True)
    return train, test.drop(columns="y"), test["y"]


def built(
    train: pd.DataFrame,
    test: pd.DataFrame,
    given: dict[str, Any],
    models: tuple[str, ...] = ("linear", "boosting"),
    **more: Any,
) -> dict[str, Any]:
    folds, validation = make_folds(train, test, task=given)
    oof, predictions, scores = fit_yardsticks(train, folds, test, task=given)
    for model in models:
        oof, predictions, scores = fit_model(
            train,
            folds,
            oof,
            scores,
            test,
            predictions,
            validation,
            task=given,
            model=model,
            **more,
        )
    oof, predictions, scores = blend_models(train, folds, oof, scores, predictions, task=given)
    thresholds, scores = choose_threshold(train, folds, oof, scores, task=given)
    submission = make_submission(
        train, predictions, scores, test, thresholds=thresholds, task=given
    )
    return {"folds": folds, "validation": validation, "oof": oof, "scores": scores,
            "predictions": predictions, "submission": submission}  # fmt: skip


CASES: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "labels": ("binary", "accuracy", lambda signal: np.where(signal > 0.8, "late", "in time")),
    "flags": ("binary", "f1", lambda signal: signal > 1.2),
    "chances": ("binary", "auc", lambda signal: (signal > 0.8).astype(int)),
    "classes": ("multiclass", "f1_macro", lambda signal: np.digitize(signal, [0, 1.5]) + 1),
    "grades": ("multiclass", "qwk", lambda signal: np.digitize(signal, [0, 1, 2])),
    "numbers": ("regression", "rmse", lambda signal: signal),
    "amounts": ("regression", "rmsle", lambda signal: np.exp(2 * signal)),
}


@pytest.mark.parametrize("name", CASES)
def test_each_kind_of_target_is_learned_from_a_hard_table(name: str) -> None:
    kind, metric, target = CASES[name]
    table = hard_table()
    train, test, hidden = parted(table, target(table["signal"]))
    given = task(kind, metric)
    made = built(train, test, given)
    submission = made["submission"]
    assert submission.columns.tolist() == ["id", "y"]
    assert submission["id"].tolist() == test["id"].tolist()
    assert not submission["y"].isna().any()
    if metric not in ("auc", "rmse", "rmsle"):
        assert set(submission["y"]) <= set(train["y"])
        assert submission["y"].dtype == train["y"].dtype
    classes = None if kind == "regression" else sorted(train["y"].unique().tolist())
    score = measure(hidden, submission["y"], metric=metric, classes=classes)
    scores = made["scores"].set_index("model")["score"]
    sign = 1 if given["greater_is_better"] else -1
    assert sign * (score - scores["baseline"]) > 0
    assert made["scores"]["chosen"].sum() == 1


def test_a_second_run_gives_the_same_submission() -> None:
    table = hard_table()
    train, test, _ = parted(table, (table["signal"] > 0.8).astype(int))
    first, second = (
        built(train, test, task("binary", "auc"), trials=2, bags=2)["submission"] for _ in range(2)
    )
    assert first.equals(second)


def test_a_target_that_nothing_tells_of_is_not_learned() -> None:
    """What is learned of many categories and texts stays inside of the folds."""
    table = hard_table(rows=600)
    random = np.random.default_rng(5)
    table["place"] = random.integers(0, 250, 600).astype(str)
    table = table.drop(columns="signal").assign(y=random.integers(0, 2, 600))
    given = task("binary", "auc")
    folds, _ = make_folds(table, task=given)
    empty = pd.DataFrame()
    for model in ("linear", "boosting", "extra_trees"):
        _, _, scores = fit_model(table, folds, empty, empty, task=given, model=model)
        assert abs(scores["score"].iloc[0] - 0.5) < 0.08


def test_test_may_have_new_categories_and_lack_columns() -> None:
    table = hard_table()
    train, test, hidden = parted(table, (table["signal"] > 0.8).astype(int))
    test["kind"] = test["kind"].astype(str).where(test.index % 5 != 0, "new")
    test = test.drop(columns="weight").assign(code="unseen", when="someday")
    submission = built(train, test, task("binary", "auc"))["submission"]
    assert measure(hidden, submission["y"], metric="auc") > 0.75


def test_rows_without_a_target_are_not_learned_from() -> None:
    table = hard_table()
    train, test, _ = parted(table, table["signal"])
    train = train.copy()
    train.loc[::9, "y"] = np.nan
    made = built(train, test, task("regression", "mae"), models=("linear",))
    assert (made["folds"]["fold"][train["y"].isna()] == -2).all()
    assert made["oof"]["linear"][train["y"].notna()].notna().all()


def test_several_targets_have_a_model_each() -> None:
    table = hard_table()
    train, test, _ = parted(table, table["signal"])
    train = train.assign(z=-train["y"] * 2)
    given = {**task("regression", "rmse"), "targets": ["y", "z"]}
    made = built(train, test, given, models=("linear",))
    assert made["submission"].columns.tolist() == ["id", "y", "z"]
    assert np.corrcoef(made["submission"]["y"], made["submission"]["z"])[0, 1] < -0.95
    assert made["scores"].groupby("target")["chosen"].sum().to_dict() == {"y": 1, "z": 1}


def test_in_time_no_fold_is_learned_from_later_rows() -> None:
    table = hard_table()
    train, test, _ = parted(table, np.arange(ROWS) * 1.0)
    made = built(train, test, task("regression", "mae", time="when"), models=("extra_trees",))
    assert made["validation"]["kind"].iloc[0] == "time"
    judged = made["folds"]["fold"] >= 0
    # A forest says nothing above what it has seen: of a rising target all folds fall short.
    assert (made["oof"]["extra_trees"] < train["y"])[judged].mean() > 0.9


def test_of_many_rows_a_sample_is_learned_from_and_said() -> None:
    random = np.random.default_rng(1)
    train = pd.DataFrame({"id": np.arange(62_000), "size": random.normal(size=62_000)})
    train["y"] = (train["size"] + random.normal(size=62_000) > 0).astype(int)
    test = train.drop(columns="y")
    given = task("binary", "auc")
    folds, validation = make_folds(train, test, task=given, most_rows=20_000)
    empty = pd.DataFrame()
    oof, predictions, scores = fit_model(
        train, folds, empty, empty, test, validation=validation, task=given, model="linear",
        most_rows=3_000,
    )  # fmt: skip
    assert "the others are not used" in validation["reason"].iloc[0]
    assert "learned from 3,000 of 15,000 rows" in scores["note"].iloc[0]
    assert oof["linear"].notna().sum() == 5_000
    assert predictions["linear"].notna().all()


def test_a_model_that_would_take_too_long_is_given_up() -> None:
    table = hard_table()
    train, _, _ = parted(table, (table["signal"] > 0.8).astype(int))
    given = task("binary", "auc")
    folds, _ = make_folds(train, task=given)
    empty = pd.DataFrame()
    with pytest.raises(ValueError, match="the time was up after 1 of 10 folds"):
        fit_model(train, folds, empty, empty, task=given, model="linear", seconds=0.0)


def test_a_library_that_is_not_installed_is_named() -> None:
    table = hard_table()
    train, _, _ = parted(table, (table["signal"] > 0.8).astype(int))
    folds, _ = make_folds(train, task=task("binary", "auc"))
    empty = pd.DataFrame()
    for model in ("lightgbm", "xgboost", "catboost"):
        try:
            __import__(model)
        except ImportError:
            with pytest.raises(ValueError, match=f"{model} is not installed"):
                fit_model(train, folds, empty, empty, task=task("binary", "auc"), model=model)


def test_tables_as_they_were_read_are_learned_from_where_they_are_others() -> None:
    table = hard_table()
    train, test, _ = parted(table, table["signal"])
    given = task("regression", "rmse")
    folds, validation = make_folds(train, test, task=given)
    poor, empty = train[["id", "y", "same", "flag"]], pd.DataFrame()
    bare = test[["id", "same", "flag"]]
    arguments: dict[str, Any] = {"task": given, "model": "linear", "raw": True}
    _, _, scores = fit_model(
        poor, folds, empty, empty, bare, empty, validation, train, test, **arguments
    )
    assert scores["score"].iloc[0] < train["y"].std() * 0.8
    _, _, same = fit_model(
        train, folds, empty, empty, test, empty, validation, train, test, **arguments
    )
    assert same.empty
    with pytest.raises(ValueError, match="no other tables"):
        fit_model(train, folds, empty, empty, test, empty, validation, **arguments)


def test_folds_of_other_rows_are_an_error() -> None:
    table = hard_table()
    train, _, _ = parted(table, table["signal"])
    folds, _ = make_folds(train.head(50), task=task("regression", "rmse"))
    empty = pd.DataFrame()
    with pytest.raises(ValueError, match="200 rows and folds has 50"):
        fit_model(train, folds, empty, empty, task=task("regression", "rmse"), model="linear")


@pytest.mark.parametrize("known", [True, False])
def test_groups_that_test_knows_are_a_feature(known: bool) -> None:
    random = np.random.default_rng(3)
    shops = random.integers(0, 20, 400)
    train = pd.DataFrame({"id": np.arange(400), "shop": shops, "size": random.normal(size=400)})
    train["y"] = random.normal(size=20)[shops] * 3 + train["size"]
    test = train.drop(columns="y").assign(shop=shops if known else shops + 100)
    given = task("regression", "rmse", group="shop")
    folds, validation = make_folds(train, test, task=given)
    empty = pd.DataFrame()
    _, _, scores = fit_model(
        train, folds, empty, empty, test, None, validation, task=given, model="extra_trees"
    )
    assert validation["kind"].iloc[0] == ("random" if known else "grouped")
    assert (scores["score"].iloc[0] < 2.4) == known
