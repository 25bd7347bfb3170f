from __future__ import annotations

import pytest

from flows.analysis.language.match import match_name
from flows.analysis.language.words import tokenize
from flows.analysis.linking.linker import link
from flows.analysis.linking.links import Link
from flows.analysis.linking.schema import schema_of
from flows.data.tables import Column, Table
from tests.analysis.worlds import World


def links_of(question: str, table: Table) -> list[Link]:
    return list(link(tokenize(question), schema_of(table), prefer_table=True))


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("quill", "mass"), ("quill", "mass")),
        (("birth", "place"), ("birthplace",)),
        (("date", "of", "birth"), ("dob",)),
        (("number", "of", "floor"), ("num", "floor")),
        (("first", "name"), ("fname",)),
        (("latitude",), ("lat",)),
        (("gdp", "per", "capita"), ("gdp", "percap")),
        (("salary",), ("monthly", "wage")),
        (("flight", "number"), ("flno",)),
        (("budget",), ("budget", "in", "million")),
    ],
)
def test_words_name_a_column(words: tuple[str, ...], parts: tuple[str, ...]) -> None:
    score, reason = match_name(words, parts, ("thing",))
    assert score >= 0.5
    assert reason


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("colour",), ("quill", "mass")),
        (("capital",), ("quill", "mass")),
        (("number", "of", "thing"), ("phone", "number")),
        (("date", "and", "amount"), ("date", "paid")),
    ],
)
def test_words_that_name_another_thing(words: tuple[str, ...], parts: tuple[str, ...]) -> None:
    assert match_name(words, parts, ("thing",))[0] < 0.5


def test_every_link_keeps_span_score_and_reason(zorbs: World) -> None:
    found = links_of("average quill mass of Silt Runner in the marshes in 2004", zorbs.tables[0])
    read = {(each.text, each.kind): each for each in found}
    assert read[("quill mass", "column")].columns == ("quillMass",)
    assert read[("silt runner", "value")].values == (("zorbName", "Silt Runner"),)
    assert read[("marshes", "value")].values == (("habitat", "Marsh"),)
    assert read[("2004", "literal")].literal == 2004
    assert all(0 < each.score <= 1 and each.reason and each.start < each.end for each in found)


def test_a_misspelled_value_is_found_and_says_so(zorbs: World) -> None:
    found = links_of("rows of Quorrr", zorbs.tables[0])
    (value,) = [each for each in found if each.kind == "value"]
    assert value.values == (("zorbName", "Quorr"),)
    assert "spelled" in value.reason
    assert value.score < 0.8


def test_equal_columns_are_rivals() -> None:
    columns = tuple(
        Column(name=name, type="real", role="measure", rows=3, missing=0, distinct=3)
        for name in ("inner_girth", "outer_girth")
    )
    table = Table(source="t", name="barrels", dialect="duckdb", rows=3, columns=columns)
    (girth,) = [each for each in links_of("average girth", table) if each.kind == "column"]
    assert girth.rivals


def test_first_and_last_share_a_noun(works: World) -> None:
    brewers = next(table for table in works.tables if table.name == "brewers")
    (names,) = links_of("first and last names", brewers)
    assert names.columns == ("first_name", "last_name")
