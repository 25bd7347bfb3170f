"""What a company that lets holiday homes is asked."""

from __future__ import annotations

from random import Random

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
from company.stays_data import StaysData


def kinds(data: StaysData) -> list[Kind]:
    """The kinds of questions; a third of them needs two calls."""
    homes = Table(data.homes, "home", "property_details")
    bookings = Table(data.bookings, "reference", "load_bookings")
    guests = Table(data.guests, "email", "guest_profile")
    owners = Table(data.owners, "owner_id", "owner_account")
    cleaners = Table(data.cleaners, "cleaner", "cleaner")
    tickets = Table(data.tickets, "ticket", "ticket")
    places = Table(data.places, "place", "place_facts")
    stays = [{**each, "guest_email": each["guest"]} for each in data.bookings]
    booked = [each for each in data.bookings if each["status"] == "confirmed"]
    return [
        look_up("sleeps", homes, "sleeps"),
        look_up("wifi", homes, "wifi_code"),
        look_up("booking_total", bookings, "total"),
        look_up("booking_arrival", bookings, "arrival"),
        look_up("guest_stays", guests, "stays"),
        look_up("owner_share", owners, "share"),
        look_up("ticket_cost", tickets, "cost"),
        look_up("beach", places, "metres_to_beach"),
        noted("rate", data.rates, ("home", "season"), "per_night", ("rate_card", "dearest_homes")),
        figure_of_month("arrivals_month", data.bookings, "arrival", "arrivals", where=("status",)),
        figure_of_month("nights_month", data.bookings, "arrival", ("nights_sold", "arrivals"),
                        "sum", "nights"),
        figure("channel_count", booked, ("channel",), "bookings_by_channel"),
        figure("income", data.bookings, ("channel",), "channel_income", "sum", "total"),
        figure("repairs", data.tickets, ("home",), ("repair_spend", "tickets"), "sum", "cost"),
        figure("trade_tickets", data.tickets, ("trade", "status"), "tickets"),
        figure("stars", data.reviews, ("home",), "star_rating", "mean", "stars"),
        listed("country_guests", data.guests, ("country",), "name", "guests_from"),
        extreme("longest_stay", stays, ("guest_email",), "nights", "reference",
                "bookings_of_guest"),
        computed("refund", _refund, "refund_due"),
        noted("liked", data.praise, ("home",), "liked", "search_guest_books"),
        chain("booking_name", bookings, (("guest", guests),), "name"),
        chain("booking_place", bookings, (("home", homes),), "place"),
        chain("home_owner", homes, (("owner_id", owners),), "name"),
        chain("home_cleaner_pay", homes, (("cleaned_by", cleaners),), "hourly"),
        chain("home_beach", homes, (("place", places),), "metres_to_beach"),
        chain("booking_owner", bookings, (("home", homes), ("owner_id", owners)), "name"),
        two_records("two_bookings", bookings, "people"),
        two_tables("van_and_share", (cleaners, "van"), (owners, "share")),
        computed_of_record("booking_refund", bookings, _refund_of, "refund_due"),
        computed_of_record("home_tax", homes, lambda r, row: _tax(data, r, row), "tourist_tax"),
    ]  # fmt: skip


def missing(data: StaysData) -> list[Kind]:
    """Questions for which the company has no function."""
    return [
        unknown("missing_oven", "home", [each["home"] for each in data.homes]),
        unknown("missing_passport", "email", [each["email"] for each in data.guests]),
        unknown("missing_bank", "owner", [each["name"] for each in data.owners]),
        unknown("missing_holiday", "cleaner", [each["cleaner"] for each in data.cleaners]),
        unknown("missing_mayor", "place", [each["place"] for each in data.places]),
    ]


def stay_price(per_night: float, nights: int, voucher: float) -> float:
    """Euros for a stay."""
    return round(per_night * nights * (1 - voucher / 100), 2)


def tax(place: Row, people: int, nights: int) -> float:
    """Euros of tourist tax."""
    return round(float(place["tax_per_night"]) * people * nights, 2)


def refund(total: float, days_before: int) -> float:
    """Euros that come back: the more, the earlier a booking is cancelled."""
    share = 0.95 if days_before > 60 else 0.7 if days_before > 21 else 0.35
    return round(total * share, 2)


def _refund(random: Random) -> Drawn:
    total, days = random.randint(200, 2_400), random.randint(1, 100)
    return {"total": total, "days": days}, (refund(total, days),)


def _refund_of(random: Random, booking: Row) -> Drawn:
    days = random.randint(1, 100)
    return {"days": days}, (refund(booking["total"], days),)


def _tax(data: StaysData, random: Random, home: Row) -> Drawn:
    people, nights = random.randint(2, 8), random.randint(9, 21)
    place = next(each for each in data.places if each["place"] == home["place"])
    return {"people": people, "nights": nights}, (tax(place, people, nights),)
