"""An answer that leaves a word of content out is not sure, and says so; a refusal names what it
knows, and what can be asked instead."""

from __future__ import annotations

import csv
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.data.catalog import Catalog
from flows.semantics.inference.model import infer_model
from flows.semantics.tables import meant

SURE = 0.7


@pytest.fixture(scope="module")
def analyst(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Analyst]:
    folder: Path = tmp_path_factory.mktemp("parcels")
    dice = random.Random(11)
    rows = [
        (
            number,
            dice.choice(("Leeds", "York", "Hull")),
            dice.choice(("Swift", "Borax", "Nimble")),
            round(dice.uniform(1, 30), 2),
            dice.randint(1, 9),
        )
        for number in range(1, 201)
    ]
    path = folder / "parcels.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("parcel_id", "depot", "carrier", "fee", "items"))
        writer.writerows(rows)
    with Catalog({"parcels": str(path)}, folder, folder / "profiles") as catalog:
        model = infer_model(catalog.tables())
        yield Analyst(meant(catalog.tables(), model), model, 0.4, 0.2)


@pytest.mark.parametrize(
    "question",
    [
        "total fee of returned parcels",
        "median fee for pallets",
        "total fee by carrier including tax",
        "total fee by depot in May",
        "average fee by carrier on travel",
        "how many parcels shipped by train",
        "average fee for premium parcels",
    ],
)
def test_no_word_is_left_out_by_an_answer_that_is_sure(analyst: Analyst, question: str) -> None:
    made = analyst.propose(question)
    assert made["confidence"] < SURE
    if made["sql"]:
        said = {each["code"] for each in made["warnings"]}
        assert said & {"not_understood", "taken_for_rows"}


@pytest.mark.parametrize("question", ["total fee by depot", "how many parcels were handled"])
def test_words_that_ask_for_nothing_are_not_said_to_be_left_out(
    analyst: Analyst, question: str
) -> None:
    made = analyst.propose(question)
    assert made["sql"]
    assert "not_understood" not in {each["code"] for each in made["warnings"]}


def test_a_refusal_does_not_deny_what_is_named(analyst: Analyst) -> None:
    said = analyst.propose("parcels per depot on rainy days")["cannot"]
    assert "names something" not in said
    assert "'rainy', 'days'" in said
    assert "'depot' is the column depot" in said
    assert "No word of it names something" in analyst.propose("who sang at the opera")["cannot"]


@pytest.mark.parametrize(
    ("question", "near"),
    [
        ("average fee by depot for overnight delivery", "average fee by depot"),
        ("parcels per depot on rainy days", "number of parcels by depot"),
    ],
)
def test_what_a_refusal_offers_is_answered(analyst: Analyst, question: str, near: str) -> None:
    said = analyst.propose(question)["cannot"]
    offered = said.split("What I can answer: ")[1].removesuffix(".").split("; ")
    assert 1 <= len(offered) <= 3
    assert any(near in each for each in offered)
    for each in offered:
        assert analyst.propose(each.strip('"'))["sql"]


def test_how_something_did_is_asked_back_by_figures_that_are_answered(analyst: Analyst) -> None:
    asked = analyst.propose("How did Leeds do?")["clarify"]
    assert len(asked["options"]) >= 2
    for each in asked["options"]:
        assert "depot is 'Leeds'" in each["label"]
        assert analyst.propose(each["question"])["sql"]


def test_what_names_nothing_is_offered_nothing(analyst: Analyst) -> None:
    assert "What I can answer" not in analyst.propose("who sang at the opera")["cannot"]
