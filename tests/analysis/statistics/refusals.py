"""Questions that cannot be answered, and why."""

from __future__ import annotations

from tests.analysis.statistics.facts import Question as Ask
from tests.analysis.statistics.facts import refused

QUESTIONS = [
    Ask("tips", "Profile the data and write me a poem", lambda _: [refused("poem|no study")]),
    Ask("tips", "Correlate tip with happiness", lambda _: [refused("happiness")]),
    Ask("tips", "correlation of tip and total bill, and translate it to French",
      lambda _: [refused("translate|french")]),
    Ask("tips", "Forecast the tips for next month", lambda _: [refused("time|date|when")]),
    Ask("iris", "What is the correlation between species and petal length?",
      lambda _: [refused("species holds no numbers")]),
    Ask("iris", "Run a t-test", lambda _: [refused("which|what")]),
    Ask("gapminder", "Regress lifeExp on moon phase", lambda _: [refused("moon")]),
    Ask("gapminder", "histogram of continentality index", lambda _: [refused("index")]),
    Ask("medals", "train a model that predicts count", lambda _: [refused("few|rows")]),
    Ask("medals", "Is count normally distributed for gold medals?",
      lambda _: [refused("few|rows|8|values")]),
    Ask("tips", "Cluster the customers by their favourite colour",
      lambda _: [refused("colou?r")]),
    Ask("tips", "draw a sankey diagram of day to time", lambda _: [refused("sankey")]),
    Ask("iris", "cluster the flowers into 500 groups", lambda _: [refused("500|rows")]),
    Ask("stocks", "test whether GOOG is cursed", lambda _: [refused("cursed|no study")]),
]  # fmt: skip
