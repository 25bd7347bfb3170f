"""Questions about the shop's four tables; what is right is computed by SQL."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from business.asked import (
    ANSWERED,
    UNANSWERED,
    Asked,
    direction,
    document,
    driver,
    highest,
    never_says,
    no_driver,
    number,
    says,
)
from business.shop import CATEGORIES, CHANNELS, REGIONS

DATA: Final = ("shop.db",)
DOCS: Final = "docs/shop"
SOLD: Final = "order_items JOIN orders USING (order_id) JOIN customers USING (customer_id)"
REVENUE: Final = "SUM(quantity * unit_price)"


def shop_questions(folder: Path) -> list[Asked]:
    """All of them, by what is in the database of that folder."""
    with closing(sqlite3.connect(folder / DATA[0])) as connection:

        def rows(sql: str) -> list[tuple[Any, ...]]:
            return connection.execute(sql).fetchall()

        regions = rows(f"SELECT region, {REVENUE} FROM {SOLD} GROUP BY 1 ORDER BY 2 DESC")
        years = [each[1] for each in rows(
            f"SELECT SUBSTR(ordered_on, 1, 4), {REVENUE} FROM {SOLD} GROUP BY 1 ORDER BY 1"
        )]  # fmt: skip
        returned = rows(
            "SELECT category, AVG(returned), SUM(returned) FROM order_items "
            "JOIN products USING (product_id) GROUP BY 1 ORDER BY 2 DESC"
        )
        business = rows(f"SELECT {REVENUE} FROM {SOLD} WHERE segment = 'Business'")[0][0]
        best = rows(f"SELECT name, {REVENUE} FROM {SOLD} GROUP BY 1 ORDER BY 2 DESC LIMIT 5")
        channels = rows(f"SELECT channel, {REVENUE} FROM {SOLD} GROUP BY 1 ORDER BY 2 DESC")
        quantities = dict(rows(
            f"SELECT discount, AVG(quantity) FROM {SOLD} GROUP BY 1"
        ))  # fmt: skip
        delivery = rows("SELECT AVG(delivery_days) FROM orders")[0][0]
    total = sum(years)
    return [
        Asked(
            "best-region", "Which region brings in the most revenue?", DATA,
            (highest(regions[0][0], REGIONS), number(regions[0][1])), difficulty="joins",
        ),
        Asked(
            "growth", "How much did our revenue grow from 2022 to 2023?", DATA,
            (number(years[1] / years[0] - 1, (years[1] / years[0] - 1) * 100, years[1] - years[0],
                    within=0.02),
             number(years[0], years[1]), never_says(r"fell|fall|declin", "summary")),
            difficulty="time",
        ),
        Asked(
            "returns", "What makes customers send items back?", DATA,
            (driver("delivery_days", 3), direction("delivery_days", "+", "returned"),
             no_driver("discount", 2)),
            difficulty="drivers",
        ),
        Asked(
            "late-returns", "Are items that were delivered late returned more often?", DATA,
            (direction("delivery_days", "+", "returned"), never_says(r"hardly", "summary")),
            difficulty="relation",
        ),
        Asked(
            "returned-category", "Which product category has the highest share of returned items?",
            DATA, (highest(returned[0][0], list(CATEGORIES)), number(returned[0][1])),
            difficulty="joins",
        ),
        Asked(
            "business-share", "What share of the revenue comes from the business segment?", DATA,
            (number(business / total, business / total * 100, business),), difficulty="joins",
        ),
        Asked(
            "best-customers", "Who are our five best customers by revenue?", DATA,
            (says(best[0][0]), says(best[1][0]), number(best[0][1])), difficulty="joins",
        ),
        Asked(
            "channels", "How is the revenue spread over the sales channels?", DATA,
            (highest(channels[0][0], list(CHANNELS)), number(channels[0][1])), difficulty="joins",
        ),
        Asked(
            "discounts", "Do customers order larger quantities when they get a discount?", DATA,
            (direction("discount", "+", "quantity"),), difficulty="relation",
        ),
        Asked(
            "discount-levels", "What is the average quantity of an order item for each discount?",
            DATA, (number(quantities[0.0]), number(quantities[0.2])), difficulty="joins",
        ),
        Asked(
            "delivery", "How many days does a delivery take on average?", DATA, (number(delivery),),
            difficulty="groups",
        ),
        Asked(
            "shoes", "Within how many days may shoes be returned?", DATA,
            (ANSWERED, document("returns.html"), says(r"\b60\b", "lead")),
            docs=DOCS, difficulty="documents",
        ),
        Asked(
            "margin", "What is the profit margin of each product category?", DATA, (UNANSWERED,),
            difficulty="unanswerable",
        ),
    ]  # fmt: skip
