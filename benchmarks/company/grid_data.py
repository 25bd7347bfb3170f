"""The made data of an operator of an electricity grid."""

from __future__ import annotations

from datetime import date, timedelta
from random import Random
from typing import Final

from company.kinds import Row

SUBSTATIONS: Final = {
    "HRW": "Harrow Hill", "KEL": "Kelmarsh", "OST": "Osterley", "PIN": "Pinfold",
    "QUA": "Quarrymoor", "RED": "Redgate", "SWA": "Swanholt", "TIL": "Tilbridge",
}  # fmt: skip
REGIONS: Final = ("north", "south", "coast")
CITIES: Final = ("Marchfield", "Nordhaven", "Oakmere", "Stanwick")
MAKERS: Final = ("Voltaris", "Kernwerk", "Ampline")
CAUSES: Final = ("storm", "digging", "animal", "ageing", "lightning")
TARIFFS: Final = ("Night Saver", "Flat Plus", "Industry One", "Green Local")
HOLDERS: Final = (
    "Bright Dairy", "Cobalt Foundry", "Delta Mills", "Eastgate Mall", "Finch Bakery",
    "Glasshouse Ltd", "Harper Cold Store", "Iona Hospital", "Jute Works", "Kiln Ceramics",
    "Larch Sawmill", "Morrow Print", "Nimbus Data", "Orchard School", "Pike Aquarium",
    "Quill Paper",
)  # fmt: skip
ENGINEERS: Final = {
    "m.keane": "Maeve Keane", "j.dorst": "Jan Dorst", "a.osei": "Abena Osei",
    "r.falk": "Runa Falk", "p.vega": "Pablo Vega",
}  # fmt: skip
LEADS: Final = (
    "Stan Ridley",
    "Imke Bauer",
    "Lou Castell",
    "Ngozi Eze",
    "Walt Perrin",
    "Yara Nunes",
)
BASES: Final = ("Millbank", "Thornton", "Westpier")
TRIGGERS: Final = (
    "squirrel", "kite", "excavator", "branch", "swan", "flooding", "crane", "balloon", "corrosion",
)  # fmt: skip


class GridData:
    """Substations, feeders, outages and accounts, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.substations: list[Row] = [
            {
                "code": f"{code}-{random.choice((33, 66, 110))}", "site": site,
                "region": random.choice(REGIONS), "mva": random.randint(20, 180),
                "commissioned": random.randint(1961, 2018),
            }
            for code, site in SUBSTATIONS.items()
        ]  # fmt: skip
        codes = [each["code"] for each in self.substations]
        self.transformers: list[Row] = [
            {
                "serial": f"TX{random.randint(100, 999)}/{place:02}",
                "substation": random.choice(codes), "maker": random.choice(MAKERS),
                "oil_litres": random.randint(900, 9_000), "load_percent": random.randint(20, 118),
            }
            for place in range(1, 25)
        ]  # fmt: skip
        self.lines: list[Row] = [
            {
                "line": 4_000 + 13 * place,
                "from": random.choice(codes), "to": random.choice(codes),
                "length_km": random.randint(20, 900) / 10, "rated_amps": random.randint(200, 1_200),
            }
            for place in range(14)
        ]  # fmt: skip
        self.feeders: list[Row] = [
            {
                "feeder": f"F{place}{random.choice('abc')}", "substation": random.choice(codes),
                "connected": random.randint(80, 4_000), "cable_m": random.randint(400, 19_000),
            }
            for place in range(1, 21)
        ]  # fmt: skip
        self.crews: list[Row] = [
            {
                "crew": place, "lead": lead, "base": random.choice(BASES),
                "people": random.randint(3, 9), "shift": random.choice(("early", "late", "night")),
            }
            for place, lead in enumerate(LEADS, 1)
        ]  # fmt: skip
        self.engineers: list[Row] = [
            {
                "login": login, "name": name, "extension": random.randint(210, 299),
                "authorised_kv": random.choice((33, 66, 110)),
            }
            for login, name in ENGINEERS.items()
        ]  # fmt: skip
        self.tariffs: list[Row] = [
            {
                "tariff": name, "cents_per_kwh": random.randint(800, 3_900) / 100,
                "standing_charge": random.randint(400, 2_900) / 100,
                "notice_weeks": random.randint(2, 26),
            }
            for name in TARIFFS
        ]  # fmt: skip
        self.outages = [self._outage(place, random) for place in range(110)]
        self._customers(random)
        self.orders: list[Row] = [
            {
                "order": 770 + place, "feeder": random.choice(self.feeders)["feeder"],
                "requested_by": random.choice(list(ENGINEERS)),
                "planned_for": str(date(2023, 9, 1) + timedelta(days=random.randint(0, 90))),
                "status": random.choice(("draft", "approved", "carried out")),
            }
            for place in range(30)
        ]  # fmt: skip
        self.inspections: list[Row] = [
            {
                "asset": random.choice(self.transformers)["serial"],
                "inspector": random.choice(list(ENGINEERS)),
                "outcome": random.choice(("passed", "failed", "postponed")),
                "due": str(date(2023, 8, 1) + timedelta(days=random.randint(0, 150))),
            }
            for _ in range(70)
        ]  # fmt: skip
        self.logs = [self._log(each, random) for each in self.feeders]
        self.rules = _rules(random)

    def _outage(self, place: int, random: Random) -> Row:
        return {
            "outage": f"23-{500 + 3 * place}", "feeder": random.choice(self.feeders)["feeder"],
            "cause": random.choice(CAUSES), "crew": random.choice(self.crews)["crew"],
            "began": str(date(2023, 1, 3) + timedelta(days=random.randint(0, 230))),
            "minutes": random.randint(4, 480), "affected": random.randint(10, 3_800),
        }  # fmt: skip

    def _customers(self, random: Random) -> None:
        self.accounts: list[Row] = [
            {
                "account": f"AC{55_010 + 7 * place}", "holder": holder,
                "city": random.choice(CITIES), "contracted_kw": random.randint(40, 9_000),
                "tariff": random.choice(TARIFFS), "used_mwh": random.randint(100, 90_000) / 10,
            }
            for place, holder in enumerate(HOLDERS)
        ]  # fmt: skip
        self.meters: list[Row] = [
            {
                "meter": f"{random.randint(10**9, 10**10 - 1):011}",
                "account": random.choice(self.accounts)["account"],
                "feeder": random.choice(self.feeders)["feeder"],
                "fitted": random.randint(2001, 2023),
                "model": random.choice(("E350", "ZMD", "AS3")),
            }
            for _ in range(36)
        ]  # fmt: skip

    def _log(self, feeder: Row, random: Random) -> Row:
        trigger = random.choice(TRIGGERS)
        text = (
            f"Control room, {random.randint(0, 23):02}:15 - {feeder['feeder']} tripped; patrol "
            f"found {trigger} at pole {random.randint(2, 140)}."
        )
        return {"feeder": feeder["feeder"], "trigger": trigger, "text": text}


def _rules(random: Random) -> list[Row]:
    """Clauses of the grid code, each with its figure."""
    clauses = (
        ("earthing", "Portable earths are applied within {} metres of the place of work."),
        ("notice", "Planned interruptions are announced at least {} days in advance."),
        ("reconnection", "A disconnected household is reconnected within {} hours of payment."),
        ("vegetation", "Trees are cut back every {} months along overhead lines."),
        ("voltage", "Supply voltage may deviate by up to {} percent."),
    )
    drawn = random.sample(range(2, 48), len(clauses))
    return [
        {"topic": topic, "figure": number, "text": text.format(number)}
        for (topic, text), number in zip(clauses, drawn, strict=True)
    ]
