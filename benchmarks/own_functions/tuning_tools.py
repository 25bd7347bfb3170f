"""Functions as people write them for themselves: one trade each, a line of text, types."""

from __future__ import annotations

from datetime import date
from typing import Literal, TypedDict


def brew_water(coffee: float, ratio: float = 16.0) -> float:
    """Millilitres of water for an amount of ground coffee.

    Args:
        coffee: grams
        ratio: water for each gram
    """
    return coffee * ratio


def monthly_payment(principal: float, annual_rate: float, years: int) -> float:
    """The monthly instalment of a loan.

    Args:
        principal: what is borrowed
        annual_rate: the interest, as 0.04
        years: how long it is paid back
    """
    monthly = annual_rate / 12
    return round(principal * monthly / (1 - (1 + monthly) ** (-12 * years)), 2)


def paint_litres(area: float, coats: int = 2) -> float:
    """Litres of paint that a wall needs.

    Args:
        area: square metres
        coats: how often it is painted
    """
    return round(area * coats / 10, 2)


def body_mass_index(weight_kg: float, height_m: float) -> float:
    """The body mass index (BMI) of a person."""
    return round(weight_kg / height_m**2, 1)


def shipping_price(weight: float, country: str) -> float:
    """The price of shipping a parcel.

    Args:
        weight: kilograms
        country: two letters, as NO
    """
    return round(4.0 + weight * (2.5 if country == "DE" else 3.5), 2)


def tip(bill: float, percent: float = 15.0) -> float:
    """The tip for a restaurant bill."""
    return round(bill * percent / 100, 2)


def fahrenheit(celsius: float) -> float:
    """Converts a temperature from Celsius to Fahrenheit."""
    return round(celsius * 9 / 5 + 32, 1)


def fuel_used(distance_km: float, consumption: float = 7.0) -> float:
    """Litres of fuel that a trip burns.

    Args:
        distance_km: how far it is
        consumption: litres for 100 kilometres
    """
    return round(distance_km * consumption / 100, 2)


def child_dose(weight_kg: float) -> float:
    """The dose of a medicine for a child, in milligrams."""
    return round(weight_kg * 10.5, 1)


def banquet_tables(guests: int, seats: int = 8) -> int:
    """How many tables a banquet needs."""
    return -(-guests // seats)


def seed_needed(hectares: float) -> float:
    """Kilograms of seed to sow a field."""
    return hectares * 155


def days_between(start: date, end: date) -> int:
    """The number of days from one date to another."""
    return (end - start).days


def count_words(text: str) -> int:
    """Counts the words of a text."""
    return len(text.split())


def median_of(numbers: list[float]) -> float:
    """The median of some numbers."""
    ordered = sorted(numbers)
    return ordered[len(ordered) // 2]


class Sale(TypedDict):
    price: float
    saved: float


def apply_discount(price: float, discount: float) -> Sale:
    """What a price is after a discount, and what is saved.

    Args:
        price: before the discount
        discount: percent
    """
    saved = round(price * discount / 100, 2)
    return {"price": price - saved, "saved": saved}


def break_even_units(fixed_costs: float, price: float, unit_cost: float) -> float:
    """How many units have to be sold until the costs are covered."""
    return round(fixed_costs / (price - unit_cost), 1)


def concrete_volume(length: float, width: float, depth: float) -> float:
    """Cubic metres of concrete for a slab, from its measures in metres."""
    return round(length * width * depth, 3)


def running_pace(distance_km: float, minutes: float) -> float:
    """Minutes for each kilometre of a run."""
    return round(minutes / distance_km, 2)


def net_salary(gross: float, status: Literal["single", "married"] = "single") -> float:
    """What is left of a gross salary after tax."""
    return round(gross * (0.62 if status == "single" else 0.71), 2)


def plants_in_row(length_cm: float, spacing_cm: float) -> int:
    """How many plants fit into a row of a garden bed."""
    return int(length_cm // spacing_cm) + 1


def dog_age(years: float) -> float:
    """The age of a dog in human years."""
    return 15 + 9 + (years - 2) * 5


def download_minutes(size_gb: float, speed_mbit: float) -> float:
    """How long a download takes."""
    return round(size_gb * 8000 / speed_mbit / 60, 2)


def stair_steps(height_cm: float, rise_cm: float = 18.0) -> int:
    """The number of steps of a staircase.

    Args:
        height_cm: from floor to floor
        rise_cm: of one step
    """
    return round(height_cm / rise_cm)


def room_charge(nights: int, guests: int = 1) -> float:
    """What a stay in the guest house costs."""
    return nights * (55.0 + 20.0 * guests)
