"""English and German questions over data whose names and values are German."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from flows.semantics.translation import english_name
from tests.analysis.questions.orders import Orders, open_orders


@pytest.fixture(scope="module", params=[5, 22])
def orders(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Orders]:
    with open_orders(tmp_path_factory.mktemp("orders"), request.param) as opened:
        yield opened


@pytest.mark.parametrize("question", ["revenue per city", "Umsatz pro Stadt", "Umsatz je Stadt"])
def test_a_sum_for_each_group(orders: Orders, question: str) -> None:
    sums = orders.joined().groupby("Stadt")["Gesamtbetrag"].sum()
    assert orders.groups(question) == pytest.approx(sums.to_dict())


@pytest.mark.parametrize(
    "question", ["how many orders were cancelled?", "Wie viele Bestellungen wurden storniert?"]
)
def test_a_state_by_its_value(orders: Orders, question: str) -> None:
    assert orders.number(question) == (orders.orders["Status"] == "Storniert").sum()


def test_a_state_that_is_still_so(orders: Orders) -> None:
    found = orders.number("how many orders are still open?")
    assert found == (orders.orders["Status"] == "Offen").sum()


def test_the_rate_of_a_state(orders: Orders) -> None:
    held = orders.orders["Status"] == "Storniert"
    shares = held.groupby(orders.orders["Vertriebsweg"]).mean() * 100
    found = orders.groups("cancellation rate by sales channel")
    assert found == pytest.approx(shares.to_dict())


def test_the_share_of_rows_in_a_state(orders: Orders) -> None:
    held = orders.orders["Status"] == "Storniert"
    found = orders.number("what percentage of orders were cancelled?")
    assert found == pytest.approx(100 * held.mean())


@pytest.mark.parametrize(
    "question",
    ["average order value per sales channel", "durchschnittlicher Bestellwert je Vertriebsweg"],
)
def test_the_value_of_a_row(orders: Orders, question: str) -> None:
    means = orders.orders.groupby("Vertriebsweg")["Gesamtbetrag"].mean()
    assert orders.groups(question) == pytest.approx(means.to_dict())


def test_the_time_between_two_events(orders: Orders) -> None:
    days = (orders.orders["Lieferdatum"] - orders.orders["Bestelldatum"]).dt.days
    found = orders.number("average days from order to delivery")
    assert found == pytest.approx(days.mean())


def test_a_value_with_the_name_of_its_field(orders: Orders) -> None:
    town = orders.customers["Stadt"].iloc[0]
    found = orders.number(f"how many customers are in the {town} city?")
    assert found == (orders.customers["Stadt"] == town).sum()


@pytest.mark.parametrize(
    "question", ["Welcher Kunde hat den höchsten Umsatz?", "which customer spent the most?"]
)
def test_the_first_of_all(orders: Orders, question: str) -> None:
    sums = orders.joined().groupby("Firma")["Gesamtbetrag"].sum()
    assert orders.rows(question)[0][0] == sums.idxmax()


def test_a_month_in_german(orders: Orders) -> None:
    days = orders.orders["Bestelldatum"]
    held = (days.dt.year == 2023) & (days.dt.month == 3)
    found = orders.number("Wie hoch war der Umsatz im März 2023?")
    assert found == pytest.approx(orders.orders[held]["Gesamtbetrag"].sum())


def test_a_count_in_german(orders: Orders) -> None:
    sizes = orders.orders.groupby("Vertriebsweg").size()
    assert orders.groups("Anzahl Bestellungen pro Vertriebsweg") == sizes.to_dict()


def test_rows_without_others(orders: Orders) -> None:
    never = set(orders.customers["Kundennummer"]) - set(orders.orders["Kundennummer"])
    wanted = orders.customers[orders.customers["Kundennummer"].isin(never)]["Firma"]
    found = {row[0] for row in orders.rows("which customers never ordered anything?")}
    assert found == set(wanted)


@pytest.mark.parametrize(
    ("name", "english"),
    [
        ("Zahlungsart", "payment type"),
        ("Lagerbestand", "warehouse stock"),
        ("LieferDatum", "delivery date"),
        ("fällig_am", "due in"),
        ("notes", ""),
        ("artist", ""),
        ("land", ""),
        ("status", ""),
    ],
)
def test_names_in_english(name: str, english: str) -> None:
    assert " ".join(english_name(name)) == english


def test_a_denied_value_is_a_missing_one(orders: Orders) -> None:
    assert orders.number("Wie viele Bestellungen haben keine Menge?") == 0


def test_words_for_parts_of_the_year(orders: Orders) -> None:
    held = orders.orders["Bestelldatum"].dt.to_period("Q") == "2022Q2"
    found = orders.number("durchschnittliche Menge im zweiten Quartal 2022")
    assert found == pytest.approx(orders.orders[held]["Menge"].mean())


def test_a_comparison_of_two_years(orders: Orders) -> None:
    year = orders.orders["Bestelldatum"].dt.year
    sums = orders.orders.groupby(year)["Gesamtbetrag"].sum()
    ((*found,),) = orders.rows("Wie entwickelte sich der Umsatz von 2022 auf 2023?")
    assert sums[2023] - sums[2022] in [pytest.approx(each) for each in found if each is not None]
