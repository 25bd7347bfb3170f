"""Questions that need a model: what explains, what is predicted, which groups there are."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.analysis.statistics.facts import Fact, drawn, first, has, says, size, warned
from tests.analysis.statistics.facts import Question as Ask


def _line(d: pd.DataFrame, target: str, *columns: str) -> list[Fact]:
    x = d[list(columns)]
    fit = LinearRegression().fit(x, d[target])
    said = [has(c, name) for name, c in zip(columns, fit.coef_, strict=True)]
    return [*said, has(fit.intercept_, "intercept"), has(fit.score(x, d[target]))]


def _at(d: pd.DataFrame, target: str, **at: float) -> Fact:
    fit = LinearRegression().fit(d[list(at)].to_numpy(), d[target])
    return has(fit.predict([list(at.values())])[0], within=1e-4)


def _odds(d: pd.DataFrame, target: pd.Series, *columns: str) -> list[Fact]:
    fit = LogisticRegression(C=np.inf, max_iter=10_000, tol=1e-10).fit(d[list(columns)], target)
    return [has(c, name, within=1e-3) for name, c in zip(columns, fit.coef_[0], strict=True)]


def _sizes(d: pd.DataFrame, columns: list[str], k: int) -> list[Fact]:
    scaled = StandardScaler().fit_transform(d[columns])
    labels = KMeans(k, n_init=20, random_state=1).fit_predict(scaled)
    counts = pd.Series(labels).value_counts()
    return [size(k), *(has(int(n), within=0.03) for n in counts)]


def _explained(d: pd.DataFrame, columns: list[str]) -> list[Fact]:
    shares = PCA().fit(StandardScaler().fit_transform(d[columns])).explained_variance_ratio_
    return [has(100 * shares[0], within=1e-4)]


IRIS = ["sepal_length", "sepal_width", "petal_length", "petal_width"]

QUESTIONS = [
    Ask("tips", "Regress tip on total_bill", lambda d: _line(d, "tip", "total_bill")),
    Ask("tips", "How does the tip change when the bill goes up by one dollar? Fit a linear "
      "regression of tip on total_bill.", lambda d: _line(d, "tip", "total_bill")),
    Ask("tips", "Fit a multiple regression with tip as the dependent variable and total_bill and "
      "size as predictors", lambda d: _line(d, "tip", "total_bill", "size")),
    Ask("tips", "Predict the tip for a total bill of 40",
      lambda d: [_at(d, "tip", total_bill=40)]),
    Ask("tips", "What tip would you expect with total_bill = 25 and size = 3?",
      lambda d: [_at(d, "tip", total_bill=25, size=3)]),
    Ask("tips", "predict tip when total_bill is 150",
      lambda d: [_at(d, "tip", total_bill=150), warned("extrapolation")]),
    Ask("gapminder", "Fit a line predicting life expectancy from gdpPercap in 2007",
      lambda d: _line(d[d["year"] == 2007], "lifeExp", "gdpPercap")),
    Ask("gapminder", "predict lifeExp for gdpPercap = 10000 in 2007",
      lambda d: [_at(d[d["year"] == 2007], "lifeExp", gdpPercap=10000)]),
    Ask("iris", "linear model of petal width by petal length",
      lambda d: _line(d, "petal_width", "petal_length")),
    Ask("iris", "how much of the variance in petal_width is explained by petal_length (R squared)?",
      lambda d: [has(d["petal_width"].corr(d["petal_length"]) ** 2)]),
    Ask("iris", "estimate petal width when petal length is 5",
      lambda d: [_at(d, "petal_width", petal_length=5)]),
    Ask("diabetes", "OLS regression of target on bmi, bp and s5, which coefficients are "
                    "significant?",
      lambda d: _line(d, "target", "bmi", "bp", "s5")),
    Ask("diabetes", "Regress target on all the other variables",
      lambda d: [*_line(d, "target", *d.columns[:-1])[:3], warned("collinear")]),
    Ask("diabetes", "Which variables are the most important predictors of target?",
      lambda _: [has("s5"), has("bmi"), says("s5|bmi")]),
    Ask("tips", "What influences the tip the most?", lambda _: [first("total_bill")]),
    Ask("iris", "Which features matter most for telling the species apart?",
      lambda _: [says("petal")]),
    Ask("cancer", "Logistic regression of diagnosis on mean radius and mean texture",
      lambda d: _odds(d, d["diagnosis"] == "malignant", "mean radius", "mean texture")),
    Ask("tips", "logistic regression to explain smoker by total_bill",
      lambda d: _odds(d, d["smoker"] == "Yes", "total_bill")),
    Ask("tips", "How likely is a customer to be a smoker with a total_bill of 30? Use logistic "
      "regression.", lambda d: [_chance(d, 30)]),
    Ask("cancer", "Build a model that predicts diagnosis and tell me how accurate it is",
      lambda _: [has(0.96, within=0.04), says("accuracy"), says("cross")]),
    Ask("wine", "Train a classifier for target and report accuracy and F1",
      lambda _: [has(0.97, within=0.04), says("F1")]),
    Ask("iris", "Can we predict the species from the measurements? How well?",
      lambda _: [has(0.955, within=0.05)]),
    Ask("diabetes", "Build a predictive model for target with cross-validation",
      lambda d: [has(_cv(d), within=0.12), says("R²|R2"), says("MAE|absolute")]),
    Ask("tips", "How well can total_bill, size and day predict the tip on unseen data?",
      lambda _: [says("RMSE|R²"), says("held|unseen|not seen")]),
    Ask("cancer", "train a model for mean radius",
      lambda _: [warned("leakage")]),
    Ask("iris", "Cluster the flowers into 3 groups", lambda d: _sizes(d, IRIS, 3)),
    Ask("iris", "How many natural clusters are there in the data?",
      lambda _: [size(2), says("silhouette")]),
    Ask("iris", "k-means on petal_length and petal_width with k=3",
      lambda d: _sizes(d, ["petal_length", "petal_width"], 3)),
    Ask("wine", "Segment the wines by alcohol, hue and proline into 4 clusters",
      lambda _: [size(4), drawn]),
    Ask("linnerud", "group the rows into 2 segments using Weight and Waist",
      lambda d: _sizes(d, ["Weight", "Waist"], 2)),
    Ask("wine", "Run a PCA", lambda _: [has(1), drawn]),
    Ask("iris", "How much variance do the first two principal components explain?",
      lambda d: _explained(d, IRIS)),
    Ask("wine", "principal component analysis of alcohol, malic_acid, ash and hue",
      lambda d: _explained(d, ["alcohol", "malic_acid", "ash", "hue"])),
    Ask("cancer", "How many principal components do I need to keep 95% of the variance?",
      lambda d: [has(_needed(d)), says(str(_needed(d)))]),
]  # fmt: skip


def _chance(d: pd.DataFrame, bill: float) -> Fact:
    fit = LogisticRegression(C=np.inf, max_iter=10_000, tol=1e-10)
    fit.fit(d[["total_bill"]].to_numpy(), d["smoker"] == "Yes")
    return has(fit.predict_proba([[bill]])[0, 1], within=1e-3)


def _cv(d: pd.DataFrame) -> float:
    model = make_pipeline(StandardScaler(), LinearRegression())
    return float(cross_val_score(model, d.drop(columns="target"), d["target"], cv=5).mean())


def _needed(d: pd.DataFrame) -> int:
    x = StandardScaler().fit_transform(d.select_dtypes("number"))
    return int((PCA().fit(x).explained_variance_ratio_.cumsum() < 0.95).sum()) + 1
