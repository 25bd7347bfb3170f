"""What a case expects: each kind is found where it is there, and missed where it is not."""

from __future__ import annotations

from typing import Any

import pytest

from flows.evaluation.expectations import KINDS, expected_of
from flows.evaluation.names import names
from flows.semantics.findings import Finding, Told
from tests.evaluation.findings import CARD, CORRELATIONS, EMPTY, SUMMARY, farm, result

FOUND: list[dict[str, Any]] = [
    {"driver": "feed_kg", "among": 1},
    {"driver": "walk_time", "among": 2, "target": "milk"},
    {"no_driver": "barn_number", "among": 2},
    {"direction": "walk_time", "sign": "-", "of": "milk"},
    {"direction": "feed_kg", "sign": "+"},
    {"number": 1.2304},
    {"number": [7, 31.6], "within": 0.01},
    {"number": 33, "absolute": 2, "within": 0},
    {"says": "depends above all"},
    {"says": "COPY of", "where": ["cautions"]},
    {"says": "winter", "where": ["limits"]},
    {"says": "feed_kg", "where": ["lead"]},
    {"never_says": "sheep"},
    {"highest": "Barn 3", "among": ["Barn 1", "Barn 2", "Barn 3"]},
    {"lowest": "Barn 1", "among": ["Barn 1", "Barn 2", "Barn 3"]},
    {"model": "milk", "metric": "r2", "at_least": 0.7, "at_most": 0.9},
    {"answered": ["answered", "partly"]},
    {"document": "barns.md", "among": 1},
]
MISSING: list[dict[str, Any]] = [
    {"driver": "walk_time", "among": 1},
    {"driver": "barn_number", "among": 3},  # it ranks, but no reader is told of it
    {"driver": "feed_kg", "target": "price"},
    {"no_driver": "barn_number", "among": 3},
    {"direction": "walk_time", "sign": "+", "of": "milk"},
    {"direction": "rain", "sign": "+"},
    {"direction": "barn_number", "sign": "+"},
    {"number": 40},  # nothing holds it
    {"number": 1.3},
    {"number": 0.71},  # it stands in a table, and nobody is told of it
    {"says": "sheep"},
    {"says": "winter", "where": ["summary"]},
    {"says": "herd", "where": ["lead"]},
    {"number": -31.5},
    {"never_says": "walk.time"},
    {"highest": "Barn 1", "among": ["Barn 1", "Barn 2", "Barn 3"]},
    {"lowest": "Barn 2", "among": ["Barn 1", "Barn 2", "Barn 3"]},
    {"model": "milk", "metric": "r2", "at_least": 0.81},
    {"model": "milk", "metric": "r2", "at_most": 0.79},
    {"model": "milk", "metric": "mae"},
    {"model": "price", "metric": "r2"},
    {"answered": ["unanswered"]},
    {"document": "cows.txt", "among": 1},
    {"document": "arns.md"},
]


@pytest.mark.parametrize("finding", FOUND, ids=str)
def test_what_is_there_is_found(finding: dict[str, Any]) -> None:
    assert expected_of(finding).missing(farm()) == ""


@pytest.mark.parametrize("finding", MISSING, ids=str)
def test_what_is_not_there_is_missed_with_a_reason(finding: dict[str, Any]) -> None:
    assert len(expected_of(finding).missing(farm())) > 10


@pytest.mark.parametrize("finding", FOUND, ids=str)
def test_an_empty_analysis_holds_guards_alone(finding: dict[str, Any]) -> None:
    expected = expected_of(finding)
    assert bool(expected.missing(EMPTY)) is not expected.guards


def test_every_kind_is_tried_both_ways() -> None:
    for tried in (FOUND, MISSING):
        assert {next(iter(each)) for each in tried} == set(KINDS)


def test_a_failed_task_has_found_nothing() -> None:
    failed = result(Finding(output_type="model", response="It broke.", model=CARD), status="failed")
    found = farm(results=(failed,))
    assert expected_of({"model": "milk", "metric": "r2"}).missing(found)


def test_the_parts_of_a_goal_count() -> None:
    part = result(Finding(output_type="table", response="Correlated.", table=CORRELATIONS))
    goal = result(Finding(output_type="goal", response="Done.", parts=(part,)))
    assert not expected_of({"driver": "feed_kg", "among": 1}).missing(farm(results=(goal,)))


@pytest.mark.parametrize(
    ("told", "sign"),
    [
        ("Milk falls with walk_time.", "-"),
        ("The longer the walk time, the less milk there is.", "-"),
        ("Walk time is negatively related to milk.", "-"),
        ("Milk rises as walk_time falls.", "-"),
        ("Less walk time goes with more milk.", "-"),
        ("feed_kg raises milk, walk_time lowers it.", "-"),
        ("Higher walk_time goes with higher milk.", "+"),
        ("Walk time raises milk by a litre.", "+"),
    ],
)
def test_a_direction_in_words(told: str, sign: str) -> None:
    found = farm(summary=Told(text=told), results=())
    other = "+" if sign == "-" else "-"
    assert not expected_of({"direction": "walk_time", "sign": sign}).missing(found)
    assert expected_of({"direction": "walk_time", "sign": other}).missing(found)


@pytest.mark.parametrize(
    "told",
    [
        "Milk does not rise with walk_time.",
        "Walk_time was looked at.",
        "walk_time_norm lowers milk.",
    ],
)
def test_words_that_say_no_direction(told: str) -> None:
    found = farm(summary=Told(text=told), results=())
    for sign in "+-":
        assert expected_of({"direction": "walk_time", "sign": sign}).missing(found)


def test_what_the_reader_is_told_counts_more_than_tables() -> None:
    told = Told(text="walk_time raises milk.")
    table = result(Finding(output_type="table", response="Correlated.", table=CORRELATIONS))
    found = farm(summary=told, results=(table,))
    assert expected_of({"direction": "walk_time", "sign": "-"}).missing(found)
    silent = farm(summary=Told(text="walk_time counts."), results=(table,))
    assert not expected_of({"direction": "walk_time", "sign": "-"}).missing(silent)


@pytest.mark.parametrize(
    ("finding", "said"),
    [
        ("walk_time", "has one of driver"),
        ({"among": 3}, "it has none"),
        ({"driver": "a", "says": "b"}, "it has driver and says"),
        ({"driver": "a", "amon": 3}, "`amon` of a finding"),
        ({"says": "("}, "no regular expression"),
        ({"number": "many"}, "`number"),
        ({"highest": "a", "among": ["a"]}, "`among`"),
        ({"direction": "a", "sign": "up"}, "`sign`"),
        ({"answered": []}, "`answered`"),
    ],
)
def test_a_finding_that_cannot_be_read_says_why(finding: object, said: str) -> None:
    with pytest.raises(ValueError, match=said.replace("(", r"\(")):
        expected_of(finding)


def test_the_summary_is_the_first_text_and_is_told_once() -> None:
    found = farm()
    assert found.told[0].text == SUMMARY
    assert found.numbers() == (4, 3)
    assert next(each.text for each in found.sentences()).endswith("walk_time.")


@pytest.mark.parametrize(
    ("text", "name", "there"),
    [
        ("The on-road time counts.", "on_road_time", True),
        ("The GDP Percap counts.", "gdpPercap", True),
        ("on_road_time_norm counts.", "on_road_time", False),
        ("Location 22 is slow.", "Location 2", False),
        ("Line A is a line.", "A", True),
        ("That is a line.", "A", False),
    ],
)
def test_a_name_however_it_is_written(text: str, name: str, there: bool) -> None:
    assert names(text, name) is there
