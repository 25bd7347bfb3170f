"""The kind of value that a question asks for, and the field of a result that is of that kind."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.functions.asking import wanted_of
from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.given import given_kinds
from flows.analysis.functions.telling import tell

BOX = {"box": "B-1", "lead_days": 4, "weight_kg": 12.5, "fill_litres": 30, "charge": 7.25,
       "price_per_kg": 0.58, "until": "2025-03-01", "packer": "Lena"}  # fmt: skip


def told(question: str, data: Any, **arguments: Any) -> str:
    result = CallResult(number=1, name="f", arguments=arguments, kind="ok", data=data)
    found = tell(wanted_of(question, "2025-06-18"), result)
    return "" if found is None else found.text


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("How many kilos is B-1?", "12.5"),
        ("How many days does B-1 take?", "4"),
        ("How many litres go into B-1?", "30"),
        ("How much was B-1?", "7.25"),
        ("By when must B-1 be back?", "2025-03-01"),
    ],
)
def test_a_unit_or_question_word_finds_its_field(question: str, value: str) -> None:
    assert told(question, BOX, box="B-1").endswith(f": {value}")


def test_a_row_is_found_by_its_value_and_the_field_by_its_kind() -> None:
    rows = [
        {"item": "ladder", "taken": "2025-01-02", "due": "2025-02-01"},
        {"item": "drill", "taken": "2025-01-03", "due": "2025-02-09"},
    ]
    assert told("By when must the drill come back?", rows, member="M-1") == "2025-02-09"


def test_a_list_is_counted_within_a_period() -> None:
    rows = [{"ticket": f"T-{n}", "opened": f"2025-0{n}-03", "hours": n} for n in range(1, 7)]
    assert told("How many tickets were opened since March?", rows) == "4"
    assert told("How many tickets were opened last month?", rows) == "1"
    assert told("How many tickets were there in May?", rows, start="2025-05-01") == "6"


def test_what_adds_up_is_a_sum() -> None:
    rows = [{"bill": f"B-{n}", "amount": n} for n in (1, 2, 3)]
    assert told("What do the bills add up to?", rows) == "sum of amount: 6"


def test_a_text_counts_by_what_it_says() -> None:
    texts = [
        "The red bicycle squeaked; the chain was dry.",
        "The blue bicycle squeaked; a spoke was loose.",
    ]
    assert "spoke" in told("Why did the blue bicycle squeak?", texts)
    assert told("Who owns the tractor?", texts) == ""


def test_what_a_question_gives_is_put_into_words_of_functions() -> None:
    assert "country" in given_kinds("What is sent to Norway?")
    assert "month" in given_kinds("How much came in during May 2024?")
    assert "weight" in given_kinds("Price of a parcel of 12 kg")
