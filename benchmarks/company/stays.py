"""A company that lets holiday homes: a company to tune on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from company.case import Kind
from company.kinds import Row, between, figure_of, matches, nearest_texts, record
from company.stays_data import StaysData
from company.stays_questions import kinds, missing, refund, stay_price, tax

Place = Literal["Penmarra", "Saltholm", "Trevane", "Wick Bay"]


class Channel(Enum):
    """Where bookings come from."""

    WEBSITE = "website"
    AGENCY = "agency"
    PHONE = "phone"
    PORTAL = "portal"


class SearchCriteria(BaseModel):
    """What a home has to offer."""

    place: Place | None = None
    min_sleeps: int = Field(default=1, description="people to accommodate")
    pets_allowed: bool | None = None


class StayRequest(BaseModel):
    """A stay that somebody wants a price for."""

    home: str = Field(description="slug of the home")
    season: Literal["low", "mid", "high"]
    nights: int
    voucher_percent: float = 0


class Stays:
    """The functions of the company over its data."""

    name = "stays"

    def __init__(self, seed: int) -> None:
        self.data = StaysData(seed)

    def functions(self) -> dict[str, Sequence[Callable[..., Any]]]:
        """The functions by their class."""
        return {
            "entity": (
                self.property_details, self.load_bookings, self.guest_profile, self.owner_account,
                self.cleaner, self.ticket, self.place_facts, self.rate_card,
            ),
            "ColumnarQuantitativeSearch": (
                self.arrivals, self.nights_sold, self.find_homes, self.homes_of_owner,
                self.bookings_by_channel, self.channel_income, self.average_stay,
                self.bookings_of_guest, self.tickets, self.repair_spend, self.star_rating,
                self.guests_from, self.cleaning_round, self.dearest_homes, self.cancellations,
            ),
            "api": (
                self.price_stay, self.tourist_tax, self.refund_due, self.weather_outlook,
            ),
            "VectorSearch": (self.search_guest_books, self.ask_welcome_book),
        }  # fmt: skip

    def kinds(self) -> list[Kind]:
        return kinds(self.data)

    def missing(self) -> list[Kind]:
        return missing(self.data)

    def property_details(self, slug: str) -> Row:
        """Everything about a holiday home: place, how many it sleeps, bathrooms, owner, cleaner,
        whether pets may come, and the code of the wireless network.

        Args:
            slug: the home's short name in the web address, e.g. gull-loft
        """
        return record(self.data.homes, "home", slug)

    def load_bookings(self, references: list[str]) -> dict[str, Row]:
        """Load bookings by reference.

        Returns:
            By reference: home, guest's email, arrival, nights, people, channel, status, total.

        Args:
            references: booking references, e.g. ["KQ427-X"]
        """
        return {each: record(self.data.bookings, "reference", each) for each in references}

    def guest_profile(self, email: str) -> Row:
        """A guest: name, country, number of stays so far, voucher in percent.

        Args:
            email: the address that the guest books with
        """
        return record(self.data.guests, "email", email)

    def owner_account(self, owner_id: int) -> Row:
        """A home owner: name, share of the rent in percent, day of payment, since which year.

        Args:
            owner_id: number of the owner
        """
        return record(self.data.owners, "owner_id", owner_id)

    def cleaner(self, first_name: str) -> Row:
        """A cleaner: hourly pay in euros, van, area.

        Args:
            first_name: what everybody calls them, e.g. Marek
        """
        return record(self.data.cleaners, "cleaner", first_name)

    def ticket(self, id: int) -> str:  # noqa: A002 - the style of this company's API
        """A repair ticket in a sentence: home, trade, urgency, status, cost.

        Args:
            id: ticket number, 1040 and up
        """
        found = record(self.data.tickets, "ticket", id)
        return (
            f"#{id} at {found['home']}: {found['trade']} needed {found['urgency']}; "
            f"{found['status']}; cost {found['cost']} EUR; reported {found['reported']}"
        )

    def place_facts(self, place: Place) -> Row:
        """Facts on a seaside place: way to the beach in metres, tourist tax, parking spaces.

        Args:
            place: the place
        """
        return record(self.data.places, "place", place)

    def rate_card(self, slug: str) -> dict[str, int]:
        """Rent per night in euros for each season.

        Args:
            slug: the home's short name
        """
        return {each["season"]: each["per_night"] for each in matches(self.data.rates, home=slug)}

    def arrivals(
        self,
        start: date,
        end: date,
        home: str | None = None,
        status: Literal["confirmed", "tentative", "cancelled"] | None = None,
    ) -> list[Row]:
        """Bookings with arrival in a period.

        Args:
            start: from this day
            end: to this day
            home: slug; all homes if omitted
            status: state of the booking; any if omitted
        """
        found = between(self.data.bookings, "arrival", start, end)
        return matches(found, home=home, status=status)

    def nights_sold(self, start: date, end: date, channel: Channel | None = None) -> int:
        """Nights of bookings that arrive in a period.

        Args:
            start: from this day
            end: to this day
            channel: only what was booked there
        """
        found = between(self.data.bookings, "arrival", start, end)
        kept = matches(found, channel=channel.value if channel else None)
        return int(figure_of(kept, "sum", "nights"))

    def find_homes(self, criteria: SearchCriteria) -> list[Row]:
        """Homes that meet a guest's wishes.

        Args:
            criteria: the wishes
        """
        found = matches(self.data.homes, place=criteria.place, pets=criteria.pets_allowed)
        return [each for each in found if each["sleeps"] >= criteria.min_sleeps]

    def homes_of_owner(self, owner_id: int) -> list[str]:
        """Slugs of the homes that belong to an owner.

        Args:
            owner_id: number of the owner
        """
        return [each["home"] for each in matches(self.data.homes, owner_id=owner_id)]

    def bookings_by_channel(self, channel: Channel, status: str = "confirmed") -> list[Row]:
        """Bookings that came in by a channel.

        Args:
            channel: where it was booked
            status: confirmed, tentative or cancelled
        """
        return matches(self.data.bookings, channel=channel.value, status=status)

    def channel_income(self, channel: Channel) -> Row:
        """Rent from all bookings of a channel, in euros, whatever their status.

        Args:
            channel: where it was booked
        """
        found = matches(self.data.bookings, channel=channel.value)
        return {"channel": channel.value, "euros": figure_of(found, "sum", "total")}

    def average_stay(self, home: str) -> float:
        """Mean number of nights of the bookings of a home.

        Args:
            home: slug
        """
        return float(figure_of(matches(self.data.bookings, home=home), "mean", "nights"))

    def bookings_of_guest(self, email: str) -> list[Row]:
        """All bookings that a guest made.

        Args:
            email: the guest's address
        """
        return matches(self.data.bookings, guest=email)

    def tickets(
        self,
        status: Literal["open", "ordered", "fixed"] | None = None,
        trade: Annotated[str | None, Field(description="plumber, joiner, ...")] = None,
        home: str | None = None,
    ) -> list[Row]:
        """Repair tickets, filtered.

        Args:
            status: how far the repair is
            trade: who has to come
            home: slug
        """
        return matches(self.data.tickets, status=status, trade=trade, home=home)

    def repair_spend(self, home: str) -> Row:
        """Cost of all repair tickets of a home.

        Args:
            home: slug
        """
        found = matches(self.data.tickets, home=home)
        return {"home": home, "tickets": len(found), "cost": figure_of(found, "sum", "cost")}

    def star_rating(self, home: str) -> Row:
        """Average stars of a home's reviews, and how many there are.

        Args:
            home: slug
        """
        found = matches(self.data.reviews, home=home)
        return {"stars": figure_of(found, "mean", "stars"), "reviews": len(found)}

    def guests_from(self, country: str) -> list[str]:
        """Names of guests by country of residence.

        Args:
            country: English name of the country
        """
        return [each["name"] for each in matches(self.data.guests, country=country)]

    def cleaning_round(self, first_name: str) -> list[Row]:
        """Homes that a cleaner looks after, with their place.

        Args:
            first_name: the cleaner
        """
        found = matches(self.data.homes, cleaned_by=first_name)
        return [{"home": each["home"], "place": each["place"]} for each in found]

    def dearest_homes(self, season: Literal["low", "mid", "high"], limit: int = 5) -> list[Row]:
        """Price list of a season, most expensive home first.

        Args:
            season: which season
            limit: how many homes
        """
        found = matches(self.data.rates, season=season)
        return sorted(found, key=lambda each: -each["per_night"])[:limit]

    def cancellations(self, start: date, end: date) -> Row:
        """Cancelled bookings with arrival in a period: how many, and the rent that was lost.

        Args:
            start: from this day
            end: to this day
        """
        found = matches(between(self.data.bookings, "arrival", start, end), status="cancelled")
        return {"cancelled": len(found), "lost": figure_of(found, "sum", "total")}

    def price_stay(self, request: StayRequest) -> Row:
        """Price of a stay in euros, with a voucher taken off.

        Args:
            request: the stay
        """
        rate = next(
            each["per_night"]
            for each in matches(self.data.rates, home=request.home, season=request.season)
        )
        return {"price": stay_price(rate, request.nights, request.voucher_percent)}

    def tourist_tax(self, place: Place, people: int, nights: int) -> Row:
        """Tourist tax for a party, in euros.

        Args:
            place: where they stay
            people: how many of them
            nights: for how long
        """
        found = record(self.data.places, "place", place)
        return {"place": place, "tax": tax(found, people, nights)}

    def refund_due(self, total: float, days_before: int) -> float:
        """Refund in euros when a booking is cancelled.

        Args:
            total: what was paid
            days_before: days left until arrival
        """
        return refund(total, days_before)

    def weather_outlook(self, place: Place, day: date) -> str:
        """Outlook for a day in words.

        Args:
            place: where
            day: when
        """
        sky = ("sunny", "cloudy", "showers", "windy")[(day.day + len(place)) % 4]
        return f"{place}, {day}: {sky}, {12 + day.day % 11} degrees."

    def search_guest_books(self, query: str) -> list[Row]:
        """Find passages in guest books: what people enjoyed or missed in a home.

        Args:
            query: free text
        """
        found = nearest_texts(self.data.praise, query, 3)
        return [{"source": each["home"], "passage": each["text"]} for each in found]

    def ask_welcome_book(self, question: str) -> str:
        """Practical matters (rubbish, linen, firewood, departure, pool) from the welcome book.

        Args:
            question: what a guest wants to know
        """
        return " ".join(each["text"] for each in nearest_texts(self.data.welcome, question, 1))
