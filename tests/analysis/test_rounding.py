"""Numbers are given with the decimals that a question asks for."""

from __future__ import annotations

import pytest

from flows.analysis.reading.reader import Reading
from tests.analysis.statements import read, statement
from tests.analysis.worlds import World


@pytest.mark.parametrize(
    ("words", "decimals"),
    [
        ("What is the average mass of the zorbs, rounded to one decimal?", 1),
        ("What is the average mass of the zorbs? Round it to 2 decimal places.", 2),
        ("Average mass of zorbs with three decimals", 3),
        ("What is the average mass of the zorbs to the nearest integer?", 0),
        ("Give the average mass of the zorbs as an integer", 0),
    ],
)
def test_what_is_computed_is_rounded(zorbs: World, words: str, decimals: int) -> None:
    found = read(words, zorbs.tables)
    assert isinstance(found, Reading), str(found)
    assert not found.unexplained
    mean = sum(each.mass for each in zorbs.zorbs) / len(zorbs.zorbs)
    [(value,)] = zorbs.rows(statement(found, zorbs.tables))
    assert value == pytest.approx(round(mean, decimals), abs=1e-9)


def test_other_numbers_are_as_they_are(zorbs: World) -> None:
    plain = read("What is the average mass of the zorbs?", zorbs.tables)
    assert isinstance(plain, Reading)
    assert "ROUND" not in statement(plain, zorbs.tables)
