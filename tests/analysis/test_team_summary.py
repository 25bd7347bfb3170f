"""The answer from all that a team has found, by rules, for each kind of question."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from flows.analysis.team.rules.limits import OBSERVED
from flows.core.observation import Caution
from flows.semantics.query import Operator, Query
from tests.analysis.told import (
    Told,
    Work,
    analysis,
    beside,
    condition,
    correlations,
    fields,
    ordered,
)

FEATURES = ("quality", "lead_days", "calm")
CORRELATE = analysis("correlation", "score", *FEATURES, target="score")
MODEL = analysis("key_drivers", *FEATURES, target="score")
COMPARE = beside("depot", "Depot 3")


@pytest.fixture(scope="module")
def depots() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    size = 24 * 12
    depot = np.repeat([f"Depot {n}" for n in range(1, 13)], 24)
    quality = rng.normal(0.8, 0.05, size) - 0.15 * (depot == "Depot 3")
    lead = rng.normal(30, 5, size) - 8 * (depot == "Depot 3")
    score = 0.5 + 0.6 * (quality - 0.8) - 0.004 * (lead - 30) + rng.normal(0, 0.01, size)
    return pd.DataFrame(
        {"depot": depot, "score": score, "quality": quality, "quality_norm": quality / 2 + 1,
         "lead_days": lead, "calm": rng.normal(5, 1, size)}
    )  # fmt: skip


def drivers() -> pd.DataFrame:
    return pd.DataFrame(
        {"feature": ["quality", "lead_days", "calm"], "importance": [0.6, 0.3, 0.001],
         "effect": [0.06, -0.02, 0.0], "correlation": [0.8, -0.5, 0.0]}
    )  # fmt: skip


def compared(depots: pd.DataFrame, depot: str) -> pd.DataFrame:
    group = np.where(depots.depot == depot, "own", "others")
    means = depots.drop(columns="depot").groupby(group).mean().T
    return means.rename_axis("feature").reset_index()[["feature", "own", "others"]]


def improving(depots: pd.DataFrame, depot: str = "Depot 3") -> Work:
    work = Work(f"How do I improve the score of {depot}?")
    work.table(correlations(depots.drop(columns="depot"), "score"), CORRELATE)
    return work.table(drivers(), MODEL).table(compared(depots, depot), beside("depot", depot))


def test_to_improve_it_says_where_to_act_first(depots: pd.DataFrame) -> None:
    reply, told = improving(depots).summed_up()
    [text] = told.texts
    first, *bullets = text.split("\n")
    means = compared(depots, "Depot 3").set_index("feature")
    real = depots.score.corr(depots.quality)
    assert first.startswith("To improve the score of Depot 3, raise quality first")
    assert f"correlation {real:.2f}" in first
    own, others = means.loc["quality", ["own", "others"]]
    assert f"lies below the others in it ({own:.2f} against {others:.2f})" in first
    assert "already ahead of the others in lead days" in first
    assert "so there is less to gain" in first
    [twins] = [each for each in bullets if "quality norm" in each.lower()]
    assert "counted once" in twins
    assert "Next: raise quality in Depot 3" in bullets[-1]
    assert reply["answered"] == "answered"
    assert reply["limits"] == [OBSERVED]
    assert told.invented == []


def test_less_of_a_burden_is_better() -> None:
    rng = np.random.default_rng(1)
    staff, load = rng.normal(10, 2, 200), rng.normal(50, 9, 200)
    frame = pd.DataFrame({"delay": 9 - 0.4 * staff + 0.1 * load, "staff": staff, "load": load})
    task = analysis("correlation", "delay", "staff", "load", target="delay")
    for question in ("How can we reduce the delay?", "How can we improve the delay?"):
        _, told = Work(question).table(correlations(frame, "delay"), task).summed_up()
        order = frame.corr()["delay"].drop("delay").abs().sort_values()
        act = {"staff": "raise staff", "load": "lower load"}[str(order.index[-1])]
        assert f"the delay, {act} first" in told.texts[0]
        assert told.invented == []


def test_drivers_without_a_wish_are_told_as_they_are(depots: pd.DataFrame) -> None:
    work = Work("What drives the score?").table(drivers(), MODEL)
    reply, told = work.summed_up()
    assert told.texts[0].startswith("Quality counts most for score (correlation 0.80")
    assert "Lead days (against it, correlation -0.50) comes next." in told.texts[0]
    assert "Next:" not in told.texts[0]
    assert reply["answered"] == "answered"


def test_an_effect_has_direction_size_and_certainty(depots: pd.DataFrame) -> None:
    real = depots.lead_days.corr(depots.score)
    pair = pd.DataFrame([{"first": "lead_days", "second": "score", "correlation": real,
                          "p_value": 1e-20, "rows": len(depots)}])  # fmt: skip
    line = pd.DataFrame({"term": ["lead_days", "intercept"], "coefficient": [-0.0041, 0.6],
                         "p_value": [0.0, 0.0], "standardized": [real, None],
                         "r2": real**2})  # fmt: skip
    work = Work("How do the lead days affect the score of a depot?")
    work.table(pair, 'Calculate the correlation between "lead_days" and "score".')
    reply, told = work.table(line, 'Run a linear regression of "score" on "lead_days".').summed_up()
    first = told.texts[0].splitlines()[0]
    assert first.startswith("Where lead days is higher, score tends to be lower")
    assert f"(correlation {real:.2f}), and that is unlikely to be chance" in first
    assert "One more of lead days goes with a change of -0.0041 in score" in first
    assert OBSERVED in reply["limits"]
    assert told.invented == []


def test_a_ranking_and_a_trend_answer_both_parts() -> None:
    frame = pd.DataFrame({"shop": list("ABC"), "sales": [5, 9, 7]})
    series = pd.DataFrame({"year": [2020, 2021, 2022, 2023], "sales": [4, 5, 7, 9]})
    work = Work("Which shop has the highest sales, and how did its sales change?")
    work.table(frame, "Sales for each shop")
    by_year = Query(
        dataset="data", by=fields("year"), show=fields("year", "sales"),
        where=condition("shop", "=", "B"),
    )  # fmt: skip
    reply, told = work.table(series, by_year).summed_up()
    first = told.texts[0].splitlines()[0]
    assert "B has the highest sales: 9" in first
    assert "Sales of B rose from 4 in 2020 to 9 in 2023, by 125 %" in first
    assert reply["answered"] == "answered"
    assert reply["limits"] == []
    assert told.invented == []


def test_nothing_is_said_twice(depots: pd.DataFrame) -> None:
    work = improving(depots)
    numbers = depots.drop(columns="depot")
    work.table(numbers.corr().rename_axis("column").reset_index(), "Correlation matrix")
    _, told = work.table(drivers(), MODEL).summed_up()
    lines = told.texts[0].splitlines()
    assert len(lines) == len(set(lines))
    assert sum("lies below the others" in each for each in lines) <= 2
    assert sum("norm" in each for each in lines) == 1
    assert sum(each.startswith("- ") for each in lines) <= 6


def test_all_failed_is_no_answer_and_says_why() -> None:
    work = Work("Why did sales fall?").failed("Extract sales", "there is no table sales")
    reply, told = work.failed("Correlate sales", "KeyError: 'sales' (line 3)").summed_up()
    assert reply["answered"] == "unanswered"
    assert told.texts == [
        "The question could not be answered: both tasks failed. There is no table sales."
    ]
    assert "Not done: Correlate sales (KeyError: 'sales' (line 3))." in reply["limits"]


def test_what_failed_and_what_was_warned_of_are_limits(depots: pd.DataFrame) -> None:
    work = Work("What drives the score?").table(
        drivers(), MODEL,
        Caution(code="sampled", text="The model learned from a random sample of 50,000 rows."),
        Caution(code="no_influence", text="calm: nothing hangs on it."),
    )  # fmt: skip
    reply, _ = work.failed("Draw a heatmap.", "no figure was made").summed_up()
    assert reply["answered"] == "answered"
    assert reply["limits"] == [
        "Not done: Draw a heatmap (no figure was made).",
        "The model learned from a random sample of 50,000 rows.",
        OBSERVED,
    ]


def test_that_data_shows_no_cause_is_said_once(depots: pd.DataFrame) -> None:
    warned = Caution(code="not_cause", text="What goes along with the score may not cause it.")
    reply, _ = Work("What drives the score?").table(drivers(), MODEL, warned).summed_up()
    assert reply["limits"] == [warned.text]


def test_one_that_nothing_speaks_of_leaves_a_part_open(depots: pd.DataFrame) -> None:
    work = Work("How do I improve the score of Depot 99?").table(drivers(), MODEL)
    alone = analysis("growth", "score", where=condition("depot", "=", "Depot 99"))
    work.results.append({"status": "failed", "sub_task": "", "request": alone, "response": "none"})
    reply, told = work.summed_up()
    assert reply["answered"] == "partly"
    assert "Nothing that was found speaks of Depot 99 by itself." in reply["limits"]
    assert "raise quality first" in told.texts[0]


def test_what_answers_another_question_is_only_a_part(depots: pd.DataFrame) -> None:
    raw = depots[["depot", "score"]]
    reply, _ = Work("What drives the score?").table(raw, "Extract all rows").summed_up()
    assert reply["answered"] == "partly"
    assert reply["limits"][0].startswith("Nothing that was found shows what goes with")


def test_a_part_that_was_dropped_stays_open() -> None:
    frame = pd.DataFrame({"shop": list("ABC"), "sales": [5, 9, 7]})
    work = Work("Which shop has the highest sales, and how did its sales change over time?")
    work.table(frame, "Which shop has the highest sales?")
    work.results.append(
        {"status": "dropped", "sub_task": "How did sales change over time?",
         "request": analysis("trend", "sales"), "response": "dropped from the list"}
    )  # fmt: skip
    reply, told = work.summed_up()
    assert told.texts[0].startswith("B has the highest sales: 9")
    assert reply["answered"] == "partly"
    assert reply["limits"] == ["Not done: How did sales change over time?"]


def test_documents_keep_their_marks(depots: pd.DataFrame) -> None:
    context = "A score above 0.9 is world class [1]. The canteen opens at 9 [2]."
    _, told = improving(depots).summed_up(context)
    assert "The documents say: A score above 0.9 is world class [1]." in told.texts[0]
    assert "canteen" not in told.texts[0]
    assert told.invented == []


def test_documents_alone_answer_a_part() -> None:
    work = Work("What is a good score?").failed("Extract", "no such table")
    reply, told = work.summed_up("A good score is above 0.9 [1].")
    assert reply["answered"] == "partly"
    assert "[1]" in told.texts[0]


def test_untrusted_texts_cannot_become_references() -> None:
    work = Work("Which {{made-0[0].x}} has the highest sales?")
    work.table(pd.DataFrame({"shop": ["{{made-0[9].y}}", "B"], "sales": [5, 9]}), "Sales {{x}}")
    work.failed("Draw {{made-0[0].x}}", "{{made-0[0].x}} is missing")
    reply, told = work.summed_up("The {{made-0[0].x}} sales are high [1].")
    assert "{{made" not in " ".join(reply["limits"])
    assert told.invented == []


def test_the_first_comes_first_and_all_of_a_few_are_named() -> None:
    work = Work("Who are our five best customers by revenue?")
    frame = pd.DataFrame({"name": list("ABCDE"), "revenue": [9.5, 8.5, 7.5, 6.5, 5.5]})
    _, told = work.table(frame, ordered("revenue", "name", first=5)).summed_up()
    first = told.texts[0].split("\n")[0]
    assert first.startswith("A has the highest revenue: 9.50, ahead of B (8.50), C (7.50), D")
    assert "E (5.50)" in first
    assert "of the total revenue of these five" in told.texts[0]


def test_the_same_effect_in_each_part_or_not() -> None:
    def summed(small: float, large: float) -> Told:
        parts: tuple[tuple[float, Operator], ...] = ((small, "<="), (large, ">"))
        work = Work("Is the loss of speed per hour the same for short and long tours?")
        for effect, operator in parts:
            model = pd.DataFrame({"term": ["hours"], "coefficient": [effect], "p_value": [0.0],
                                  "standardized": [-0.4], "r2": [0.5]})  # fmt: skip
            where = condition("hours", operator, 9.7)
            work.table(model, analysis("regression", "hours", target="speed", where=where))
        return work.summed_up()[1]

    bent = summed(-0.43, -1.95)
    first = bent.texts[0].split("\n")[0]
    assert first.startswith("What hours does to speed is not the same everywhere, but bends")
    assert "where hours is at most 9.7, one more of hours goes with a change of -0.43" in first
    assert "where hours is more than 9.7, one more of hours goes with a change of -1.95" in first
    assert "is about the same in each part" in summed(-0.43, -0.5).texts[0]
    assert bent.invented == []


BOUND = "Every depot shall reach a score of at least 0.9 [1]. The canteen of Depot 3 is new [2]."


@pytest.mark.parametrize(
    ("context", "told"),
    [
        (BOUND, "below the 0.9 that the documents demand [1]: it misses that target."),
        ("The target for the score is 0.2 [1].", "above the 0.2"),
        ("The score is at most 0.2 [1].", "it goes beyond that limit."),
        ("The score is at most 0.9 [1].", "it keeps to that limit."),
    ],
)
def test_a_target_of_the_documents_is_set_beside_the_data(
    depots: pd.DataFrame, context: str, told: str
) -> None:
    work = Work("Does Depot 3 reach the score target?")
    work.table(compared(depots, "Depot 3"), COMPARE)
    _, text = work.summed_up(context)
    first = text.texts[0].split("\n")[0]
    own = depots[depots.depot == "Depot 3"].score.mean()
    assert first.startswith(f"The score of Depot 3 is {own:.2f}, ")
    assert told in first
    assert "canteen" not in text.texts[0]
    assert text.invented == []


def test_documents_without_one_clear_bound_are_not_compared(depots: pd.DataFrame) -> None:
    for context in ("The score was 0.9 in spring [1].", "It shall be 0.8 to 0.9 in score [1]."):
        work = Work("Does Depot 3 reach the score target?")
        work.table(compared(depots, "Depot 3"), COMPARE)
        assert "that the documents" not in work.summed_up(context)[1].texts[0]


def pair(one: str, other: str, value: float, p: float = 1e-9) -> pd.DataFrame:
    return pd.DataFrame(
        [{"first": one, "second": other, "correlation": value, "p_value": p, "rows": 900}]
    )


def test_columns_beside_each_other_show_which_of_them_counts() -> None:
    work = Work("Does overtime make us slower, or is it the volume?")
    work.table(pair("overtime_hours", "speed", -0.25), "Correlate the two.")
    model = pd.DataFrame(
        {"feature": ["volume_index", "overtime_hours"], "importance": [0.4, 0.0],
         "effect": [-0.85, 0.001], "p_value": [0.0, 0.7]}
    )  # fmt: skip
    work.table(model, analysis("key_drivers", "volume_index", "overtime_hours", target="speed"))
    _, told = work.summed_up()
    first = told.texts[0].split("\n")[0]
    assert "held constant, volume index counts for speed" in first
    assert "-0.85" in first
    assert "Overtime hours hardly counts for speed once volume index is accounted for" in first
    assert "(correlation -0.25)" in first
    assert told.invented == []


def test_a_pair_answers_a_question_that_has_no_word_for_effects() -> None:
    work = Work("Do people in countries with a larger population live longer?")
    work.table(pair("pop", "lifeExp", 0.06), 'Correlate "pop" with "lifeExp".')
    _, told = work.summed_up()
    assert told.texts[0].startswith("Population has hardly to do with life exp")


def test_what_is_only_described_does_not_answer_a_question_for_something_else() -> None:
    frame = pd.DataFrame({"column": ["price", "weight"], "mean": [5.0, 90.0], "minimum": [1.0, 50],
                          "maximum": [9.0, 99.0]})  # fmt: skip
    work = Work("What is the average salary of a worker?").table(frame, "Describe the columns.")
    reply, told = work.summed_up()
    assert reply["answered"] == "unanswered"
    assert "5" not in told.texts[0]
    reply, told = Work("Give me an overview.").table(frame, "Describe the columns.").summed_up()
    assert reply["answered"] == "answered"
    assert "90" in told.texts[0]


def test_how_well_something_is_predicted_comes_before_what_counts() -> None:
    metrics = pd.DataFrame(
        {"metric": ["R2"], "held_out": [0.93], "baseline": [0.0], "target": ["score"]}
    )
    work = Work("How well can the score be predicted from the other columns?")
    _, told = work.table(drivers(), MODEL).table(metrics, MODEL).summed_up()
    assert told.texts[0].startswith("The model explains 93 % of the differences in score")
    assert "Quality counts most for score" in told.texts[0].split("\n")[0]


def test_outliers_come_after_what_is_asked() -> None:
    odd = pd.DataFrame({"column": ["sales"], "outliers": [4], "rows": [20],
                        "lower_bound": [1.0], "upper_bound": [2.0]})  # fmt: skip
    ranked = pd.DataFrame({"shop": list("ABC"), "sales": [5, 9, 7]})
    work = Work("Which shop has the highest sales?").table(odd, "Find the outliers of sales.")
    lines = work.table(ranked, "Sales by shop").summed_up()[1].texts[0].split("\n")
    assert lines[0].startswith("B has the highest sales")
    assert "outside" in lines[-1]


def test_a_period_ahead_is_no_name_that_something_has_to_speak_of() -> None:
    frame = pd.DataFrame({"month": ["2025-01-01", "2025-02-01"], "forecast": [5.0, 6.5],
                          "lower": [4.0, 5.0], "upper": [6.0, 8.0]})  # fmt: skip
    work = Work("Forecast the revenue for the next 2 months.")
    reply, _ = work.table(frame, analysis("forecast", "revenue")).summed_up()
    assert (reply["answered"], reply["limits"]) == ("answered", [])
