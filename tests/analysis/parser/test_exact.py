"""Any request can be told in English, and that English is read as the same request again."""

from __future__ import annotations

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.analysis.parser.exact import parse_exact, words
from flows.semantics.node import Node
from flows.semantics.query import (
    Aggregate,
    And,
    Arithmetic,
    Comparison,
    Constant,
    FieldRef,
    Order,
    Period,
    Query,
    Rank,
)
from flows.semantics.request import Unparsed
from flows.semantics.tree import parts
from tests.analysis.parser.anything import Anything, model_of
from tests.analysis.parser.shop import SHOP
from tests.semantics.strategies import models, requests

AMOUNT = FieldRef(dataset="orders", field="amount")
TOTAL = Aggregate(function="sum", of=AMOUNT)
REGION = FieldRef(dataset="orders", field="region")
STATUS = FieldRef(dataset="orders", field="status")
TIME = FieldRef(dataset="orders", field="order_date")

# What people type, and how the product says it; `=` where it says it in the same words.
SAID = {
    "total amount by region and month of order date, where status is 'open' and quantity is at"
    " least 3, highest first, top 5": "=",
    "customers without orders after 2024-01-01": "=",
    "for each region the top 3 products by total amount": "total amount by region and name of"
    " products, kept apart by id of products, top 3 within region",
    "average delay in 2024 compared with 2023 by carrier": "average delay by carrier, in 2024"
    " compared with 2023",
    "share of orders whose status is 'paid'": "share of orders for which status is 'paid'",
    "correlation of price and quantity over orders where status is 'paid'": "correlation of price"
    " and quantity over orders, where status is 'paid'",
    "number of orders per customer name, only where the number of orders is more than 3":
        "number of orders by name of customers, only where number of orders is more than 3",
    "How many flights are there?": "number of flights",
    "SHOW ME THE TOTAL SALES BY STATE": "total amount by status",
    "total sales by month in 2024": "total amount by month of order date, where order date is in"
    " 2024",
    "average amount in the last 3 months by status": "average amount by status, where order date"
    " is in the last 3 months",
    "employees with salary over 5,000": "employees, where salary is more than 5000",
    "orders in March 2024": "orders, where order date is in March 2024",
    "top 5 customers by total amount": "total amount by name of customers,"
    " kept apart by id of customers, top 5",
    "top 3 products by revenue in each region": "revenue by region and name of products, kept apart"
    " by id of products, top 3 within region",
    "orders with status 'open'": "orders, where status is 'open'",
    "orders where status is open": "orders, where status is 'open'",
    "percentage of orders with status 'paid' by region": "share of orders for which status is"
    " 'paid' by region",
    "total amount from 2024-01-01 to 2024-03-31": "total amount, where order date is between"
    " 2024-01-01 and 2024-03-31",
    "top 10 orders by amount": "orders, top 10 by amount",
    "which customers have no orders?": "customers without orders",
    "number of flights yesterday": "number of flights, where departure is yesterday",
    "orders sorted by amount, highest first": "orders, sorted by amount descending",
    "full name and full name of employees through boss": "full name and full name of employees"
    " through manager",
    "name and number of their orders over customers": "name of customers and number of their"
    " orders",
    "orders where amount is more than the overall average amount": "orders, where amount is more"
    " than overall average amount",
    "90th percentile of unit_price by region": "90th percentile of unit price by region",
    "sum of (quantity * unit price) per region": "total (quantity times unit price) by region",
    "turnover by product category, highest first": "revenue by category, highest first",
    "number of orders by unit price in steps of 10": "=",
    "price of orders": None,
    "total `count` by category": "=",
    "average `2024` by city": "=",
    "bar chart of total amount by region": "=",
    "columns of orders": "=",
    "values of status": "=",
    "definition of turnover": "definition of revenue",
    "prepare orders: derive `paid` as quantity times unit price, then keep where status is known,"
    " and then total `paid` by region over orders": "prepare orders: derive `paid` as quantity"
    " times unit price, then keep where status is not missing, and then total `paid` by region"
    " over orders",
    "number of flights; average delay by carrier": "=",
}  # fmt: skip


@pytest.mark.parametrize("text", SAID)
def test_what_people_type_is_read_and_said_in_one_way(text: str) -> None:
    request = parse_exact(text, SHOP)
    if SAID[text] is None:
        assert request is None
        return
    assert request is not None
    said = words(request, SHOP)
    assert said == (text if SAID[text] == "=" else SAID[text])
    assert parse_exact(said, SHOP) == request


def test_a_question_is_read_as_what_it_asks_for() -> None:
    text = "total amount by region in 2024, where status is 'open', top 5"
    assert parse_exact(text, SHOP) == Query(
        dataset="orders", metrics=(TOTAL,), by=(REGION,),
        where=And(of=(
            Comparison(
                left=Period(of=TIME, grain="year"), operator="=", right=Constant(value=2024)
            ),
            Comparison(left=STATUS, operator="=", right=Constant(value="open")),
        )),
        rank=Rank(by=(Order(by=TOTAL, descending=True),), n=5),
    )  # fmt: skip


def test_each_part_knows_its_words() -> None:
    text = "Total sales per region, where quantity is at least 3"
    request = parse_exact(text, SHOP)
    assert isinstance(request, Query)
    said = [text[a:b] for part in parts(request) if isinstance(part, Node) for a, b in part.spans]
    assert said == [
        text, "Total sales", "sales", "region", "quantity is at least 3", "quantity", "3"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "", "?", "what drives the sales", "total amount by colour", "number of orders by name",
        "amount and total amount", "total amount where status is 'a' or region is 'b' and id is 1",
        "total amount by region by status", "total amount, top 0", "total `amount", "the",
        "total amount over customers over orders", "average of the best",
    ],
)  # fmt: skip
def test_what_is_not_of_the_language_or_has_two_readings_is_not_read(text: str) -> None:
    assert parse_exact(text, SHOP) is None


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        f"total amount where {'(' * 3000}quantity is 3{')' * 3000}",
        f"total amount where {'not ' * 4000}quantity is 3",
        " plus ".join(["amount"] * 2000),
        " plus ".join(["amount"] * 150),
        "average of " * 3000,
        "several (" * 1500,
    ],
    ids=lambda text: text[:12],
)
def test_what_is_nested_without_end_is_not_read(text: str) -> None:
    assert parse_exact(text, SHOP) is None


def test_arithmetic_keeps_its_order() -> None:
    a, b, c = (FieldRef(dataset="orders", field=each) for each in ("amount", "quantity", "id"))
    right = Arithmetic(operator="-", left=a, right=Arithmetic(operator="-", left=b, right=c))
    left = Arithmetic(operator="-", left=Arithmetic(operator="-", left=a, right=b), right=c)
    told = [words(Query(dataset="orders", show=(each,)), SHOP) for each in (right, left)]
    assert told == [
        "amount minus (quantity minus id)", "amount minus quantity minus id"
    ]  # fmt: skip


def test_what_could_not_be_read_is_told_to_people() -> None:
    told = words(Unparsed(text="how blue is it", reason="nothing is called blue"), SHOP)
    assert told == "'how blue is it' could not be read: nothing is called blue"


def check_law(node: Node, text: str, read: Node | None) -> None:
    assert read == node, f"{text!r} was read as {read!r}"


def check_anything(seeds: range, deep: int) -> None:
    known = [SHOP, *(model_of(seed) for seed in range(seeds.start, seeds.start + 60))]
    for seed in seeds:
        model = known[seed % len(known)]
        request = Anything(model, seed).request(deep)
        text = words(request, model)
        check_law(request, text, parse_exact(text, model))


@pytest.mark.long("whole analyses over their data")
@pytest.mark.parametrize("deep", [1, 2])
def test_every_shape_of_request_is_read_back(deep: int) -> None:
    check_anything(range(90), deep)


@pytest.mark.long("5 000 requests of every shape")
@pytest.mark.parametrize("part", range(2))
def test_every_shape_of_request_is_read_back_often(part: int) -> None:
    check_anything(range(1000 + 2000 * part, 3000 + 2000 * part), 1)
    check_anything(range(100_000 + 500 * part, 100_500 + 500 * part), 2)


@pytest.mark.long("hundreds of requests made at random")
@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_requests_that_can_be_answered_are_read_back(data: st.DataObject) -> None:
    check_random(data)


@pytest.mark.long("many random models and requests")
@settings(
    max_examples=200, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck)
)
@given(st.data())
def test_requests_that_can_be_answered_are_read_back_often(data: st.DataObject) -> None:
    check_random(data)


def check_random(data: st.DataObject) -> None:
    model = data.draw(models())
    request = data.draw(requests(model))
    text = words(request, model)
    if not any(isinstance(each, Unparsed) for each in parts(request)):
        check_law(request, text, parse_exact(text, model))


def test_a_usual_question_is_read_at_once() -> None:
    texts = [text for text, said in SAID.items() if said and len(text) < 120]
    for text in texts:
        parse_exact(text, SHOP)
    start = time.process_time()
    for _ in range(10):
        for text in texts:
            parse_exact(text, SHOP)
    assert (time.process_time() - start) / (10 * len(texts)) < 0.002
