"""Questions for a figure."""

from __future__ import annotations

import pandas as pd

from tests.analysis.statistics.facts import Fact, drawn, has
from tests.analysis.statistics.facts import Question as Ask


def _each(d: pd.DataFrame, by: list[str], value: str, how: str) -> list[Fact]:
    found = d.groupby(by)[value].agg(how)
    keys = [key if isinstance(key, tuple) else (key,) for key in found.index]
    return [drawn, *(has(n, *key) for key, n in zip(keys, found, strict=True))]


QUESTIONS = [
    Ask("tips", "Bar chart of average tip per day", lambda d: _each(d, ["day"], "tip", "mean")),
    Ask("tips", "Can you draw me the total bill summed up by day as bars?",
      lambda d: _each(d, ["day"], "total_bill", "sum")),
    Ask("tips", "stacked bar chart of total tips by day and sex",
      lambda d: _each(d, ["day", "sex"], "tip", "sum")),
    Ask("tips", "grouped bars of the mean total bill by day and smoker",
      lambda d: _each(d, ["day", "smoker"], "total_bill", "mean")),
    Ask("tips", "pie chart of the number of rows per day",
      lambda d: [drawn, *(has(n, name) for name, n in d["day"].value_counts().items())]),
    Ask("tips", "Show the share of each day in total tips as a pie",
      lambda d: [drawn, *(has(p["tip"].sum(), name) for name, p in d.groupby("day"))]),
    Ask("tips", "heat map of the average tip by day and time",
      lambda d: _each(d, ["day", "time"], "tip", "mean")),
    Ask("gapminder", "Line chart of average life expectancy over time for each continent",
      lambda d: _each(d, ["year", "continent"], "lifeExp", "mean")),
    Ask("gapminder", "area chart of total population by year",
      lambda d: _each(d, ["year"], "pop", "sum")),
    Ask("gapminder", "Plot the life expectancy of Japan over the years",
      lambda _: [drawn, has(82.603, 2007), has(63.03, 1952)]),
    Ask("gapminder", "bubble plot: gdpPercap on x, lifeExp on y for 2007",
      lambda _: [drawn, has(142)]),
    Ask("medals", "Make a bar graph of medal counts by nation",
      lambda d: _each(d, ["nation"], "count", "sum")),
    Ask("medals", "stacked column chart of count by nation and medal",
      lambda d: _each(d, ["nation", "medal"], "count", "sum")),
    Ask("stocks", "Draw GOOG over time as a line",
      lambda d: [drawn, has(d["GOOG"].iloc[5], d["date"].iloc[5])]),
    Ask("stocks", "visualise AAPL and MSFT over time",
      lambda d: [drawn, has(d["MSFT"].iloc[50], d["AAPL"].iloc[50])]),
    Ask("wind", "Bar plot of the summed frequency for each direction",
      lambda d: _each(d, ["direction"], "frequency", "sum")),
    Ask("election", "pie of how many districts each winner won",
      lambda d: [drawn, *(has(n, name) for name, n in d["winner"].value_counts().items())]),
]  # fmt: skip
