from __future__ import annotations

import asyncio
import math
import os
import subprocess
import sys

import pytest
from pydantic import ValidationError

from flows.analysis.language.terms import words
from flows.core.memory import Embedder
from flows.memory.lexical import LexicalEmbedder


def embed(*texts: str, dimension: int = 1024) -> list[list[float]]:
    embedder = LexicalEmbedder(LexicalEmbedder.Config(dimension=dimension))
    return asyncio.run(embedder.embed(texts))


def similarity(one: str, other: str) -> float:
    first, second = embed(one, other)
    return sum(a * b for a, b in zip(first, second, strict=True))


def test_it_speaks_the_protocol() -> None:
    embedder = LexicalEmbedder()
    assert isinstance(embedder, Embedder)
    assert (embedder.name, embedder.dimension) == ("lexical-1", 1024)


@pytest.mark.parametrize("dimension", [64, 1024, 3000])
def test_vectors_have_the_dimension_and_length_one(dimension: int) -> None:
    texts = ["barley harvest", "", "!?", "的", "x" * 50_000, "the of and", "\ud800"]
    for vector in embed(*texts, dimension=dimension):
        assert len(vector) == dimension
        assert math.isclose(math.fsum(value * value for value in vector), 1.0)


def test_no_texts_give_no_vectors() -> None:
    assert embed() == []


@pytest.mark.parametrize(
    ("query", "near", "far"),
    [
        ("monthly temperatures of towns", "temperature by month and town", "sales by region"),
        ("custommer adress", "the customer's address", "the costume's dressing"),
        ("unit price", "column unit_price is missing", "column unit_count is missing"),
        ("unit price", "column unitPrice is missing", "column unitCount is missing"),
        ("Universität Zürich", "UNIVERSITAT ZURICH", "UNIVERSUM ZUFALL"),
        ("東京の人口", "東京都の人口は1400万人", "大阪の天気は晴れ"),
        ("net profit margin", "the net profit margin fell", "the margin of the net by profit"),
        ("what is the yield of rye", "rye yield", "what is the size of the barn"),
    ],
)
def test_related_spellings_are_nearer(query: str, near: str, far: str) -> None:
    assert similarity(query, near) > similarity(query, far) + 0.005


def test_it_knows_no_synonyms() -> None:
    assert abs(similarity("car", "automobile")) < 0.15


@pytest.mark.long("texts are embedded, stored and searched")
def test_vectors_are_the_same_in_every_process() -> None:
    code = (
        "import asyncio; from flows.memory.lexical import LexicalEmbedder;"
        "print(asyncio.run(LexicalEmbedder().embed(['Barley harvest of 2019, in tonnes'])))"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1


EXPECTED = [(61, -0.5757), (56, -0.4884), (49, 0.2925), (4, 0.2022)]


def test_a_change_of_the_features_has_to_raise_the_version() -> None:
    """Stored vectors of `lexical-1` have to stay comparable with new ones."""
    [vector] = embed("Barley harvest", dimension=64)
    strongest = sorted(range(64), key=lambda place: -abs(vector[place]))[:4]
    assert [(place, round(vector[place], 4)) for place in strongest] == EXPECTED


@pytest.mark.parametrize("dimension", [0, 63, 100_000])
def test_an_odd_dimension_is_refused(dimension: int) -> None:
    with pytest.raises(ValidationError):
        LexicalEmbedder.Config(dimension=dimension)


def test_words() -> None:
    assert words("Unit_priceOf HTTPServer2, 3.14!") == [
        "unit", "price", "of", "http", "server2", "3", "14",
    ]  # fmt: skip
    assert words("abc東京都def") == ["abc", "東京", "京都", "def"]
    assert words("--- \x00") == []
