"""Questions about the Gapminder table that comes with plotly, and about the production log."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb
import pandas
import plotly.data

from business.asked import (
    ANSWERED,
    UNANSWERED,
    Asked,
    direction,
    document,
    driver,
    highest,
    no_driver,
    number,
    says,
    twin_warning,
)
from business.production import BEST_LINE, LINES, PRODUCTION

GAPMINDER: Final = ("package://plotly/package_data/datasets/gapminder.csv.gz",)
DOCS: Final = "docs/gapminder"
LOG: Final = ("production.parquet",)


def gapminder_questions(folder: Path) -> list[Asked]:
    """All of them; the data does not change."""
    del folder
    world: pandas.DataFrame = plotly.data.gapminder()
    related = world.corr(numeric_only=True)["lifeExp"]
    last = world[world.year == 2007]
    continents = last.groupby("continent").lifeExp.mean().sort_values(ascending=False)
    africa = world[world.continent == "Africa"].groupby("year").lifeExp.mean()
    largest = last.sort_values("pop", ascending=False)
    poorest = last.sort_values("gdpPercap").iloc[0]
    return [
        Asked(
            "life-drivers", "What drives life expectancy in the world?", GAPMINDER,
            (driver("gdpPercap", 3), direction("gdpPercap", "+", "lifeExp"),
             no_driver("iso_num", 2)),
            docs=DOCS, difficulty="drivers",
        ),
        Asked(
            "wealth", "How does GDP per capita affect life expectancy?", GAPMINDER,
            (direction("gdpPercap", "+", "lifeExp"), number(related.gdpPercap, within=0.02)),
            difficulty="relation",
        ),
        Asked(
            "continent", "Which continent had the highest average life expectancy in 2007?",
            GAPMINDER,
            (highest(str(continents.index[0]), list(continents.index)), number(continents.iloc[0])),
            difficulty="groups",
        ),
        Asked(
            "africa", "How did life expectancy in Africa develop between 1952 and 2007?", GAPMINDER,
            (number(africa.iloc[0]), number(africa.iloc[-1]),
             says(r"ros|ris|increas|grew|grow|improv|higher|up\b|gain")),
            docs=DOCS, difficulty="time",
        ),
        Asked(
            "largest", "Which countries had the largest population in 2007?", GAPMINDER,
            (says(str(largest.country.iloc[0])), says(str(largest.country.iloc[1])),
             number(largest["pop"].iloc[0])),
            difficulty="groups",
        ),
        Asked(
            "poorest", "Which country had the lowest GDP per capita in 2007?", GAPMINDER,
            (says(str(poorest.country)), number(poorest.gdpPercap)), difficulty="groups",
        ),
        Asked(
            "size-and-life", "Do people in countries with a larger population live longer?",
            GAPMINDER,
            (number(related["pop"], within=0.02),
             says(r"weak|hardly|little|no (clear|strong|real)|almost no|barely|negligible|"
                  r"not (strong|clear|much)|small")),
            difficulty="relation",
        ),
        Asked(
            "ppp", "For which year's prices is the GDP per person in the Gapminder data adjusted?",
            GAPMINDER, (ANSWERED, document("about.md"), says(r"2005", "lead")),
            docs=DOCS, difficulty="documents",
        ),
        Asked(
            "rwanda", "Why was life expectancy in Rwanda so low in 1992?", GAPMINDER,
            (ANSWERED, document("notes.txt"), says(r"genocide", "lead")),
            docs=DOCS, difficulty="documents",
        ),
        Asked(
            "weather", "What will the weather be in Kenya tomorrow?", GAPMINDER, (UNANSWERED,),
            docs=DOCS, difficulty="unanswerable",
        ),
    ]  # fmt: skip


def production_questions(folder: Path) -> list[Asked]:
    """Two over a million rows."""
    path = str(folder / LOG[0]).replace("'", "''")
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT line, AVG(output) FROM '{path}' GROUP BY 1").fetchall()
    lines = dict(found)
    first, second, third = (each.name for each in PRODUCTION.drivers)
    return [
        Asked(
            "output", "What drives the output of production?", LOG,
            (driver(first, 3), driver(second, 3), driver(third, 3),
             direction(first, "+", "output"), direction(second, "-", "output"),
             no_driver("humidity", 3), twin_warning("temperature_norm")),
            difficulty="million rows",
        ),
        Asked(
            "best-line", "Which line has the highest average output?", LOG,
            (highest(BEST_LINE, LINES), number(lines[BEST_LINE], within=0.002)),
            difficulty="million rows",
        ),
    ]  # fmt: skip
