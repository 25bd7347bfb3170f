"""Questions about the values of one column: where they lie, what is odd, what is missing."""

from __future__ import annotations

import pandas as pd
from scipy import stats

from tests.analysis.statistics.facts import Fact, drawn, first, has, says, size, warned
from tests.analysis.statistics.facts import Question as Ask


def _year(d: pd.DataFrame, year: int = 2007) -> pd.DataFrame:
    return d[d["year"] == year]


def _fences(s: pd.Series) -> tuple[float, float, int]:
    low, high = s.quantile([0.25, 0.75])
    down, up = low - 1.5 * (high - low), high + 1.5 * (high - low)
    return down, up, int(((s < down) | (s > up)).sum())


def _fenced(s: pd.Series) -> list[Fact]:
    down, up, count = _fences(s)
    return [has(count), has(down), has(up)]


QUESTIONS = [
    Ask("tips", "How spread out are the tips? Standard deviation please",
      lambda d: [has(d["tip"].std()), says("standard deviation")]),
    Ask("tips", "what's the variance of total bill", lambda d: [has(d["total_bill"].var())]),
    Ask("tips", "How skewed is the total bill?",
      lambda d: [has(d["total_bill"].skew()), says("skewness")]),
    Ask("tips", "kurtosis of tip by smoker",
      lambda d: [has(p["tip"].kurt(), name) for name, p in d.groupby("smoker")]),
    Ask("tips", "Give me the quartiles of total_bill",
      lambda d: [has(d["total_bill"].quantile(0.25)), has(d["total_bill"].quantile(0.75))]),
    Ask("tips", "What is the 95th percentile of the total bill?",
      lambda d: [has(d["total_bill"].quantile(0.95)), says("95th percentile")]),
    Ask("tips", "interquartile range of tip on Saturdays",
      lambda d: [has((d[d["day"] == "Sat"]["tip"]).quantile(0.75)
                     - (d[d["day"] == "Sat"]["tip"]).quantile(0.25))]),
    Ask("tips", "What is the most common party size, i.e. the mode of size?",
      lambda d: [has(d["size"].mode()[0]), says("mode")]),
    Ask("tips", "coefficient of variation of tip for each day",
      lambda d: [has(p["tip"].std() / p["tip"].mean(), name) for name, p in d.groupby("day")]),
    Ask("tips", "What's the range of total bills at dinner?",
      lambda d: [has((b := d[d["time"] == "Dinner"]["total_bill"]).max() - b.min())]),
    Ask("gapminder", "Summary statistics for life expectancy in 2007, please",
      lambda d: [has(_year(d)["lifeExp"].mean()), has(_year(d)["lifeExp"].median()),
                 has(_year(d)["lifeExp"].std())]),
    Ask("gapminder", "Which continent has the most variable gdpPercap in 2007? Standard deviation "
      "per continent", lambda d: [has(p["gdpPercap"].std(), name)
                                  for name, p in _year(d).groupby("continent")]),
    Ask("gapminder", "10th and 90th percentile of life expectancy in 2007",
      lambda d: [has(_year(d)["lifeExp"].quantile(0.1)), has(_year(d)["lifeExp"].quantile(0.9))]),
    Ask("gapminder", "Descriptive statistics of gdpPercap for Asian countries in 2007",
      lambda d: [has((a := _year(d)[_year(d)["continent"] == "Asia"])["gdpPercap"].mean()),
                 has(a["gdpPercap"].median()), warned("skewed")]),
    Ask("wine", "five number summary of alcohol",
      lambda d: [has(d["alcohol"].min()), has(d["alcohol"].quantile(0.25)),
                 has(d["alcohol"].median()), has(d["alcohol"].max())]),
    Ask("linnerud", "standard error of the mean for Chins",
      lambda d: [has(d["Chins"].std() / len(d) ** 0.5)]),
    Ask("diabetes", "95% confidence interval for the mean of bmi",
      lambda d: [has(stats.t.interval(0.95, len(d) - 1, d["bmi"].mean(), stats.sem(d["bmi"]))[0]),
                 has(stats.t.interval(0.95, len(d) - 1, d["bmi"].mean(), stats.sem(d["bmi"]))[1])]),
    Ask("tips", "Show how total bills are distributed",
      lambda d: [drawn, has(d["total_bill"].median())]),
    Ask("gapminder", "Draw me a histogram of life expectancy in 2007 with 15 bins",
      lambda d: [drawn, has(15), has(_year(d)["lifeExp"].mean())]),
    Ask("election", "How often did each winner win? Show the frequency distribution of winner",
      lambda d: [has(n, name) for name, n in d["winner"].value_counts().items()]),
    Ask("cancer", "What does the distribution of mean area look like for malignant cases?",
      lambda d: [drawn, has(d[d["diagnosis"] == "malignant"]["mean area"].mean())]),
    Ask("tips", "boxplot of tip split by day",
      lambda d: [drawn, *(has(p["tip"].median(), name) for name, p in d.groupby("day"))]),
    Ask("iris", "violin plot of petal length for every species",
      lambda d: [drawn, *(has(p["petal_length"].median(), name)
                          for name, p in d.groupby("species"))]),
    Ask("tips", "How many outliers are there in total_bill?", lambda d: _fenced(d["total_bill"])),
    Ask("tips", "Are any of the tips suspiciously large or small? Check for outliers.",
      lambda d: _fenced(d["tip"])),
    Ask("wine", "Find anomalous values of magnesium with the IQR rule",
      lambda d: _fenced(d["magnesium"])),
    Ask("wine", "outliers in proline using z-scores",
      lambda d: [has(int(((d["proline"] - d["proline"].mean()).abs()
                          > 3 * d["proline"].std()).sum()))]),
    Ask("wine", "How many values of malic_acid lie more than 3 standard deviations from the mean?",
      lambda d: [has(int(((d["malic_acid"] - d["malic_acid"].mean()).abs()
                          > 3 * d["malic_acid"].std()).sum()))]),
    Ask("gapminder", "Which countries were outliers in gdpPercap in 2007?",
      lambda d: [has(_fences(_year(d)["gdpPercap"])[2])]),
    Ask("gapminder", "which countries are outliers by life expectancy within their continent "
      "in 2007?", lambda d: [has(_fences(p["lifeExp"])[2], name)
                             for name, p in _year(d).groupby("continent")]),
    Ask("cancer", "Which column has the most outliers?",
      lambda d: [first(d.select_dtypes("number").apply(lambda s: _fences(s)[2]).idxmax())]),
    Ask("carshare", "Any unusual values of car_hours?", lambda d: _fenced(d["car_hours"])),
    Ask("iris", "Is sepal width normally distributed?",
      lambda d: [has(stats.shapiro(d["sepal_width"])[1], within=1e-3),
                 has(bool(stats.shapiro(d["sepal_width"])[1] >= 0.05))]),
    Ask("iris", "do a Shapiro-Wilk test on petal_width",
      lambda d: [has(stats.shapiro(d["petal_width"])[0]), says("not normal|is not")]),
    Ask("tips", "Does the tip amount follow a normal distribution?",
      lambda d: [has(stats.shapiro(d["tip"])[1], within=1e-3), has(value=False)]),
    Ask("gapminder", "Test lifeExp for normality with D'Agostino's test",
      lambda d: [has(stats.normaltest(d["lifeExp"])[1], within=1e-3)]),
    Ask("experiment", "Is experiment_1 Gaussian?",
      lambda d: [has(stats.shapiro(d["experiment_1"])[1], within=1e-3)]),
    Ask("checks", "How many values are missing in each column?",
      lambda d: [has(int(n), name) for name, n in d.isna().sum().items()]),
    Ask("checks", "What share of total_bill is missing?",
      lambda d: [has(100 * d["total_bill"].isna().mean(), "total_bill")]),
    Ask("checks", "How complete is the data? How many rows have no gaps at all?",
      lambda d: [has(len(d.dropna()))]),
    Ask("checks", "Which column has the most missing values?",
      lambda d: [first(d.isna().sum().idxmax(), int(d.isna().sum().max()))]),
    Ask("checks", "Are there nulls in tip?", lambda d: [has(int(d["tip"].isna().sum()), "tip")]),
    Ask("wine", "Is there any missing data?", lambda _: [says("no (value|missing)|nothing")]),
    Ask("checks", "Standard deviation of tip",
      lambda d: [has(d["tip"].std()), warned("missing_left_out")]),
    Ask("tips", "median absolute deviation of tip",
      lambda d: [has(stats.median_abs_deviation(d["tip"]))]),
    Ask("wind", "Give the summary stats for frequency by strength",
      lambda d: [has(p["frequency"].mean(), name) for name, p in d.groupby("strength")]),
    Ask("medals", "distribution of count across medals, as a box plot",
      lambda _: [drawn, warned("small_groups"), size(3)]),
]  # fmt: skip
