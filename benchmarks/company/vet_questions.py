"""What a veterinary practice is asked."""

from __future__ import annotations

from random import Random
from typing import Final

from company.case import Kind
from company.kinds import (
    Drawn,
    Row,
    Table,
    chain,
    computed,
    computed_of_record,
    extreme,
    figure,
    figure_of_month,
    listed,
    look_up,
    noted,
    two_records,
    two_tables,
    unknown,
)
from company.vet_data import VetData

OPERATIONS: Final = {"neutering": 118.0, "extraction": 74.0, "hernia": 265.0}


def kinds(data: VetData) -> list[Kind]:
    """The kinds of questions; a third of them needs two calls."""
    patients = Table(data.patients, "chart", ("patient", "get_patients"))
    clients = Table(data.clients, "client", "client_by_number")
    accounts = Table(data.clients, "client", ("client_by_number", "unpaid_total"))
    vets = Table(data.vets, "initials", "getVet")
    visits = Table(data.visits, "visit", "fetch_visit")
    medicines = Table(data.medicines, "medicine", "medicine_record")
    invoices = Table(data.invoices, "invoice", "invoice_status")
    insurers = Table(data.insurers, "insurer", "insurer_terms")
    overdue = [{**each, "status": each["state"]} for each in data.invoices]
    return [
        look_up("pet_weight", patients, "weight_kg"),
        look_up("pet_breed", patients, "breed"),
        look_up("client_balance", accounts, "balance"),
        look_up("visit_charge", visits, "charge"),
        look_up("medicine_stock", medicines, "doses_left"),
        look_up("vet_room", vets, "room"),
        look_up("insurer_excess", insurers, "excess"),
        look_up("invoice_amount", invoices, "amount"),
        noted("booster", data.vaccinations, ("chart", "vaccine"), "due", "vaccination_card"),
        figure_of_month("visits_month", data.visits, "day", "visits_between"),
        figure_of_month("takings_month", data.visits, "day", "takings", "sum", "charge"),
        figure_of_month("reason_month", data.visits, "day", "visits_between", where=("reason",)),
        figure("species_vet", data.patients, ("species", "regular_vet"), "list_patients"),
        listed("town_clients", data.clients, ("town",), "name", "clients_in_town"),
        figure("invoices_owed", overdue, ("status",), "invoices_by_state", "sum", "amount"),
        figure("visit_minutes", data.visits, ("reason",), "average_visit_minutes", "mean",
               "minutes"),
        extreme("heaviest", data.patients, ("species",), "weight_kg", "name",
                ("heaviest_patients", "list_patients")),
        computed("operation", _operation, "quote_operation"),
        noted("limp", data.notes, ("name",), "cause", "search_case_notes"),
        noted("fasting", data.handbook[:1], (), "figure", "search_handbook"),
        chain("pet_town", patients, (("owner", clients),), "town"),
        chain("visit_breed", visits, (("chart", patients),), "breed"),
        chain("visit_room", visits, (("seen_by", vets),), "room"),
        chain("client_share", clients, (("insurer", insurers),), "share_paid"),
        chain("visit_owner", visits, (("chart", patients),), "owner"),
        two_records("two_weights", patients, "weight_kg"),
        two_records("two_doses", medicines, "price_per_dose"),
        two_tables("charge_and_balance", (visits, "charge"), (accounts, "balance")),
        computed_of_record("pet_dose", patients, lambda r, row: _dose(data, r, row), "dose_for"),
        computed_of_record("pet_operation", patients, _operation_of, "quote_operation"),
    ]  # fmt: skip


def missing(data: VetData) -> list[Kind]:
    """Questions for which the practice has no function."""
    charts = [each["chart"] for each in data.patients]
    return [
        unknown("missing_colour", "chart", charts),
        unknown("missing_wage", "initials", [each["initials"] for each in data.vets]),
        unknown("missing_email", "client", [each["client"] for each in data.clients]),
        unknown("missing_effects", "medicine", [each["medicine"] for each in data.medicines]),
        unknown("missing_cleaning", "ward", [each["ward"] for each in data.wards]),
    ]


def dose(medicine: Row, weight_kg: float) -> float:
    """Milligrams of a medicine for a body weight."""
    return round(float(medicine["mg_per_kg"]) * weight_kg, 2)


def operation_price(operation: str, weight_kg: float) -> float:
    """Euros for an operation on an animal of a weight."""
    return round(OPERATIONS[operation] + 3.35 * weight_kg, 2)


def fee(distance_km: float, *, night: bool) -> float:
    """Euros for a house call."""
    return round((1.9 if night else 1.0) * (22 + 1.15 * distance_km), 2)


def _operation(random: Random) -> Drawn:
    operation, weight = random.choice(list(OPERATIONS)), random.randint(10, 400) / 10
    filled = {"operation": operation, "weight": f"{weight:g}"}
    return filled, (operation_price(operation, weight),)


def _operation_of(random: Random, patient: Row) -> Drawn:
    operation = random.choice(list(OPERATIONS))
    return {"operation": operation}, (operation_price(operation, patient["weight_kg"]),)


def _dose(data: VetData, random: Random, patient: Row) -> Drawn:
    medicine = random.choice(data.medicines)
    return {"medicine": medicine["medicine"]}, (dose(medicine, patient["weight_kg"]),)
