"""A column that holds its figures in a scale by its name is not divided again."""

from __future__ import annotations

from flows.analysis.questions.measures import is_told_in
from flows.semantics.query import FieldRef


def told(field: str, scale: float) -> bool:
    return is_told_in(FieldRef(dataset="plays", field=field), scale)


def test_a_column_in_millions_is_in_millions() -> None:
    assert told("grant_million", 1e6)
    assert told("TurnoverMillionsEUR", 1e6)
    assert told("crowd_thousands", 1e3)
    assert not told("grant_million", 1e3)
    assert not told("grant", 1e6)
