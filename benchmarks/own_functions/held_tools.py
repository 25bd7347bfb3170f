"""More functions as people write them for themselves; no rule is made by looking at these."""

from __future__ import annotations

import math
from datetime import date, timedelta
from typing import Literal, TypedDict


def knitting_yarn(chest_cm: float) -> float:
    """Metres of yarn for a sweater.

    Args:
        chest_cm: the width around the chest
    """
    return chest_cm * 12.5


def flour_for_bread(loaves: int) -> int:
    """Grams of flour for a number of loaves."""
    return loaves * 520


def braking_distance(speed_kmh: float) -> float:
    """How many metres a car needs to stop.

    Args:
        speed_kmh: kilometres an hour
    """
    return round((speed_kmh / 10) ** 2 + speed_kmh * 0.3, 1)


def kwh_cost(kwh: float, price: float = 0.32) -> float:
    """What the electricity that was used costs, in euros."""
    return round(kwh * price, 2)


def compound_interest(deposit: float, rate: float, years: int) -> float:
    """What savings grow to with compound interest.

    Args:
        deposit: what is paid in
        rate: interest a year, as 0.03
        years: how long it stays
    """
    return round(deposit * (1 + rate) ** years, 2)


def tiles_for_floor(area_m2: float, waste: float = 0.1) -> int:
    """The number of tiles that cover a floor."""
    return round(area_m2 * (1 + waste) / 0.09)


def due_date(ordered: date) -> date:
    """The day by which a book has to be brought back to the library.

    Args:
        ordered: the day of the loan
    """
    return ordered + timedelta(days=28)


def miles_to_km(miles: float) -> float:
    """Converts miles to kilometres."""
    return round(miles * 1.609344, 2)


def pool_chlorine(volume_m3: float) -> float:
    """Grams of chlorine for a swimming pool."""
    return round(volume_m3 * 2.4, 1)


def hay_for_horses(horses: int, days: int) -> int:
    """Kilograms of hay that horses eat."""
    return horses * days * 9


def average_of(numbers: list[float]) -> float:
    """The average of some numbers."""
    return round(sum(numbers) / len(numbers), 2)


def reading_minutes(pages: int) -> float:
    """How long it takes to read a book, in minutes."""
    return pages * 1.7


def commission(sales: float, level: Literal["junior", "senior"] = "junior") -> float:
    """What a seller earns on sales."""
    return round(sales * (0.04 if level == "junior" else 0.07), 2)


def hull_speed(waterline_m: float) -> float:
    """The greatest speed of a sailing boat in knots, by the length of its waterline."""
    return round(2.43 * math.sqrt(waterline_m), 2)


def roof_area(length: float, width: float, slope: float) -> float:
    """Square metres of a roof.

    Args:
        length: of the house, in metres
        width: of the house, in metres
        slope: percent
    """
    return round(length * width * (1 + slope / 100), 1)


def exam_grade(points: int, maximum: int) -> float:
    """The grade of an exam from its points."""
    return round(1 + 5 * points / maximum, 1)


def bees_honey(hives: int) -> float:
    """Kilograms of honey that bee hives give in a season."""
    return hives * 18.5


def letters_in(text: str) -> int:
    """The number of letters of a text."""
    return sum(each.isalpha() for each in text)


def overtime_pay(hours: float, wage: float) -> float:
    """What overtime is paid with.

    Args:
        hours: hours of overtime
        wage: for an hour
    """
    return round(hours * wage * 1.25, 2)


def firewood_heat(stacked_m3: float) -> float:
    """Kilowatt hours of heat in stacked firewood."""
    return stacked_m3 * 1900


class Mortar(TypedDict):
    cement: float
    sand: float


def mix_mortar(bricks: int) -> Mortar:
    """Kilograms of cement and sand for laying bricks."""
    return {"cement": round(bricks * 0.35, 1), "sand": round(bricks * 1.4, 1)}


def parking_fee(hours: float, zone: str = "A") -> float:
    """What parking costs.

    Args:
        hours: how long
        zone: a letter, as A
    """
    return round(hours * (3.2 if zone == "A" else 1.6), 2)


def calories_burnt(minutes: float, weight_kg: float) -> float:
    """The calories that somebody burns by cycling."""
    return round(minutes * weight_kg * 0.117, 1)


def buses_for(pupils: int) -> int:
    """How many buses a school trip needs."""
    return -(-pupils // 48)
