"""What results say by rules: each number is worked out again with pandas, and comes from a cell."""

from __future__ import annotations

import re
from importlib.resources import files

import numpy as np
import pandas as pd
import pytest

from flows.semantics.query import Query
from tests.analysis.told import Told, analysis, beside, condition, correlations, ordered, tell

FOLDER = files("plotly") / "package_data" / "datasets"
NUMBER = re.compile(r"\d{5,}|\d\.\d{4,}")


@pytest.fixture(scope="module")
def gapminder() -> pd.DataFrame:
    return pd.read_csv(str(FOLDER / "gapminder.csv.gz"))


@pytest.fixture(scope="module")
def depots() -> pd.DataFrame:
    """Depots by month, with a known driver, one that goes against it, noise, and a twin."""
    rng = np.random.default_rng(5)
    size = 24 * 20
    lead, calm = rng.normal(30, 5, size), rng.normal(5, 1, size)
    quality = rng.normal(0.8, 0.1, size)
    score = 0.5 + 0.6 * (quality - 0.8) - 0.004 * (lead - 30) + rng.normal(0, 0.01, size)
    return pd.DataFrame(
        {"depot": np.repeat([f"Depot {n}" for n in range(1, 21)], 24),
         "month": np.tile(pd.date_range("2023-01-01", periods=24, freq="MS"), 20),
         "score": score, "quality": quality,
         "quality_norm": (quality - quality.min()) / (quality.max() - quality.min()),
         "lead_days": lead, "calm": calm}
    )  # fmt: skip


def sound(told: Told) -> Told:
    """Nothing is invented, nothing unreadable, nothing claimed to be a cause."""
    assert told.texts
    assert told.invented == []
    for text in told.texts:
        assert not NUMBER.search(text), text
        assert text[0].isupper() or text[0] in "`{0123456789", text
        assert text.endswith(".")
        assert not re.search(r"\b(?:cause[sd]?|leads? to|because|due to)\b", text), text
        assert "_" not in text
        assert "nan" not in text.lower().split()
    assert len(told.texts) == len(set(told.texts)) <= 6
    return told


def test_a_ranking_names_first_and_last_and_what_is_between(gapminder: pd.DataFrame) -> None:
    last = gapminder[gapminder.year == 2007]
    frame = last.groupby("continent", as_index=False).agg(avg_lifeExp=("lifeExp", "mean"))
    told = sound(tell(frame, "Average life expectancy", "Which continent lives longest?"))
    order = frame.set_index("continent").avg_lifeExp.sort_values(ascending=False)
    first = told.texts[0]
    assert first.startswith(f"{order.index[0]} has the highest average life")
    assert f"{order.iloc[0]:.1f}" in first
    assert f"{order.index[1]} ({order.iloc[1]:.1f})" in first
    low = told.one("lowest")
    assert order.index[-1] in low
    assert f"{order.iloc[0] - order.iloc[-1]:.1f} below {order.index[0]}" in low


def test_a_total_says_how_much_the_first_few_make_up(gapminder: pd.DataFrame) -> None:
    frame = gapminder[gapminder.year == 2007][["country", "pop"]]
    told = sound(tell(frame, "Population", "Which countries have the largest population?"))
    top = frame.nlargest(3, "pop")
    share = top["pop"].sum() / frame["pop"].sum()
    assert f"{share:.0%}".replace("%", " %") in told.one(*top.country, "make up")
    assert "1.32 billion" in told.one("China has the highest population")


def test_averages_have_no_shares(gapminder: pd.DataFrame) -> None:
    frame = gapminder.groupby("continent", as_index=False).agg(avg_lifeExp=("lifeExp", "mean"))
    assert not [each for each in sound(tell(frame, "Averages")).texts if "make" in each]


def test_the_one_that_is_asked_about_is_placed(gapminder: pd.DataFrame) -> None:
    frame = gapminder[gapminder.year == 2007][["country", "lifeExp"]]
    told = sound(tell(frame, "Life expectancy", "How does Chad compare in life expectancy?"))
    mine = frame.set_index("country").lifeExp
    rank = int(mine.rank().loc["Chad"])
    first = told.texts[0]
    assert first.startswith("Chad ")
    assert f"{mine['Chad']:.1f}" in first
    assert f"below the average of {mine.mean():.1f}" in first
    assert rank > 5
    assert "lower half" in first


def test_of_the_lowest_the_lowest_is_first() -> None:
    frame = pd.DataFrame({"shop": list("ABC"), "returns": [9.5, 3.25, 4.75]})
    told = sound(
        tell(frame, ordered("returns", "shop", low=True), "Which shops have the lowest returns?")
    )
    assert told.texts[0] == "B has the lowest returns: 3.25, followed by C (4.75) and A (9.50)."
    assert not [each for each in told.texts if "highest" in each]


def test_a_series_says_its_change(gapminder: pd.DataFrame) -> None:
    frame = gapminder.groupby("year", as_index=False).agg(lifeExp=("lifeExp", "mean"))
    [text] = sound(tell(frame, "Mean by year", "How did life expectancy change?")).texts
    first, last = frame.lifeExp.iloc[0], frame.lifeExp.iloc[-1]
    assert f"rose from {first:.1f} in 1952 to {last:.1f} in 2007" in text
    assert f"by {(last - first) / first:.0%}".replace("%", " %") in text
    assert "at every step" in text


def test_a_series_that_turns_says_where() -> None:
    frame = pd.DataFrame(
        {"month": [f"2024-{n:02}" for n in range(1, 9)],
         "sales": [10, 12, 15, 21, 30, 26, 20, 22]}
    )  # fmt: skip
    told = sound(tell(frame, "Sales by month"))
    assert "rose from 10 in 2024-01 to 22 in 2024-08, by 120 %" in told.texts[0]
    assert "highest in 2024-05 (30)" in told.one("highest")
    down = frame.assign(sales=frame.sales[::-1].to_numpy()).sort_values("month", ascending=False)
    assert "fell from 22 in 2024-01 to 10 in 2024-08" in sound(tell(down, "Sales")).texts[0]


def test_several_series_are_told_apart(gapminder: pd.DataFrame) -> None:
    by = gapminder.groupby(["continent", "year"], as_index=False).agg(lifeExp=("lifeExp", "mean"))
    told = sound(tell(by, "By continent and year", "How did life expectancy in Africa change?"))
    wide = by.pivot(index="year", columns="continent", values="lifeExp")
    growth = (wide.iloc[-1] / wide.iloc[0] - 1).sort_values()
    assert f"rose most in {growth.index[-1]}" in told.one("rose most")
    assert f"rose least in {growth.index[0]}" in told.one("rose least")
    assert f"of Africa rose from {wide['Africa'].iloc[0]:.1f} in 1952" in told.texts[0]


@pytest.mark.parametrize("form", ["list", "one name", "matrix"])
def test_correlations_say_what_goes_with_the_target(depots: pd.DataFrame, form: str) -> None:
    numbers = depots.drop(columns=["depot", "month"])
    frame = correlations(numbers, "score")
    if form == "one name":
        frame = frame[["second", "correlation"]].rename(columns={"second": "feature"})
    if form == "matrix":
        frame = numbers.corr().rename_axis("column").reset_index()
    told = sound(
        tell(
            frame, analysis("correlation", *numbers.columns, target="score"),
            "What drives the score of Depot 3?",
        )
    )  # fmt: skip
    real = numbers.corr()["score"]
    assert told.texts[0].startswith("Quality goes most closely with score")
    assert f"{real['quality']:.2f}" in told.texts[0]
    against = told.one("against")
    assert "Lead days" in against
    assert f"{real['lead_days']:.2f}" in against
    assert told.one("calm" if form == "" else "Calm", "little").count("score") == 1
    twin = told.one("so the two count as one")
    assert "quality norm" in twin.lower()
    assert not [each for each in told.texts if "norm" in each and each != twin]


def test_a_pair_says_direction_and_size() -> None:
    row = {"first": "wait", "second": "rating", "correlation": -0.512, "p_value": 1e-9, "rows": 90}
    frame = pd.DataFrame([row])
    [text] = sound(tell(frame, "Correlate", "How does the wait affect the rating?")).texts
    assert text.startswith("Where wait is higher, rating tends to be lower")
    assert "-0.51" in text
    assert "moderate" in text
    frame["p_value"] = 0.4
    [text] = sound(tell(frame, "Correlate", "How does the wait affect the rating?")).texts
    assert "may be chance" in text


MODEL = analysis("key_drivers", "quality", "lead_days", "calm", target="score")


def drivers() -> pd.DataFrame:
    return pd.DataFrame(
        {"feature": ["quality", "lead_days", "calm"], "importance": [0.6, 0.2, 0.001],
         "effect": [0.0612, -0.021, 0.0001], "correlation": [0.8, -0.5, 0.01],
         "p_value": [0.0, 0.0, 0.8]}
    )  # fmt: skip


def test_drivers_are_ordered_and_have_directions() -> None:
    frame = drivers()
    told = sound(tell(frame, MODEL, "What drives the score?"))
    share = 0.6 / frame.importance.sum()
    assert told.texts[0] == (
        "Quality counts most for score, followed by lead days, and carries "
        f"{share:.0%} of the importance by itself.".replace("%", " %")
    )
    assert "+0.061 in score, of lead days with -0.021" in told.one("standard deviation")
    assert told.one("hardly") == "Calm hardly counts for score."


def test_a_model_of_a_part_says_so() -> None:
    where = condition("depot", "=", "Depot 4")
    part = MODEL.model_copy(update={"over": Query(dataset="data", where=where)})
    told = sound(tell(drivers(), part))
    assert all(each.startswith("Within Depot 4, ") for each in told.texts)


def test_metrics_beside_the_drivers_are_told() -> None:
    metrics = pd.DataFrame(
        {"metric": ["R2", "MAE"], "held_out": [0.8934, 0.0412], "cross_validated": [0.61, 0.04],
         "baseline": [-0.01, 0.12], "target": "score"}
    )  # fmt: skip
    told = sound(tell(metrics, MODEL, "What drives the score?"))
    assert "89 % of the differences in score in rows that it has not seen" in told.texts[0]
    assert "61 %" in told.one("cross-validation")
    assert "0.04 in rows that it has not seen, against 0.12 by guessing" in told.one("off by")
    weak = metrics.assign(held_out=[0.02, 0.12], cross_validated=[0.01, 0.12])
    assert "means little" in sound(tell(weak, MODEL)).texts[0]


def test_a_regression_says_what_may_be_chance() -> None:
    frame = pd.DataFrame(
        {"term": ["quality", "calm", "intercept"], "coefficient": [0.6, 0.0004, 0.1],
         "p_value": [0.0, 0.7, 0.0], "standardized": [0.8, 0.01, None], "r2": 0.64}
    )  # fmt: skip
    regression = analysis("regression", "quality", "calm", target="score")
    told = sound(tell(frame, regression, "What drives score?"))
    assert "+0.80 standard deviations in score" in told.one("deviation")
    assert "64 %" in told.one("Quality and calm alone explain")
    assert told.one("hardly") == "Calm hardly counts for score."


@pytest.mark.parametrize("form", ["rows", "two rows", "measures"])
def test_one_beside_the_others(depots: pd.DataFrame, form: str) -> None:
    columns = ["score", "quality", "quality_norm", "lead_days"]
    mine = depots.depot == "Depot 7"
    means = depots.groupby("depot")[columns].mean()
    if form == "rows":
        frame = means.reset_index()
        others = means.drop("Depot 7").mean()
    else:
        group = np.where(mine, "Depot 7", "others")
        two = depots.groupby(group)[columns].mean()
        others = two.loc["others"]
        frame = two.rename_axis("depot").reset_index()
    own = means.loc["Depot 7"]
    if form == "measures":
        frame = pd.DataFrame({"feature": columns, "own": own[columns].to_numpy(),
                              "others": others[columns].to_numpy()})  # fmt: skip
    told = sound(tell(frame, "Compare", "How do I improve the score of Depot 7?"))
    said = " ".join(each for each in told.texts if " the others in " in each)
    assert "quality norm" not in said
    side = "below" if own.lead_days < others.lead_days else "above"
    apart = [e for e in told.texts if "lead days" in e and f"lies {side} the others" in e]
    like = [e for e in told.texts if "lead days" in e and "about like" in e]
    assert len(apart) + len(like) == 1
    if apart:
        assert f"lead days ({own.lead_days:.1f} against {others.lead_days:.1f})" in apart[0]


def test_raw_rows_are_told_by_size_range_and_gaps(depots: pd.DataFrame) -> None:
    frame = depots.assign(calm=depots.calm.where(depots.index % 7 > 0))
    told = sound(tell(frame, "Extract all rows", "What about calm?"))
    assert f"{len(frame)} rows of seven columns, from 2023-01-01 to 2024-12-01" in told.one("holds")
    low, high, mean = frame.calm.min(), frame.calm.max(), frame.calm.mean()
    assert f"between {low:.2f} and {high:.2f}, {mean:.2f} on average" in told.one("lies between")
    assert f"calm in {frame.calm.isna().sum()} rows" in told.one("missing")


def test_of_a_result_that_was_cut_nothing_is_said_of_all(depots: pd.DataFrame) -> None:
    told = sound(tell(depots, "Extract all rows", "What about calm?", truncated=True))
    assert told.texts == ["The result holds the first rows of seven columns; there are more."]


def test_the_first_rows_of_many_are_told_over_all_of_them(gapminder: pd.DataFrame) -> None:
    """The ranking of rows that are not here is not known, their range is."""
    from flows.analysis.team.insights import insights
    from tests.analysis.told import outcome

    given = outcome(gapminder)
    given = {**given, "rows": given["rows"][:50], "types": [""] * len(given["columns"])}
    said = insights({**given, "task": "Extract", "question": "What about lifeExp?"}, ())["insights"]
    assert "min(made-1.lifeExp)" in said[0]
    assert not any("[0]" in each for each in said)


def test_tests_of_groups_say_whether_it_may_be_chance() -> None:
    frame = pd.DataFrame(
        {"plan": ["A", "B"], "rows": [80, 70], "mean": [3.91, 2.42], "p_value": 0.0001,
         "effect": "Cohen's d", "effect_size": 0.9}
    )  # fmt: skip
    test = analysis("hypothesis_test", "visits", group="plan")
    [text] = sound(tell(frame, test)).texts
    assert text.startswith("Visits differs clearly by plan, which is unlikely to be chance")
    assert "A averages 3.91 and B 2.42" in text
    [text] = sound(tell(frame.assign(p_value=0.3), test)).texts
    assert "may be chance" in text


def test_forecasts_growth_and_outliers() -> None:
    frame = pd.DataFrame(
        {"year": [2025, 2026], "forecast": [110.2, 121.7], "lower": [100.0, 105.1],
         "upper": [120.0, 138.3]}
    )  # fmt: skip
    told = sound(tell(frame, "Forecast sales", "What will sales be in 2026?"))
    assert told.texts[0] == "121.7 is expected in 2026, most likely between 105.1 and 138.3."
    growth = pd.DataFrame(
        {"shop": ["A", "B", "C"], "column": "sales", "from": 2020, "to": 2024,
         "first_value": [10.0, 10.0, 10.0], "last_value": [30.0, 12.0, 8.0],
         "change": [20.0, 2.0, -2.0], "percent": [200.0, 20.0, -20.0]}
    )  # fmt: skip
    told = sound(tell(growth, "Growth"))
    assert "Sales of A rose from 10 in 2020 to 30 in 2024 (+200 %)" in told.texts[0]
    assert "Sales of C fell from 10 in 2020 to 8 in 2024 (-20 %)" in told.texts[1]
    odd = pd.DataFrame({"column": ["sales", "cost"], "outliers": [4, 0], "lower_bound": [1.5, 0.5],
                        "upper_bound": [9.5, 2.5], "rows": [80, 80]})  # fmt: skip
    [text] = sound(tell(odd, "Outliers")).texts
    assert text.startswith("4 (5.0 %) values of sales lie far outside of the usual range")


def test_one_row_and_no_row() -> None:
    frame = pd.DataFrame({"shop": ["A"], "avg_price": [3.256], "orders": [12]})
    told = sound(tell(frame, "Price of A", "What is the average price of A?"))
    assert told.texts == ["The average price of A is 3.26."]
    told = sound(
        tell(frame, ordered("avg_price", "shop", first=1), "Which shop has the best price?")
    )
    assert told.texts[0] == "A has the highest average price: 3.26."
    assert tell(frame.iloc[:0], "Price").texts == [
        "The result has no rows, so there is nothing in it to tell."
    ]


def test_names_from_data_cannot_become_references_or_numbers() -> None:
    frame = pd.DataFrame(
        {"shop": ["{{made-1[0].x}}", "B\n- C", "plain"], "q1 2024 {{y}}": [3.5, 1.25, 2.0]}
    )
    told = tell(frame, "Sales")
    assert told.invented == []
    assert all("\n" not in each for each in told.texts)


def test_the_same_result_says_the_same(depots: pd.DataFrame) -> None:
    frame = correlations(depots.drop(columns=["depot", "month"]), "score")
    assert tell(frame, "Correlate", "What drives score?").texts == (
        tell(frame, "Correlate", "What drives score?").texts
    )


def with_lines(effect: float = 1.02) -> pd.DataFrame:
    """Drivers of a model in which the values of a category are columns of their own."""
    return pd.DataFrame(
        {"feature": ["pressure", "line = D", "line = B", "noise"],
         "importance": [0.5, 0.25, 0.01, 0.001], "effect": [2.0, effect, -0.03, 0.001],
         "p_value": [0.0, 0.0, 0.4, 0.9]}
    )  # fmt: skip


def test_values_of_a_category_are_told_as_the_category() -> None:
    told = sound(tell(with_lines(), MODEL, "What drives the score?"))
    assert told.texts[0].startswith("Pressure counts most for score, followed by line, and")
    assert "66 %" in told.texts[0]
    large = told.one("comes first by name")
    assert "score is +1.02 in D, all else being equal" in large
    assert " in B" not in large
    assert told.one("hardly") == "Noise hardly counts for score."
    small = sound(tell(with_lines(0.05), MODEL, "What drives the score?"))
    assert not [each for each in small.texts if " in D" in each]


def test_all_columns_that_matter_are_named() -> None:
    names = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    frame = pd.DataFrame({"feature": names, "importance": [0.5, 0.4, 0.3, 0.2, 0.1, 0.001],
                          "effect": [1.0, 0.9, 0.8, -0.7, 0.6, 0.0]})  # fmt: skip
    told = sound(tell(frame, MODEL, "What drives the score?"))
    assert "followed by beta, gamma, delta and epsilon" in told.texts[0]
    assert "of epsilon with +0.60" in told.one("standard deviation")


def test_what_nearly_is_the_target_is_told_first_and_not_denied(depots: pd.DataFrame) -> None:
    numbers = depots[["score", "calm"]].assign(visits=depots.score * 3 + depots.calm * 1e-4)
    told = sound(tell(correlations(numbers, "score"), "Correlate", "What drives the score?"))
    assert told.texts[0].startswith("Visits goes most closely with score")
    assert "may be a part or another measure" in told.texts[0]
    assert not [each for each in told.texts if "no column" in each.lower()]
    copied = numbers[["score", "calm"]].assign(score_norm=numbers.score / 2)
    texts = sound(tell(correlations(copied, "score"), "Correlate", "What drives the score?"))
    assert texts.texts[0].startswith("No other column goes clearly with score")
    assert "rescaled copy of score (correlation 1.00)" in texts.one("Score norm")


def test_outliers_of_statistics_say_nothing_of_the_data() -> None:
    def outliers(*columns: str) -> pd.DataFrame:
        return pd.DataFrame({"column": columns, "outliers": 4, "rows": 20,
                             "lower_bound": 1.0, "upper_bound": 2.0})  # fmt: skip

    found = tell(outliers("mean", "price", "q1"), "Outliers", "What is odd?").texts
    assert len(found) == 1
    assert "price" in found[0]
    found = tell(outliers("mean", "q1"), "Outliers", "What is odd?").texts
    assert found == ["The result says nothing of the data: it is of statistics alone."]


def test_a_summary_of_columns_sets_no_column_beside_the_others() -> None:
    frame = pd.DataFrame({"column": ["price", "weight"], "mean": [5.0, 90.0], "minimum": [1.0, 50],
                          "maximum": [9.0, 99.0], "skewness": [0.1, 0.9]})  # fmt: skip
    told = tell(frame, "Describe", "What is the price like?")
    assert not [each for each in told.texts if "the others" in each]


def test_names_of_columns_keep_their_capitals_and_cells_are_read_as_names() -> None:
    frame = pd.DataFrame({"column": ["lifeExp"], "first_value": [40.0], "last_value": [50.0],
                          "from": [1952], "to": [2007]})  # fmt: skip
    africa = analysis("growth", "lifeExp", where=condition("continent", "=", "Africa"))
    [text] = tell(frame, africa, "How did life expectancy in Africa develop?").texts
    assert text == "Within Africa, life expectancy rose from 40 in 1952 to 50 in 2007."
    ranked = pd.DataFrame({"shop": list("ABC"), "avg_GDP": [1.0, 2.0, 3.0]})
    assert "average GDP" in tell(ranked, "Rank", "Which shop is first?").texts[0]


def test_a_pair_that_is_sure_and_weak_is_no_nothing() -> None:
    row = {"first": "days", "second": "returned", "correlation": 0.15, "p_value": 1e-9, "rows": 900}
    [text] = sound(tell(pd.DataFrame([row]), "Correlate", "Does it matter?")).texts
    assert text.startswith("Where days is higher, returned tends to be higher")
    assert "weak" in text


def test_one_row_with_the_others_is_a_comparison() -> None:
    frame = pd.DataFrame({"column": ["docks"], "own": [15.0], "others": [19.3]})
    [text] = sound(tell(frame, beside("depot", "Depot 7"), "What is special about Depot 7?")).texts
    assert text == "Depot 7 lies below the others in docks (15.0 against 19.3)."
    asked = "What sets Depot 7 apart?"
    assert tell(frame, beside("depot", "Depot 7"), asked).texts[0].startswith("Depot 7 lies below")


def test_the_first_of_many_rows_is_named_where_it_is_asked_for() -> None:
    rng = np.random.default_rng(3)
    names = [f"Customer {'abcdefghij'[n % 10] * (n // 10 + 1)}" for n in range(600)]
    frame = pd.DataFrame({"name": names, **{c: rng.normal(5, 1, 600) for c in "pqrs"},
                          "revenue": rng.permutation(600)})  # fmt: skip
    told = tell(frame, ordered("revenue", "name"), "Which customer has the highest revenue?")
    best = frame.set_index("name").revenue.idxmax()
    assert told.texts[0].startswith(f"{best} has the highest revenue: 599")
