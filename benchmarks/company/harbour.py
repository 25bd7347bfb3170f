"""A harbour: the company of the held half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Literal

from company.case import Kind
from flows.errors import ToolError

Row = dict[str, Any]
Quay = Literal["Alder", "Basalt", "Cobalt", "Delta"]
Goods = Literal["grain", "timber", "coal", "fruit"]
QUAYS: tuple[Quay, ...] = ("Alder", "Basalt", "Cobalt", "Delta")
GOODS: tuple[Goods, ...] = ("grain", "timber", "coal", "fruit")
VESSELS = (
    "Albatross", "Borealis", "Cormorant", "Dolphin", "Eider", "Falkor", "Gannet", "Heron", "Ibis",
    "Jackdaw", "Kestrel", "Lapwing", "Merlin", "Nautilus", "Osprey", "Petrel",
)  # fmt: skip
PEOPLE = (
    "Abrams", "Bakker", "Chen", "Duarte", "Engel", "Fisker", "Greco", "Holm", "Ivanov", "Jansen",
    "Kruse", "Lund", "Maas", "Nilsen", "Orlov", "Peeters",
)  # fmt: skip
FLAGS = ("Malta", "Panama", "Denmark", "Greece", "Cyprus")
PORTS = ("Rotterdam", "Gdansk", "Valencia", "Izmir", "Split")
LENGTHS = {"m": 1.0, "ft": 3.28084, "km": 0.001, "nmi": 1 / 1852}
Unit = Literal["m", "ft", "km", "nmi"]


class Harbour:
    """The data of the harbour, made from a seed, and its thirty functions."""

    name = "harbour"

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.agents: dict[str, Row] = {
            name: {
                "agent": name, "seat": random.choice(PORTS), "licence": random.randint(1985, 2022),
                "commission": random.randint(10, 90) / 10,
            }
            for name in PEOPLE[:6]
        }  # fmt: skip
        self.captains: dict[str, Row] = {
            name: {
                "captain": name, "nationality": random.choice(FLAGS),
                "years_at_sea": random.randint(4, 41), "languages": random.randint(1, 6),
            }
            for name in PEOPLE[6:]
        }  # fmt: skip
        self.vessels: dict[str, Row] = {
            name: {
                "vessel": name, "flag": random.choice(FLAGS), "captain": random.choice(PEOPLE[6:]),
                "agent": random.choice(PEOPLE[:6]), "draught": random.randint(30, 140) / 10,
                "length": random.randint(60, 310), "launched": random.randint(1979, 2023),
            }
            for name in VESSELS
        }  # fmt: skip
        self.calls: dict[str, Row] = {
            f"PC{number}": {
                "call": f"PC{number}", "vessel": random.choice(VESSELS),
                "quay": random.choice(QUAYS), "from_port": random.choice(PORTS),
                "arrived": f"2023-{random.randint(1, 12):02}-{random.randint(1, 28):02}",
                "hours_alongside": random.randint(5, 90),
            }
            for number in range(5001, 5081)
        }  # fmt: skip
        self.consignments: dict[str, Row] = {
            f"CG-{number}": {
                "consignment": f"CG-{number}", "call": random.choice(list(self.calls)),
                "goods": random.choice(GOODS), "tonnes": random.randint(40, 9_000),
                "insured_for": random.randint(20, 900) * 1_000,
            }
            for number in range(301, 391)
        }  # fmt: skip
        self.cranes: dict[str, Row] = {
            f"CR{number}": {
                "crane": f"CR{number}", "quay": random.choice(QUAYS),
                "capacity": random.randint(10, 120), "inspected": random.randint(2018, 2024),
            }
            for number in range(1, 15)
        }  # fmt: skip
        self.tugs: dict[str, Row] = {
            f"T-{number}": {
                "tug": f"T-{number}", "power": random.randint(900, 6_000),
                "home_quay": random.choice(QUAYS), "crew": random.randint(3, 9),
            }
            for number in range(61, 70)
        }  # fmt: skip
        self.incidents: list[Row] = [
            {"quay": random.choice(QUAYS), "kind": random.choice(("spill", "collision", "fire")),
             "cost": random.randint(500, 90_000)}
            for _ in range(40)
        ]  # fmt: skip
        self.diary = [
            f"The {name} scraped the fender of quay {random.choice(QUAYS)}." for name in VESSELS
        ]

    def functions(self) -> dict[str, Sequence[Callable[..., Any]]]:
        """The functions by their class."""
        return {
            "entity": (
                self.find_vessel, self.find_captain, self.find_agent, self.find_port_call,
                self.find_consignment, self.find_crane, self.find_tug,
            ),
            "ColumnarQuantitativeSearch": (
                self.vessels_under_flag, self.vessels_of_captain, self.vessels_of_agent,
                self.port_calls_of_vessel, self.port_calls_at_quay, self.consignments_of_goods,
                self.consignments_of_port_call, self.cranes_at_quay, self.tugs_at_quay,
                self.agents_in_port, self.incidents_at_quay, self.tonnage_of_goods,
                self.arrivals_in_month, self.mean_stay_at_quay, self.damage_at_quay,
                self.insured_value_of_goods, self.lifting_capacity_at_quay, self.longest_vessels,
            ),
            "api": (
                self.berth_fee, self.convert_length, self.pilot_charge, self.tide_at,
            ),
            "VectorSearch": (self.search_harbour_diary,),
        }  # fmt: skip

    def find_vessel(self, vessel: str) -> Row:
        """A vessel's flag, captain, agent, draught and length in metres, and year of launch.

        Args:
            vessel: the name of the vessel, such as Osprey
        """
        return _of(self.vessels, vessel, "vessel")

    def find_captain(self, captain: str) -> Row:
        """A captain's nationality, years at sea, and number of languages.

        Args:
            captain: the captain's surname
        """
        return _of(self.captains, captain, "captain")

    def find_agent(self, agent: str) -> Row:
        """A shipping agent's seat, the year of the licence, and the commission in percent.

        Args:
            agent: the agent's surname
        """
        return _of(self.agents, agent, "agent")

    def find_port_call(self, call: str) -> Row:
        """A port call: which vessel came, at which quay, from which port, when, and for how long.

        Args:
            call: the number of the port call, such as PC5012
        """
        return _of(self.calls, call, "port call")

    def find_consignment(self, consignment: str) -> Row:
        """A consignment of cargo: its port call, goods, tonnes, and the sum that it is insured for.

        Args:
            consignment: the number of the consignment, such as CG-310
        """
        return _of(self.consignments, consignment, "consignment")

    def find_crane(self, crane: str) -> Row:
        """A crane's quay, its capacity in tonnes, and the year of its last inspection.

        Args:
            crane: the number of the crane, such as CR7
        """
        return _of(self.cranes, crane, "crane")

    def find_tug(self, tug: str) -> Row:
        """A tug's engine power in kilowatts, home quay and size of crew.

        Args:
            tug: the number of the tug, such as T-64
        """
        return _of(self.tugs, tug, "tug")

    def vessels_under_flag(self, flag: str) -> list[Row]:
        """All vessels that sail under a flag.

        Args:
            flag: the country of the flag
        """
        return _where(self.vessels, "flag", flag)

    def vessels_of_captain(self, captain: str) -> list[Row]:
        """All vessels that a captain commands.

        Args:
            captain: the captain's surname
        """
        return _where(self.vessels, "captain", captain)

    def vessels_of_agent(self, agent: str) -> list[Row]:
        """All vessels that a shipping agent looks after.

        Args:
            agent: the agent's surname
        """
        return _where(self.vessels, "agent", agent)

    def port_calls_of_vessel(self, vessel: str) -> list[Row]:
        """All port calls of a vessel.

        Args:
            vessel: the name of the vessel
        """
        return _where(self.calls, "vessel", vessel)

    def port_calls_at_quay(self, quay: Quay) -> list[Row]:
        """All port calls at a quay.

        Args:
            quay: the quay
        """
        return _where(self.calls, "quay", quay)

    def consignments_of_goods(self, goods: Goods) -> list[Row]:
        """All consignments of a kind of goods.

        Args:
            goods: the kind
        """
        return _where(self.consignments, "goods", goods)

    def consignments_of_port_call(self, call: str) -> list[Row]:
        """All consignments that came with a port call.

        Args:
            call: the number of the port call
        """
        return _where(self.consignments, "call", call)

    def cranes_at_quay(self, quay: Quay) -> list[Row]:
        """All cranes that stand at a quay.

        Args:
            quay: the quay
        """
        return _where(self.cranes, "quay", quay)

    def tugs_at_quay(self, quay: Quay) -> list[Row]:
        """All tugs whose home is a quay.

        Args:
            quay: the quay
        """
        return _where(self.tugs, "home_quay", quay)

    def agents_in_port(self, port: str) -> list[Row]:
        """All shipping agents that have their seat in a port.

        Args:
            port: the port, such as Gdansk
        """
        return _where(self.agents, "seat", port)

    def incidents_at_quay(self, quay: Quay) -> list[Row]:
        """All incidents at a quay, with kind and cost.

        Args:
            quay: the quay
        """
        return [each for each in self.incidents if each["quay"] == quay]

    def tonnage_of_goods(self, goods: Goods) -> Row:
        """The tonnes of a kind of goods that passed through the harbour.

        Args:
            goods: the kind
        """
        return {"goods": goods, "tonnes": _sum(self.consignments_of_goods(goods), "tonnes")}

    def arrivals_in_month(self, month: str) -> Row:
        """How many port calls began in a month.

        Args:
            month: the month as YYYY-MM
        """
        found = [each for each in self.calls.values() if each["arrived"].startswith(month)]
        return {"month": month, "arrivals": len(found)}

    def mean_stay_at_quay(self, quay: Quay) -> Row:
        """The average hours that vessels lie alongside at a quay.

        Args:
            quay: the quay
        """
        found = [each["hours_alongside"] for each in self.port_calls_at_quay(quay)]
        return {"quay": quay, "mean_hours": round(sum(found) / len(found), 2) if found else None}

    def damage_at_quay(self, quay: Quay) -> Row:
        """What all incidents at a quay cost, in euros.

        Args:
            quay: the quay
        """
        return {"quay": quay, "cost": _sum(self.incidents_at_quay(quay), "cost")}

    def insured_value_of_goods(self, goods: Goods) -> Row:
        """The euros that all consignments of a kind of goods are insured for.

        Args:
            goods: the kind
        """
        return {"goods": goods, "value": _sum(self.consignments_of_goods(goods), "insured_for")}

    def lifting_capacity_at_quay(self, quay: Quay) -> Row:
        """The tonnes that all cranes of a quay lift together.

        Args:
            quay: the quay
        """
        return {"quay": quay, "tonnes": _sum(self.cranes_at_quay(quay), "capacity")}

    def longest_vessels(self, count: int) -> list[Row]:
        """The longest vessels, the longest first.

        Args:
            count: how many
        """
        return sorted(self.vessels.values(), key=lambda each: -each["length"])[:count]

    def berth_fee(self, length: float, days: int) -> Row:
        """The fee in euros for lying at a berth.

        Args:
            length: the length of the vessel in metres
            days: for how many days
        """
        return {"length": length, "days": days, "fee": fee(length, days)}

    def convert_length(self, value: float, source: Unit, target: Unit) -> Row:
        """A length in another unit.

        Args:
            value: how much
            source: the unit that it is in
            target: the unit that it is wanted in
        """
        return {"value": in_unit(value, source, target), "unit": target}

    def pilot_charge(self, draught: float) -> Row:
        """What a pilot costs, in euros, for a vessel of a draught.

        Args:
            draught: the draught in metres
        """
        return {"draught": draught, "charge": charge(draught)}

    def tide_at(self, quay: Quay, hour: int) -> Row:
        """The height of the tide at a quay, in metres.

        Args:
            quay: the quay
            hour: the hour of the day, 0 to 23
        """
        return {"quay": quay, "hour": hour, "height": tide(quay, hour)}

    def search_harbour_diary(self, question: str) -> list[Row]:
        """Entries of the harbour master's diary that fit a question.

        Args:
            question: what to look for
        """
        wanted = set(question.lower().split())
        return [{"text": each} for each in self.diary if wanted & set(each.lower().split())][:3]

    def kinds(self) -> list[Kind]:
        """The kinds of questions; a third of them needs two calls."""
        return [
            _field("vessel_flag", self.vessels, "vessel", "find_vessel", "flag"),
            _field("vessel_draught", self.vessels, "vessel", "find_vessel", "draught"),
            _field("vessel_launched", self.vessels, "vessel", "find_vessel", "launched"),
            _field("captain_years", self.captains, "captain", "find_captain", "years_at_sea"),
            _field("agent_seat", self.agents, "agent", "find_agent", "seat"),
            _field("agent_commission", self.agents, "agent", "find_agent", "commission"),
            _field("call_quay", self.calls, "call", "find_port_call", "quay"),
            _field("call_hours", self.calls, "call", "find_port_call", "hours_alongside"),
            _field("cargo_tonnes", self.consignments, "consignment", "find_consignment", "tonnes"),
            _field("crane_capacity", self.cranes, "crane", "find_crane", "capacity"),
            _field("tug_power", self.tugs, "tug", "find_tug", "power"),
            Kind("flag_vessels", self._flag_vessels),
            Kind("goods_tonnes", self._goods_tonnes),
            Kind("month_arrivals", self._month_arrivals),
            Kind("quay_damage", self._quay_damage),
            Kind("quay_cranes", self._quay_cranes),
            Kind("berth", self._berth),
            Kind("length", self._length),
            Kind("pilot", self._pilot),
            Kind("tide", self._tide),
            self._hop(
                "vessel_captain_years", "find_captain", "captain", self.captains, "years_at_sea"
            ),
            self._hop("vessel_agent_seat", "find_agent", "agent", self.agents, "seat"),
            self._hop("vessel_agent_commission", "find_agent", "agent", self.agents, "commission"),
            Kind("call_flag", self._call_flag, hops=True),
            Kind("call_captain", self._call_captain, hops=True),
            Kind("cargo_quay", self._cargo_quay, hops=True),
            Kind("cargo_vessel", self._cargo_vessel, hops=True),
            Kind("two_cranes", self._two_cranes, hops=True),
            Kind("flag_and_power", self._flag_and_power, hops=True),
            Kind("vessel_pilot", self._vessel_pilot, hops=True),
        ]

    def missing(self) -> list[Kind]:
        """Questions for which the harbour has no function."""
        return [
            Kind("missing_salary", lambda r: ({"captain": r.choice(PEOPLE[6:])}, (), ())),
            Kind("missing_paint", lambda r: ({"vessel": r.choice(VESSELS)}, (), ())),
            Kind("missing_fuel", lambda r: ({"tug": r.choice(list(self.tugs))}, (), ())),
            Kind("missing_depth", lambda r: ({"quay": r.choice(QUAYS)}, (), ())),
            Kind("missing_lorry", lambda r: ({"cargo": r.choice(list(self.consignments))}, (), ())),
        ]

    def _hop(self, kind: str, function: str, key: str, rows: dict[str, Row], field: str) -> Kind:
        """A field of what a field of a vessel names."""

        def make(random: Random) -> Any:
            vessel = random.choice(list(self.vessels.values()))
            return (
                {"vessel": vessel["vessel"]},
                ("find_vessel", function),
                (rows[vessel[key]][field],),
            )

        return Kind(kind, make, hops=True)

    def _flag_vessels(self, random: Random) -> Any:
        flag = random.choice([each["flag"] for each in self.vessels.values()])
        names = [name for name, each in self.vessels.items() if each["flag"] == flag]
        return {"flag": flag}, ("vessels_under_flag",), names

    def _goods_tonnes(self, random: Random) -> Any:
        goods = random.choice(GOODS)
        tonnes = sum(e["tonnes"] for e in self.consignments.values() if e["goods"] == goods)
        return {"goods": goods}, (("tonnage_of_goods", "consignments_of_goods"),), (tonnes,)

    def _month_arrivals(self, random: Random) -> Any:
        month = random.randint(1, 9)
        count = sum(each["arrived"][5:7] == f"{month:02}" for each in self.calls.values())
        names = [
            "January",
            "February",
            "March",
            "April",
            "May",
            "June",
            "July",
            "August",
            "September",
        ]
        return {"month": f"{names[month - 1]} 2023"}, ("arrivals_in_month",), (count,)

    def _quay_damage(self, random: Random) -> Any:
        quay = random.choice(QUAYS)
        cost = sum(each["cost"] for each in self.incidents if each["quay"] == quay)
        return {"quay": quay}, (("damage_at_quay", "incidents_at_quay"),), (cost,)

    def _quay_cranes(self, random: Random) -> Any:
        quay = random.choice([each["quay"] for each in self.cranes.values()])
        count = sum(each["quay"] == quay for each in self.cranes.values())
        return {"quay": quay}, ("cranes_at_quay",), (count,)

    def _berth(self, random: Random) -> Any:
        length, days = random.randint(40, 300), random.randint(2, 20)
        return {"length": length, "days": days}, ("berth_fee",), (fee(length, days),)

    def _length(self, random: Random) -> Any:
        source, target = random.choice((("m", "ft"), ("ft", "m"), ("km", "nmi"), ("nmi", "km")))
        value = random.randint(5, 400)
        filled = {"value": value, "source": source, "target": target}
        return filled, ("convert_length",), (in_unit(value, source, target),)

    def _pilot(self, random: Random) -> Any:
        draught = random.randint(30, 140) / 10
        return {"draught": f"{draught:g}"}, ("pilot_charge",), (charge(draught),)

    def _tide(self, random: Random) -> Any:
        quay, hour = random.choice(QUAYS), random.randint(2, 22)
        return {"quay": quay, "hour": hour}, ("tide_at",), (tide(quay, hour),)

    def _call_flag(self, random: Random) -> Any:
        call = random.choice(list(self.calls.values()))
        flag = self.vessels[call["vessel"]]["flag"]
        return {"call": call["call"]}, ("find_port_call", "find_vessel"), (flag,)

    def _call_captain(self, random: Random) -> Any:
        call = random.choice(list(self.calls.values()))
        captain = self.vessels[call["vessel"]]["captain"]
        return {"call": call["call"]}, ("find_port_call", "find_vessel"), (captain,)

    def _cargo_quay(self, random: Random) -> Any:
        cargo = random.choice(list(self.consignments.values()))
        quay = self.calls[cargo["call"]]["quay"]
        return {"cargo": cargo["consignment"]}, ("find_consignment", "find_port_call"), (quay,)

    def _cargo_vessel(self, random: Random) -> Any:
        cargo = random.choice(list(self.consignments.values()))
        vessel = self.calls[cargo["call"]]["vessel"]
        return {"cargo": cargo["consignment"]}, ("find_consignment", "find_port_call"), (vessel,)

    def _two_cranes(self, random: Random) -> Any:
        first, second = random.sample(list(self.cranes.values()), 2)
        filled = {"first": first["crane"], "second": second["crane"]}
        return filled, ("find_crane",), (first["capacity"], second["capacity"])

    def _flag_and_power(self, random: Random) -> Any:
        vessel = random.choice(list(self.vessels.values()))
        tug = random.choice(list(self.tugs.values()))
        filled = {"vessel": vessel["vessel"], "tug": tug["tug"]}
        return filled, ("find_vessel", "find_tug"), (vessel["flag"], tug["power"])

    def _vessel_pilot(self, random: Random) -> Any:
        vessel = random.choice(list(self.vessels.values()))
        functions = ("find_vessel", "pilot_charge")
        return {"vessel": vessel["vessel"]}, functions, (charge(vessel["draught"]),)


def fee(length: float, days: int) -> float:
    """Euros for a berth."""
    return round(3.75 * length * days, 2)


def charge(draught: float) -> float:
    """Euros for a pilot."""
    return round(410 + 63.4 * draught, 2)


def tide(quay: str, hour: int) -> float:
    """Metres above the chart's zero."""
    return round(1.1 + 0.37 * ((hour * 7 + 3 * len(quay)) % 12), 2)


def in_unit(value: float, source: str, target: str) -> float:
    """The length in another unit."""
    return round(value / LENGTHS[source] * LENGTHS[target], 2)


def _field(kind: str, rows: dict[str, Row], key: str, function: str, field: str) -> Kind:
    def make(random: Random) -> Any:
        found = random.choice(list(rows.values()))
        return {key: found[key]}, (function,), (found[field],)

    return Kind(kind, make)


def _of(rows: dict[str, Row], key: str, what: str) -> Row:
    if key not in rows:
        raise ToolError(f"there is no {what} {key!r}")
    return rows[key]


def _where(rows: dict[str, Row], key: str, value: str) -> list[Row]:
    return [each for each in rows.values() if each[key] == value]


def _sum(rows: Sequence[Row], key: str) -> float:
    total: float = sum(each[key] for each in rows)
    return total
