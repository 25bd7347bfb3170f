"""What studies find, beside the same computed here with pandas, numpy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.linear_model import LinearRegression

from flows.analysis.methods.compile import compile_study
from tests.analysis.studies import Studies, cell

ABOUT = pytest.approx


def of_year(studies: Studies, year: int = 2007) -> pd.DataFrame:
    frame = studies.data["gapminder"]
    return frame[frame["year"] == year]


@pytest.mark.long("analyses computed over their data")
def test_a_correlation_of_two_columns(studies: Studies) -> None:
    text = "How strongly is lifeExp correlated with gdpPercap in 2007?"
    frame = of_year(studies)
    found = studies.result("gapminder", text)
    assert list(found["correlation"]) == [ABOUT(frame["lifeExp"].corr(frame["gdpPercap"]))]
    answer = studies.answer("gapminder", text)
    assert answer == (
        "The correlation of lifeExp and gdpPercap in 2007 is 0.6787, strong and positive "
        "(Pearson, over 142 rows). It is significant at the five percent level (p = "
        "1.689e-20). Note: Spearman's rank correlation of lifeExp and gdpPercap is 0.857, "
        "Pearson's 0.679: few extreme values or a bend make the difference."
    )


@pytest.mark.long("whole analyses over their data")
def test_a_rank_correlation(studies: Studies) -> None:
    frame = studies.data["gapminder"]
    found = studies.result("gapminder", "Spearman correlation of gdpPercap with lifeExp")
    expected = frame["gdpPercap"].corr(frame["lifeExp"], method="spearman")
    assert list(found["correlation"]) == [ABOUT(expected)]


@pytest.mark.long("analyses computed over their data")
def test_a_correlation_matrix_with_its_heat_map(studies: Studies) -> None:
    done = studies.run("wine", "correlation matrix of alcohol, magnesium, hue and proline")
    tables = {each.name: each for each in done.tables}
    expected = studies.data["wine"][["alcohol", "magnesium", "hue", "proline"]].corr()
    for row in tables["matrix"].rows:
        for name, value in zip(tables["matrix"].columns[1:], row[1:], strict=True):
            assert value == ABOUT(expected.loc[row[0], name])
    [figure] = done.figures
    assert figure.png is not None
    assert figure.png.startswith(b"\x89PNG")
    sizes = [abs(row[2]) for row in tables["result"].rows if isinstance(row[2], float)]
    assert sizes == sorted(sizes, reverse=True)
    assert len(sizes) == 6


@pytest.mark.long("analyses computed over their data")
def test_one_column_with_the_others(studies: Studies) -> None:
    found = studies.result("diabetes", "Which variables correlate with target?")
    frame = studies.data["diabetes"]
    assert set(found["first"]) == {"target"}
    assert cell(found, "correlation", second="bmi") == ABOUT(frame["bmi"].corr(frame["target"]))
    assert found["second"].iloc[0] == "bmi"


@pytest.mark.long("whole analyses over their data")
def test_a_correlation_for_each_group(studies: Studies) -> None:
    text = "Correlation between lifeExp and gdpPercap for each continent"
    found = studies.result("gapminder", text)
    for name, part in studies.data["gapminder"].groupby("continent"):
        value = cell(found, "correlation", continent=name)
        assert value == ABOUT(part["lifeExp"].corr(part["gdpPercap"]))


@pytest.mark.long("whole analyses over their data")
def test_a_histogram(studies: Studies) -> None:
    done = studies.run("gapminder", "Histogram of life expectancy with 20 bins in 2007")
    [row] = done.tables[0].rows
    found = dict(zip(done.tables[0].columns, row, strict=True))
    values = of_year(studies)["lifeExp"]
    counts, edges = np.histogram(values, bins=20)
    assert (found["rows"], found["bins"]) == (142, 20)
    assert found["mean"] == ABOUT(values.mean())
    assert found["fullest_rows"] == counts.max()
    assert found["fullest_from"] == ABOUT(edges[counts.argmax()])
    assert len(done.figures) == 1


@pytest.mark.long("analyses computed over their data")
def test_a_histogram_for_each_group(studies: Studies) -> None:
    found = studies.result("tips", "Distribution of tips by day")
    for name, part in studies.data["tips"].groupby("day"):
        assert cell(found, "rows", day=name) == len(part)
        assert cell(found, "median", day=name) == ABOUT(part["tip"].median())


@pytest.mark.long("analyses computed over their data")
def test_the_rows_that_are_asked_for(studies: Studies) -> None:
    found = studies.result("tips", "Histogram of total_bill for smokers")
    tips = studies.data["tips"]
    assert list(found["rows"]) == [int((tips["smoker"] == "Yes").sum())]
    later = studies.result("gapminder", "How is gdpPercap distributed in Africa after 1990?")
    frame = studies.data["gapminder"]
    chosen = frame[(frame["continent"] == "Africa") & (frame["year"] > 1990)]
    assert list(later["mean"]) == [ABOUT(chosen["gdpPercap"].mean())]


@pytest.mark.long("whole analyses over their data")
def test_how_often_values_stand_there(studies: Studies) -> None:
    found = studies.result("tips", "How are days distributed?")
    counts = studies.data["tips"]["day"].value_counts()
    assert dict(zip(found["day"], found["rows"], strict=True)) == dict(counts)
    assert "Sat: 87 (35.66 %)" in studies.answer("tips", "How are days distributed?")


@pytest.mark.long("whole analyses over their data")
def test_a_scatter_plot(studies: Studies) -> None:
    done = studies.run("tips", "Scatter plot total_bill vs tip by smoker")
    table = pd.DataFrame(list(done.tables[0].rows), columns=list(done.tables[0].columns))
    for name, part in studies.data["tips"].groupby("smoker"):
        assert cell(table, "correlation", smoker=name) == ABOUT(
            part["tip"].corr(part["total_bill"])
        )
        slope = np.polyfit(part["tip"], part["total_bill"], 1)[0]
        assert cell(table, "slope", smoker=name) == ABOUT(slope)
    assert len(done.figures) == 1


@pytest.mark.long("whole analyses over their data")
def test_a_box_plot(studies: Studies) -> None:
    found = studies.result("gapminder", "Box plot of life expectancy by continent")
    for name, part in studies.data["gapminder"].groupby("continent")["lifeExp"]:
        low, middle, high = part.quantile([0.25, 0.5, 0.75])
        reach = 1.5 * (high - low)
        assert cell(found, "median", continent=name) == ABOUT(middle)
        beyond = ((part < low - reach) | (part > high + reach)).sum()
        assert cell(found, "outliers", continent=name) == beyond


@pytest.mark.long("analyses computed over their data")
def test_a_linear_regression(studies: Studies) -> None:
    found = studies.result("diabetes", "Linear regression of target on bmi, bp and s5")
    frame = studies.data["diabetes"]
    model = LinearRegression().fit(frame[["bmi", "bp", "s5"]], frame["target"])
    for name, coefficient in zip(("bmi", "bp", "s5"), model.coef_, strict=True):
        assert cell(found, "coefficient", term=name) == ABOUT(coefficient)
    assert cell(found, "coefficient", term="intercept") == ABOUT(model.intercept_)
    score = model.score(frame[["bmi", "bp", "s5"]], frame["target"])
    assert list(found["r2"]) == [ABOUT(score)] * 4


@pytest.mark.long("whole analyses over their data")
def test_a_regression_on_categories(studies: Studies) -> None:
    found = studies.result("tips", "Predict the tip using total bill, size, smoker and day")
    tips = studies.data["tips"]
    dummies = pd.get_dummies(tips[["smoker", "day"]], drop_first=True, dtype=float)
    explained = pd.concat([tips[["total_bill", "size"]], dummies], axis=1)
    model = LinearRegression().fit(explained, tips["tip"])
    for name, coefficient in zip(explained.columns, model.coef_, strict=True):
        assert cell(found, "coefficient", term=name) == ABOUT(coefficient)


@pytest.mark.long("analyses computed over their data")
def test_what_explains_a_column(studies: Studies) -> None:
    found = studies.result("iris", "Which features are most important for predicting species?")
    assert set(found["feature"].iloc[:2]) == {"petal_length", "petal_width"}
    assert found["score"].iloc[0] > 0.9
    assert studies.result("tips", "What drives the tip?")["feature"].iloc[0] == "total_bill"


@pytest.mark.long("whole analyses over their data")
def test_outliers_by_quartiles(studies: Studies) -> None:
    done = studies.run("wine", "anomalies in magnesium")
    tables = {each.name: each for each in done.tables}
    values = studies.data["wine"]["magnesium"]
    low, high = values.quantile([0.25, 0.75])
    reach = 1.5 * (high - low)
    far = values[(values < low - reach) | (values > high + reach)]
    row = dict(zip(tables["result"].columns, tables["result"].rows[0], strict=True))
    assert row["outliers"] == len(far) == tables["outlying"].total_rows
    assert row["lower_bound"] == ABOUT(low - reach)
    assert row["upper_bound"] == ABOUT(high + reach)
    place = tables["outlying"].columns.index("magnesium")
    assert sorted(str(each[place]) for each in tables["outlying"].rows) == sorted(map(str, far))


def test_outliers_by_standard_deviations(studies: Studies) -> None:
    found = studies.result("gapminder", "Are there outliers in population by z-score?")
    values = studies.data["gapminder"]["pop"]
    far = (values - values.mean()).abs() > 3 * values.std()
    assert list(found["outliers"]) == [far.sum()]


@pytest.mark.long("whole analyses over their data")
def test_summary_statistics(studies: Studies) -> None:
    found = studies.result("tips", "Mean, median and standard deviation of tip by sex")
    for name, part in studies.data["tips"].groupby("sex")["tip"]:
        for key, value in {"mean": part.mean(), "median": part.median(), "std": part.std(),
                           "skewness": part.skew(), "kurtosis": part.kurt()}.items():  # fmt: skip
            assert cell(found, key, sex=name) == ABOUT(value)
    ninety = studies.result("gapminder", "90th percentile of gdpPercap in 2007")
    assert list(ninety["p90"]) == [ABOUT(of_year(studies)["gdpPercap"].quantile(0.9))]


@pytest.mark.long("whole analyses over their data")
def test_normality(studies: Studies) -> None:
    found = studies.result("iris", "Test petal length for normality for setosa")
    iris = studies.data["iris"]
    statistic, p = stats.shapiro(iris[iris["species"] == "setosa"]["petal_length"])
    assert list(found["p_value"]) == [ABOUT(p)]
    assert list(found["statistic"]) == [ABOUT(statistic)]
    assert list(found["normal"]) == [p >= 0.05]


@pytest.mark.long("whole analyses over their data")
@pytest.mark.parametrize(
    ("text", "keys", "measure", "how"),
    [
        ("Bar chart of the average tip by day", ["day"], "tip", "mean"),
        ("Bar chart of total tips per day and time", ["day", "time"], "tip", "sum"),
        ("Draw a bar chart of the median total bill per day", ["day"], "total_bill", "median"),
        ("Plot the maximum tip for each time", ["time"], "tip", "max"),
    ],
)
def test_a_chart_draws_what_groups_come_to(
    studies: Studies, text: str, keys: list[str], measure: str, how: str
) -> None:
    done = studies.run("tips", text)
    [table] = done.tables
    expected = studies.data["tips"].groupby(keys)[measure].agg(how)
    found = {tuple(row[: len(keys)]): row[len(keys)] for row in table.rows}
    assert found == {
        key if isinstance(key, tuple) else (key,): ABOUT(value) for key, value in expected.items()
    }
    assert len(done.figures) == 1


@pytest.mark.long("whole analyses over their data")
def test_a_line_over_time_for_several(studies: Studies) -> None:
    found = studies.result("gapminder", "Line chart of lifeExp over time for Japan and China")
    frame = studies.data["gapminder"]
    for country in ("Japan", "China"):
        part = frame[frame["country"] == country].set_index("year")["lifeExp"]
        for year in (1952, 2007):
            value = cell(found, "average_lifeExp", country=country, year=year)
            assert value == ABOUT(part[year])


@pytest.mark.long("analyses computed over their data")
def test_missing_values_are_left_out_and_said(studies: Studies) -> None:
    done = studies.run("gaps", "correlation of depth and width")
    found = dict(zip(done.tables[0].columns, done.tables[0].rows[0], strict=True))
    whole = studies.data["gaps"].dropna(subset=["depth", "width"])
    assert found["rows"] == len(whole) == 4
    assert any("2 of 6 rows were left out (33 %, so" in each.text for each in done.cautions)
    summary = studies.result("gaps", "summary statistics of depth by place")
    assert dict(zip(summary["place"], summary["missing"], strict=True)) == {"x": 1, "y": 0}
    assert "1 left out because a value is missing" in studies.answer(
        "gaps", "summary statistics of depth by place"
    )


@pytest.mark.long("whole analyses over their data")
def test_a_year_of_a_date(studies: Studies) -> None:
    found = studies.result("gaps", "summary statistics of depth in 2021")
    assert list(found["maximum"]) == [60.0]
    assert list(found["rows"]) == [3]


def test_no_row_is_left(studies: Studies) -> None:
    study = studies.read("gapminder", "histogram of lifeExp in 1800")
    code = compile_study(study, studies.tables("gapminder"))
    assert "no row is left for lifeExp in 1800" in code
