from __future__ import annotations

import pytest

from flows.analysis.language.sentences import split_goal
from flows.analysis.loop.split import Referent, has_anaphora, referent_of, resolve


@pytest.mark.parametrize(
    ("goal", "parts"),
    [
        ("Which habitat is the best, and how did its mass change since 2001?",
         ("Which habitat is the best", "How did its mass change since 2001?")),
        ("How many rows are there? What is the average mass?",
         ("How many rows are there?", "What is the average mass?")),
        ("Show the mass and the age of all zorbs", ("Show the mass and the age of all zorbs",)),
        ("First describe the data, then show the top 3 zorbs by mass.",
         ("Describe the data", "Show the top 3 zorbs by mass.")),
        ("Find the zorb with the highest mass. Who is Ada Lovelace?",
         ("Find the zorb with the highest mass", "Who is Ada Lovelace?")),
        ("What is the mass in St. Orla with 3.5 grams?",
         ("What is the mass in St. Orla with 3.5 grams?",)),
        ("Tell me about that zorb", ("Tell me about that zorb",)),
        ("How many rows? How many rows?", ("How many rows?",)),
        ("  \n ", ()),
    ],
)  # fmt: skip
def test_a_goal_is_taken_apart(goal: str, parts: tuple[str, ...]) -> None:
    assert split_goal(goal) == parts


@pytest.mark.parametrize(
    ("text", "refers"),
    [
        ("How did its mass change?", True),
        ("What is their average age?", True),
        ("Which of them is the oldest?", True),
        ("How many rows are there?", False),
        ("How many zorbs live there?", True),
        ("What is the mass in that habitat?", True),
        ("How many hatched that year?", True),
        ("What is the mass that counts?", False),
        ("Show the mass of Orla", False),
    ],
)
def test_anaphora_is_recognised(text: str, refers: bool) -> None:
    assert has_anaphora(text, ("habitat",)) is refers


ORLA = Referent("zorbName", "Orla", ("Orla",))


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("How did its mass change?", "How did Orla's mass change?"),
        ("How many rows are there in that zorb?", "How many rows are there in Orla?"),
        ("How many eggs were laid there?", "How many eggs were laid in Orla?"),
        ("When did it hatch?", "When did Orla hatch?"),
        ("What is the mass of that zorb?", "What is the mass of Orla?"),
    ],
)
def test_pronouns_become_what_they_refer_to(text: str, resolved: str) -> None:
    assert resolve(text, ORLA, {"zorb": "zorbName"}) == resolved


def test_values_with_odd_characters_survive() -> None:
    odd = Referent("zorbName", r"a\1b", (r"a\1b",))
    assert resolve("What is its mass?", odd, {}) == r"What is a\1b's mass?"


def test_which_of_them_means_all_rows() -> None:
    many = Referent("zorbName", "Orla or Zan", ("Orla", "Zan"))
    assert resolve("Which of them is old?", many, {}) == "Which zorb name of Orla or Zan is old?"


def test_the_first_text_that_was_asked_for_is_the_referent() -> None:
    columns = ("mass", "habitat", "keeper")
    found = referent_of(columns, [(3.5, "Dune", "Ulla"), (2.5, "Marsh", "Odo")], ("keeper",), ())
    assert found == Referent("keeper", "Ulla", ("Ulla", "Odo"))
    year = referent_of(("year", "mass"), [(2004, 3.5)], ("year",), ("year",))
    assert year == Referent("year", "2004", ("2004",), is_time=True)
    assert referent_of(("mass",), [(3.5,)], ("mass",), ()) is None
    assert referent_of(("keeper",), [], ("keeper",), ()) is None
