"""The made data of a company that lets holiday homes."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from typing import Final

from company.kinds import Row

HOMES: Final = (
    "gull-loft", "old-bakery", "pine-lodge", "harbour-view", "the-forge", "cliff-house",
    "rose-barn", "mill-annex", "sandpiper", "chapel-row-2", "chapel-row-5", "orchard-cabin",
    "tide-cottage", "upper-deck", "fisher-nook", "walled-garden",
)  # fmt: skip
PLACES: Final = ("Penmarra", "Saltholm", "Trevane", "Wick Bay")
OWNERS: Final = (
    "Hetty Blackwood", "Idris Vaughan", "Corinne Mayhew", "Abel Thorsen", "Pip Galloway",
    "Zelda Finch", "Rowan Tate",
)  # fmt: skip
GUESTS: Final = {
    "ana.ruiz": ("Ana Ruiz", "Spain"), "tkoch": ("Timo Koch", "Germany"),
    "lwells": ("Lena Wells", "Ireland"), "pierre.b": ("Pierre Blanc", "France"),
    "mjordan": ("Max Jordan", "Ireland"), "giulia": ("Giulia Conti", "Italy"),
    "sven.o": ("Sven Olsen", "Denmark"), "c.dupont": ("Chloe Dupont", "France"),
    "ewa.n": ("Ewa Nowak", "Poland"), "hbrandt": ("Heike Brandt", "Germany"),
    "finlay": ("Finlay Muir", "Ireland"), "noa.k": ("Noa Kaplan", "Israel"),
}  # fmt: skip
CLEANERS: Final = ("Dot", "Marek", "Shanice", "Wilf", "Yolanda")
CHANNELS: Final = ("website", "agency", "phone", "portal")
SEASONS: Final = ("low", "mid", "high")
TRADES: Final = ("plumber", "electrician", "joiner", "roofer", "locksmith")
LETTERS: Final = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
LIKED: Final = (
    "fireplace", "bathtub", "balcony", "hammock", "telescope", "piano", "sauna", "library",
)  # fmt: skip


class StaysData:
    """Homes, bookings, guests and repairs, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.places: list[Row] = [
            {
                "place": name, "metres_to_beach": random.randint(50, 4_000),
                "tax_per_night": random.randint(60, 350) / 100, "parking": random.randint(10, 300),
            }
            for name in PLACES
        ]  # fmt: skip
        self.owners: list[Row] = [
            {
                "owner_id": place, "name": name, "share": random.randint(60, 88),
                "paid_on": random.randint(1, 28), "since": random.randint(2008, 2022),
            }
            for place, name in enumerate(OWNERS, 31)
        ]  # fmt: skip
        self.cleaners: list[Row] = [
            {
                "cleaner": name, "hourly": random.randint(1_250, 2_100) / 100,
                "van": f"{random.choice(('WK', 'SH'))}{random.randint(10, 72)}",
                "area": random.choice(PLACES),
            }
            for name in CLEANERS
        ]  # fmt: skip
        self.homes: list[Row] = [
            {
                "home": name, "place": random.choice(PLACES), "sleeps": random.randint(2, 10),
                "bathrooms": random.randint(1, 3),
                "owner_id": random.choice(self.owners)["owner_id"],
                "cleaned_by": random.choice(CLEANERS), "pets": random.choice((True, False)),
                "wifi_code": f"{random.choice(('salt', 'reef', 'dune'))}{random.randint(100, 999)}",
            }
            for name in HOMES
        ]  # fmt: skip
        self.guests: list[Row] = [
            {
                "email": f"{user}@example.org", "name": name, "country": country,
                "stays": random.randint(1, 14), "voucher": random.choice((0, 10, 25, 40)),
            }
            for user, (name, country) in GUESTS.items()
        ]  # fmt: skip
        self.rates: list[Row] = [
            {"home": home, "season": season, "per_night": 40 + 35 * place + random.randint(0, 90)}
            for home in HOMES
            for place, season in enumerate(SEASONS)
        ]
        self.bookings = [self._booking(random) for _ in range(130)]
        self.tickets: list[Row] = [
            {
                "ticket": 1_040 + place, "home": random.choice(HOMES),
                "trade": random.choice(TRADES),
                "urgency": random.choice(("today", "this week", "whenever")),
                "status": random.choice(("open", "ordered", "fixed")),
                "cost": random.randint(1_500, 60_000) / 100,
                "reported": str(date(2025, 3, 1) + timedelta(days=random.randint(0, 200))),
            }
            for place in range(60)
        ]  # fmt: skip
        self.reviews = [self._review(home, random) for home in HOMES for _ in range(4)]
        self.praise = [self._praise(home, random) for home in HOMES]
        self.welcome = _welcome(random)

    def _booking(self, random: Random) -> Row:
        nights = random.randint(2, 14)
        home = random.choice(HOMES)
        return {
            "reference": "".join(random.choice(LETTERS) for _ in range(3))
            + str(random.randint(10, 99)) + "-" + random.choice("XYZ"),
            "home": home, "guest": random.choice(self.guests)["email"],
            "arrival": str(date(2025, 4, 1) + timedelta(days=random.randint(0, 170))),
            "nights": nights, "people": random.randint(1, 8), "channel": random.choice(CHANNELS),
            "status": random.choice(("confirmed", "tentative", "cancelled")),
            "total": round(nights * random.randint(6_000, 24_000) / 100, 2),
        }  # fmt: skip

    def _review(self, home: str, random: Random) -> Row:
        return {
            "home": home, "stars": random.randint(2, 5), "by": random.choice(self.guests)["name"],
            "month": random.choice(("June", "July", "August")),
        }  # fmt: skip

    def _praise(self, home: str, random: Random) -> Row:
        liked = random.choice(LIKED)
        text = f"Guest book of {home}: the children would not leave the {liked}, best holiday yet."
        return {"home": home, "liked": liked, "text": text}


def _welcome(random: Random) -> list[Row]:
    """What the welcome book tells, each with the figure that it gives."""
    lines = (
        ("bins", "Put the rubbish out by {} o'clock in the morning on collection day."),
        ("linen", "Bed linen is changed every {} days during longer stays."),
        ("logs", "A basket of firewood is {} euros at the office."),
        ("late", "Departure after hours costs {} euros for each hour begun."),
        ("pool", "Children under {} years swim only with an adult."),
    )
    drawn = random.sample(range(4, 30), len(lines))
    return [
        {"topic": topic, "figure": number, "text": text.format(number)}
        for (topic, text), number in zip(lines, drawn, strict=True)
    ]
