"""What is still out, open or outstanding: the rows whose end is empty."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from tests.analysis.questions.lendings import Sheet, lendings, open_sheet, tickets


@pytest.fixture(scope="module", params=[5, 6])
def lent(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sheet]:
    frame = lendings(random.Random(request.param))
    with open_sheet(tmp_path_factory.mktemp("loans"), "loans", frame) as opened:
        yield opened


@pytest.fixture(scope="module", params=[7, 8])
def asked_for(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Sheet]:
    frame = tickets(random.Random(request.param))
    with open_sheet(tmp_path_factory.mktemp("tickets"), "tickets", frame) as opened:
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "how many books are still out",
        "how many books are out",
        "how many books have not been returned yet?",
        "how many loans are outstanding?",
    ],
)
def test_things_that_are_out_are_counted_by_rows(lent: Sheet, question: str) -> None:
    assert lent.rows(question) == [(lent.frame.returned_at.isna().sum(),)]


def test_different_things_and_persons_are_counted_once(lent: Sheet) -> None:
    out = lent.frame[lent.frame.returned_at.isna()]
    assert lent.rows("how many different books are still out") == [(out.book.nunique(),)]
    assert lent.rows("how many readers have books still out") == [(out.reader.nunique(),)]


def test_what_is_out_is_ranked_and_grouped(lent: Sheet) -> None:
    out = lent.frame[lent.frame.returned_at.isna()].groupby("reader").size()
    assert dict(lent.rows("how many loans are outstanding per reader?")) == out.to_dict()
    (first, *_), *_ = lent.rows("which reader has the most books still out")
    assert out[first] == out.max()


@pytest.mark.parametrize(
    "question", ["how many tickets are open per topic?", "open tickets per topic"]
)
def test_open_is_not_when_it_was_opened(asked_for: Sheet, question: str) -> None:
    open_ones = asked_for.frame[asked_for.frame.closed.isna()].groupby("topic").size()
    assert dict(asked_for.rows(question)) == open_ones.to_dict()


def test_the_most_open_ones_are_the_most_rows_without_an_end(asked_for: Sheet) -> None:
    open_ones = asked_for.frame[asked_for.frame.closed.isna()].groupby("topic").size()
    (first, *_), *_ = asked_for.rows("which topic has the most open tickets?")
    assert open_ones[first] == open_ones.max()


def test_closed_ones_are_those_that_have_an_end(asked_for: Sheet) -> None:
    closed = asked_for.frame[asked_for.frame.closed.notna()]
    assert asked_for.rows("how many tickets have been closed?") == [(len(closed),)]
    by_topic = closed.groupby("topic").size().to_dict()
    assert dict(asked_for.rows("closed tickets per topic")) == by_topic


def test_a_negated_state_before_a_value_is_kept(asked_for: Sheet) -> None:
    topic = asked_for.frame.topic[0]
    left = asked_for.frame[(asked_for.frame.topic == topic) & asked_for.frame.closed.isna()]
    assert asked_for.rows(f"number of unclosed {topic} tickets") == [(len(left),)]
