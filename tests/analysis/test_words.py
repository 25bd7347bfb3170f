from __future__ import annotations

import pytest

from flows.analysis.language.match import match_name
from flows.analysis.language.spelling import corrected, is_common
from flows.analysis.language.words import near, root, singular, split_identifier, tokenize


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("unitPrice", ("unit", "price")),
        ("unit_prices", ("unit", "price")),
        ("UnitPrice", ("unit", "price")),
        ("HTTPCode2", ("http", "code", "2")),
        ("Straße_Nr", ("strasse", "nr")),
        ("X", ("x",)),
        ("___", ("___",)),
    ],
)
def test_identifiers_are_split(name: str, parts: tuple[str, ...]) -> None:
    assert split_identifier(name) == parts


def test_tokens_keep_their_places_and_values() -> None:
    text = 'More than 1,200 of "Big Bertha" since 2011-03-02, 3.5 million or 40k'
    tokens = tokenize(text)
    assert [text[t.start : t.end] for t in tokens if t.kind == "word"] == [
        "More", "than", "of", "since", "or"
    ]  # fmt: skip
    assert [t.value for t in tokens if t.kind == "number"] == [1200, 3_500_000, 40_000]
    assert [t.text for t in tokens if t.kind == "quoted"] == ["Big Bertha"]
    assert [t.value for t in tokens if t.kind == "date"] == ["2011-03-02"]


@pytest.mark.parametrize("text", ["June 21, 2002", "21st of June 2002", "21 Jun 2002"])
def test_long_dates_become_iso(text: str) -> None:
    (token,) = [t for t in tokenize(f"before {text}") if t.kind == "date"]
    assert token.value == "2002-06-21"


@pytest.mark.parametrize("text", ["06/21/2002", "21/06/2002", "21.06.2002", "06-21-2002"])
def test_dates_in_figures_become_iso_where_only_one_can_be_the_day(text: str) -> None:
    (token,) = [t for t in tokenize(f"on {text}?") if t.kind == "date"]
    assert token.value == "2002-06-21"


@pytest.mark.parametrize("text", ["06/07/2002", "1/06/21/2002", "21.06.2002/3", "30/31/2002"])
def test_other_figures_are_no_dates(text: str) -> None:
    assert not [t for t in tokenize(f"on {text}?") if t.kind == "date"]


def test_apostrophes_are_not_quotes() -> None:
    tokens = tokenize("Orla's quills aren't the dunes' best")
    assert [t.lower for t in tokens] == ["orla", "quills", "aren't", "the", "dunes", "best"]


@pytest.mark.parametrize(
    ("plural", "one"),
    [("cities", "city"), ("boxes", "box"), ("glass", "glass"), ("people", "person"),
     ("ids", "id"), ("status", "status"), ("names", "name"), ("courses", "course")],
)  # fmt: skip
def test_singular(plural: str, one: str) -> None:
    assert singular(plural) == one


def test_words_of_one_family_share_a_root() -> None:
    assert root("enrollment") == root("enrolled") == root("enroll")
    assert root("hatching") != root("hammering")


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [("marsh", "marsk", True), ("marsh", "mrash", True), ("marsh", "masrh", True),
     ("marsh", "marshy", True), ("marsh", "arsh", True), ("marsh", "marxxh", False)],
)  # fmt: skip
def test_spelling_is_near_at_one_edit(one: str, other: str, are: bool) -> None:
    assert near(one, other) is are


def test_words_of_operations_are_read_with_one_letter_wrong() -> None:
    known = {"maximun"}
    tokens = corrected(tokenize("the mininum and maximun of teh oders"), lambda word: word in known)
    assert [token.lower for token in tokens] == [
        "the",
        "minimum",
        "and",
        "maximun",
        "of",
        "the",
        "oders",
    ]


def test_words_with_a_use_of_their_own_are_not_corrected() -> None:
    assert is_common("ordered")
    assert is_common("counts")
    assert not is_common("mininum")


@pytest.mark.parametrize(
    ("words", "parts", "owner", "fits"),
    [
        (("first", "name"), ("emp", "fname"), ("employee",), True),
        (("keeper", "last", "name"), ("keeper", "lname"), ("lodge",), True),
        (("course",), ("crs", "code"), ("class",), True),
        (("room",), ("classroom",), ("list",), True),
        (("date", "of", "birth"), ("stu", "dob"), ("student",), True),
        (("word",), ("password",), ("user",), False),
        (("cat",), ("dog", "name"), ("dog",), False),
    ],
)
def test_short_forms_in_names_of_columns(
    words: tuple[str, ...], parts: tuple[str, ...], owner: tuple[str, ...], fits: bool
) -> None:
    assert (match_name(words, parts, owner)[0] >= 0.5) is fits


def test_one_is_a_number_only_where_something_is_counted() -> None:
    assert [t.value for t in tokenize("more than one of the ones that one saw")][2] == 1
    assert not [t for t in tokenize("the one that won") if t.kind == "number"]
