"""The role `interpreter` of the offline model: from what a loop knows to its next decision."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from flows.analysis.functions.decision import (
    DECISION,
    CallFunctions,
    CallResult,
    Decision,
    DecisionInputs,
    FinalAnswer,
    ReviseFunctions,
    SearchResult,
)
from flows.core.chat import ChatRequest
from flows.core.function_description import FunctionDescription
from flows.errors import ModelRefused
from flows.models.offline import OfflineModel

QUESTION = "What is the email of the customer who placed order OR-5003?"


def function(name: str, text: str, **arguments: str) -> FunctionDescription:
    properties = {key: {"type": "string", "description": said} for key, said in arguments.items()}
    return FunctionDescription(
        name=name, description=text, effect="pure",
        parameters={"type": "object", "properties": properties, "required": list(arguments)},
    )  # fmt: skip


STACK = (
    function("get_order", "Get an order: customer, status, total.", order_id="e.g. 'OR-5012'"),
    function("get_customer", "A customer's name, email, city.", customer_id="e.g. 'C-100'"),
    function("cancel_order", "Cancel an order.", order_id="e.g. 'OR-5012'"),
)


def decision_of(inputs: DecisionInputs) -> Decision:
    request = ChatRequest((), role="interpreter", inputs=inputs.model_dump(mode="json"))
    return DECISION.validate_json(asyncio.run(OfflineModel().reply(request)).text)


def result(number: int, name: str, arguments: dict[str, Any], data: Any) -> CallResult:
    return CallResult(number=number, name=name, arguments=arguments, kind="ok", data=data)


def test_searches_first_and_calls_in_two_hops() -> None:
    inputs = DecisionInputs(question=QUESTION)
    first = decision_of(inputs)
    assert isinstance(first, ReviseFunctions)
    assert first.questions[0] == QUESTION
    found = (SearchResult(question=QUESTION, found=("get_customer", "get_order")),)
    inputs = inputs.model_copy(update={"stack": STACK, "searches": found})
    second = decision_of(inputs)
    assert isinstance(second, CallFunctions)
    assert [(each.name, each.arguments) for each in second.calls] == [
        ("get_order", {"order_id": "OR-5003"})
    ]
    order = result(1, "get_order", {"order_id": "OR-5003"}, {"customer_id": "C-7", "total": 12.5})
    inputs = inputs.model_copy(update={"results": (order,)})
    third = decision_of(inputs)
    assert isinstance(third, CallFunctions)
    assert third.calls[0].name == "get_customer"
    assert third.calls[0].arguments == {"customer_id": "C-7"}
    customer = result(2, "get_customer", {"customer_id": "C-7"}, {"email": "a@b.example"})
    last = decision_of(inputs.model_copy(update={"results": (order, customer)}))
    assert isinstance(last, FinalAnswer)
    assert "a@b.example" in last.answer
    assert not last.lacks
    assert [(each.call, each.path) for each in last.citations] == [(2, "/email")]


def test_says_what_it_lacks() -> None:
    question = "How many parking lots does the Leeds site have?"
    asked = (SearchResult(question=question), SearchResult(question="parking lots site"))
    decision = decision_of(
        DecisionInputs(question=question, stack=STACK, searches=asked, searches_left=0)
    )
    assert isinstance(decision, FinalAnswer)
    assert decision.lacks
    assert not decision.citations
    assert decision.confidence < 20


def test_the_role_needs_its_question() -> None:
    with pytest.raises(ModelRefused, match="question"):
        asyncio.run(OfflineModel().reply(ChatRequest((), role="interpreter", inputs={})))
