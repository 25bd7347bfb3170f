"""Words with a hyphen say one thing: they are values of the data, or said to be left out."""

from __future__ import annotations

import random

import pytest

from tests.analysis.questions.lendings import open_sheet, workers


@pytest.mark.parametrize("noun", ["workers", "employees", "people", "staff"])
def test_a_value_with_a_hyphen_is_kept_behind_another(
    tmp_path_factory: pytest.TempPathFactory, noun: str
) -> None:
    frame = workers(random.Random(4), ("full-time", "part-time")).drop(columns="worker")
    section = frame.section[0]
    kept = frame[(frame.section == section) & (frame.employment == "full-time")]
    with open_sheet(tmp_path_factory.mktemp("wages"), "wages", frame) as sheet:
        [(wage,)] = sheet.rows(f"average wage in the {section} section of full-time {noun}")
    assert wage == pytest.approx(kept.wage.mean())


@pytest.mark.parametrize("said", ["full-time", "in-house", "self-employed", "long-time"])
def test_a_word_with_a_hyphen_that_nothing_stands_for_is_said_to_be_left_out(
    tmp_path_factory: pytest.TempPathFactory, said: str
) -> None:
    frame = workers(random.Random(9), ("temp", "perm"))
    with open_sheet(tmp_path_factory.mktemp("wages"), "wages", frame) as sheet:
        made = sheet.asked(f"average wage in the {frame.section[0]} section of {said} workers")
    left = [each["text"] for each in made["warnings"] if each["code"] == "not_understood"]
    assert made["sql"] is None or any(part in text for part in said.split("-") for text in left)
