"""Commands that a run file adds, chosen by the controller's embedded model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from flows.core.observation import Observation
from tests.analysis.dialogue import ALL, Dialogue
from tests.analysis.worlds import World


def command(name: str, description: str, *arguments: tuple[str, str, str]) -> dict[str, Any]:
    args = [
        {"name": key, "type": kind, "description": said, "required": True}
        for key, kind, said in arguments
    ]
    return {"name": name, "description": description, "input_args": args}


RATE = command(
    "exchange_rate", "Gives the exchange rate between two currencies.",
    ("base", "string", "three letters, e.g. 'EUR'"),
    ("target", "string", "three letters, e.g. 'USD'"),
)  # fmt: skip
PARCEL = command(
    "track_parcel", "Tells where a parcel is and when it arrives.",
    ("parcel", "string", "the parcel's number, e.g. 'PX-1001'"),
)  # fmt: skip
GROSS = command(
    "gross", "The price of a net amount after adding the tax.", ("net", "number", "")
)  # fmt: skip
FEET = command(
    "feet", "Converts a length from metres to feet.", ("metres", "number", "")
)  # fmt: skip
DROP = command("delete_parcel", "Deletes a parcel.", ("parcel", "string", "e.g. 'PX-1001'"))
ASK = command("ask_person", "Asks the person.", ("question", "string", "the question"))


@dataclass
class OwnDialogue(Dialogue):
    """A dialogue whose own commands give back what `gives` says."""

    gives: Mapping[str, Any] | None = None

    def _do(self, decision: Mapping[str, Any]) -> Observation | None:
        given = (self.gives or {}).get(decision["command"])
        if given is None:
            return super()._do(decision)
        return Observation(kind="ok", text=given if isinstance(given, str) else json.dumps(given))


@pytest.mark.parametrize(
    ("goal", "calls"),
    [
        ("What is the exchange rate from EUR to USD?", {"base": "EUR", "target": "USD"}),
        ("Where is the parcel PX-2044?", {"parcel": "PX-2044"}),
        ("When does PX-2044 arrive?", {"parcel": "PX-2044"}),
    ],
)
def test_a_command_of_others_is_called_with_what_the_goal_says(
    zorbs: World, goal: str, calls: dict[str, str]
) -> None:
    gives = {
        "exchange_rate": {"rate": 1.25},
        "track_parcel": {"place": "Ghent", "arrives": "May 5"},
    }
    talk = OwnDialogue(zorbs, goal, (*ALL, RATE, PARCEL, DROP), gives=gives)
    answer = talk.run()
    first = talk.decisions[0]
    assert first["command_args"] == calls
    assert first["command"] == ("exchange_rate" if "base" in calls else "track_parcel")
    assert any(value in answer for value in ("1.25", "Ghent", "May 5"))


@pytest.mark.parametrize(
    ("goal", "called"),
    [
        ("How much is 250 with the tax?", True),
        ("250 with tax", True),
        ("Price of 250 with tax", True),
        ("Which tax applies in Spain?", False),  # of which it knows only a part
        ("How tall is 250 with tax?", False),
        ("What was the tax in 2024?", False),  # a year is no amount
    ],
)
def test_loose_words_find_a_command(zorbs: World, goal: str, called: bool) -> None:
    talk = OwnDialogue(zorbs, goal, (*ALL, GROSS, FEET), gives={"gross": 297.5})
    answer = talk.run()
    first = talk.decisions[0]
    assert ((first["command"], first["command_args"]) == ("gross", {"net": 250})) is called
    assert ("297.5" in answer) is called


def test_what_changes_something_is_not_called_by_likeness(zorbs: World) -> None:
    talk = OwnDialogue(zorbs, "Where is the parcel PX-2044?", (*ALL, DROP))
    talk.run()
    assert "delete_parcel" not in [name for name, _ in talk.calls()]


def test_an_argument_that_nothing_fills_is_asked_for(zorbs: World) -> None:
    gives = {"exchange_rate": {"rate": 1.25}, "ask_person": "USD"}
    goal = "What is the exchange rate from EUR?"
    talk = OwnDialogue(zorbs, goal, (*ALL, RATE, ASK), gives=gives)
    answer = talk.run()
    assert [name for name, _ in talk.calls()] == ["ask_person", "exchange_rate", "finish"]
    assert "target" in talk.decisions[0]["command_args"]["question"]
    assert talk.decisions[1]["command_args"] == {"base": "EUR", "target": "USD"}
    assert "1.25" in answer


def test_without_a_command_to_ask_the_answer_says_what_is_missing(zorbs: World) -> None:
    talk = OwnDialogue(zorbs, "What is the exchange rate from EUR?", (*ALL, RATE))
    answer = talk.run()
    assert "exchange_rate" not in [name for name, _ in talk.calls()]
    assert "target" in answer


def test_a_remark_fills_what_is_missing(zorbs: World) -> None:
    gives = {"exchange_rate": {"rate": 1.25}}
    goal = "What is the exchange rate from EUR? How many rows are there?"
    talk = OwnDialogue(zorbs, goal, (*ALL, RATE), gives=gives)
    answer = talk.run("USD")
    assert ("exchange_rate", "EUR") in talk.calls()
    assert "1.25" in answer


def test_tables_answer_what_they_hold(zorbs: World) -> None:
    goal = "Which habitat has the highest average quillMass?"
    talk = OwnDialogue(zorbs, goal, (*ALL, RATE, PARCEL))
    talk.run()
    assert [name for name, _ in talk.calls()] == ["sql", "finish"]
