"""Questions about how columns go together."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy import stats

from tests.analysis.statistics.facts import Question as Ask
from tests.analysis.statistics.facts import drawn, first, has, says, size, warned


def _year(d: pd.DataFrame, year: int = 2007) -> pd.DataFrame:
    return d[d["year"] == year]


def _best(d: pd.DataFrame, *, weakest: bool = False) -> tuple[str, str, float]:
    matrix = d.select_dtypes("number").corr()
    pairs = [
        (one, two, matrix.loc[one, two])
        for at, one in enumerate(matrix)
        for two in list(matrix)[at + 1 :]
    ]
    return sorted(pairs, key=lambda each: abs(each[2]), reverse=not weakest)[0]


QUESTIONS = [
    Ask("tips", "Do people who run up a bigger total bill also leave a bigger tip? Give me the "
      "correlation.", lambda d: [has(d["total_bill"].corr(d["tip"]))]),
    Ask("tips", "correlation coefficient between tip and party size",
      lambda d: [has(d["tip"].corr(d["size"]))]),
    Ask("tips", "Is the relationship between total bill and tip statistically significant?",
      lambda d: [has(stats.pearsonr(d["total_bill"], d["tip"])[1], within=1e-3),
                 says("significant")]),
    Ask("gapminder", "How closely does GDP per capita track life expectancy in 2007?",
      lambda d: [has(_year(d)["gdpPercap"].corr(_year(d)["lifeExp"]))]),
    Ask("gapminder", "Spearman rank correlation of gdpPercap and lifeExp for 2007",
      lambda d: [has(_year(d)["gdpPercap"].corr(_year(d)["lifeExp"], method="spearman"))]),
    Ask("gapminder", "Kendall's tau between lifeExp and gdpPercap in 2007",
      lambda d: [has(stats.kendalltau(_year(d)["gdpPercap"], _year(d)["lifeExp"])[0])]),
    Ask("gapminder", "What's the link between wealth per head (gdpPercap) and population?",
      lambda d: [has(d["gdpPercap"].corr(d["pop"]))]),
    Ask("gapminder", "Within each continent, how are gdpPercap and lifeExp correlated in 2007?",
      lambda d: [has(p["gdpPercap"].corr(p["lifeExp"]), name)
                 for name, p in _year(d).groupby("continent") if len(p) > 2]),
    Ask("iris", "Which two measurements are most strongly correlated?",
      lambda d: [first(*_best(d.drop(columns="species_id", errors="ignore")))]),
    Ask("iris", "which pair of columns has the weakest correlation?",
      lambda d: [first(*_best(d.drop(columns="species_id", errors="ignore"), weakest=True))]),
    Ask("iris", "Show me a correlation matrix",
      lambda d: [has(d["sepal_length"].corr(d["petal_width"]), "sepal_length", "petal_width"),
                 size(6), drawn]),
    Ask("iris", "Are sepal length and sepal width related?",
      lambda d: [has(d["sepal_length"].corr(d["sepal_width"])), warned("simpson")]),
    Ask("wine", "What is proline most strongly correlated with?",
      lambda d: [first("alcohol", d["proline"].corr(d["alcohol"]))
                 if d.drop(columns=["proline"]).corrwith(d["proline"]).abs().idxmax() == "alcohol"
                 else first(d.drop(columns=["proline"]).corrwith(d["proline"]).abs().idxmax())]),
    Ask("wine", "Rank all variables by how strongly they correlate with flavanoids",
      lambda d: [first(d.drop(columns="flavanoids").corrwith(d["flavanoids"]).abs().idxmax()),
                 has(d["hue"].corr(d["flavanoids"]), "hue")]),
    Ask("wine", "which variable is least correlated with alcohol?",
      lambda d: [first(d.drop(columns="alcohol").corrwith(d["alcohol"]).abs().idxmin())]),
    Ask("wine", "Give me the heatmap of correlations among alcohol, ash, hue and proline",
      lambda d: [has(d["ash"].corr(d["hue"]), "ash", "hue"), size(6), drawn]),
    Ask("diabetes", "Which factor is most associated with target?",
      lambda d: [first("bmi", d["bmi"].corr(d["target"]))]),
    Ask("diabetes", "correlate bmi with blood pressure (bp)",
      lambda d: [has(d["bmi"].corr(d["bp"]))]),
    Ask("diabetes", "Is there any association between age and bmi?",
      lambda d: [has(d["age"].corr(d["bmi"]))]),
    Ask("diabetes", "how do s1 and s2 move together?", lambda d: [has(d["s1"].corr(d["s2"]))]),
    Ask("cancer", "Correlations of mean radius with the other columns, strongest first",
      lambda d: [first("mean perimeter", d["mean radius"].corr(d["mean perimeter"])),
                 warned("many_tests")]),
    Ask("stocks", "How strongly do GOOG and MSFT move together?",
      lambda d: [has(d["GOOG"].corr(d["MSFT"]))]),
    Ask("stocks", "Which two stocks are most correlated with each other?",
      lambda d: [first(*_best(d))]),
    Ask("stocks", "which pair is the most negatively correlated?",
      lambda d: [first(_lowest(d))]),
    Ask("linnerud", "Is waist size correlated with weight?",
      lambda d: [has(d["Waist"].corr(d["Weight"])), warned("small_sample")]),
    Ask("election", "Do districts that vote for Coderre vote less for Joly - what's the "
                    "correlation?",
      lambda d: [has(d["Coderre"].corr(d["Joly"]))]),
    Ask("carshare", "Any linear relationship between centroid_lat and car_hours?",
      lambda d: [has(d["centroid_lat"].corr(d["car_hours"]))]),
    Ask("checks", "correlation between total_bill and tip",
      lambda d: [has(d["total_bill"].corr(d["tip"])), warned("missing_left_out"),
                 has(len(d[["total_bill", "tip"]].dropna()))]),
    Ask("experiment", "Plot experiment_1 against experiment_2",
      lambda d: [drawn, has(d["experiment_1"].corr(d["experiment_2"]))]),
    Ask("tips", "I'd like a scatter plot of tips versus total bill with a trend line",
      lambda d: [drawn, has(np.polyfit(d["total_bill"], d["tip"], 1)[0])]),
    Ask("gapminder", "does the population go hand in hand with life expectancy?",
      lambda d: [has(d["pop"].corr(d["lifeExp"]))]),
]  # fmt: skip


def _lowest(d: pd.DataFrame) -> float:
    matrix = d.select_dtypes("number").corr()
    return float(matrix.min().min())
