"""Numbers in prose: which are found, and how they are read."""

from __future__ import annotations

import pytest

from flows.data.answers.numbers import find_numbers


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It was 76.42 years.", ["76.42"]),
        ("1,318,683,096 people, 1 318 683 people", ["1,318,683,096", "1", "318", "683"]),
        ("1\u202f318\u202f683 and 1'318'683", ["1\u202f318\u202f683", "1'318'683"]),
        ("12.5% or 12.5 % or 3 percent", ["12.5%", "12.5 %", "3 percent"]),
        ("1.3 billion, 4.5bn, 20k, $3M", ["1.3 billion", "4.5bn", "20k", "3M"]),
        ("It fell by -5.2 (\u22123)", ["-5.2", "\u22123"]),
        ("from 10-20, 1990\u20131995", ["10", "20", "1990", "1995"]),
        ("1e3 and 2.5E-4", ["1e3", "2.5E-4"]),
        ("In 2007, 142.", ["2007", "142"]),
        (
            "on 2019-03-01 at 10:30, 2019-03-01 10:30:00",
            ["2019-03-01", "10:30", "2019-03-01 10:30:00"],
        ),
        ("12km, 3.5 kg, 40ms, 20°C", ["12", "3.5", "40", "20"]),
        ("**76.4** and _5_ and | 7 |", ["76.4", "5", "7"]),
        ("1. First\n2) Second\n  3. Third 8\n- 4 apples", ["8", "4"]),
        ("Q3, T1, gpt-4, v1.2.3, iso_3, x2, 3D, 2nd, COVID-19, a1b2", []),
        ("`x = 5` and ```sql\nLIMIT 7\n``` and https://example.org/9", []),
        ("no numbers", []),
    ],
)
def test_numbers_are_found_as_written(text: str, numbers: list[str]) -> None:
    found = list(find_numbers(text))
    assert [each.text for each in found] == numbers
    assert all(text[each.start : each.end] == each.text for each in found)


@pytest.mark.parametrize(
    ("text", "value", "step"),
    [
        ("76.42", 76.42, 0.01),
        ("1,318,683", 1318683, 1),
        ("1.3 billion", 1.3e9, 1e8),
        ("-5.20", -5.2, 0.01),
        ("2.5e3", 2500, 100),
        ("about 1,300,000", 1300000, 100000),
        ("~1300", 1300, 100),
        ("1300", 1300, 1),
        ("3,5", 3.5, 0.1),
        ("1.234.567,8", 1234567.8, 0.1),
        (".5", 0.5, 0.1),
        ("$1,234.50", 1234.5, 0.01),
    ],
)
def test_numbers_are_read_with_their_precision(text: str, value: float, step: float) -> None:
    (found,) = find_numbers(text)
    assert found.readings[0].value == pytest.approx(value)
    assert found.readings[0].step == pytest.approx(step)


def test_what_can_be_meant_in_two_ways_has_two_readings() -> None:
    (found,) = find_numbers("1.234")
    assert [each.value for each in found.readings] == [1.234, 1234.0]
    (found,) = find_numbers("1,234")
    assert [each.value for each in found.readings] == [1234.0, 1.234]
