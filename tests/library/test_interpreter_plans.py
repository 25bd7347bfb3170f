"""The planner variant: a graph of calls first, made in waves, and changed when it has to be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypedDict, cast

import pytest

from flows import Interpreter
from flows.analysis.functions.decision import DECISION, PlanCalls, PlannedStep
from flows.analysis.functions.plans import merge_plans
from flows.core.events import Event, StepFinished, StepStarted
from flows.library.blocks.reading import ReplyProblem
from flows.library.interpreter.planning import PlannedCall, Unresolved, read_plan, resolved
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.services.interpreter import InterpreterResponse
from tests.cli.inside import inside
from tests.library.test_interpreter import RUN, answer, told
from tests.library.workshop_functions import CALLED
from tests.library.world import World

PLANNER = RUN.replace("[interpreter,", "[planner,")


def step(name: str, function: str, /, **arguments: Any) -> dict[str, Any]:
    return {"id": name, "function": function, "arguments": arguments}


def plan(*steps: dict[str, Any]) -> FakeAnswer:
    return FakeAnswer(json.dumps({"strategy": "Order, then customer.", "steps": steps}))


def test_nested_calls_are_made_in_waves(world: World, server: FakeModel) -> None:
    CALLED.clear()
    server.script(
        plan(
            step("city1", "get_customer", name={"$from": "one", "path": "/customer"}),
            step("one", "get_order", order="KT-2011"),
            step("two", "get_order", order="KT-2012"),
            step("city2", "get_customer", name={"$from": "two", "path": "/customer"}),
        ),
        answer("Lyon and Graz.", (3, "/city", "Lyon"), (4, "/city", "Graz")),
    )
    result = world.run(PLANNER, inputs={"question": "Where do the customers of both orders live?"})
    assert result.outputs["status"] == "answered"
    assert sorted(CALLED[:2]) == ["get_order", "get_order"]
    assert [dict(each.arguments) for each in result.outputs["calls"]] == [
        {"order": "KT-2011"}, {"order": "KT-2012"}, {"name": "Marlow"}, {"name": "Okafor"},
    ]  # fmt: skip
    assert "one is call 1; two is call 2; city1 is call 3; city2 is call 4" in told(server)
    assert len(server.requests) == 2
    waves = [each.flow for each in world.events if isinstance(each, StepStarted)]
    assert waves.count("resolve") == 1


def test_equal_calls_are_made_once_and_the_plan_is_drawn(world: World, server: FakeModel) -> None:
    """In one wave, in a later one, and in the plan of a later turn."""
    CALLED.clear()
    name = {"$from": "one", "path": "/customer"}
    server.script(
        plan(
            step("one", "get_order", order="KT-2011"),
            step("same", "get_order", order="KT-2011"),
            step("city", "get_customer", name=name),
            step("again", "get_customer", name="Marlow") | {"after": ["one"]},
            step("lost", "get_order", order="KT-9999"),
        ),
        plan(
            step("third", "get_order", order="KT-2011"),
            step("where", "get_customer", name={"$from": "third", "path": "/customer"}),
        ),
        answer("Lyon.", (3, "/city", "Lyon")),
    )
    pure = PLANNER.replace("functions]}", "functions], effect: pure}")
    result = world.run(pure, inputs={"question": "Where does the customer live?"})
    assert result.outputs["status"] == "answered", result.outputs
    assert sorted(CALLED) == ["get_customer", "get_order", "get_order"]
    assert "one is call 1; same is call 1; lost is call 2" in told(server, 1)
    assert [(each.turn, each.step, each.calls) for each in result.outputs["plan"]] == [
        (1, "one", (1,)), (1, "same", (1,)), (1, "lost", (2,)), (1, "city", ()), (1, "again", ()),
        (2, "third", (1,)), (2, "where", (3,)),
    ]  # fmt: skip
    drawn = inside("graph", "--run", "last", cwd=world.folder)
    assert drawn.out.splitlines() == [
        "flowchart TD",
        '  subgraph t1["Plan of turn 1"]',
        "    direction TB",
        '    n1["one#58; shop/get_order (call 1)"]',
        '    n2["same#58; shop/get_order (call 1)"]',
        '    n3["lost#58; shop/get_order (call 2)"]',
        '    n4["city#58; shop/get_customer (not made)"]',
        '    n5["again#58; shop/get_customer (not made)"]',
        "  end",
        '  subgraph t2["Plan of turn 2"]',
        "    direction TB",
        '    n6["third#58; shop/get_order (call 1)"]',
        '    n7["where#58; shop/get_customer (call 3)"]',
        "  end",
        '  n1 -->|"/customer"| n4',
        "  n1 -.-> n5",
        '  n6 -->|"/customer"| n7',
    ], drawn.err


def test_equal_calls_of_what_may_change_are_each_made(world: World, server: FakeModel) -> None:
    CALLED.clear()
    twice = [step(each, "get_order", order="KT-2011") for each in ("one", "two")]
    more = [step("three", "get_order", order="KT-2011")]
    server.script(plan(*twice), plan(*more), answer("It is sewn.", (1, "/state", "sewing")))
    changes = PLANNER.replace("functions]}", "functions], effect: once}\n  allow: ['shop/*']")
    result = world.run(changes, inputs={"question": "In which state is the order?"})
    assert CALLED == ["get_order"] * 3
    assert [each.calls for each in result.outputs["plan"]] == [(1,), (2,), (3,)]
    CALLED.clear()
    server.script(plan(*twice), plan(*more), answer("It is sewn.", (1, "/state", "sewing")))
    result = world.run(PLANNER, inputs={"question": "In which state is the order?"})
    assert CALLED == ["get_order"] * 2, "once in a plan, and anew in another: it is not known pure"
    assert [each.calls for each in result.outputs["plan"]] == [(1,), (1,), (2,)]


def test_a_plan_is_changed_after_something_unexpected(world: World, server: FakeModel) -> None:
    server.script(
        plan(
            step("one", "get_order", order="KT-2012"),
            step("two", "get_order", order="KT-9999"),
            step("city", "get_customer", name={"$from": "two", "path": "/customer"}),
        ),
        plan(step("city", "get_customer", name={"$from": "one", "path": "/customer"})),
        answer("Graz.", (3, "/city", "Graz")),
    )
    result = world.run(PLANNER, inputs={"question": "Where does the customer live?"})
    changed = told(server, 1)
    assert "two: get_order gave error" in changed
    assert "These steps were not made: city." in changed
    assert result.outputs["answer"] == "Graz."
    assert result.outputs["functions"] == ("shop/get_customer",)


class Order(TypedDict):
    """An order as its function promises it."""

    customer: str
    total: float


class Customer(TypedDict):
    """A customer."""

    city: str


HELD: dict[str, dict[str, Any]] = {
    "KT-2011": {"customer": "Marlow", "total": 482.5},
    "KT-2012": {"total": 120.0},
}


def find_order(order: str) -> Order:
    """The customer and the total of one order, by its number.

    Args:
        order: the number of an order, such as KT-2011
    """
    return cast(Order, HELD[order])


def find_customer(customer: str) -> Customer:
    """The city that a customer lives in.

    Args:
        customer: the name of a customer
    """
    return {"city": {"Marlow": "Lyon"}[customer]}


def asked_offline(question: str) -> tuple[InterpreterResponse, list[PlanCalls]]:
    """The answer of the shipped planner without a key, and the plans that it made."""
    plans: list[PlanCalls] = []

    def note(event: Event) -> None:
        if isinstance(event, StepFinished) and event.flow == "decide":
            decided = DECISION.validate_json(event.outputs["text"])
            plans.extend([decided] if isinstance(decided, PlanCalls) else [])

    agent = Interpreter(
        [find_order, find_customer],
        file=Path("configs/planner.yaml").resolve(),
        overrides=["human=never", "log=null"],
        listeners=(note,),
    )
    return agent(question), plans


def test_offline_a_chain_is_planned_whole_before_its_first_call() -> None:
    found, plans = asked_offline("Which city does the customer of order KT-2011 live in?")
    assert [each.model_dump() for each in plans[0].steps] == [
        step("find_order", "find_order", order="KT-2011"),
        step(
            "find_customer", "find_customer", customer={"$from": "find_order", "path": "/customer"}
        ),
    ]
    assert (len(plans), found.status) == (1, "answered")
    assert "Lyon" in found.answer


def test_offline_a_result_without_the_planned_field_ends_the_plan_and_no_value_is_made_up() -> None:
    found, plans = asked_offline("Which city does the customer of order KT-2012 live in?")
    assert len(plans[0].steps) == 2
    assert [each.function for each in found.calls] == ["default/find_order"]
    assert found.status == "abstained"


def test_the_same_order_in_two_parts_is_planned_once() -> None:
    first = PlannedStep(id="order", function="find_order", arguments={"order": "KT-2011"})
    other = first.model_copy(update={"id": "one"})
    named = {"$from": "one", "path": "/customer"}
    last = PlannedStep(id="order", function="find_customer", arguments={"customer": named})
    merged = merge_plans([[first], [other, last]])
    assert [each.id for each in merged] == ["order", "order_2"]
    assert merged[1].arguments == {"customer": {"$from": "order", "path": "/customer"}}


def test_a_step_for_each_of_several_results_takes_every_value_once() -> None:
    each = {"$from": "one", "path": "/orders/*/id", "each": True}
    step_of = PlannedCall(id="two", function="f", arguments={"order": each})
    found = [{"orders": [{"id": "KT-1"}, {"id": "KT-2"}]}, {"orders": [{"id": "KT-1"}]}]
    calls = resolved(step_of, {"one": found})
    assert [call.arguments["order"] for call in calls] == ["KT-1", "KT-2"]


def test_offline_the_rules_plan_wave_by_wave(world: World) -> None:
    result = world.run(
        PLANNER.replace("override model: openai, ", ""),
        inputs={"question": "What is the total of order KT-2011?"},
    )
    assert "482.5" in result.outputs["answer"]


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        ([step("a", "get_ordr", order="1")], "did you mean 'get_order'?"),
        ([step("a", "get_order"), step("a", "get_order")], "two steps of the plan"),
        ([step("a", "get_order", order={"$from": "b"})], "there is no step 'b'"),
        (
            [
                step("a", "get_order", order={"$from": "b"}),
                step("b", "get_order", order={"$from": "a"}),
            ],
            "wait for each other in a circle",
        ),
        ([], "a plan has 1 to 40 steps"),
    ],
)
def test_a_plan_that_cannot_be_made_goes_back(steps: list[Any], fault: str) -> None:
    with pytest.raises(ReplyProblem, match=fault):
        read_plan(steps, ["get_order"])


def test_a_step_may_be_made_for_each_element_of_a_list() -> None:
    found = [{"orders": [{"id": "KT-1"}, {"id": "KT-2"}]}]
    each = {"$from": "list", "path": "/orders/*/id", "each": True}
    calls = resolved(
        PlannedCall(id="one", function="f", arguments={"order": each}), {"list": found}
    )
    assert [call.arguments for call in calls] == [{"order": "KT-1"}, {"order": "KT-2"}]
    whole = PlannedCall(id="all", function="f", arguments={"ids": {**each, "each": False}})
    assert resolved(whole, {"list": found})[0].arguments == {"ids": ["KT-1", "KT-2"]}
    with pytest.raises(Unresolved, match="is no list with elements"):
        resolved(
            PlannedCall(id="one", function="f", arguments={"order": {**each, "path": "/none/*"}}),
            {"list": [{"none": []}]},
        )
