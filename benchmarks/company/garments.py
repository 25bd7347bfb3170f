"""A maker of garments: the company of the tuning half."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any, Literal

from company.case import Kind
from flows.errors import ToolError

Row = dict[str, Any]
State = Literal["cutting", "sewing", "packing", "shipped"]
STATES: tuple[State, ...] = ("cutting", "sewing", "packing", "shipped")
COUNTRIES = ("Norway", "France", "Austria", "Portugal", "Japan", "Canada")
CITIES = {
    "Norway": ("Bergen", "Tromso"), "France": ("Lyon", "Nantes"), "Austria": ("Graz", "Linz"),
    "Portugal": ("Porto", "Braga"), "Japan": ("Osaka", "Nagoya"), "Canada": ("Calgary", "Halifax"),
}  # fmt: skip
SURNAMES = (
    "Marlow", "Okafor", "Lindqvist", "Haruki", "Delacroix", "Pereira", "Novak", "Ferreira",
    "Sorensen", "Tanaka", "Bergmann", "Costa", "Moreau", "Hansen", "Kowalski", "Ito",
    "Brandt", "Silva", "Laurent", "Nakamura", "Eriksen", "Almeida", "Fournier", "Gruber",
)  # fmt: skip
FABRICS = (
    "Aster", "Birch", "Cedar", "Dune", "Ember", "Fjord", "Grove", "Heath", "Indigo", "Juniper",
)  # fmt: skip
FIBRES = ("cotton", "linen", "wool", "silk")
MILLS = ("Weaverly", "Oldloom", "Threadstone", "Spinwell", "Northmill")
CARRIERS = ("Swiftline", "Bluecart", "Parcelio")
LINES = ("North", "South", "East")
ROLES = ("cutter", "tailor", "packer", "inspector")
FIRST = (
    "Ada", "Bruno", "Clara", "Dario", "Elin", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kaja",
    "Liam", "Mira", "Nils", "Olga",
)  # fmt: skip
GARMENTS = ("coat", "shirt", "dress", "vest", "skirt", "jacket", "blouse", "trousers")
RATES = {"EUR": 1.0, "USD": 1.08, "NOK": 11.5, "JPY": 162.0, "GBP": 0.86}
TAXES = dict(zip(COUNTRIES, (25.0, 20.0, 20.5, 23.0, 10.0, 5.0), strict=True))


class Garments:
    """The data of the company, made from a seed, and its thirty functions."""

    name = "garments"

    def __init__(self, seed: int) -> None:
        random = Random(seed)
        self.mills: dict[str, Row] = {
            name: {
                "supplier": name, "country": random.choice(COUNTRIES),
                "lead_days": random.randint(5, 40), "rating": random.randint(20, 50) / 10,
            }
            for name in MILLS
        }  # fmt: skip
        self.fabrics: dict[str, Row] = {
            name: {
                "fabric": name, "fibre": random.choice(FIBRES), "supplier": random.choice(MILLS),
                "price_per_metre": random.randint(400, 4_000) / 100,
                "metres_in_stock": random.randint(20, 900),
            }
            for name in FABRICS
        }  # fmt: skip
        self.styles: dict[str, Row] = {
            f"ST-{number}": {
                "style": f"ST-{number}", "garment": random.choice(GARMENTS),
                "fabric": random.choice(FABRICS), "sewing_hours": random.randint(10, 90) / 10,
                "price": random.randint(3_000, 40_000) / 100,
            }
            for number in range(101, 121)
        }  # fmt: skip
        self.customers: dict[str, Row] = {}
        for name in SURNAMES:
            country = random.choice(COUNTRIES)
            self.customers[name] = {
                "customer": name, "country": country, "city": random.choice(CITIES[country]),
                "since": random.randint(2009, 2024), "discount": random.choice((0, 5, 7, 10, 15)),
            }  # fmt: skip
        self.orders = {f"KT-{n}": self._order(f"KT-{n}", random) for n in range(2001, 2121)}
        self.shipments: dict[str, Row] = {
            f"SH-{number}": {
                "shipment": f"SH-{number}", "order": random.choice(list(self.orders)),
                "carrier": random.choice(CARRIERS), "weight": random.randint(5, 300) / 10,
                "delivered": str(date(2024, 1, 10) + timedelta(days=random.randint(0, 170))),
            }
            for number in range(701, 741)
        }  # fmt: skip
        self.machines: dict[str, Row] = {
            f"M{number}": {
                "machine": f"M{number}", "line": random.choice(LINES),
                "kind": random.choice(("overlock", "cutter", "press")),
                "built": random.randint(1998, 2023), "idle_hours": random.randint(1, 60),
            }
            for number in range(11, 23)
        }  # fmt: skip
        self.workers: dict[str, Row] = {
            name: {
                "employee": name, "role": random.choice(ROLES), "line": random.choice(LINES),
                "hourly_wage": random.randint(1_400, 3_200) / 100,
                "joined": random.randint(2005, 2024),
            }
            for name in FIRST
        }  # fmt: skip
        self.returns: list[Row] = [
            {
                "style": random.choice(list(self.styles)), "pieces": random.randint(1, 9),
                "reason": random.choice(("too small", "torn seam", "wrong colour")),
            }
            for _ in range(60)
        ]  # fmt: skip
        self.notes = [
            f"Fitting note on {style}: the {random.choice(('sleeve', 'collar', 'waist'))} is "
            f"{random.choice(('tight', 'loose', 'uneven'))}, seen by {random.choice(FIRST)}."
            for style in self.styles
        ]

    def _order(self, number: str, random: Random) -> Row:
        style = self.styles[random.choice(list(self.styles))]
        pieces = random.randint(1, 60)
        return {
            "order": number, "customer": random.choice(SURNAMES), "style": style["style"],
            "pieces": pieces, "state": random.choice(STATES),
            "total": round(pieces * style["price"], 2),
            "placed": str(date(2024, 1, 1) + timedelta(days=random.randint(0, 180))),
        }  # fmt: skip

    def functions(self) -> dict[str, Sequence[Callable[..., Any]]]:
        """The functions by their class."""
        return {
            "entity": (
                self.get_order, self.get_customer, self.get_style, self.get_fabric,
                self.get_supplier, self.get_shipment, self.get_machine, self.get_employee,
            ),
            "ColumnarQuantitativeSearch": (
                self.list_orders_of_customer, self.list_orders_in_state,
                self.list_fabrics_of_supplier, self.list_styles_made_of, self.list_customers_in,
                self.list_machines_on_line, self.list_employees_in_role,
                self.list_shipments_by_carrier, self.list_returns_of_style,
                self.sum_orders_of_month, self.count_orders_of_month, self.average_order_of_country,
                self.stock_value_of_fibre, self.returned_pieces_of_style, self.idle_hours_of_line,
                self.wage_bill_of_line, self.largest_orders,
            ),
            "api": (
                self.quote_shipping, self.convert_currency, self.look_up_tax, self.estimate_sewing,
            ),
            "VectorSearch": (self.search_fitting_notes,),
        }  # fmt: skip

    def get_order(self, order: str) -> Row:
        """One order of garments: its customer, style, pieces, state, total in euros and date.

        Args:
            order: the number of the order, such as KT-2011
        """
        return _of(self.orders, order, "order")

    def get_customer(self, customer: str) -> Row:
        """One customer of ours: city, country, the year since when, and the discount in percent.

        Args:
            customer: the customer's surname, such as Marlow
        """
        return _of(self.customers, customer, "customer")

    def get_style(self, style: str) -> Row:
        """One style of the collection: garment, fabric, hours of sewing, price in euros.

        Args:
            style: the code of the style, such as ST-104
        """
        return _of(self.styles, style, "style")

    def get_fabric(self, fabric: str) -> Row:
        """One fabric: its fibre, supplier, price per metre in euros, metres in stock.

        Args:
            fabric: the name of the fabric, such as Aster
        """
        return _of(self.fabrics, fabric, "fabric")

    def get_supplier(self, supplier: str) -> Row:
        """One supplier of fabrics: its country, lead time in days, rating from 1 to 5.

        Args:
            supplier: the name of the mill, such as Oldloom
        """
        return _of(self.mills, supplier, "supplier")

    def get_shipment(self, shipment: str) -> Row:
        """One shipment: the order that it holds, the carrier, its weight in kilograms, the day of
        delivery.

        Args:
            shipment: the number of the shipment, such as SH-712
        """
        return _of(self.shipments, shipment, "shipment")

    def get_machine(self, machine: str) -> Row:
        """One machine of the workshop: its line, kind, year of building, hours that it stood idle.

        Args:
            machine: the number of the machine, such as M14
        """
        return _of(self.machines, machine, "machine")

    def get_employee(self, employee: str) -> Row:
        """One employee: role, line, hourly wage in euros, the year of joining.

        Args:
            employee: the first name, such as Clara
        """
        return _of(self.workers, employee, "employee")

    def list_orders_of_customer(self, customer: str) -> list[Row]:
        """All orders that one customer has placed.

        Args:
            customer: the customer's surname
        """
        return [each for each in self.orders.values() if each["customer"] == customer]

    def list_orders_in_state(self, state: State) -> list[Row]:
        """All orders that are in a state of production.

        Args:
            state: where the order is
        """
        return [each for each in self.orders.values() if each["state"] == state]

    def list_fabrics_of_supplier(self, supplier: str) -> list[Row]:
        """All fabrics that come from one supplier.

        Args:
            supplier: the name of the mill
        """
        return [each for each in self.fabrics.values() if each["supplier"] == supplier]

    def list_styles_made_of(self, fabric: str) -> list[Row]:
        """All styles that are made of a fabric.

        Args:
            fabric: the name of the fabric
        """
        return [each for each in self.styles.values() if each["fabric"] == fabric]

    def list_customers_in(self, country: str) -> list[Row]:
        """All customers that live in a country.

        Args:
            country: the country, in English
        """
        return [each for each in self.customers.values() if each["country"] == country]

    def list_machines_on_line(self, line: Literal["North", "South", "East"]) -> list[Row]:
        """All machines that stand on a line of the workshop.

        Args:
            line: the line
        """
        return [each for each in self.machines.values() if each["line"] == line]

    def list_employees_in_role(
        self, role: Literal["cutter", "tailor", "packer", "inspector"]
    ) -> list[Row]:
        """All employees that have a role.

        Args:
            role: the role
        """
        return [each for each in self.workers.values() if each["role"] == role]

    def list_shipments_by_carrier(self, carrier: str) -> list[Row]:
        """All shipments that a carrier has brought.

        Args:
            carrier: the carrier, such as Bluecart
        """
        return [each for each in self.shipments.values() if each["carrier"] == carrier]

    def list_returns_of_style(self, style: str) -> list[Row]:
        """All returns of a style, with pieces and reason.

        Args:
            style: the code of the style
        """
        return [each for each in self.returns if each["style"] == style]

    def sum_orders_of_month(self, month: str) -> Row:
        """The value in euros of all orders that were placed in a month.

        Args:
            month: the month as YYYY-MM
        """
        found = [each["total"] for each in self.orders.values() if each["placed"][:7] == month]
        return {"month": month, "value": round(sum(found), 2)}

    def count_orders_of_month(self, month: str) -> Row:
        """How many orders were placed in a month.

        Args:
            month: the month as YYYY-MM
        """
        found = [each for each in self.orders.values() if each["placed"][:7] == month]
        return {"month": month, "orders": len(found)}

    def average_order_of_country(self, country: str) -> Row:
        """The average value in euros of the orders of a country's customers.

        Args:
            country: the country, in English
        """
        found = [
            each["total"]
            for each in self.orders.values()
            if self.customers[each["customer"]]["country"] == country
        ]
        return {"country": country, "average": round(sum(found) / len(found), 2) if found else None}

    def stock_value_of_fibre(self, fibre: Literal["cotton", "linen", "wool", "silk"]) -> Row:
        """The value in euros of all fabric in stock of a fibre.

        Args:
            fibre: what the fabric is made of
        """
        found = [
            each["price_per_metre"] * each["metres_in_stock"]
            for each in self.fabrics.values()
            if each["fibre"] == fibre
        ]
        return {"fibre": fibre, "value": round(sum(found), 2)}

    def returned_pieces_of_style(self, style: str) -> Row:
        """How many pieces of a style were returned.

        Args:
            style: the code of the style
        """
        found = [each["pieces"] for each in self.returns if each["style"] == style]
        return {"style": style, "pieces": sum(found)}

    def idle_hours_of_line(self, line: Literal["North", "South", "East"]) -> Row:
        """The hours that the machines of a line stood idle, together.

        Args:
            line: the line
        """
        found = [each["idle_hours"] for each in self.machines.values() if each["line"] == line]
        return {"line": line, "idle_hours": sum(found)}

    def wage_bill_of_line(self, line: Literal["North", "South", "East"]) -> Row:
        """What an hour of all employees of a line costs in wages, in euros.

        Args:
            line: the line
        """
        found = [each["hourly_wage"] for each in self.workers.values() if each["line"] == line]
        return {"line": line, "wages": round(sum(found), 2)}

    def largest_orders(self, count: int) -> list[Row]:
        """The orders of the greatest total, the greatest first.

        Args:
            count: how many
        """
        return sorted(self.orders.values(), key=lambda each: -each["total"])[:count]

    def quote_shipping(self, weight: float, country: str) -> Row:
        """The price in euros of shipping a parcel to a country.

        Args:
            weight: the weight in kilograms
            country: the country, in English
        """
        return {"weight": weight, "country": country, "price": shipping(weight, country)}

    def convert_currency(
        self,
        amount: float,
        source: Literal["EUR", "USD", "NOK", "JPY", "GBP"],
        target: Literal["EUR", "USD", "NOK", "JPY", "GBP"],
    ) -> Row:
        """An amount of money in another currency, at today's rate.

        Args:
            amount: how much
            source: the currency that it is in
            target: the currency that it is wanted in
        """
        return {"amount": exchanged(amount, source, target), "currency": target}

    def look_up_tax(self, country: str) -> Row:
        """The rate of value added tax of a country, in percent.

        Args:
            country: the country, in English
        """
        return {"country": country, "percent": TAXES[country]}

    def estimate_sewing(self, style: str, pieces: int) -> Row:
        """The hours that sewing so many pieces of a style takes.

        Args:
            style: the code of the style
            pieces: how many
        """
        hours = _of(self.styles, style, "style")["sewing_hours"]
        return {"style": style, "pieces": pieces, "hours": round(hours * pieces, 1)}

    def search_fitting_notes(self, question: str) -> list[Row]:
        """Notes of fittings: what was tight, loose or uneven on a style, and who saw it.

        Args:
            question: what to look for
        """
        wanted = set(question.lower().replace("?", " ").split())
        scored = [
            (len(wanted & set(each.lower().replace(":", "").split())), each) for each in self.notes
        ]
        best = sorted(scored, key=lambda each: (-each[0], each[1]))[:3]
        return [{"text": text} for score, text in best if score]

    def kinds(self) -> list[Kind]:
        """The kinds of questions; a third of them needs two calls."""
        return [
            self._field("order_total", self.orders, "order", "get_order", "total"),
            self._field("order_state", self.orders, "order", "get_order", "state"),
            self._field("customer_city", self.customers, "customer", "get_customer", "city"),
            self._field("customer_since", self.customers, "customer", "get_customer", "since"),
            self._field("style_price", self.styles, "style", "get_style", "price"),
            self._field("fabric_stock", self.fabrics, "fabric", "get_fabric", "metres_in_stock"),
            self._field("supplier_lead", self.mills, "supplier", "get_supplier", "lead_days"),
            self._field("machine_built", self.machines, "machine", "get_machine", "built"),
            self._field("employee_wage", self.workers, "employee", "get_employee", "hourly_wage"),
            Kind("customers_in", self._customers_in),
            Kind("month_value", self._month_value),
            Kind("month_count", self._month_count),
            Kind("state_count", self._state_count),
            Kind("stock_value", self._stock_value),
            Kind("returned", self._returned),
            Kind("idle", self._idle),
            Kind("shipping", self._shipping),
            Kind("currency", self._currency),
            Kind("sewing", self._sewing),
            Kind("dearest_order", self._dearest_order),
            Kind("order_city", self._order_city, hops=True),
            Kind("fabric_country", self._fabric_country, hops=True),
            Kind("order_price", self._order_price, hops=True),
            Kind("style_mill", self._style_mill, hops=True),
            Kind("shipment_state", self._shipment_state, hops=True),
            Kind("shipment_customer", self._shipment_customer, hops=True),
            Kind("two_fabrics", self._two_fabrics, hops=True),
            Kind("price_and_city", self._price_and_city, hops=True),
            Kind("two_orders", self._two_orders, hops=True),
            Kind("tax_of_customer", self._tax_of_customer, hops=True),
        ]

    def missing(self) -> list[Kind]:
        """Questions for which the company has no function."""
        return [
            Kind("missing_birthday", lambda r: ({"employee": r.choice(FIRST)}, (), ())),
            Kind("missing_colour", lambda r: ({"style": r.choice(list(self.styles))}, (), ())),
            Kind("missing_invoice", lambda r: ({"order": r.choice(list(self.orders))}, (), ())),
            Kind("missing_rent", lambda r: ({"line": r.choice(LINES)}, (), ())),
            Kind("missing_phone", lambda r: ({"supplier": r.choice(MILLS)}, (), ())),
        ]

    def _field(self, kind: str, rows: dict[str, Any], key: str, function: str, field: str) -> Kind:
        def make(random: Random) -> Any:
            found = random.choice(list(rows.values()))
            return {key: found[key]}, (function,), (found[field],)

        return Kind(kind, make)

    def _customers_in(self, random: Random) -> Any:
        country = random.choice([each["country"] for each in self.customers.values()])
        names = [each["customer"] for each in self.list_customers_in(country)]
        return {"country": country}, ("list_customers_in",), names

    def _month_value(self, random: Random) -> Any:
        month = random.randint(1, 6)
        text = f"2024-{month:02}"
        value = self.sum_orders_of_month(text)["value"]
        return {"month": _month(month)}, ("sum_orders_of_month",), (value,)

    def _month_count(self, random: Random) -> Any:
        month = random.randint(1, 6)
        count = sum(each["placed"].startswith(f"2024-{month:02}") for each in self.orders.values())
        return {"month": _month(month)}, ("count_orders_of_month",), (count,)

    def _state_count(self, random: Random) -> Any:
        state = random.choice(STATES)
        count = sum(each["state"] == state for each in self.orders.values())
        return {"state": state}, ("list_orders_in_state",), (count,)

    def _stock_value(self, random: Random) -> Any:
        fibre = random.choice([each["fibre"] for each in self.fabrics.values()])
        value = sum(
            each["price_per_metre"] * each["metres_in_stock"]
            for each in self.fabrics.values()
            if each["fibre"] == fibre
        )
        return {"fibre": fibre}, ("stock_value_of_fibre",), (round(value, 2),)

    def _returned(self, random: Random) -> Any:
        style = random.choice([each["style"] for each in self.returns])
        pieces = sum(each["pieces"] for each in self.returns if each["style"] == style)
        functions = (("returned_pieces_of_style", "list_returns_of_style"),)
        return {"style": style}, functions, (pieces,)

    def _idle(self, random: Random) -> Any:
        line = random.choice([each["line"] for each in self.machines.values()])
        hours = sum(each["idle_hours"] for each in self.machines.values() if each["line"] == line)
        return {"line": line}, (("idle_hours_of_line", "list_machines_on_line"),), (hours,)

    def _shipping(self, random: Random) -> Any:
        weight, country = random.randint(2, 40) / 2, random.choice(COUNTRIES)
        filled = {"weight": f"{weight:g}", "country": country}
        return filled, ("quote_shipping",), (shipping(weight, country),)

    def _currency(self, random: Random) -> Any:
        source, target = random.sample(list(RATES), 2)
        amount = random.randint(10, 900)
        filled = {"amount": amount, "source": source, "target": target}
        return filled, ("convert_currency",), (exchanged(amount, source, target),)

    def _sewing(self, random: Random) -> Any:
        style, pieces = random.choice(list(self.styles.values())), random.randint(3, 40)
        hours = round(style["sewing_hours"] * pieces, 1)
        return {"style": style["style"], "pieces": pieces}, ("estimate_sewing",), (hours,)

    def _dearest_order(self, random: Random) -> Any:
        name = random.choice([each["customer"] for each in self.orders.values()])
        own = [each for each in self.orders.values() if each["customer"] == name]
        best = max(own, key=lambda each: each["total"])
        return {"customer": name}, ("list_orders_of_customer",), (best["order"],)

    def _order_city(self, random: Random) -> Any:
        order = random.choice(list(self.orders.values()))
        city = self.customers[order["customer"]]["city"]
        return {"order": order["order"]}, ("get_order", "get_customer"), (city,)

    def _fabric_country(self, random: Random) -> Any:
        fabric = random.choice(list(self.fabrics.values()))
        country = self.mills[fabric["supplier"]]["country"]
        return {"fabric": fabric["fabric"]}, ("get_fabric", "get_supplier"), (country,)

    def _order_price(self, random: Random) -> Any:
        order = random.choice(list(self.orders.values()))
        price = self.styles[order["style"]]["price"]
        return {"order": order["order"]}, ("get_order", "get_style"), (price,)

    def _style_mill(self, random: Random) -> Any:
        style = random.choice(list(self.styles.values()))
        mill = self.fabrics[style["fabric"]]["supplier"]
        return {"style": style["style"]}, ("get_style", "get_fabric"), (mill,)

    def _shipment_state(self, random: Random) -> Any:
        shipment = random.choice(list(self.shipments.values()))
        state = self.orders[shipment["order"]]["state"]
        return {"shipment": shipment["shipment"]}, ("get_shipment", "get_order"), (state,)

    def _shipment_customer(self, random: Random) -> Any:
        shipment = random.choice(list(self.shipments.values()))
        name = self.orders[shipment["order"]]["customer"]
        return {"shipment": shipment["shipment"]}, ("get_shipment", "get_order"), (name,)

    def _two_fabrics(self, random: Random) -> Any:
        first, second = random.sample(list(self.fabrics.values()), 2)
        filled = {"first": first["fabric"], "second": second["fabric"]}
        values = (first["price_per_metre"], second["price_per_metre"])
        return filled, ("get_fabric",), values

    def _price_and_city(self, random: Random) -> Any:
        style = random.choice(list(self.styles.values()))
        customer = random.choice(list(self.customers.values()))
        filled = {"style": style["style"], "customer": customer["customer"]}
        return filled, ("get_style", "get_customer"), (style["price"], customer["city"])

    def _two_orders(self, random: Random) -> Any:
        first, second = random.sample(list(self.orders.values()), 2)
        filled = {"first": first["order"], "second": second["order"]}
        return filled, ("get_order",), (first["total"], second["total"])

    def _tax_of_customer(self, random: Random) -> Any:
        customer = random.choice(list(self.customers.values()))
        percent = TAXES[customer["country"]]
        return {"customer": customer["customer"]}, ("get_customer", "look_up_tax"), (percent,)


def shipping(weight: float, country: str) -> float:
    """Euros for a parcel of so many kilograms."""
    return round(6.5 + weight * (1.2 + 0.3 * COUNTRIES.index(country)), 2)


def exchanged(amount: float, source: str, target: str) -> float:
    """The amount in another currency."""
    return round(amount / RATES[source] * RATES[target], 2)


def _of(rows: dict[str, Any], key: str, what: str) -> Row:
    if key not in rows:
        raise ToolError(f"there is no {what} {key!r}")
    found: Row = rows[key]
    return found


def _month(number: int) -> str:
    return date(2024, number, 1).strftime("%B 2024")
