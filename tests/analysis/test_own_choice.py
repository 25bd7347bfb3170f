"""Commands of a run file's own: chosen by loose words, by units and by the values of a text."""

from __future__ import annotations

from typing import Any

import pytest

from flows.analysis.loop.commands import Commands
from flows.analysis.loop.own_choice import choose
from flows.analysis.loop.own_commands import belong_together


def command(name: str, description: str, *arguments: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "name": name,
        "description": description,
        "effect": "pure",
        "input_args": [
            {"name": each, "type": kind, "description": said} for each, kind, said in arguments
        ],
    }


COMMANDS = Commands.of(
    [
        command("varnish", "Litres of varnish for a floor.", ("area", "number", "square metres")),
        command(
            "tow", "Hours that a tug needs.", ("distance_km", "number", ""), ("knots", "number", "")
        ),
        command(
            "freight", "The freight of a crate.", ("weight", "number", "kilograms"),
            ("port", "string", "two letters, as NL"),
        ),
        command("rankine", "Converts Kelvin to Rankine.", ("kelvin", "number", "")),
        command("nights_away", "Nights of a trip.", ("start", "date", ""), ("end", "date", "")),
        command("loss", "What is lost.", ("fixed_cost", "number", ""), ("unit_cost", "number", "")),
    ]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name", "arguments"),
    [
        ("How much varnish do we order for 30 square metres?", "varnish", {"area": 30}),
        ("Varnish for 12 m2?", "varnish", {"area": 12}),
        ("A tug pulls us 40 km at 8 knots", "tow", {"distance_km": 40, "knots": 8}),
        ("What is a crate of 9 kg to NO?", "freight", {"weight": 9, "port": "NO"}),
        ("What is 300 Kelvin on the Rankine scale?", "rankine", {"kelvin": 300}),
        (
            "We go on 2024-06-01 and come on 2024-06-15, how many nights is that?",
            "nights_away",
            {"start": "2024-06-01", "end": "2024-06-15"},
        ),
        (
            "What is lost with a unit cost of 3 and a fixed cost of 70?",
            "loss",
            {"fixed_cost": 70, "unit_cost": 3},
        ),
    ],
)
def test_a_command_is_chosen_by_loose_words_and_units(
    text: str, name: str, arguments: dict[str, Any]
) -> None:
    chosen = choose(COMMANDS.own, text, {})
    assert chosen is not None
    assert chosen.is_complete
    assert (chosen.command.name, dict(chosen.filling.arguments)) == (name, arguments)


@pytest.mark.parametrize(
    "text",
    [
        "What is a flat of 120 square metres worth?",  # a unit alone is no word for it
        "How many people live within 40 km of Lyon?",
        "How much varnish does a crate of 9 kg to NL hold?",  # what is counted is another's
        "Who was born on 1879-03-14?",
        "What was the loss in 2023?",
        "How tall is a boy of 7 years?",
    ],
)
def test_a_value_that_would_fit_is_not_enough(text: str) -> None:
    chosen = choose(COMMANDS.own, text, {})
    assert chosen is None or not chosen.is_complete


def test_sentences_that_say_together_what_a_command_needs_are_one() -> None:
    together = [
        ("We have a floor of 30 square metres", "How much varnish is that?", True),
        ("How much varnish for 30 square metres?", "What is a crate of 9 kg to NO?", False),
        ("The weather is fine", "How much varnish for 30 square metres?", False),
    ]
    for first, then, said in together:
        assert belong_together(first, then, f"{first}. {then}", COMMANDS) is said, first
