"""Questions about groups of records: which group is the first, and how much it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import pytest

from flows.memory.columns.entity import ColumnarEntity, Hint
from flows.memory.columns.store import ColumnarStore


class Crate(ColumnarEntity, store="orchard/crates", key=("id",)):
    """A crate of fruit."""

    id: str
    picker: str
    weight: Annotated[float, Hint(unit="kg", additive=True)]
    sugar: Annotated[float, Hint(unit="%")]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ColumnarStore]:
    """Ana picked most, Ben the heaviest and the sweetest crate."""
    crates = [Crate(id=f"c{n}", picker="Ana", weight=20.0, sugar=11.0) for n in range(6)]
    crates += [Crate(id=f"d{n}", picker="Ben", weight=18.0, sugar=9.5) for n in range(3)]
    crates.append(Crate(id="e1", picker="Ben", weight=31.0, sugar=14.0))
    with ColumnarStore(Crate, tmp_path_factory.mktemp("orchard")) as made:
        made.append(crates)
        yield made


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which picker has the highest weight?", "Ana has the highest total weight"),
        ("which picker has the lowest weight", "Ben has the lowest total weight"),
        ("How much did the crates of Ben weigh?", "The total weight with picker Ben is 85"),
        ("how much did the crates from Ana weigh altogether?",
         "The total weight with picker Ana is 120"),
    ],
)  # fmt: skip
def test_what_adds_up_is_summed_for_each_group(
    store: ColumnarStore, question: str, text: str
) -> None:
    answer = store(question)
    assert answer.status == "answered"
    assert answer.text.startswith(text)
    assert answer.confidence >= 0.5


def test_a_single_row_that_stands_for_a_group_is_told_as_such(store: ColumnarStore) -> None:
    answer = store("Which picker has the highest sugar?")
    assert answer.text.startswith("Ben has the highest sugar. That is the picker of a single row;")
    assert [each.code for each in answer.warnings] == ["one_row"]


def test_the_row_that_is_asked_for_itself_needs_no_caution(store: ColumnarStore) -> None:
    answer = store("Which crate has the highest weight?")
    assert answer.text == "e1 has the highest weight."
    assert not answer.warnings
