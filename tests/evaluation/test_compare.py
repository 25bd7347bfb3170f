"""When a result is the expected one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.evaluation.compare import same_answer, same_rows

Rows = list[list[Any]]


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ([["a", 1], ["b", 2]], [["b", 2], ["a", 1]]),
        ([["a", 1], ["b", 2]], [[1.0, "a"], [2.0, "b"]]),
        ([[0.1 + 0.2]], [[0.3]]),
        ([[1e9]], [[1e9 + 10]]),
        ([[None, 1]], [[1, None]]),
        ([[float("nan")]], [[None]]),
        ([[True]], [[1]]),
        ([["a"], ["b"]], [["a", 10], ["b", 20]]),
        ([[1, 1], [2, 1]], [[9, 1, 1], [9, 1, 2]]),
        ([], []),
        ([[1, 2], [2, 1]], [[2, 1], [1, 2]]),
    ],
)
def test_the_same(expected: Rows, got: Rows) -> None:
    assert same_rows(expected, got)


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ([["a", 1], ["b", 2]], [["a", 2], ["b", 1]]),  # the columns alone would fit
        ([["a"], ["a"], ["b"]], [["a"], ["b"], ["b"]]),
        ([["a"]], [["a"], ["a"]]),
        ([["a", 1]], [["a"]]),
        ([[1]], [["1"]]),
        ([["A"]], [["a"]]),
        ([[100]], [[100.1]]),
        ([[0]], [[None]]),
        ([[1, 1]], [[1, 2]]),
    ],
)
def test_not_the_same(expected: Rows, got: Rows) -> None:
    assert not same_rows(expected, got)


def test_order_counts_where_it_was_asked_for() -> None:
    assert same_rows([[1], [2]], [[2], [1]])
    assert not same_rows([[1], [2]], [[2], [1]], ordered=True)
    assert same_rows([[1], [2]], [["x", 1], ["y", 2]], ordered=True)


def test_exact_allows_no_column_beside() -> None:
    assert not same_rows([["a"]], [["a", 10]], exact=True)
    assert same_rows([["a", 10]], [[10, "a"]], exact=True)


cells = st.one_of(st.none(), st.integers(-5, 5), st.floats(-5, 5), st.text("ab", max_size=2))


@pytest.mark.long("whole sets are asked")
@given(st.lists(st.tuples(cells, cells, cells), max_size=8), st.randoms())
def test_any_order_of_rows_and_columns_is_the_same(rows: list[Any], chance: Any) -> None:
    places = [0, 1, 2]
    chance.shuffle(places)
    got = [[row[place] for place in places] for row in rows]
    chance.shuffle(got)
    assert same_rows(rows, got)


@pytest.mark.long("whole sets are asked")
@given(st.lists(st.tuples(st.integers(0, 9), cells), min_size=1, max_size=8))
def test_a_changed_cell_is_seen(rows: list[Any]) -> None:
    changed = [list(row) for row in rows]
    changed[0][0] = 1000
    assert not same_rows(rows, changed)


@pytest.mark.long("results with as many columns as are compared")
def test_many_columns_that_look_alike_end_soon() -> None:
    rows = [[n % 2] * 12 for n in range(40)]
    other = [[n % 2] * 11 + [(n + 1) % 2] for n in range(40)]
    assert same_rows(rows, rows)
    assert not same_rows(rows, other)


@pytest.mark.parametrize(
    ("expected", "answer", "right"),
    [
        (20, "The total is 20.", True),
        (20, "The total is 120.", False),
        (1234.5, "It is 1,234.50 in all.", True),
        (0.333333333, "It is 0.33.", True),
        (0.333333333, "It is 0.34.", False),
        ("Oslo", "oslo had the most", True),
        ("Oslo", "Osloer", False),
        (3, "Nothing is known.", False),
    ],
)
def test_an_answer_in_words(expected: str | float, answer: str, right: bool) -> None:
    assert same_answer(expected, answer, []) is right


def test_an_answer_that_is_one_cell() -> None:
    assert same_answer(7, "seven", [[7]])
    assert not same_answer(7, "seven", [[8]])
