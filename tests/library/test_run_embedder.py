"""The run's embedder serves its memory and its documents, and an index of another is refused."""

from __future__ import annotations

import re

import pytest

from flows.core.result import RunResult
from flows.errors import ConfigError
from tests.library.world import World
from tests.memory.semantic import needs_model

KEEP = "defaults: [{memory: chroma}, _self_]\nname: Keep\n_target_: memory\n"
DOCUMENTS = """\
defaults: [{model: offline}, _self_]
name: Docs
_target_: analyst.rag
documents: papers
subflows_config:
  retrieval_augmented_generation: {_target_: action.retrieval_augmented_generation}
"""
TOPICS = (
    "Goods can be sent back within 30 days of delivery.",
    "The canteen opens at noon and serves soup.",
    "Parking in front of the gate is not allowed.",
    "Every laptop is locked with a cable at night.",
    "The fire alarm is tested on the first Monday.",
    "Invoices carry the number of the purchase order.",
    "New colleagues get a badge at the reception.",
    "The lift is cleaned each Thursday morning.",
    "Visitors sign the book at the front desk.",
    "Meeting rooms are booked in the calendar.",
)


def keep(world: World, text: str, *overrides: str) -> RunResult:
    return world.run(KEEP, *overrides, inputs={"operation": "write", "content": text})


def recall(world: World, text: str, *overrides: str) -> tuple[str, ...]:
    result = world.run(KEEP, *overrides, inputs={"operation": "read", "content": text})
    assert result.status == "finished", result.reason
    found: tuple[str, ...] = result.outputs["retrieved"]
    return found


@pytest.mark.long("whole runs of a flow")
@needs_model
def test_memory_recalls_by_meaning(world: World) -> None:
    told = "the company's revenue fell in spring"
    for folder, embedder, found in (("a", "minilm", (told,)), ("b", "lexical", ())):
        how = (f"embedder={embedder}", f"memory.folder={world.folder / folder}")
        keep(world, told, *how)
        keep(world, "ships cross the sea", *how)
        assert recall(world, "how did our turnover decline?", *how) == found


@needs_model
def test_a_memory_of_another_embedder_is_refused(world: World) -> None:
    keep(world, "barley is a cereal")
    given = {"operation": "read", "content": "barley"}
    refused = world.run(KEEP, "embedder=minilm", inputs=given)
    assert refused.status == "failed"
    both = r"written with the embedder lexical-1 \(1024 numbers\); this run has all-MiniLM"
    assert re.search(f"{both}.*384 numbers.*delete the folder", refused.reason)
    assert recall(world, "barley") == ("barley is a cereal",)


@needs_model
def test_its_own_embedder_is_stronger_than_the_runs(world: World) -> None:
    own = "memory.embedder={_target_: embedder.lexical}"
    keep(world, "barley is a cereal")
    assert recall(world, "barley", "embedder=minilm", own) == ("barley is a cereal",)


@pytest.mark.long("whole runs, whose code runs in the sandbox")
@needs_model
def test_passages_are_found_by_meaning_and_never_mixed(world: World) -> None:
    for number, text in enumerate(TOPICS):
        world.write(f"papers/{number}.txt", text)
    question = {"task": "Can an unwanted product be returned?"}
    found = {}
    for embedder in ("minilm", "lexical", "minilm"):
        result = world.run(DOCUMENTS, f"embedder={embedder}", inputs=question)
        assert result.status == "finished", result.reason
        found[embedder] = [each.text for each in world.outputs("retrieve")[0]["passages"]]
    assert found == {"minilm": [TOPICS[0]], "lexical": []}


def test_an_embedder_that_nobody_knows_is_refused_with_those_there_are(world: World) -> None:
    with pytest.raises(ConfigError, match=r"(?s)no option 'minlm'.*allowed: lexical, minilm"):
        keep(world, "barley", "embedder=minlm")
