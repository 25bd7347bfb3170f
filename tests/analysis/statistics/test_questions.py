"""Two hundred questions in many words, over real tables, with answers computed independently.

Their two halves are fixed by the text. Rules were made with the tuning half only; the other half
says what they are worth for a stranger.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.analysis.statistics.asked import Asked, ask_all
from tests.analysis.statistics.questions import HELD_BACK, QUESTIONS, TUNING

pytestmark = pytest.mark.timeout(600)
# What rules do not read (yet), among those of the tuning half.
UNREAD = {
    "What is the most common party size, i.e. the mode of size?",
    "What share of all total bills falls on each day?",
}
# As many as were right when they were first asked; no rule was made for them since.
HELD_BACK_RIGHT = 87


def report(found: list[Asked]) -> str:
    lines = [f"{each.question.text}: {each.wrong}" for each in found if each.wrong]
    return "\n".join(lines)


def test_the_halves_are_large_and_even() -> None:
    texts = Counter(each.text for each in QUESTIONS)
    assert max(texts.values()) == 1
    assert len(QUESTIONS) >= 150
    assert min(len(TUNING), len(HELD_BACK)) > 0.4 * len(QUESTIONS)


@pytest.mark.long("a hundred statistical questions, each answered in the sandbox")
def test_the_tuning_half_stays_right(tmp_path: Path) -> None:
    found = ask_all(TUNING, tmp_path)
    wrong = {each.question.text for each in found if each.wrong}
    assert wrong <= UNREAD, report(found)
    assert all(each.verdict == "not answered" for each in found if each.wrong), report(found)


@pytest.mark.long("a hundred statistical questions, each answered in the sandbox")
def test_the_held_back_half_does_not_get_worse(tmp_path: Path) -> None:
    found = ask_all(HELD_BACK, tmp_path)
    assert sum(not each.wrong for each in found) >= HELD_BACK_RIGHT, report(found)
