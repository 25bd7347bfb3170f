"""Periods of time in a question, and the arguments that they fill."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.functions.argument_values import FillingContext
from flows.analysis.functions.filling import fill
from flows.analysis.functions.periods import periods_of

TODAY = "2025-06-18"  # a Wednesday


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("orders last month", "2025-05-01", "2025-05-31"),
        ("in Q2", "2025-04-01", "2025-06-30"),
        ("in the second quarter of 2023", "2023-04-01", "2023-06-30"),
        ("since March", "2025-03-01", None),
        ("between 3 and 9 May", "2025-05-03", "2025-05-09"),
        ("in 2023", "2023-01-01", "2023-12-31"),
        ("from November to March", "2024-11-01", "2025-03-31"),
        ("from 2023-01-02 to 2023-02-03", "2023-01-02", "2023-02-03"),
        ("during the last 7 days", "2025-06-11", "2025-06-18"),
        ("last week", "2025-06-09", "2025-06-15"),
        ("on Monday", "2025-06-16", "2025-06-16"),
        ("before 5 June 2024", None, "2024-06-04"),
        ("after 2020", "2021-01-01", None),
        ("what was placed in September", "2024-09-01", "2024-09-30"),
        ("what will be due in September", "2025-09-01", "2025-09-30"),
    ],
)
def test_a_period_has_its_days(text: str, first: str | None, last: str | None) -> None:
    (found,) = periods_of(text, TODAY)
    assert (str(found.first), str(found.last)) == (str(first), str(last))


@pytest.mark.parametrize(
    "text", ["room 2023", "orders over 2000", "they march on", "who may come?", "31 February 2024"]
)
def test_other_words_and_numbers_are_no_period(text: str) -> None:
    assert periods_of(text, TODAY) == ()


def test_without_a_date_of_today_only_what_says_its_year_is_a_period() -> None:
    assert periods_of("last month") == periods_of("in May") == ()
    assert len(periods_of("in May 2024")) == 1


def schema(**types: tuple[str, str]) -> dict[str, Any]:
    properties = {name: {"type": kind, "description": said} for name, (kind, said) in types.items()}
    return {"type": "object", "properties": properties, "required": list(types)}


DAYS = {
    "start_date": ("string", "the first day, as YYYY-MM-DD"),
    "end_date": ("string", "the last day, as YYYY-MM-DD"),
}


@pytest.mark.parametrize(
    ("question", "arguments", "values"),
    [
        ("How many visits were there last month?", DAYS, ["2025-05-01", "2025-05-31"]),
        ("How many visits have there been since March?", DAYS, ["2025-03-01", TODAY]),
        ("Visits between 3 and 9 May", DAYS, ["2025-05-03", "2025-05-09"]),
        ("Visits in 2023", DAYS, ["2023-01-01", "2023-12-31"]),
        ("Who is on duty tomorrow?", {"day": ("string", "the day, as YYYY-MM-DD")}, ["2025-06-19"]),
        ("The sales of last month", {"month": ("string", "the month as YYYY-MM")}, ["2025-05"]),
        (
            "The sales of last quarter",
            {"year": ("integer", "the year"), "quarter": ("integer", "1 to 4")},
            [2025, 1],
        ),
    ],
)
def test_a_period_fills_the_arguments_that_take_one(
    question: str, arguments: dict[str, tuple[str, str]], values: list[Any]
) -> None:
    found = fill(schema(**arguments), question, context=FillingContext(today=TODAY))
    assert [found.arguments.get(name) for name in arguments] == values
    assert found.is_complete


def test_a_period_is_no_single_day() -> None:
    found = fill(
        schema(day=("string", "the day, as YYYY-MM-DD")),
        "Visits in May",
        context=FillingContext(today=TODAY),
    )
    assert [each.name for each in found.missing] == ["day"]
