"""Make an estimator of one of the kinds of models that are tried.

Phases: model_building
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MAKE_ESTIMATOR_ABSOLUTE = ("mae", "medae", "mape", "smape")
_MAKE_ESTIMATOR_FOREST = ("extra_trees", "random_forest")


def make_estimator(
    model: str, *, parameters: Mapping[str, Any], form: str, metric: str = "", seed: int = 0
) -> Any:
    """An estimator that is not fitted yet.

    Models: boosting (histogram gradient boosting of scikit-learn), extra_trees, random_forest,
    linear (logistic or ridge regression), kernel (the same on random features of a radial kernel),
    neural_network (a small perceptron), and lightgbm, xgboost and catboost where they are
    installed.

    Args:
        model: the kind of model.
        parameters: its settings; what is not in it has a default that is careful on few rows.
        form: "classes" for a classifier, "number" or "ordinal" for a regressor.
        metric: the metric of the task; where it is of absolute errors, so is the loss if it can.
        seed: of all that is drawn.
    Returns:
        an object with `fit` and `predict` or `predict_proba`.
    Raises:
        ValueError: for an unknown model, or one whose library is not installed.
    Example:
        estimator = make_estimator("linear", parameters={"strength": 1.0}, form="classes")
    """
    classifier = form == "classes"
    absolute = metric in _MAKE_ESTIMATOR_ABSOLUTE
    if model == "boosting":
        return _make_estimator_boosting(parameters, classifier, absolute, seed)
    if model in _MAKE_ESTIMATOR_FOREST:
        return _make_estimator_forest(model, parameters, classifier, seed)
    if model in ("linear", "kernel"):
        return _make_estimator_linear(model, parameters, classifier, seed)
    if model == "neural_network":
        return _make_estimator_network(parameters, classifier, seed)
    if model in ("lightgbm", "xgboost", "catboost"):
        try:
            return _make_estimator_installed(model, parameters, classifier, absolute, seed)
        except ImportError:
            raise ValueError(f"{model} is not installed") from None
    raise ValueError(f"there is no model {model!r}")


def _make_estimator_boosting(
    given: Mapping[str, Any], classifier: bool, absolute: bool, seed: int
) -> Any:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    settings: dict[str, Any] = {
        "learning_rate": given.get("learning_rate", 0.05),
        "max_iter": given.get("iterations", 300),
        "max_leaf_nodes": given.get("leaves", 15),
        "min_samples_leaf": given.get("least_rows", 20),
        "l2_regularization": given.get("penalty", 1.0),
        "max_features": given.get("columns", 0.5),
        "early_stopping": False,
        "random_state": seed,
    }
    if classifier:
        return HistGradientBoostingClassifier(**settings)
    loss = given.get("loss", "absolute_error" if absolute else "squared_error")
    return HistGradientBoostingRegressor(loss=loss, **settings)


def _make_estimator_forest(
    model: str, given: Mapping[str, Any], classifier: bool, seed: int
) -> Any:
    from sklearn import ensemble

    kinds = {
        ("extra_trees", True): ensemble.ExtraTreesClassifier,
        ("extra_trees", False): ensemble.ExtraTreesRegressor,
        ("random_forest", True): ensemble.RandomForestClassifier,
        ("random_forest", False): ensemble.RandomForestRegressor,
    }
    return kinds[model, classifier](
        n_estimators=given.get("trees", 300),
        min_samples_leaf=given.get("least_rows", 2),
        max_features=given.get("columns", 0.5),
        random_state=seed,
        n_jobs=1,
    )


def _make_estimator_linear(
    model: str, given: Mapping[str, Any], classifier: bool, seed: int
) -> Any:
    from sklearn.linear_model import LogisticRegression, Ridge

    strength = given.get("strength", 1.0)
    last: Any = Ridge(alpha=1 / strength, random_state=seed)
    if classifier:
        last = LogisticRegression(C=strength, max_iter=given.get("iterations", 300))
    if model == "linear":
        return last
    from sklearn.kernel_approximation import Nystroem
    from sklearn.pipeline import make_pipeline

    features = Nystroem(
        gamma=given.get("width", 0.02), n_components=given.get("features", 500), random_state=seed
    )
    return make_pipeline(features, last)


def _make_estimator_network(given: Mapping[str, Any], classifier: bool, seed: int) -> Any:
    from sklearn.neural_network import MLPClassifier, MLPRegressor

    made = MLPClassifier if classifier else MLPRegressor
    return made(
        hidden_layer_sizes=tuple(given.get("layers", (64, 32))),
        alpha=given.get("penalty", 0.01),
        learning_rate_init=given.get("learning_rate", 0.003),
        batch_size=given.get("batch", 64),
        max_iter=given.get("iterations", 60),
        early_stopping=True,
        validation_fraction=0.15,
        n_iter_no_change=8,
        random_state=seed,
    )


def _make_estimator_installed(
    model: str, given: Mapping[str, Any], classifier: bool, absolute: bool, seed: int
) -> Any:
    iterations, rate = given.get("iterations", 300), given.get("learning_rate", 0.05)
    if model == "lightgbm":
        import lightgbm

        made = lightgbm.LGBMClassifier if classifier else lightgbm.LGBMRegressor
        own = {"objective": "regression_l1"} if absolute and not classifier else {}
        return made(
            n_estimators=iterations,
            learning_rate=rate,
            num_leaves=given.get("leaves", 15),
            min_child_samples=given.get("least_rows", 20),
            reg_lambda=given.get("penalty", 1.0),
            colsample_bytree=given.get("columns", 0.5),
            subsample=0.8,
            subsample_freq=1,
            random_state=seed,
            n_jobs=1,
            deterministic=True,
            force_row_wise=True,
            verbose=-1,
            **own,
        )
    if model == "xgboost":
        import xgboost

        made = xgboost.XGBClassifier if classifier else xgboost.XGBRegressor
        own = {"objective": "reg:absoluteerror"} if absolute and not classifier else {}
        return made(
            n_estimators=iterations,
            learning_rate=rate,
            max_leaves=given.get("leaves", 15),
            max_depth=0,
            grow_policy="lossguide",
            min_child_weight=given.get("least_rows", 20) / 4,
            reg_lambda=given.get("penalty", 1.0),
            colsample_bynode=given.get("columns", 0.5),
            subsample=0.8,
            tree_method="hist",
            random_state=seed,
            n_jobs=1,
            **own,
        )
    import catboost

    made = catboost.CatBoostClassifier if classifier else catboost.CatBoostRegressor
    own = {"loss_function": "MAE"} if absolute and not classifier else {}
    return made(
        iterations=iterations,
        learning_rate=rate,
        depth=given.get("depth", 6),
        l2_leaf_reg=given.get("penalty", 3.0),
        random_seed=seed,
        thread_count=1,
        allow_writing_files=False,
        verbose=False,
        **own,
    )


def test_each_model_of_scikit_learn_can_be_fitted() -> None:
    import numpy as np

    random = np.random.default_rng(1)
    table = random.normal(size=(80, 3))
    for model in ("boosting", "extra_trees", "random_forest", "linear", "kernel"):
        small = {"iterations": 20, "trees": 10, "features": 20}
        estimator = make_estimator(model, parameters=small, form="classes")
        assert estimator.fit(table, table[:, 0] > 0).predict_proba(table).shape == (80, 2)


def test_an_unknown_model_is_an_error() -> None:
    message = ""
    try:
        make_estimator("oracle", parameters={}, form="number")
    except ValueError as error:
        message = str(error)
    assert "'oracle'" in message


def test_property_the_same_seed_gives_the_same_predictions() -> None:
    import numpy as np

    random = np.random.default_rng(2)
    for seed in range(3):
        table, truth = random.normal(size=(60, 3)), random.normal(size=60)
        settings = {"iterations": 10, "trees": 5}
        for model in ("boosting", "extra_trees"):
            first, second = (
                make_estimator(model, parameters=settings, form="number", seed=seed)
                .fit(table, truth)
                .predict(table)
                for _ in range(2)
            )
            assert (first == second).all()
