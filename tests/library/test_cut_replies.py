"""A model's reply that was cut by length or by a filter: no run ends `finished` with half a text,
and none of it becomes a command."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.services.answer import answer_of
from tests.library.cut_rows import FILTER, LENGTH, ROWS, CutRow
from tests.library.world import SALES, World

MODELS = {
    "streamed": ("model.model=small",),
    "whole": ("model.model=small", "+model.stream=false"),
    "langchain": ("model=langchain", "model.model=openai:small"),
}
CHAT = ROWS[0]


@pytest.fixture(autouse=True)
def _sales(world: World) -> None:
    world.write("sales.csv", SALES)


def cut(answer: FakeAnswer, finish: str = "length") -> FakeAnswer:
    """The whole text, and yet the provider says that it was cut: only that tells it."""
    return replace(answer, finish=finish)


def name_of(value: Any) -> str | None:
    return value.name if isinstance(value, CutRow) else None


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_reply_that_is_cut_once_is_asked_for_again(
    row: CutRow, world: World, server: FakeModel
) -> None:
    before, first, after = row.replies[: row.cut], row.replies[row.cut], row.replies[row.cut :]
    server.script(*before, cut(first), *after)
    result = world.run(row.text, inputs=row.inputs)
    assert result.status == row.once, result
    if row.tries > 1:
        assert LENGTH in server.requests[row.cut + 1].said()
        assert result.reason == ""


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_reply_that_is_cut_each_time_is_told_in_the_status(
    row: CutRow, world: World, server: FakeModel
) -> None:
    server.script(*row.replies[: row.cut], *[cut(row.replies[row.cut])] * row.tries)
    result = world.run(row.text, inputs=row.inputs)
    assert result.status == row.always, result
    assert LENGTH in result.reason
    if row.always != "failed":
        assert f"the model's reply in {row.flow} {LENGTH}" in result.reason
    assert len(server.requests) == row.cut + row.tries


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("finish", "said"), [("length", LENGTH), ("content_filter", FILTER)])
def test_a_cut_text_degrades_the_run_through_each_way_to_a_model(
    finish: str, said: str, model: str, world: World, server: FakeModel
) -> None:
    server.script(cut(FakeAnswer("All in all, the"), finish))
    result = world.run(CHAT.text, *MODELS[model], inputs=CHAT.inputs)
    assert (result.status, result.reason) == ("degraded", f"the model's reply in Chat {said}")
    assert result.outputs["api_output"] == "All in all, the"
    again = world.resume(result.run_id)  # told from the record alone
    assert (again.status, again.reason) == (result.status, result.reason)
    assert len(server.requests) == 1


def test_an_answer_that_was_cut_says_so_beside_it(world: World, server: FakeModel) -> None:
    row = next(each for each in ROWS if each.flow == "narrator")
    server.script(row.replies[0], *[cut(row.replies[1])] * row.tries)
    found = answer_of(world.run(row.text, inputs=row.inputs))
    assert (found.status, found.answer) == ("answered", "It is 47.5.")
    assert [(each.code, each.text) for each in found.warnings] == [("cut", f"The text {LENGTH}.")]
    assert LENGTH in found.reason
