"""What was understood is shown with the words that it was read from, and the words left over."""

from __future__ import annotations

import yaml

from flows.analysis.parser.exact import parse_exact
from flows.analysis.parser.explanation import explain
from flows.semantics.query import Aggregate, FieldRef, Query
from tests.analysis.parser.shop import SHOP


def test_each_part_stands_beside_its_words() -> None:
    text = "total sales by region, where quantity is at least 3"
    request = parse_exact(text, SHOP)
    assert request is not None
    shown = yaml.safe_load(explain(request, text))
    assert shown["text"] == text
    assert shown["unread"] == []
    assert shown["request"]["metrics"] == [
        {
            "kind": "aggregate", "words": "total sales", "function": "sum",
            "of": {"kind": "field", "words": "sales", "dataset": "orders", "field": "amount"},
        }
    ]  # fmt: skip
    assert shown["request"]["where"]["words"] == "quantity is at least 3"
    assert shown["request"]["where"]["operator"] == ">="


def test_words_that_nothing_stands_for_are_listed() -> None:
    text = "roughly the total amount per gross region"
    amount = FieldRef(dataset="orders", field="amount", spans=((18, 24),))
    total = Aggregate(function="sum", of=amount, spans=((12, 17), (18, 24)))
    shown = yaml.safe_load(explain(Query(dataset="orders", metrics=(total,)), text))
    assert shown["unread"] == ["roughly", "per", "gross", "region"]
    assert shown["request"]["metrics"][0]["words"] == "total ... amount"
