"""Arguments out of questions: what is filled, and what is left open."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.functions.filling import fill

STATES = ["open", "shipped", "in_transit"]
CURRENCIES = ["EUR", "USD", "GBP"]


def schema(needed: str, **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": needed.split()}


def text(description: str, **more: Any) -> dict[str, Any]:
    return {"type": "string", "description": description, **more}


ORDER = schema("order", order=text("the order's number, such as KT-2011"))
PRICE = schema("sku", sku=text("the number, such as A-12"), currency=text("EUR or USD"))
ORDERS = schema("customer", customer=text("the name"), state=text("", enum=STATES))
QUOTE = schema(
    "weight country",
    weight={"type": "number", "description": "in kilograms"},
    country=text("the country, in English"),
)
MONEY = schema(
    "amount source target",
    amount={"type": "number", "description": "how much"},
    source=text("the currency that it is in", enum=CURRENCIES),
    target=text("the currency that it is wanted in", enum=CURRENCIES),
)
SPAN = schema("start_date end_date", start_date=text("the first day"), end_date=text("the last"))
MONTH = schema("month", month=text("the month as YYYY-MM"))
LOAN = schema("rate years", rate={"type": "number"}, years={"type": "integer"})
KEYS = schema("keys", keys={"type": "array", "items": {"type": "string"}})


@pytest.mark.parametrize(
    ("parameters", "question", "wanted"),
    [
        (ORDER, "What is the state of KT-2044?", {"order": "KT-2044"}),
        (PRICE, "What does B-3 cost in USD?", {"sku": "B-3", "currency": "USD"}),
        (ORDERS, "Which orders of Casa Verde are in transit?",
         {"customer": "Casa Verde", "state": "in_transit"}),
        (QUOTE, "What does a parcel of 9.5 kg to Portugal cost?",
         {"weight": 9.5, "country": "Portugal"}),
        (MONEY, "Convert 619 GBP to EUR", {"amount": 619, "source": "GBP", "target": "EUR"}),
        (MONEY, "How much is $20 in EUR if I have USD?",
         {"amount": 20, "source": "USD", "target": "EUR"}),
        (SPAN, "Sales from 2024-01-05 to March 9, 2024",
         {"start_date": "2024-01-05", "end_date": "2024-03-09"}),
        (MONTH, "How many orders came in April 2024?", {"month": "2024-04"}),
        (LOAN, "A loan at 5% for 7 years", {"rate": 0.05, "years": 7}),
        (KEYS, "Compare KT-2011 with KT-2012", {"keys": ["KT-2011", "KT-2012"]}),
    ],
)  # fmt: skip
def test_values_of_the_question_go_to_the_arguments_that_they_fit(
    parameters: dict[str, Any], question: str, wanted: dict[str, Any]
) -> None:
    filled = fill(parameters, question)
    assert filled.is_complete
    assert dict(filled.arguments) == wanted


@pytest.mark.parametrize(
    ("parameters", "question"),
    [
        (ORDER, "What is the state of the order?"),
        (ORDER, "What is the state of SH-712?"),  # an identifier of another form
        (ORDER, "What did Okafor order?"),
        (MONTH, "How many orders did Okafor place?"),
        (QUOTE, "What does a parcel to Portugal cost?"),
        (SPAN, "Sales since 2024-01-05"),
    ],
)
def test_nothing_is_invented(parameters: dict[str, Any], question: str) -> None:
    assert fill(parameters, question).missing


def test_further_values_want_calls_of_their_own() -> None:
    filled = fill(ORDER, "What are KT-2011, KT-2012 and KT-2013 worth?")
    assert filled.arguments == {"order": "KT-2011"}
    assert filled.others == {"order": ("KT-2012", "KT-2013")}


@pytest.mark.parametrize(
    ("question", "first", "others"),
    [
        ("How long are lines 4156 and 4078?", 4156, (4078,)),
        ("Compare the length of line 4091 with line 4000", 4091, (4000,)),
        ("How long is line 4156 if 12 men work on it?", 4156, ()),
    ],
)
def test_numbers_that_are_keys_may_be_several(
    question: str, first: int, others: tuple[int, ...]
) -> None:
    line = {"line": {"type": "integer", "description": "number of the line"}}
    filled = fill({"type": "object", "properties": line, "required": ["line"]}, question)
    assert filled.arguments == {"line": first}
    assert filled.others.get("line", ()) == others


def test_a_number_that_counts_a_thing_is_no_length() -> None:
    parameters = schema(
        "length_km amps",
        length_km={"type": "number", "description": "length of the line"},
        amps={"type": "number", "description": "current"},
    )
    filled = fill(parameters, "What is the drop on line 4039 at 388 amps?")
    assert filled.arguments == {"amps": 388}
    assert fill(parameters, "What is the drop over 12 km at 388 amps?").is_complete
    assert fill(parameters, "What is the drop on line 4039 with 392 A?").arguments == {"amps": 392}


def test_names_that_hyphens_join_go_where_the_examples_have_that_form() -> None:
    home = schema("slug", slug=text("the short name, e.g. old-mill"))
    assert fill(home, "Who owns pine-lodge?").arguments == {"slug": "pine-lodge"}
    assert fill(home, "Which long-term contracts are there?").missing
    assert fill(home, "Who owns KT-2011?").missing
    assert fill(ORDER, "What is the state of pine-lodge?").missing


def test_a_short_code_in_capitals_is_known_by_its_examples() -> None:
    initials = {"initials": {"type": "string", "description": "two capital letters, e.g. KB"}}
    schema = {"type": "object", "properties": initials, "required": ["initials"]}
    assert fill(schema, "Which desk does MO have?").arguments == {"initials": "MO"}
    assert not fill(schema, "Which desk does Oslo have?").arguments


def test_only_a_country_is_a_country() -> None:
    country = {"country": {"type": "string", "description": "the country, in English"}}
    schema = {"type": "object", "properties": country, "required": ["country"]}
    assert fill(schema, "What is the tax in Norway?").arguments == {"country": "Norway"}
    assert not fill(schema, "What does Nakamura owe?").arguments
