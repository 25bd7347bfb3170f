"""The planner variant: a graph of calls first, made in waves, and changed when it has to be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.core.events import StepStarted
from flows.library.blocks.reading import ReplyProblem
from flows.library.interpreter.planning import PlannedCall, Unresolved, read_plan, resolved
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
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
