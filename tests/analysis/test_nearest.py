"""The names that are nearest to what a question calls a thing."""

from __future__ import annotations

import asyncio

import pytest

from flows.analysis.linking.nearest import NameCandidate, candidates_of, nearest, unknown_phrases
from flows.memory.lexical import LexicalEmbedder
from flows.semantics.model import Dataset, Metric, SemanticField, SemanticModel
from flows.semantics.query import Aggregate


def field(name: str, *words: str) -> SemanticField:
    return SemanticField(name=name, role="category", type="text", column=name, words=words)


def dataset(name: str, *fields: SemanticField) -> Dataset:
    noun = name.removesuffix("s")
    return Dataset(name=name, source="s", table=name, noun=noun, plural=name, fields=fields)


MODEL = SemanticModel(
    datasets=(
        dataset("orders", field("unitPrice", "price"), field("city")),
        dataset("customers", field("city"), field("birth_date")),
    ),
    metrics=(
        Metric(
            name="turnover", dataset="orders", words=("sales",),
            definition=Aggregate(function="count"),
        ),
    ),
)  # fmt: skip


def names(phrase: str, *candidates: NameCandidate, most: int = 3, least: float = 0.25) -> list[str]:
    asked = nearest([phrase], candidates, LexicalEmbedder(), most=most, least=least)
    [found] = asyncio.run(asked)
    assert [each.similarity for each in found] == sorted((each[1] for each in found), reverse=True)
    return [each.name for each in found]


def test_all_that_has_a_name_is_a_candidate() -> None:
    assert {each.name: each.texts for each in candidates_of(MODEL)} == {
        "orders": ("orders",),
        "customers": ("customers",),
        "unitPrice": ("orders unit price", "price"),
        "orders.city": ("orders city",),
        "customers.city": ("customers city",),
        "birth_date": ("customers birth date",),
        "turnover": ("turnover", "sales"),
    }


def test_the_nearest_names_come_first() -> None:
    candidates = candidates_of(MODEL)
    assert names("unit prices", *candidates)[0] == "unitPrice"
    assert names("date of birth", *candidates, most=1) == ["birth_date"]
    assert set(names("city", *candidates, most=2)) == {"orders.city", "customers.city"}
    assert len(names("city", *candidates, most=99, least=-1)) == len(candidates)
    assert names("zygote", *candidates) == []


def test_without_phrases_or_names_there_is_nothing() -> None:
    assert asyncio.run(nearest([], candidates_of(MODEL), LexicalEmbedder())) == []
    assert asyncio.run(nearest(["rye"], [], LexicalEmbedder())) == [()]


@pytest.mark.parametrize(
    ("question", "unknown", "phrases"),
    [
        (
            "total customer spend per zone",
            ["customer", "spend", "zone"],
            ("customer spend", "zone"),
        ),
        ("What is the average flurb?", ["average", "flurb"], ("flurb",)),
        ("zone, area and zone", ["zone", "area"], ("zone", "area")),
        ("all of it", [], ()),
    ],
)
def test_unknown_words_beside_each_other_are_a_phrase(
    question: str, unknown: list[str], phrases: tuple[str, ...]
) -> None:
    places = [
        (at, at + len(word))
        for word in unknown
        for at in range(len(question))
        if question.startswith(word, at)
    ]
    assert unknown_phrases(question, places) == phrases
