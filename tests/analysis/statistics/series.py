"""Questions about what happens over time, and what comes next."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tests.analysis.statistics.facts import Question as Ask
from tests.analysis.statistics.facts import drawn, has, says, size, warned


def _of(d: pd.DataFrame, country: str, column: str) -> pd.Series:
    return d[d["country"] == country].set_index("year")[column]


def _monthly(d: pd.DataFrame, column: str) -> pd.Series:
    return d.set_index(pd.to_datetime(d["date"]))[column]


QUESTIONS = [
    Ask("gapminder", "How fast did Norway's gdpPercap grow from 1952 to 2007? Growth rate please",
      lambda d: [has(100 * (_of(d, "Norway", "gdpPercap")[2007]
                            / _of(d, "Norway", "gdpPercap")[1952] - 1))]),
    Ask("gapminder", "CAGR of gdpPercap for China",
      lambda d: [has(100 * ((_of(d, "China", "gdpPercap")[2007]
                             / _of(d, "China", "gdpPercap")[1952]) ** (1 / 55) - 1))]),
    Ask("gapminder", "compound annual growth rate of the population of India between 1982 and 2007",
      lambda d: [has(100 * ((_of(d, "India", "pop")[2007] / _of(d, "India", "pop")[1982])
                            ** (1 / 25) - 1))]),
    Ask("gapminder", "By what percentage did life expectancy change in Japan from 1952 to 2007?",
      lambda d: [has(100 * (_of(d, "Japan", "lifeExp")[2007] / _of(d, "Japan", "lifeExp")[1952]
                            - 1))]),
    Ask("gapminder", "Percentage change of pop in Brazil from period to period",
      lambda d: [has(100 * _of(d, "Brazil", "pop").pct_change()[1987], 1987)]),
    Ask("gapminder", "Forecast the life expectancy of France for the next 3 periods",
      lambda _: [size(3), says("interval|between"), has(2012), has(2022)]),
    Ask("gapminder", "What will the population of Kenya be in 2012?",
      lambda _: [has(2012), says("forecast|trend")]),
    Ask("gapminder", "project gdpPercap of Canada two periods ahead",
      lambda _: [size(2), has(2017)]),
    Ask("gapminder", "forecast total pop by continent for the next 2 periods",
      lambda _: [size(10), has("Asia")]),
    Ask("stocks", "7-period moving average of AAPL",
      lambda d: [has(d["AAPL"].rolling(7).mean().iloc[20])]),
    Ask("stocks", "Rolling mean of GOOG over 4 weeks",
      lambda d: [has(d["GOOG"].rolling(4).mean().iloc[10])]),
    Ask("stocks", "By how much did NFLX grow overall, in percent?",
      lambda d: [has(100 * (d["NFLX"].iloc[-1] / d["NFLX"].iloc[0] - 1))]),
    Ask("stocks", "week over week percent change of MSFT",
      lambda d: [has(100 * d["MSFT"].pct_change().iloc[1])]),
    Ask("stocks", "Predict the next 4 values of AMZN", lambda _: [size(4), says("interval|"
        "between")]),
    Ask("stocks", "forecast FB for the next 5 weeks", lambda _: [size(5), drawn]),
    Ask("stocks", "cumulative sum of AMZN", lambda d: [has(d["AMZN"].cumsum().iloc[9])]),
    Ask("stocks", "Is there a trend in AAPL over time - how much does it rise per week?",
      lambda d: [has(np.polyfit(np.arange(len(d)), d["AAPL"], 1)[0], within=1e-3)]),
    Ask("stocks", "How volatile is NFLX? Standard deviation of its percent changes",
      lambda d: [has(d["NFLX"].pct_change().std() * 100, within=1e-4)]),
    Ask("gapminder", "running total of pop over the years in Africa",
      lambda d: [has(d[d["continent"] == "Africa"].groupby("year")["pop"].sum().cumsum()[1962])]),
    Ask("gapminder", "Which country's population grew the most in percent between 1952 and 2007?",
      lambda d: [has(_fastest(d)[1], _fastest(d)[0])]),
    Ask("gapminder", "rank the countries of Europe by gdpPercap in 2007 within the continent",
      lambda _: [has(1, "Norway")]),
    Ask("tips", "What share of all total bills falls on each day?",
      lambda d: [has(100 * p["total_bill"].sum() / d["total_bill"].sum(), name)
                 for name, p in d.groupby("day")]),
    Ask("stocks", "Forecast MSFT for the next 2 years",
      lambda _: [says("far|beyond|interval"), warned("far_forecast")]),
    Ask("gapminder", "forecast lifeExp of Japan for the next 3 periods after 1992",
      lambda _: [warned("few_points")]),
]  # fmt: skip


def _fastest(d: pd.DataFrame) -> tuple[str, float]:
    wide = d.pivot(index="country", columns="year", values="pop")
    grown = 100 * (wide[2007] / wide[1952] - 1)
    return str(grown.idxmax()), float(grown.max())
