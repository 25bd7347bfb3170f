"""What an operator of an electricity grid is asked."""

from __future__ import annotations

from random import Random
from typing import Final

from company.case import Kind
from company.grid_data import GridData
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

ENERGY: Final = {"kWh": 1.0, "MWh": 0.001, "GJ": 0.0036, "toe": 0.0000859845}


def kinds(data: GridData) -> list[Kind]:
    """The kinds of questions; a third of them needs two calls."""
    substations = Table(data.substations, "code", "get_substation")
    transformers = Table(data.transformers, "serial", "transformer_details")
    lines = Table(data.lines, "line", "line_info")
    feeders = Table(data.feeders, "feeder", "feeder_data")
    outages = Table(data.outages, "outage", "outage")
    crews = Table(data.crews, "crew", "crew_card")
    meters = Table(data.meters, "meter", "meter_lookup")
    accounts = Table(data.accounts, "account", "account")
    engineers = Table(data.engineers, "login", "engineer")
    orders = Table(data.orders, "order", "switching_order")
    tariffs = Table(data.tariffs, "tariff", "tariff_sheet")
    return [
        look_up("rating", substations, "mva"),
        look_up("oil", transformers, "oil_litres"),
        look_up("line_length", lines, "length_km"),
        look_up("crew_lead", crews, "lead"),
        look_up("meter_fitted", meters, "fitted"),
        look_up("account_power", accounts, "contracted_kw"),
        look_up("extension", engineers, "extension"),
        look_up("order_day", orders, "planned_for"),
        look_up("tariff_notice", tariffs, "notice_weeks"),
        figure_of_month("outages_month", data.outages, "began", "outages"),
        figure_of_month("cause_month", data.outages, "began", "outages", where=("cause",)),
        figure_of_month("lost_month", data.outages, "began", ("customer_minutes_lost", "outages"),
                        "sum", "minutes"),
        figure("tariff_city", data.accounts, ("tariff", "city"), "accounts_on_tariff"),
        figure("inspections", data.inspections, ("outcome", "inspector"), "count_inspections"),
        figure("restoration", data.outages, ("cause",), "mean_restoration_time", "mean", "minutes"),
        listed("base_leads", data.crews, ("base",), "lead", "crews_at"),
        extreme("consumer", data.accounts, ("city",), "used_mwh", "holder", "top_consumers"),
        computed("connection", _connection, "connection_quote"),
        computed("energy", _energy, "convert_energy"),
        noted("trip", data.logs, ("feeder",), "trigger", "search_control_room_log"),
        chain("transformer_region", transformers, (("substation", substations),), "region"),
        chain("feeder_rating", feeders, (("substation", substations),), "mva"),
        chain("outage_lead", outages, (("crew", crews),), "lead"),
        chain("meter_holder", meters, (("account", accounts),), "holder"),
        chain("order_engineer", orders, (("requested_by", engineers),), "name"),
        chain("account_notice", accounts, (("tariff", tariffs),), "notice_weeks"),
        two_records("two_lines", lines, "length_km"),
        two_tables("outage_and_account", (outages, "affected"), (accounts, "contracted_kw")),
        computed_of_record("line_drop", lines, _drop, "voltage_drop"),
        computed_of_record("account_bill", accounts, lambda r, row: _bill(data, r, row),
                           "bill_estimate"),
    ]  # fmt: skip


def missing(data: GridData) -> list[Kind]:
    """Questions for which the operator has no function."""
    return [
        unknown("missing_noise", "serial", [each["serial"] for each in data.transformers]),
        unknown("missing_payroll", "login", [each["login"] for each in data.engineers]),
        unknown("missing_shares", "holder", [each["holder"] for each in data.accounts]),
        unknown("missing_paint", "code", [each["code"] for each in data.substations]),
        unknown("missing_bird", "line", [each["line"] for each in data.lines]),
    ]


def quote(kw: float, distance_m: float, *, underground: bool) -> float:
    """Euros for a connection."""
    return round(480 + 23.5 * kw + (61 if underground else 27.4) * distance_m, 2)


def bill(tariff: Row, kwh: float) -> float:
    """Euros for so many kilowatt hours."""
    return round(float(tariff["cents_per_kwh"]) * kwh / 100, 2)


def drop(length_km: float, amps: float) -> float:
    """Volts lost along a line."""
    return round(0.164 * length_km * amps, 2)


def energy_in(value: float, source: str, target: str) -> float:
    """The energy in another unit."""
    return round(value / ENERGY[source] * ENERGY[target], 2)


def _connection(random: Random) -> Drawn:
    kw, metres = random.randint(5, 400), random.randint(10, 900)
    return {"kw": kw, "metres": metres}, (quote(kw, metres, underground=False),)


def _energy(random: Random) -> Drawn:
    value = random.randint(3, 900)
    source, target = random.choice((("MWh", "GJ"), ("GJ", "kWh"), ("toe", "MWh"), ("MWh", "kWh")))
    filled = {"value": value, "source": source, "target": target}
    return filled, (energy_in(value, source, target),)


def _drop(random: Random, line: Row) -> Drawn:
    amps = random.randint(50, 700)
    return {"amps": amps}, (drop(line["length_km"], amps),)


def _bill(data: GridData, random: Random, account: Row) -> Drawn:
    kwh = random.randint(300, 90_000)
    tariff = next(each for each in data.tariffs if each["tariff"] == account["tariff"])
    return {"kwh": kwh}, (bill(tariff, kwh),)
