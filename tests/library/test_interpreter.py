"""An interpreter over functions of a workshop, with a language model on a loopback port."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.core.result import RunResult
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from tests.library.workshop_functions import CALLED
from tests.library.world import World

RUN = """\
defaults: [interpreter, override model: openai, override human: never, _self_]
functions:
  sources:
    shop: {_target_: functions.python, modules: [tests.library.workshop_functions]}
"""


def calls(*given: tuple[str, dict[str, Any]], strategy: str = "Look it up.") -> FakeAnswer:
    """A reply that calls functions."""
    named = [{"name": name, "arguments": arguments} for name, arguments in given]
    return FakeAnswer(json.dumps({"strategy": strategy, "calls": named}))


def answer(text: str, *citations: tuple[int, str, str], **more: Any) -> FakeAnswer:
    cited = [{"call": call, "path": path, "value": value} for call, path, value in citations]
    body = {"strategy": "Looked it up.", "answer": text, "confidence": 90, "citations": cited}
    return FakeAnswer(json.dumps({**body, **more}))


def ask(world: World, server: FakeModel, question: str, *replies: FakeAnswer) -> RunResult:
    CALLED.clear()
    server.script(*replies)
    return world.run(RUN, inputs={"question": question})


def messages(server: FakeModel, number: int = -1) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = server.requests[number].body["messages"]
    return found


def test_it_calls_a_function_and_cites_what_it_gave(world: World, server: FakeModel) -> None:
    result = ask(
        world, server, "What is the total of order KT-2011?",
        calls(("get_order", {"order": "KT-2011"})),
        answer("The total of KT-2011 is 482.50.", (1, "/total", "482.50")),
    )  # fmt: skip
    assert result.status == "finished", result.reason
    outputs = result.outputs
    assert outputs["status"] == "answered"
    assert outputs["functions"] == ("shop/get_order",)
    assert [(each.call, each.path, each.value) for each in outputs["citations"]] == [
        (1, "/total", "482.50")
    ]
    assert outputs["uncited"] == ()
    assert outputs["confidence"] == outputs["model_confidence"] == 90
    assert "482.5" in messages(server)[-1]["content"]
