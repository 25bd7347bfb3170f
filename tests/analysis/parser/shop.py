"""A model of a small shop: orders, customers, products, employees with managers, flights."""

from __future__ import annotations

from flows.semantics.model import (
    Dataset,
    DataType,
    Metric,
    Relationship,
    Role,
    SemanticField,
    SemanticModel,
)
from flows.semantics.query import Aggregate, Arithmetic, FieldRef


def field(name: str, role: Role, type_: DataType, *words: str) -> SemanticField:
    return SemanticField(name=name, role=role, type=type_, words=words)


def dataset(
    name: str, noun: str, plural: str, *fields: SemanticField, label: str = "", time: str = ""
) -> Dataset:
    return Dataset(
        name=name, source="shop", table=name, noun=noun, plural=plural, fields=fields,
        key=("id",), label=label, time=time,
    )  # fmt: skip


def link(name: str, dataset: str, key: str, to: str, role: str = "") -> Relationship:
    return Relationship(
        name=name, dataset=dataset, fields=(key,), to=to, to_fields=("id",), role=role
    )


ORDERS = dataset(
    "orders", "order", "orders",
    field("id", "identifier", "integer"),
    field("customer_id", "identifier", "integer"),
    field("product_id", "identifier", "integer"),
    field("amount", "measure", "real", "value", "sales"),
    field("quantity", "measure", "integer", "units"),
    field("unit_price", "measure", "real"),
    field("status", "category", "text", "state").model_copy(update={"values": ("open", "paid")}),
    field("region", "category", "text"),
    field("order_date", "time", "date", "ordered"),
    time="order_date",
)  # fmt: skip
CUSTOMERS = dataset(
    "customers", "customer", "customers",
    field("id", "identifier", "integer"),
    field("name", "text", "text"),
    field("city", "place", "text", "town"),
    field("2024", "measure", "integer"),
    field("top customer's `rank`", "measure", "integer"),
    label="name",
)  # fmt: skip
PRODUCTS = dataset(
    "products", "product", "products",
    field("id", "identifier", "integer"),
    field("name", "text", "text"),
    field("category", "category", "text"),
    field("price", "measure", "real"),
    field("count", "measure", "integer"),
    label="name",
)  # fmt: skip
EMPLOYEES = dataset(
    "employees", "employee", "employees",
    field("id", "identifier", "integer"),
    field("full name", "text", "text"),
    field("salary", "measure", "real"),
    field("manager_id", "identifier", "integer"),
    label="full name",
)  # fmt: skip
FLIGHTS = dataset(
    "flights", "flight", "flights",
    field("flight_number", "identifier", "integer"),
    field("carrier", "category", "text", "airline"),
    field("delay", "measure", "integer"),
    field("departure", "time", "timestamp"),
    field("origin", "place", "text"),
    time="departure",
)  # fmt: skip
SHOP = SemanticModel(
    datasets=(ORDERS, CUSTOMERS, PRODUCTS, EMPLOYEES, FLIGHTS),
    relationships=(
        link("order_customer", "orders", "customer_id", "customers"),
        link("order_product", "orders", "product_id", "products"),
        link("manager", "employees", "manager_id", "employees", role="boss"),
    ),
    metrics=(
        Metric(
            name="revenue", dataset="orders", words=("turnover",),
            definition=Aggregate(function="sum", of=Arithmetic(
                operator="*", left=FieldRef(dataset="orders", field="quantity"),
                right=FieldRef(dataset="orders", field="unit_price"),
            )),
        ),
    ),
)  # fmt: skip
