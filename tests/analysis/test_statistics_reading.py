"""What requests for statistics and figures are read as, and which are not read."""

from __future__ import annotations

import pytest

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.catalog import ASKED
from flows.analysis.methods.compile import compile_study
from flows.analysis.methods.picture import field_name
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification
from flows.analysis.reading.reader import Unread
from flows.semantics.query import Between, Comparison, Constant, OneOf, Predicate, conjuncts
from tests.analysis.studies import Studies

READ = [
    ("gapminder", "What is the correlation between life expectancy and GDP per capita?",
     "correlation lifeExp,gdpPercap"),
    ("gapminder", "How strongly is lifeExp correlated with gdpPercap in 2007?",
     "correlation lifeExp,gdpPercap where year=2007"),
    ("gapminder", "Show the correlation matrix of all numeric columns",
     "correlation lifeExp,pop,gdpPercap"),
    ("gapminder", "Which columns are most correlated with life expectancy?",
     "correlation lifeExp,pop,gdpPercap of lifeExp"),
    ("gapminder", "Spearman correlation of gdpPercap with lifeExp",
     "correlation gdpPercap,lifeExp by spearman"),
    ("gapminder", "Is there a relationship between population and life expectancy?",
     "correlation pop,lifeExp"),
    ("gapminder", "Correlation between lifeExp and gdpPercap for each continent",
     "correlation lifeExp,gdpPercap each continent"),
    ("gapminder", "Draw a histogram of life expectancy in 2007",
     "distribution lifeExp where year=2007"),
    ("gapminder", "Histogram of lifeExp with 20 bins", "distribution lifeExp number 20"),
    ("gapminder", "Show the distribution of gdpPercap by continent in 2007",
     "distribution gdpPercap each continent where year=2007"),
    ("gapminder", "How is gdpPercap distributed in Africa after 1990?",
     "distribution gdpPercap where year>1990, continent=Africa"),
    ("gapminder", "Scatter plot of gdpPercap and lifeExp in 2007, coloured by continent",
     "scatter_plot gdpPercap,lifeExp each continent where year=2007"),
    ("gapminder", "Plot lifeExp against gdpPercap for Asia",
     "scatter_plot gdpPercap,lifeExp where continent=Asia"),
    ("gapminder", "Box plot of life expectancy by continent", "box_plot lifeExp each continent"),
    ("gapminder", "Linear regression of lifeExp on gdpPercap and pop",
     "regression gdpPercap,pop of lifeExp"),
    ("gapminder", "Predict life expectancy from gdpPercap in 2007",
     "regression gdpPercap of lifeExp where year=2007"),
    ("gapminder", "Which factors influence life expectancy most?",
     "feature_importance continent,year,pop,gdpPercap of lifeExp"),
    ("gapminder", "Find outliers in gdpPercap in 2007",
     "outliers gdpPercap by iqr where year=2007"),
    ("gapminder", "Are there outliers in population by z-score?", "outliers pop by zscore"),
    ("gapminder", "Summary statistics of lifeExp by continent",
     "summary_statistics lifeExp each continent"),
    ("gapminder", "What is the standard deviation of life expectancy in 2007?",
     "summary_statistics lifeExp where year=2007"),
    ("gapminder", "90th percentile of gdpPercap in 2007",
     "summary_statistics gdpPercap at 90 where year=2007"),
    ("gapminder", "Is life expectancy normally distributed in 2007?",
     "normality lifeExp where year=2007"),
    ("gapminder", "Plot the average life expectancy per continent in 2007 as a bar chart",
     "chart lifeExp each continent by bar where year=2007"),
    ("gapminder", "Line chart of the average life expectancy over the years by continent",
     "chart lifeExp each year,continent by line"),
    ("gapminder", "Plot the gdpPercap of Norway over time",
     "chart gdpPercap each year by line where country=Norway"),
    ("gapminder", "Line chart of lifeExp over time for Japan and China",
     "chart lifeExp each year,country by line where country=Japan|China"),
    ("gapminder", "Bar chart of the 10 countries with the highest lifeExp in 2007",
     "chart lifeExp each country by bar where year=2007"),
    ("tips", "What is the correlation between total bill and tip?", "correlation total_bill,tip"),
    ("tips", "Heat map of the correlations", "correlation total_bill,tip,size"),
    ("tips", "Histogram of total_bill for smokers", "distribution total_bill where smoker=Yes"),
    ("tips", "Distribution of tips by day", "distribution tip each day"),
    ("tips", "How are days distributed?", "distribution day by frequencies"),
    ("tips", "Compare the tip by day with a box plot", "box_plot tip each day"),
    ("tips", "Scatter plot total_bill vs tip by smoker", "scatter_plot tip,total_bill each smoker"),
    ("tips", "Regress tip on total_bill and size", "regression total_bill,size of tip"),
    ("tips", "Predict the tip using total bill, size, smoker and day",
     "regression total_bill,size,smoker,day of tip"),
    ("tips", "What drives the tip?",
     "feature_importance total_bill,sex,smoker,day,time,size of tip"),
    ("tips", "How many outliers does total_bill have?", "outliers total_bill by iqr"),
    ("tips", "Mean, median and standard deviation of tip by sex",
     "summary_statistics tip each sex"),
    ("tips", "Is the tip normally distributed for lunch?", "normality tip where time=Lunch"),
    ("tips", "Bar chart of the average tip by day", "chart tip each day by bar"),
    ("tips", "Plot the number of rows by day", "chart each day by bar"),
    ("iris", "Which two columns are most strongly correlated?",
     "correlation sepal_length,sepal_width,petal_length,petal_width"),
    ("iris", "Histogram of petal width for each species", "distribution petal_width each species"),
    ("iris", "Which features are most important for predicting species?",
     "feature_importance sepal_length,sepal_width,petal_length,petal_width of species by classes"),
    ("iris", "Test petal length for normality for setosa",
     "normality petal_length where species=setosa"),
    ("iris", "Fit a linear regression that predicts petal width from petal length",
     "regression petal_length of petal_width"),
    ("diabetes", "correlation of bmi with target", "correlation bmi,target"),
    ("diabetes", "Linear regression of target on bmi, bp and s5", "regression bmi,bp,s5 of target"),
    ("diabetes", "outliers of bmi using the IQR method", "outliers bmi by iqr"),
    ("diabetes", "skewness of s4", "summary_statistics s4"),
    ("wine", "scatter plot of alcohol and color_intensity", "scatter_plot alcohol,color_intensity"),
    ("wine", "anomalies in magnesium", "outliers magnesium by iqr"),
    ("wine", "box plots of alcohol by target", "box_plot alcohol each target"),
    ("gapminder", "Draw a violin plot of lifeExp", "box_plot lifeExp by violin"),
    ("gapminder", "Plot a forecast of pop for 2040", "forecast pop number 3"),
    ("gapminder", "Mean life expectancy forecast for Kenya, next two periods",
     "forecast lifeExp number 2 where country=Kenya"),
    ("tips", "Expected tip for a total bill of 30 on Sun?",
     "regression total_bill of tip with total_bill 30 where day=Sun"),
    ("tips", "Does the tip differ between Sun and Sat?",
     "hypothesis_test tip each day where day=Sun|Sat"),
    ("tips", "Are smoker and sex independent?", "hypothesis_test smoker each sex by independence"),
    ("iris", "Group the flowers into four clusters",
     "clustering sepal_length,sepal_width,petal_length,petal_width number 4"),
    ("wine", "Do a PCA on alcohol, ash and hue", "principal_components alcohol,ash,hue"),
    ("tips", "Rank the days by total bill within each time",
     "ranking day,total_bill each time"),
    ("gapminder", "Growth of European gdpPercap since 1977",
     "growth gdpPercap where year>=1977, continent=Europe"),
]  # fmt: skip

UNREAD = [
    ("gapminder", "What is the correlation between happiness and lifeExp?", "happiness"),
    ("gapminder", "What is the correlation of continent with lifeExp?", "continent holds no"),
    ("gapminder", "Scatter plot of lifeExp", "two columns"),
    ("gapminder", "Draw a sankey plot of lifeExp", "sankey"),
    ("gapminder", "Run a regression", "which column"),
    ("gapminder", "Linear regression of continent on pop", "continent has 5 values and holds no"),
    ("gapminder", "Histogram of lifeExp by country", "too many"),
    ("tips", "Plot a forecast of tip for 2040", "no column that says when"),
    ("tips", "Correlation of tip and size, and a histogram of size", "two things"),
    ("tips", "Box plot of tip by day and write me a poem", "poem"),
    ("gapminder", "What is the correlation of country with lifeExp?", "country holds no"),
    ("tips", "Which tips are outliers on Sunday?", "Sunday"),
    ("iris", "Cluster the petals by moonlight", "moonlight"),
]

OTHERS = ["How many rows are there?", "What is the average tip by day?", "Describe the data"]


def told(study: Specification[Arguments]) -> str:
    """A study in one line, for the tables above."""
    query, given = study.chart, study.arguments.model_dump()
    groups = ",".join(map(field_name, query.by)) if query else study.group
    tests = conjuncts(study.where)
    usual = ("", "pearson", "linear", "box", "histogram", "rank")
    variants = [given.get("variant", ""), study.style, "classes" * given.get("classes", False)]
    numbers = [given.get(each, 0) for each in ("number", "bins", "steps")]
    parts = [study.kind, ",".join(study.columns)]
    parts += [f"of {study.target}"] * bool(study.target)
    parts += [f"each {groups}"] * bool(groups)
    parts += [f"by {each}" for each in variants if each not in usual]
    parts += [f"number {each}" for each in numbers if each]
    parts += [f"at {each:g}" for each in given.get("percentiles", ())]
    parts += [f"with {name} {value:g}" for name, value in given.get("at", ())]
    parts += [f"where {', '.join(map(_filter, tests))}"] * bool(tests)
    return " ".join(filter(None, parts))


def _filter(test: Predicate) -> str:
    if isinstance(test, OneOf):
        return f"{field_name(test.of)}={'|'.join(map(str, test.values))}"
    if isinstance(test, Between):
        ends = [each.value for each in (test.low, test.high) if isinstance(each, Constant)]
        return f"{field_name(test.of)}between{'|'.join(map(str, ends))}"
    assert isinstance(test, Comparison)
    assert isinstance(test.right, Constant)
    return f"{field_name(test.left)}{test.operator}{test.right.value}"


@pytest.mark.parametrize(("table", "text", "meaning"), READ, ids=[text for _, text, _ in READ])
def test_a_request_is_read(studies: Studies, table: str, text: str, meaning: str) -> None:
    assert told(studies.read(table, text)) == meaning


@pytest.mark.parametrize(("table", "text", "why"), UNREAD, ids=[text for _, text, _ in UNREAD])
def test_what_cannot_be_read_says_so(studies: Studies, table: str, text: str, why: str) -> None:
    unread = read_study(text, studies.tables(table))
    assert isinstance(unread, Unread)
    assert why in str(unread)


@pytest.mark.parametrize("text", OTHERS)
def test_what_sql_answers_is_no_study(studies: Studies, text: str) -> None:
    assert read_study(text, studies.tables("tips")) is None


def test_without_tables(studies: Studies) -> None:
    assert isinstance(read_study("correlation of a and b", ()), Unread)


def test_values_of_the_data_are_literals_in_the_code(studies: Studies) -> None:
    """A name in quotes that tries to end its literal stays text."""
    evil = "x'] or __import__('os')  #"
    study = read_study(f'Histogram of tip where day is "{evil}"', studies.tables("tips"))
    assert isinstance(study, Specification)
    code = compile_study(study, studies.tables("tips"))
    assert repr(evil) in code


@pytest.mark.parametrize(
    "text",
    [
        "correlation of tip and total bill, and email it to my boss",
        "Draw a histogram of tip and sing a song",
        "outliers of the adjusted tip",
        "Compare smokers and non-smokers in tip with a t-test and a histogram",
        "Forecast the weather",
    ],
)
def test_half_of_a_request_is_not_answered(studies: Studies, text: str) -> None:
    assert isinstance(read_study(text, studies.tables("tips")), Unread)


def test_every_kind_is_in_the_catalogue_once_and_has_recipes() -> None:
    kinds = [each.name for each in ASKED]
    assert len(kinds) == len(set(kinds))
    for each in ASKED:
        assert each.cue.words or each.cue.hint, each.name
        assert each.cue.includes <= set(kinds), each.name
        assert not each.cue.otherwise or each.cue.otherwise in kinds
