"""Which values of an answer stand in the results that it cites."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.analysis.functions.decision import CallResult, ResultCitation
from flows.core.chat import ToolCall
from flows.core.function_description import FunctionDescription
from flows.library.blocks.reading import ReplyProblem
from flows.library.interpreter.confidence import AnswerEvidence, calibrate
from flows.library.interpreter.decide import DecideOutputs
from flows.library.interpreter.evidence import Verified, verify
from flows.library.interpreter.messages import ChatPhrases, Exchange, messages_of
from flows.library.interpreter.reading import read_step
from flows.library.interpreter.results import ToolResult
from flows.library.interpreter.stack import Stack

ORDERS = [{"order": "KT-1", "total": 10.5}, {"order": "KT-2", "total": 20.25}]


def checked(
    answer: str, *citations: ResultCitation, data: Any = ORDERS, whole: bool = True
) -> Verified:
    result = CallResult(number=1, name="list_orders", kind="ok", data=data, whole=whole)
    return verify(answer, "What did the 2 orders of May cost?", citations, [result])


@pytest.mark.parametrize(
    ("answer", "cited"),
    [
        ("KT-2 cost 20.25.", [("20.25", "/1/total", ""), ("KT-2", "/1/order", "")]),
        ("KT-2 cost about 20.", [("20", "/1/total", ""), ("KT-2", "/1/order", "")]),
        ("Together 30.75.", [("30.75", "", "sum")]),
        ("On average 15.4 each.", [("15.4", "", "mean")]),
        ("The 2 orders of May.", []),
    ],
)
def test_what_is_not_cited_is_found(answer: str, cited: list[tuple[str, str, str]]) -> None:
    found = checked(answer)
    assert [(each.value, each.path, each.operation) for each in found.citations] == cited
    assert found.uncited == ()


def test_a_path_that_leads_elsewhere_is_mended_and_a_value_from_nowhere_is_not() -> None:
    mended = checked("It is 20.25.", ResultCitation(call=7, path="/total", value="20.25"))
    assert [(each.call, each.path) for each in mended.citations] == [(1, "/1/total")]
    wrong = checked("It is 99.", ResultCitation(call=1, path="/1/total", value="99"))
    assert wrong.citations == ()
    assert wrong.problems == ("99 does not stand in the result of call 1",)
    assert wrong.uncited == ("99",)


def test_nothing_is_counted_or_summed_over_a_result_that_was_cut() -> None:
    assert checked("Together 30.75.", whole=False).uncited == ("30.75",)


def test_confidence_is_no_higher_than_the_evidence() -> None:
    assert calibrate(95, AnswerEvidence(cited=3)) == 95
    assert calibrate(95, AnswerEvidence(cited=3, uncited=1)) == 75
    assert calibrate(95, AnswerEvidence()) == 25
    assert calibrate(95, AnswerEvidence(lacks=True)) == 10


def test_the_oldest_results_leave_the_context_by_reference() -> None:
    def exchange(number: int) -> Exchange:
        call = ToolCall(id=f"c{number}", name="read", arguments={"page": number})
        before = ToolCall(id=f"c{number - 1}", name="read", arguments={"page": number - 1})
        results = () if number == 1 else (
            ToolResult(call_id=before.id, name="read", arguments=before.arguments,
                       number=number - 1, text="word " * 1000),
        )  # fmt: skip
        question = "What is in it?" if number == 1 else ""
        return Exchange(ChatPhrases(question), results, "", (call,))

    exchanges = [exchange(number) for number in range(1, 6)]
    whole = messages_of(exchanges, 60_000)
    short = messages_of(exchanges, 3_000)
    assert [each.role for each in short] == [each.role for each in whole]
    texts = [each.content for each in short if each.role == "tool"]
    assert texts[0].startswith('Call 1 (ok): read({"page": 1}) gave 5,000 characters')
    assert len(texts[-1]) > 5_000
    assert sum(each.size for each in short) <= 3_000 * 4


def function(name: str, namespace: str = "shop", text: str = "Tells.") -> FunctionDescription:
    return FunctionDescription(name=name, description=text, namespace=namespace)


def test_the_functions_that_are_used_least_leave_the_stack_first() -> None:
    stack = Stack().loaded([function("about")], 0, pinned=True)
    stack = stack.loaded([function("first"), function("second"), function("third")], 1)
    stack = stack.called(["shop/first"], 2)
    room = stack.tokens - 1
    assert [each.name for each in stack.fitted(room).entries] == ["about", "first", "second"]
    assert [each.name for each in stack.fitted(1).entries] == ["about"]
    assert [each.name for each in stack.pruned({"shop/third"}).entries] == [
        "about", "first", "third",
    ]  # fmt: skip


def test_functions_of_one_name_get_names_of_their_own() -> None:
    stack = Stack().loaded([function("get.order"), function("get_order", "api")], 1)
    names = [each.name for each in stack.entries]
    assert names == ["get_order", "api_get_order"]
    assert [each.name for each in stack.descriptions] == names


@pytest.mark.parametrize(
    ("confidence", "read"), [(85, 85), ("85 %", 85), (0.85, 85), (100.0, 100), (1, 1)]
)
def test_confidence_is_read_as_models_write_it(confidence: object, read: int) -> None:
    text = json.dumps({"answer": "Yes.", "confidence": confidence})
    step = read_step(DecideOutputs(text=text), 1, [])
    assert step.answer is not None
    assert step.answer.confidence == read


@pytest.mark.parametrize(
    "text", ['{"answer": ""}', '{"kind": "calls", "calls": []}', "The total is 5.", ""]
)
def test_a_reply_that_is_no_decision_goes_back(text: str) -> None:
    with pytest.raises(ReplyProblem):
        read_step(DecideOutputs(text=text), 1, ["get_order"])
