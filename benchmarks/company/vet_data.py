"""The made data of a veterinary practice."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from typing import Final

from company.kinds import Row

PETS: Final = (
    "Biscuit", "Luna", "Pepper", "Tofu", "Rufus", "Willow", "Mango", "Otis", "Hazel", "Bingo",
    "Nala", "Ziggy", "Poppy", "Gizmo", "Clover", "Moses", "Pickle", "Suki", "Duke", "Fern",
    "Waffles", "Kiki", "Bruno", "Maple", "Sparky", "Opal", "Ludo", "Tinker",
)  # fmt: skip
PEOPLE: Final = (
    "Priya Raman", "Tom Ashworth", "Helen Quist", "Omar Haddad", "Jess Tolland", "Bea Whitlock",
    "Carl Denby", "Noor Aziz", "Paul Crane", "Sian Morris", "Rita Voss", "Ed Larkin",
)  # fmt: skip
TOWNS: Final = ("Alderton", "Brinsea", "Corham", "Dunwick", "Eastbury")
BREEDS: Final = {
    "dog": ("beagle", "whippet", "spaniel", "collie"),
    "cat": ("siamese", "persian", "tabby"),
    "rabbit": ("lop", "angora"),
}
VETS: Final = {
    "KB": "Kathrin Bell", "MO": "Marcus Odell", "SL": "Sofia Lenz", "TW": "Theo Wray",
}  # fmt: skip
REASONS: Final = ("checkup", "vaccination", "dental", "surgery", "injury")
MEDICINES: Final = ("Carprovan", "Metrolin", "Zitapet", "Dermavet", "Pulmoxil", "Enterol")
INSURERS: Final = ("Pawsure", "Fidelis", "Tailguard")
CAUSES: Final = ("thorn", "sprain", "arthritis", "glass", "fracture", "bite")
LEGS: Final = ("left hind", "right hind", "left front", "right front")


class VetData:
    """Patients, clients, visits and all that a practice keeps, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.vets: list[Row] = [
            {
                "initials": initials, "name": name, "room": random.randint(1, 9),
                "speciality": random.choice(("dentistry", "cardiology", "dermatology", "surgery")),
                "licensed": random.randint(1996, 2019),
            }
            for initials, name in VETS.items()
        ]  # fmt: skip
        self.insurers: list[Row] = [
            {
                "insurer": name, "share_paid": random.choice((60, 70, 75, 80, 90)),
                "excess": random.choice((50, 75, 95, 120)),
                "waiting_days": random.randint(10, 40),
            }
            for name in INSURERS
        ]  # fmt: skip
        self.clients: list[Row] = [
            {
                "client": 7_701 + place, "name": name, "town": random.choice(TOWNS),
                "insurer": random.choice(INSURERS),
                "member_since": random.randint(2006, 2023),
            }
            for place, name in enumerate(PEOPLE)
        ]  # fmt: skip
        self.patients = [self._patient(place, name, random) for place, name in enumerate(PETS)]
        self.medicines: list[Row] = [
            {
                "medicine": name, "strength_mg": random.choice((5, 10, 20, 50)),
                "price_per_dose": random.randint(80, 900) / 100,
                "doses_left": random.randint(4, 160), "mg_per_kg": random.randint(4, 60) / 10,
            }
            for name in MEDICINES
        ]  # fmt: skip
        self.visits = [self._visit(number, random) for number in range(140)]
        self.invoices: list[Row] = [
            {
                "invoice": f"2024-{number}", "client": random.choice(self.clients)["client"],
                "amount": random.randint(2_000, 60_000) / 100,
                "state": random.choice(("open", "paid", "overdue")),
                "due": _day(random, date(2024, 2, 1), 150),
            }
            for number in range(101, 151)
        ]  # fmt: skip
        for client in self.clients:
            own = [each for each in self.invoices if each["client"] == client["client"]]
            unpaid = [each["amount"] for each in own if each["state"] != "paid"]
            client["balance"] = round(sum(unpaid), 2)
        self.vaccinations: list[Row] = [
            {
                "chart": each["chart"], "vaccine": vaccine,
                "given": _day(random, date(2023, 6, 1), 120),
                "due": _day(random, date(2024, 6, 1), 200),
            }
            for each in self.patients for vaccine in ("rabies", "parvo", "leptospirosis")
        ]  # fmt: skip
        self.wards: list[Row] = [
            {"ward": ward, "kennels": random.randint(8, 20), "occupied": random.randint(1, 8)}
            for ward in ("isolation", "recovery", "boarding")
        ]
        self.notes = [self._note(each, random) for each in self.patients]
        self.handbook = _handbook(random)

    def _patient(self, place: int, name: str, random: Random) -> Row:
        species = random.choice(list(BREEDS))
        return {
            "chart": f"P{412 + 7 * place:04}", "name": name, "species": species,
            "breed": random.choice(BREEDS[species]), "owner": random.choice(self.clients)["client"],
            "born": random.randint(2009, 2023), "weight_kg": random.randint(12, 480) / 10,
            "regular_vet": random.choice(list(VETS)),
        }  # fmt: skip

    def _visit(self, number: int, random: Random) -> Row:
        return {
            "visit": f"V-24/{300 + number:04}", "chart": random.choice(self.patients)["chart"],
            "seen_by": random.choice(list(VETS)), "day": _day(random, date(2024, 1, 2), 180),
            "reason": random.choice(REASONS), "charge": random.randint(2_500, 48_000) / 100,
            "minutes": random.randint(10, 95),
        }  # fmt: skip

    def _note(self, patient: Row, random: Random) -> Row:
        leg, cause = random.choice(LEGS), random.choice(CAUSES)
        text = f"{patient['name']} was limping on the {leg} leg; the cause was a {cause}."
        return {"chart": patient["chart"], "name": patient["name"], "cause": cause, "text": text}


def _day(random: Random, first: date, days: int) -> str:
    return str(first + timedelta(days=random.randint(0, days)))


def _handbook(random: Random) -> list[Row]:
    """Passages of the house's handbook, each with the figure that it gives."""
    passages = (
        ("fasting", "Before an anaesthetic no food is given for {} hours; water is allowed."),
        ("stitches", "Stitches are taken out {} days after the operation."),
        ("quarantine", "An animal with suspected kennel cough stays in isolation for {} days."),
        ("deposit", "A deposit of {} euros is taken when an animal is boarded."),
        ("microchip", "The microchip is read again {} weeks after it was implanted."),
        ("cancelling", "Appointments can be cancelled free of charge up to {} hours before."),
    )
    drawn = random.sample(range(3, 60), len(passages))
    return [
        {"topic": topic, "figure": number, "text": text.format(number)}
        for (topic, text), number in zip(passages, drawn, strict=True)
    ]
