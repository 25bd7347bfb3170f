"""What a result says to a question: the value that was asked for and its place, or nothing."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.functions.asking import wanted_of
from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.telling import tell
from tests.analysis.functions.loop import answer_by_rules

ORDERS = [
    {"order": "KT-1", "state": "open", "total": 10.5, "placed": "2024-01-02"},
    {"order": "KT-2", "state": "shipped", "total": 99.0, "placed": "2024-02-03"},
    {"order": "KT-3", "state": "open", "total": 40.0, "placed": "2024-03-04"},
]
ORDER = {"order": "KT-2", "customer": {"name": "Okafor", "city": "Graz"}, "total": 99.0}


def result(data: Any, *, whole: bool = True, **arguments: Any) -> CallResult:
    return CallResult(number=4, name="f", arguments=arguments, kind="ok", data=data, whole=whole)


@pytest.mark.parametrize(
    ("question", "data", "value", "path", "operation"),
    [
        ("What is the total of KT-2?", ORDER, "99", "/total", ""),
        ("What is the name of the customer of KT-2?", ORDER, "Okafor", "/customer/name", ""),
        ("Where is the buyer of KT-2 based?", ORDER, "Graz", "/customer/city", ""),
        ("How many orders are there?", ORDERS, "3", "", "count"),
        ("How many open orders are there?", ORDERS, "2", "", "count"),
        ("What is the total value of the orders over 20?", ORDERS, "139", "", "sum"),
        ("What is the average total of the orders?", ORDERS, "49.8333", "", "mean"),
        ("Which order has the highest total?", ORDERS, "KT-2", "/1/order", ""),
        ("What is the latest order?", ORDERS, "KT-3", "/2/order", ""),
    ],
)
def test_the_value_that_was_asked_for_is_told_with_its_place(
    question: str, data: Any, value: str, path: str, operation: str
) -> None:
    told = tell(wanted_of(question), result(data, order="KT-2"))
    assert told is not None
    first = told.citations[0]
    assert (first.call, first.value, first.path, first.operation) == (4, value, path, operation)
    assert value in told.text


def test_rows_that_were_chosen_are_named() -> None:
    told = tell(wanted_of("How many open orders are there?"), result(ORDERS))
    assert told is not None
    assert told.citations[0].over == ("4:/0", "4:/2")


def test_what_was_cut_is_not_counted() -> None:
    assert tell(wanted_of("How many orders are there?"), result(ORDERS, whole=False)) is None


def test_yes_and_no() -> None:
    yes = tell(wanted_of("Is KT-2 shipped?"), result(ORDERS[1], order="KT-2"))
    no = tell(wanted_of("Is KT-1 shipped?"), result(ORDERS[0], order="KT-1"))
    assert yes is not None
    assert yes.text.startswith("Yes")
    assert no is not None
    assert no.text.startswith("No")


def test_what_a_call_gave_by_a_persons_word_is_told() -> None:
    """It was taken for another part's, as the question does not name its argument."""

    def get_order(order: str) -> dict[str, Any]:
        """Gets an order: its status and its total.

        Args:
            order: the order's number, e.g. 'KT-2011'
        """
        return {"order": order, "status": "shipped", "total": 99.5}

    found = answer_by_rules("What is the total of the order?", [get_order], said="KT-2012")
    assert [dict(each.arguments) for each in found.calls] == [{"order": "KT-2012"}]
    assert "99.5" in found.answer.answer
