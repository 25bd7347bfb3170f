"""Words that are written wrong, short or in passing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.analysis.questions.bazaars import Bazaars, open_bazaars


@pytest.fixture(scope="module")
def bazaars(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bazaars]:
    with open_bazaars(tmp_path_factory.mktemp("bazaars"), 40) as opened:
        yield opened


@pytest.mark.parametrize(
    "question",
    [
        "avg wage by secton",
        "averge wage by section plz",
        "mean paycheck of each section",
        "avg salary by section, thx",
    ],
)
def test_words_written_wrong_or_short(bazaars: Bazaars, question: str) -> None:
    expected = bazaars.tables["staff"].groupby("section").wage.mean()
    assert bazaars.figures(question) == pytest.approx(expected.to_dict())


@pytest.mark.parametrize("question", ["headcount by section", "head count per section"])
def test_the_headcount_counts_people(bazaars: Bazaars, question: str) -> None:
    expected = bazaars.tables["staff"].section.value_counts()
    assert bazaars.figures(question) == expected.to_dict()


def test_only_those_who_are_still_there(bazaars: Bazaars) -> None:
    staff = bazaars.tables["staff"]
    expected = staff[staff.left == "no"].section.value_counts()
    assert bazaars.figures("headcount by section, only ppl still w/ us") == expected.to_dict()


@pytest.mark.parametrize("question", ["turnovr of each aisle", "revenu by aisle", "sales by aisle"])
def test_other_words_for_revenue(bazaars: Bazaars, question: str) -> None:
    expected = bazaars.orders.groupby("aisle").worth.sum()
    assert bazaars.figures(question) == pytest.approx(expected.to_dict())


def test_values_written_wrong(bazaars: Bazaars) -> None:
    orders = bazaars.orders
    street = orders.street.iloc[0]
    wrong = street[:3] + street[4:]
    found = bazaars.number(f"total revenue in {wrong}") if len(wrong) > 4 else None
    assert found is None or found == pytest.approx(orders[orders.street == street].worth.sum())


def test_a_set_phrase_is_not_corrected(bazaars: Bazaars) -> None:
    read = bazaars.read("wage-weighted tenure")
    assert read is not None
    assert "weighted" in [each.lower for each in read.tokens]


def test_a_word_that_nothing_knows_is_not_left_out(bazaars: Bazaars) -> None:
    assert not bazaars.is_sure("total revenue of grumbleflicks")
