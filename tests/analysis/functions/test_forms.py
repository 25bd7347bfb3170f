"""Identifiers by their form, numbers by their unit, and arguments that are objects."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.functions.argument_values import FillingContext
from flows.analysis.functions.filling import fill
from flows.analysis.functions.schema import lenders_of


def schema(**said: str) -> dict[str, Any]:
    properties = {name: {"type": "string", "description": each} for name, each in said.items()}
    return {"type": "object", "properties": properties, "required": list(said)}


@pytest.mark.parametrize(
    ("question", "said", "value"),
    [
        ("How many beds does elm-cottage have?", "short name, e.g. gull-loft", "elm-cottage"),
        ("Which desk has t.moss?", "login, e.g. m.keane", "t.moss"),
        ("Who holds meter 04219918323?", "eleven-digit meter number", "04219918323"),
        ("Who pays for AC55017?", "AC and five digits", "AC55017"),
        ("Rating of PIN-33?", "three letters and the voltage, e.g. HRW-110", "PIN-33"),
        ("When does 4BC88-X come?", "booking reference, e.g. KQ427-X", "4BC88-X"),
    ],
)
def test_an_identifier_is_known_by_its_form(question: str, said: str, value: str) -> None:
    assert fill(schema(key=said), question).arguments == {"key": value}


@pytest.mark.parametrize("question", ["A long-term plan?", "The check-in of guests?"])
def test_a_compound_word_is_no_identifier(question: str) -> None:
    assert not fill(schema(slug="short name, e.g. gull-loft"), question).arguments


def test_an_argument_takes_the_form_of_the_one_that_its_description_names() -> None:
    lenders = lenders_of([schema(slug="short name, e.g. gull-loft")])
    context = FillingContext(lenders=lenders)
    found = fill(schema(home="slug"), "What did elm-cottage cost?", context=context)
    assert found.arguments == {"home": "elm-cottage"}


def numbers(*names: str) -> dict[str, Any]:
    properties = {name: {"type": "number"} for name in names}
    return {"type": "object", "properties": properties, "required": list(names)}


def test_numbers_go_where_their_unit_is() -> None:
    found = fill(numbers("distance_m", "kw"), "Price to hook up 338 kW, 838 m away?")
    assert found.arguments == {"distance_m": 838, "kw": 338}


def test_a_numbered_thing_is_no_quantity() -> None:
    found = fill(numbers("length_km", "amps"), "What is lost on line 4039 at 388 amps?")
    assert found.arguments == {"amps": 388}


def test_an_object_is_filled_by_its_properties() -> None:
    wanted = {
        "type": "object",
        "properties": {
            "query": {
                "type": "object",
                "description": "the conditions",
                "properties": {
                    "reason": {"anyOf": [{"enum": ["checkup", "surgery"]}, {"type": "null"}]},
                    "nights": {"type": "integer"},
                },
                "required": ["nights"],
            }
        },
        "required": ["query"],
    }
    found = fill(wanted, "What do 3 nights cost after surgery?")
    assert found.arguments == {"query": {"reason": "surgery", "nights": 3}}
    missing = fill(wanted, "What does it cost after surgery?")
    assert [each.name for each in missing.missing] == ["query"]
