"""A shop's database of four tables: a best region, growth and a cause of returns are built in."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np

from business.truth import Driver, Truth

SEED: Final = 77
CUSTOMERS: Final = 1_500
ORDERS: Final = {2022: 4_000, 2023: 5_200}
REGIONS: Final = ("North", "South", "East", "West")
# How often the customers of a region order, beside the others.
ORDERS_OFTEN: Final = {"North": 1.0, "South": 0.9, "East": 0.8, "West": 1.5}
CATEGORIES: Final = {"Shoes": 80.0, "Jackets": 120.0, "Shirts": 35.0, "Bags": 60.0, "Belts": 25.0}
CHANNELS: Final = {"Online": 0.6, "Store": 0.28, "Phone": 0.12}
DISCOUNTS: Final = (0.0, 0.05, 0.1, 0.2)

RETURNS: Final = Truth(
    table="order_items",
    target="returned",
    drivers=(Driver("delivery_days", 0.28), Driver("category", 1.1)),  # in log odds
    noise=0.0,
    idle=("channel", "discount", "segment", "quantity"),
    planted={"Shoes": "log odds of a return are 1.1 higher than those of other categories"},
)
BASKETS: Final = Truth(
    table="order_items",
    target="quantity",
    drivers=(Driver("discount", 8.0), Driver("segment", 1.0)),
    noise=1.0,
    planted={"Business": "orders one piece more of each item"},
)
TRUTHS: Final = (RETURNS, BASKETS)

_TABLES: Final = """
CREATE TABLE customers (customer_id INTEGER PRIMARY KEY, name TEXT, region TEXT, segment TEXT,
  joined TEXT);
CREATE TABLE products (product_id INTEGER PRIMARY KEY, name TEXT, category TEXT, price REAL);
CREATE TABLE orders (order_id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers(customer_id), ordered_on TEXT,
  channel TEXT, discount REAL, delivery_days INTEGER);
CREATE TABLE order_items (item_id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders(order_id),
  product_id INTEGER NOT NULL REFERENCES products(product_id), quantity INTEGER,
  unit_price REAL, returned INTEGER);
"""

Rows = list[tuple[Any, ...]]


def write_shop(path: Path, seed: int = SEED) -> None:
    """Write the database anew."""
    random = np.random.default_rng(seed)
    path.unlink(missing_ok=True)
    customers, products = _customers(random), _products(random)
    orders = _orders(random, customers)
    items = _items(random, customers, products, orders)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(_TABLES)
        tables = ("customers", customers), ("products", products), ("orders", orders)
        for name, rows in (*tables, ("order_items", items)):
            marks = ", ".join("?" * len(rows[0]))
            connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)


def _customers(random: np.random.Generator) -> Rows:
    regions = random.choice(REGIONS, CUSTOMERS).tolist()
    segments = random.choice(["Consumer", "Business"], CUSTOMERS, p=[0.75, 0.25]).tolist()
    days = random.integers(0, 1_000, CUSTOMERS).tolist()
    return [
        (number, f"Customer {number:04d}", regions[number - 1], segments[number - 1],
         str(date(2019, 1, 1) + timedelta(days=days[number - 1])))
        for number in range(1, CUSTOMERS + 1)
    ]  # fmt: skip


def _products(random: np.random.Generator) -> Rows:
    categories = [name for name in CATEGORIES for _ in range(12)]
    prices = [CATEGORIES[name] * random.uniform(0.7, 1.3) for name in categories]
    return [
        (number, f"{category[:-1]} {number:02d}", category, round(price, 2))
        for number, (category, price) in enumerate(zip(categories, prices, strict=True), 1)
    ]


def _orders(random: np.random.Generator, customers: Rows) -> Rows:
    often = np.array([ORDERS_OFTEN[customer[2]] for customer in customers])
    found: Rows = []
    for year, count in ORDERS.items():
        who = random.choice(CUSTOMERS, count, p=often / often.sum()) + 1
        days = np.sort(random.integers(0, 365, count))
        channel = random.choice(list(CHANNELS), count, p=list(CHANNELS.values()))
        discount = random.choice(DISCOUNTS, count, p=[0.55, 0.15, 0.2, 0.1])
        delivery = 1 + random.poisson(4.0, count)
        found += [
            (len(found) + place + 1, int(who[place]),
             str(date(year, 1, 1) + timedelta(days=int(days[place]))), str(channel[place]),
             float(discount[place]), int(delivery[place]))
            for place in range(count)
        ]  # fmt: skip
    return found


def _items(random: np.random.Generator, customers: Rows, products: Rows, orders: Rows) -> Rows:
    found: Rows = []
    for order_id, customer, _, _, discount, days in orders:
        business = customers[customer - 1][3] == "Business"
        for product in random.choice(len(products), random.integers(1, 4), replace=False):
            number, _, category, price = products[product]
            mean = 0.5 + BASKETS.driver("discount").slope * discount
            pieces = 1 + random.poisson(mean) + BASKETS.driver("segment").slope * business
            odds = -3.6 + RETURNS.driver("delivery_days").slope * days
            odds += RETURNS.driver("category").slope * (category == "Shoes")
            back = random.random() < 1 / (1 + np.exp(-odds))
            paid = round(price * (1 - discount), 2)
            found.append((len(found) + 1, order_id, number, int(pieces), paid, int(back)))
    return found
