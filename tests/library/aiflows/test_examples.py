"""The eight files that aiflows publishes, each run against a model that stands in for OpenAI's."""

from __future__ import annotations

import pytest

from flows.models.fake.server import FakeModel
from tests.library.aiflows.published import EXAMPLES, Example, put, start
from tests.library.world import World, asked

pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.name)
def test_the_example_runs_as_it_is_written(
    world: World, server: FakeModel, example: Example
) -> None:
    put(world)
    result = start(world, example, server)
    assert result.outputs.items() >= example.outputs.items(), result.reason
    assert result.status == "finished"
    assert len(server.requests) == len(example.answers)
    if example.name == "demonstrations":
        assert [role for role, _ in asked(server)] == ["system", *["user", "assistant"] * 2, "user"]
    if example.name == "vision_qa":
        sent = server.requests[-1].body["messages"][-1]["content"]
        assert [part["type"] for part in sent] == ["text", "image_url"]
    if len(example.answers) == 2:  # the loops: the second request holds what the search said
        assert "did not answer" in asked(server)[-1][1]
