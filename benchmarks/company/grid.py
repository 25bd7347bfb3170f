"""An operator of an electricity grid: a company to tune on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from company.case import Kind
from company.grid_data import GridData
from company.grid_questions import bill, drop, energy_in, kinds, missing, quote
from company.kinds import Row, between, figure_of, matches, nearest_texts, record

Cause = Literal["storm", "digging", "animal", "ageing", "lightning"]
EnergyUnit = Literal["kWh", "MWh", "GJ", "toe"]


@dataclass(frozen=True)
class MeterFilter:
    """Conditions on meters; None does not restrict."""

    feeder: str | None = None
    model: Literal["E350", "ZMD", "AS3"] | None = None
    fitted_before: int | None = None


class Grid:
    """The functions of the operator over its data."""

    name = "grid"

    def __init__(self, seed: int) -> None:
        self.data = GridData(seed)

    def functions(self) -> dict[str, Sequence[Callable[..., Any]]]:
        """The functions by their class."""
        return {
            "entity": (
                self.get_substation, self.transformer_details, self.line_info, self.feeder_data,
                self.outage, self.crew_card, self.meter_lookup, self.account, self.engineer,
                self.switching_order, self.tariff_sheet,
            ),
            "ColumnarQuantitativeSearch": (
                self.outages, self.customer_minutes_lost, self.query_meters,
                self.transformers_by_maker, self.overloaded_transformers, self.crews_at,
                self.accounts_on_tariff, self.top_consumers, self.count_inspections,
                self.inspections_due, self.mean_restoration_time, self.feeders_of_substation,
                self.longest_lines,
            ),
            "api": (
                self.connection_quote, self.bill_estimate, self.voltage_drop, self.convert_energy,
                self.co2_emitted,
            ),
            "VectorSearch": (self.search_control_room_log, self.search_grid_code),
        }  # fmt: skip

    def kinds(self) -> list[Kind]:
        return kinds(self.data)

    def missing(self) -> list[Kind]:
        return missing(self.data)

    def get_substation(self, code: str) -> Row:
        """Master data of a substation: site, region, rating in MVA, year of commissioning.

        Args:
            code: substation code, three letters and the voltage in kV, e.g. HRW-110
        """
        found = record(self.data.substations, "code", code)
        place = {"site": found["site"], "region": found["region"]}
        rating = {"mva": found["mva"], "kv": int(code.partition("-")[2])}
        return {"location": place, "rating": rating, "commissioned": found["commissioned"]}

    def transformer_details(self, serial: str) -> Row:
        """Nameplate and state of a transformer.

        Maker, oil volume in litres, present load in percent, and the substation it stands in.

        Args:
            serial: serial number as on the plate, e.g. TX417/03
        """
        return record(self.data.transformers, "serial", serial)

    def line_info(self, line: int) -> Row:
        """Overhead line: its two ends (substation codes), length in km, rated current in amperes.

        Args:
            line: line number
        """
        return record(self.data.lines, "line", line)

    def feeder_data(self, feeder_id: str) -> Row:
        """Feeder: supplying substation, number of connected customers, cable length in metres.

        Args:
            feeder_id: e.g. F12a
        """
        return record(self.data.feeders, "feeder", feeder_id)

    def outage(self, ref: str) -> Row:
        """Outage record with feeder, cause, start, duration in minutes, customers affected, crew.

        Args:
            ref: reference of the outage, e.g. 23-503
        """
        return record(self.data.outages, "outage", ref)

    def crew_card(self, crew: int) -> Row:
        """Field crew: lead, base, head count and shift.

        Args:
            crew: crew number
        """
        return record(self.data.crews, "crew", crew)

    def meter_lookup(self, meters: list[str]) -> list[Row]:
        """Resolve meter numbers to account, feeder, year of fitting and model.

        Args:
            meters: one or more eleven-digit meter numbers
        """
        return [record(self.data.meters, "meter", each) for each in meters]

    def account(self, account_id: str) -> Row:
        """Supply account: holder, city, contracted power in kW, tariff, yearly use in MWh.

        Args:
            account_id: AC and five digits
        """
        return record(self.data.accounts, "account", account_id)

    def engineer(self, login: str) -> Row:
        """Directory entry of an engineer: full name, phone extension, highest voltage authorised.

        Args:
            login: user name, first initial and surname, e.g. m.keane
        """
        return record(self.data.engineers, "login", login)

    def switching_order(self, number: int) -> Row:
        """A switching order: the feeder, who requested it, the planned day, its status.

        Args:
            number: order number
        """
        return record(self.data.orders, "order", number)

    def tariff_sheet(self, tariff: str) -> str:
        """Conditions of a tariff as printed for customers: unit price, standing charge, notice.

        Args:
            tariff: name of the tariff, e.g. Night Saver
        """
        found = record(self.data.tariffs, "tariff", tariff)
        return (
            f"{tariff}: {found['cents_per_kwh']} cents per kWh, standing charge "
            f"{found['standing_charge']} euros a month. Period of notice: "
            f"{found['notice_weeks']} weeks."
        )

    def outages(self, from_date: date, to_date: date, cause: Cause | None = None) -> list[Row]:
        """List outages that began in a period.

        Args:
            from_date: first day (ISO)
            to_date: last day (ISO), inclusive
            cause: restrict to one cause
        """
        return matches(between(self.data.outages, "began", from_date, to_date), cause=cause)

    def customer_minutes_lost(self, from_date: date, to_date: date) -> Row:
        """Total duration of outages in a period, in minutes.

        Args:
            from_date: first day (ISO)
            to_date: last day (ISO), inclusive
        """
        found = between(self.data.outages, "began", from_date, to_date)
        return {"outages": len(found), "minutes_lost": figure_of(found, "sum", "minutes")}

    def query_meters(self, where: MeterFilter) -> list[Row]:
        """Meters that satisfy a filter.

        Args:
            where: the conditions
        """
        found = matches(self.data.meters, feeder=where.feeder, model=where.model)
        return [each for each in found if each["fitted"] < (where.fitted_before or 9_999)]

    def transformers_by_maker(self, maker: str) -> list[Row]:
        """Transformers built by a manufacturer.

        Args:
            maker: manufacturer, e.g. Voltaris
        """
        return matches(self.data.transformers, maker=maker)

    def overloaded_transformers(self, threshold_percent: float = 100) -> list[str]:
        """Serial numbers of transformers whose load exceeds a threshold.

        Args:
            threshold_percent: load above which a transformer counts as overloaded
        """
        found = self.data.transformers
        return [each["serial"] for each in found if each["load_percent"] > threshold_percent]

    def crews_at(self, base: Literal["Millbank", "Thornton", "Westpier"]) -> list[str]:
        """Crews stationed at a base, each as a line of text.

        Args:
            base: depot
        """
        found = matches(self.data.crews, base=base)
        return [f"Crew {each['crew']} ({each['lead']}, {each['shift']} shift)" for each in found]

    def accounts_on_tariff(self, tariff: str, city: str | None = None) -> list[Row]:
        """Supply accounts that are billed by a tariff.

        Args:
            tariff: name of the tariff
            city: only accounts in this city
        """
        return matches(self.data.accounts, tariff=tariff, city=city)

    def top_consumers(self, city: str | None = None, n: int = 3) -> list[Row]:
        """Accounts with the largest yearly use, in descending order.

        Args:
            city: only accounts in this city
            n: length of the list
        """
        return sorted(matches(self.data.accounts, city=city), key=lambda each: -each["used_mwh"])[
            :n
        ]

    def count_inspections(
        self, outcome: Literal["passed", "failed", "postponed"], inspector: str | None = None
    ) -> int:
        """Number of transformer inspections with an outcome.

        Args:
            outcome: result of the inspection
            inspector: login of the engineer who inspected; everybody's if absent
        """
        return len(matches(self.data.inspections, outcome=outcome, inspector=inspector))

    def inspections_due(self, before: date) -> list[Row]:
        """Inspections with a due date before a day.

        Args:
            before: the day (ISO)
        """
        return [each for each in self.data.inspections if each["due"] < str(before)]

    def mean_restoration_time(self, cause: Cause) -> Row:
        """Average time until supply was restored, by cause of the outage.

        Args:
            cause: what caused the outages
        """
        found = matches(self.data.outages, cause=cause)
        return {"cause": cause, "minutes": figure_of(found, "mean", "minutes")}

    def feeders_of_substation(self, code: str) -> list[str]:
        """Ids of the feeders that leave a substation.

        Args:
            code: substation code
        """
        return [each["feeder"] for each in matches(self.data.feeders, substation=code)]

    def longest_lines(self, n: int = 3) -> list[Row]:
        """Overhead lines in order of length, longest first.

        Args:
            n: length of the list
        """
        return sorted(self.data.lines, key=lambda each: -each["length_km"])[:n]

    def connection_quote(self, kw: float, distance_m: float, underground: bool = False) -> Row:
        """Price of a new grid connection, in euros.

        Args:
            kw: power to be connected
            distance_m: distance to the nearest feeder in metres
            underground: cable instead of overhead line
        """
        return {"price": quote(kw, distance_m, underground=underground), "valid_days": 90}

    def bill_estimate(self, tariff: str, kwh: float) -> Row:
        """What a given consumption costs on a tariff, in euros, without standing charge.

        Args:
            tariff: name of the tariff
            kwh: consumption
        """
        return {"euros": bill(record(self.data.tariffs, "tariff", tariff), kwh)}

    def voltage_drop(self, length_km: float, amps: float) -> Row:
        """Voltage drop along a line, in volts.

        Args:
            length_km: length of the line
            amps: current
        """
        return {"volts": drop(length_km, amps)}

    def convert_energy(self, value: float, unit_from: EnergyUnit, unit_to: EnergyUnit) -> float:
        """Convert between units of energy.

        Args:
            value: the quantity
            unit_from: unit of the quantity
            unit_to: unit wanted
        """
        return energy_in(value, unit_from, unit_to)

    def co2_emitted(self, kwh: float, source: Literal["gas", "coal", "wind"]) -> Row:
        """Carbon dioxide emitted in generating energy, in kg.

        Args:
            kwh: energy generated
            source: fuel
        """
        return {"kg": round(kwh * {"gas": 0.41, "coal": 0.93, "wind": 0.011}[source], 2)}

    def search_control_room_log(self, text: str, top: int = 3) -> list[Row]:
        """Semantic search in the control room's log of trips and what patrols found.

        Args:
            text: query
            top: number of hits
        """
        return [{"entry": each["text"]} for each in nearest_texts(self.data.logs, text, top)]

    def search_grid_code(self, question: str) -> list[str]:
        """Clauses of the grid code (rules of operation) relevant to a question.

        Args:
            question: natural language question
        """
        return [each["text"] for each in nearest_texts(self.data.rules, question, 2)]
