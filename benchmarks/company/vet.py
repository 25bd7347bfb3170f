"""A veterinary practice: a company to tune on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, Field

from company.case import Kind
from company.kinds import Row, between, figure_of, matches, nearest_texts, record
from company.vet_data import VetData
from company.vet_questions import dose, fee, kinds, missing, operation_price
from flows.errors import ToolError

Species = Literal["dog", "cat", "rabbit"]
Reason = Literal["checkup", "vaccination", "dental", "surgery", "injury"]


class VisitQuery(BaseModel):
    """Which visits are wanted; a field that is left out allows all."""

    seen_by: str | None = Field(default=None, description="initials of the vet")
    reason: Reason | None = Field(default=None, description="why the animal was brought")
    min_charge: float | None = Field(default=None, description="the least charge, in euros")


class Vet:
    """The functions of the practice over its data."""

    name = "vet"

    def __init__(self, seed: int) -> None:
        self.data = VetData(seed)

    def functions(self) -> dict[str, Sequence[Callable[..., Any]]]:
        """The functions by their class."""
        return {
            "entity": (
                self.patient, self.client_by_number, self.getVet, self.fetch_visit,
                self.medicine_record, self.invoice_status, self.insurer_terms,
                self.vaccination_card, self.get_patients, self.ward_state,
            ),
            "ColumnarQuantitativeSearch": (
                self.visits_between, self.takings, self.list_patients, self.patients_of_client,
                self.invoices_by_state, self.stock_below, self.revenue_of_vet,
                self.average_visit_minutes, self.heaviest_patients, self.search_visits,
                self.clients_in_town, self.unpaid_total, self.busiest_vet,
            ),
            "api": (
                self.dose_for, self.quote_operation, self.call_out_fee, self.human_age,
                self.opening_hours,
            ),
            "VectorSearch": (self.search_case_notes, self.search_handbook),
        }  # fmt: skip

    def kinds(self) -> list[Kind]:
        return kinds(self.data)

    def missing(self) -> list[Kind]:
        return missing(self.data)

    def patient(self, chart: str) -> Row:
        """Chart of an animal: name, species, breed, owner, year of birth, weight, regular vet.

        Args:
            chart: chart number, e.g. P0419
        """
        return record(self.data.patients, "chart", chart)

    def get_patients(self, charts: list[str]) -> list[Row]:
        """Fetch several animals' charts at once.

        Args:
            charts: chart numbers, each like P0419
        """
        return [record(self.data.patients, "chart", each) for each in charts]

    def client_by_number(self, client: int) -> Row:
        """Look up a client account.

        Returns the name, town, balance still owed in euros, insurer and year of registration.

        Args:
            client: the four-digit client number (7701 and up)
        """
        return record(self.data.clients, "client", client)

    def getVet(self, initials: str) -> Row:  # noqa: N802 - the style of this company's API
        """Who a vet is: full name, consulting room, speciality, year of the licence.

        Args:
            initials: two capital letters, e.g. KB
        """
        return record(self.data.vets, "initials", initials)

    def fetch_visit(self, visit_id: str) -> Row:
        """One visit: chart of the animal, vet who saw it, day, reason, charge, duration in minutes.

        Args:
            visit_id: the visit's id, e.g. V-24/0317
        """
        return record(self.data.visits, "visit", visit_id)

    def medicine_record(self, name: str) -> Row:
        """A medicine of the pharmacy.

        Strength in mg, price per dose in euros, doses left, and mg needed per kg of body weight.

        Args:
            name: trade name of the medicine, e.g. Carprovan
        """
        return record(self.data.medicines, "medicine", name)

    def invoice_status(self, invoice: str) -> str:
        """Tell in a sentence what an invoice amounts to, whether it is paid, and when it is due.

        Args:
            invoice: invoice number, year and running number, e.g. 2024-118
        """
        found = record(self.data.invoices, "invoice", invoice)
        return (
            f"Invoice {invoice} of client {found['client']}: {found['amount']} euros, "
            f"{found['state']}, due on {found['due']}."
        )

    def insurer_terms(self, insurer: str) -> Row:
        """Terms of a pet insurer: share paid in percent, excess in euros, waiting days.

        Args:
            insurer: name of the insurance company, e.g. Pawsure
        """
        return record(self.data.insurers, "insurer", insurer)

    def vaccination_card(self, chart: str) -> list[Row]:
        """The vaccinations of an animal, with the day each was given and is due again.

        Args:
            chart: chart number
        """
        return matches(self.data.vaccinations, chart=chart)

    def ward_state(self, ward: Literal["isolation", "recovery", "boarding"]) -> Row:
        """Kennels of a ward and how many of them are occupied.

        Args:
            ward: which ward
        """
        return record(self.data.wards, "ward", ward)

    def visits_between(self, start: date, end: date, reason: Reason | None = None) -> list[Row]:
        """Visits in a period.

        Args:
            start: first day, YYYY-MM-DD
            end: last day, included
            reason: only visits for this reason; all if left out
        """
        return matches(between(self.data.visits, "day", start, end), reason=reason)

    def takings(self, start: date, end: date) -> float:
        """Sum of charges of all visits in a period, in euros.

        Args:
            start: first day
            end: last day
        """
        return float(figure_of(between(self.data.visits, "day", start, end), "sum", "charge"))

    def list_patients(
        self, species: Species | None = None, breed: str | None = None, vet: str | None = None
    ) -> list[Row]:
        """Animals on the books, narrowed by any of the filters.

        Args:
            species: kind of animal
            breed: breed, in lower case
            vet: initials of the regular vet
        """
        return matches(self.data.patients, species=species, breed=breed, regular_vet=vet)

    def patients_of_client(self, client: int) -> list[Row]:
        """Animals that belong to a client.

        Args:
            client: client number
        """
        return matches(self.data.patients, owner=client)

    def invoices_by_state(self, state: Literal["open", "paid", "overdue"]) -> list[Row]:
        """Invoices in a given state of payment.

        Args:
            state: open (not due yet), paid or overdue
        """
        return matches(self.data.invoices, state=state)

    def unpaid_total(self, client: int) -> Row:
        """What a client still has to pay: the sum of open and overdue invoices, in euros.

        Args:
            client: client number
        """
        own = matches(self.data.invoices, client=client)
        unpaid = [each for each in own if each["state"] != "paid"]
        return {"client": client, "unpaid": figure_of(unpaid, "sum", "amount")}

    def stock_below(self, doses: int) -> list[str]:
        """Names of medicines of which fewer doses than a threshold are left.

        Args:
            doses: the threshold
        """
        return [each["medicine"] for each in self.data.medicines if each["doses_left"] < doses]

    def revenue_of_vet(self, initials: str) -> Row:
        """Charges of all visits that a vet saw, in total, in euros.

        Args:
            initials: initials of the vet
        """
        found = matches(self.data.visits, seen_by=initials)
        return {"vet": initials, "visits": len(found), "revenue": figure_of(found, "sum", "charge")}

    def average_visit_minutes(self, reason: Reason) -> float:
        """Mean duration of visits for a reason, in minutes.

        Args:
            reason: why animals were brought
        """
        return float(figure_of(matches(self.data.visits, reason=reason), "mean", "minutes"))

    def heaviest_patients(self, species: Species, n: int = 5) -> list[Row]:
        """Top animals of a species by weight, heaviest first.

        Args:
            species: kind of animal
            n: how many to return
        """
        found = matches(self.data.patients, species=species)
        return sorted(found, key=lambda each: -each["weight_kg"])[:n]

    def search_visits(self, query: VisitQuery) -> list[Row]:
        """Visits that meet all conditions of a query object.

        Args:
            query: the conditions
        """
        found = matches(self.data.visits, seen_by=query.seen_by, reason=query.reason)
        return [each for each in found if each["charge"] >= (query.min_charge or 0)]

    def clients_in_town(self, town: str) -> list[str]:
        """Names of clients by town.

        Args:
            town: town of residence, e.g. Corham
        """
        return [each["name"] for each in matches(self.data.clients, town=town)]

    def busiest_vet(self, start: date, end: date) -> Row:
        """The vet with most visits in a period.

        Args:
            start: first day
            end: last day
        """
        found = [each["seen_by"] for each in between(self.data.visits, "day", start, end)]
        best = max(sorted(set(found)), key=found.count)
        return {"vet": best, "visits": found.count(best)}

    def dose_for(self, medicine: str, weight_kg: float) -> Row:
        """Compute the dose of a medicine in mg from body weight.

        Args:
            medicine: trade name
            weight_kg: weight of the animal in kg
        """
        return {"mg": dose(record(self.data.medicines, "medicine", medicine), weight_kg)}

    def quote_operation(
        self, operation: Literal["neutering", "extraction", "hernia"], weight_kg: float
    ) -> Row:
        """Price estimate for an operation, in euros.

        Args:
            operation: which operation
            weight_kg: weight of the animal in kg
        """
        return {"operation": operation, "estimate": operation_price(operation, weight_kg)}

    def call_out_fee(self, distance_km: float, night: bool = False) -> float:
        """Fee for a house call, in euros.

        Args:
            distance_km: distance from the practice, in km
            night: true between 20:00 and 7:00
        """
        return fee(distance_km, night=night)

    def human_age(self, species: Species, years: int) -> Row:
        """Convert the age of an animal into human years.

        Args:
            species: kind of animal
            years: age of the animal in years
        """
        return {"human_years": 15 + {"dog": 6, "cat": 5, "rabbit": 8}[species] * (years - 1)}

    def opening_hours(self, weekday: str) -> str:
        """Consulting hours on a day of the week, as text.

        Args:
            weekday: e.g. Tuesday
        """
        if weekday not in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday"):
            raise ToolError(f"the practice is closed on {weekday}")
        return f"On {weekday} from {8 + len(weekday) % 3}:30 to {15 + len(weekday) % 4}:45."

    def search_case_notes(self, query: str, limit: int = 3) -> list[Row]:
        """Free-text search of what vets wrote about cases.

        Args:
            query: words to look for
            limit: most hits
        """
        found = nearest_texts(self.data.notes, query, limit)
        return [{"chart": each["chart"], "text": each["text"]} for each in found]

    def search_handbook(self, question: str) -> list[str]:
        """Passages of the practice's handbook (rules and procedures) that match a question.

        Args:
            question: the question in plain words
        """
        return [each["text"] for each in nearest_texts(self.data.handbook, question, 2)]
