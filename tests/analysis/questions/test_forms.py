"""Units, scales and decimals of answers; one that cannot be kept is never left out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.analysis.questions.bazaars import Bazaars, open_bazaars


@pytest.fixture(scope="module")
def bazaars(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bazaars]:
    with open_bazaars(tmp_path_factory.mktemp("bazaars"), 77) as opened:
        yield opened


@pytest.mark.long("whole analyses over their data")
def test_scales_and_decimals(bazaars: Bazaars) -> None:
    total = bazaars.orders.worth.sum()
    assert bazaars.number("total revenue in thousands, two decimals") == round(total / 1000, 2)
    assert bazaars.number("revenue in millions with 4 digits after the point") == pytest.approx(
        round(total / 1e6, 4)
    )


def test_counts_in_thousands(bazaars: Bazaars) -> None:
    assert bazaars.number("number of orders in thousands") == len(bazaars.tables["orders"]) / 1000


@pytest.mark.parametrize(
    ("question", "factor"),
    [
        ("average stay in hours", 1 / 60),
        ("average stay in seconds", 60),
        ("average stay minutes", 1),
    ],
)
def test_times_in_another_unit(bazaars: Bazaars, question: str, factor: float) -> None:
    mean = bazaars.tables["rentals"].stay_minutes.mean()
    assert bazaars.number(question) == pytest.approx(mean * factor)


def test_masses_in_another_unit(bazaars: Bazaars) -> None:
    total = bazaars.tables["rentals"].load_g.sum()
    assert bazaars.number("total load g in kg, rounded to one decimal") == round(total / 1000, 1)


def test_a_bound_is_converted_to_the_unit_of_its_column(bazaars: Bazaars) -> None:
    rentals = bazaars.tables["rentals"]
    assert bazaars.number("how many rentals with more than 5 kg") == (rentals.load_g > 5000).sum()
    found = bazaars.number("number of rentals with stay minutes over 3 hours")
    assert found == (rentals.stay_minutes > 180).sum()


@pytest.mark.parametrize("question", ["average wage to the nearest whole number"])
def test_whole_numbers(bazaars: Bazaars, question: str) -> None:
    assert bazaars.number(question) == round(bazaars.tables["staff"].wage.mean())


@pytest.mark.parametrize(
    "question",
    [
        "total wage in kg",
        "average wage in hours",
        "number of orders in kg",
        "how many staff with a wage above 5 kg",
    ],
)
def test_a_unit_that_does_not_fit_is_not_left_out(bazaars: Bazaars, question: str) -> None:
    assert not bazaars.is_sure(question)
