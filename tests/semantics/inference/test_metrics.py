"""Which figures are summed, which are averaged, and which are computed from others."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from flows.semantics.model import Metric, SemanticModel
from flows.semantics.query import Aggregate, Arithmetic
from tests.semantics.inference.tables import Columns, model_of

ROWS = 50
CHANCE = random.Random(3)


def figures(low: float, high: float, places: int) -> list[float]:
    return [round(CHANCE.uniform(low, high), places) for _ in range(ROWS)]


def whole(low: int, high: int) -> list[float]:
    return [CHANCE.randint(low, high) for _ in range(ROWS)]


def metrics(folder: Path, name: str, columns: Columns) -> dict[str, Metric]:
    return {each.name: each for each in model_of(folder, {name: columns}).metrics}


def function(metric: Metric) -> str:
    assert isinstance(metric.definition, Aggregate)
    return metric.definition.function


@pytest.mark.long("whole vocabularies are read")
def test_what_is_no_amount_is_not_summed(tmp_path: Path) -> None:
    columns: Columns = {
        "amount": figures(1, 900, 2),
        "unit_price": figures(1, 99, 2),
        "temperature": figures(-5, 30, 1),
        "age": whole(18, 80),
        "discount": [CHANCE.choice((0.0, 0.1, 0.25)) for _ in range(ROWS)],
        "humidity_pct": figures(10, 99, 1),
        "account_balance": figures(10, 9999, 2),
        "population": whole(1000, 99999),
        "speed_kmh": figures(10, 99, 1),
    }
    found = metrics(tmp_path, "readings", columns)
    additive = {name: each.additive for name, each in found.items()}
    assert additive == {
        "amount": "all", "unit_price": "none", "temperature": "none", "age": "none",
        "discount": "none", "humidity_pct": "none", "account_balance": "not over time",
        "population": "not over time", "speed_kmh": "none",
    }  # fmt: skip
    assert {name: function(each) for name, each in found.items()} == {
        name: "average" if each == "none" else "sum" for name, each in additive.items()
    }
    assert all(each.inferred for each in found.values())


@pytest.mark.long("whole vocabularies are read")
def test_a_rate_is_the_ratio_of_the_sums_when_all_rows_say_so(tmp_path: Path) -> None:
    shown, clicks = whole(1000, 9000), whole(10, 900)
    rate = [round(part / all_ * 100, 2) for part, all_ in zip(clicks, shown, strict=True)]
    columns: dict[str, list[float]] = {"shown": shown, "clicks": clicks, "click_rate_pct": rate}
    found = metrics(tmp_path, "ads", columns)["click_rate_pct"]
    assert isinstance(found.definition, Arithmetic)
    assert "clicks / shown * 100" in found.description
    broken = metrics(tmp_path, "adverts", {**columns, "click_rate_pct": [*rate[:-1], 99.0]})
    assert function(broken["click_rate_pct"]) == "average"


@pytest.mark.long("whole vocabularies are read")
@pytest.mark.parametrize("percent", [False, True])
def test_a_total_that_all_rows_confirm_is_told(tmp_path: Path, percent: bool) -> None:
    pieces, price = whole(1, 9), figures(1, 99, 2)
    off = [CHANCE.choice((0, 5, 20) if percent else (0.0, 0.05, 0.2)) for _ in range(ROWS)]
    parts = [each / 100 if percent else each for each in off]
    total = [round(q * p * (1 - d), 2) for q, p, d in zip(pieces, price, parts, strict=True)]
    columns: dict[str, list[float]] = {
        "qty": pieces,
        "unit_price": price,
        "off_pct" if percent else "off": off,
    }
    found = metrics(tmp_path, "lines", {**columns, "line_total": total})
    said = found["line_total"].description
    form = "qty * unit_price * (1 - off_pct / 100)" if percent else "qty * unit_price * (1 - off)"
    assert said == f"{form} in every row that was looked at"
    assert "revenue" not in found
    wrong = metrics(tmp_path, "items", {**columns, "line_total": [*total[:-1], total[-1] + 1]})
    assert wrong["line_total"].description == ""


def test_a_difference_is_told_from_what_it_was_taken_from(tmp_path: Path) -> None:
    gross, net = figures(100, 900, 2), figures(10, 90, 2)
    gap = [round(a - b, 2) for a, b in zip(gross, net, strict=True)]
    found = metrics(tmp_path, "months", {"billed": gross, "paid": net, "difference": gap})
    assert found["difference"].description.startswith("billed - paid in every row")
    assert (found["billed"].description, found["paid"].description) == ("", "")


@pytest.mark.long("whole vocabularies are read")
def test_revenue_is_what_orders_multiply_to(tmp_path: Path) -> None:
    columns: Columns = {"quantity": whole(1, 9), "unit_price": figures(1, 99, 2)}
    off = [CHANCE.choice((0.0, 0.1)) for _ in range(ROWS)]
    model = model_of(
        tmp_path,
        {
            "orders": columns,
            "invoices": {**columns, "discount": off},
            "receipts": {**columns, "discount": ["", *off[1:]]},
            "samples": columns,
        },
    )
    said = {name: each.description for name, each in named(model).items() if "revenue" in name}
    assert said == {
        "orders_revenue": "quantity * unit_price",
        "invoices_revenue": "quantity * unit_price * (1 - discount)",
        "receipts_revenue": "quantity * unit_price, before discount, which some rows do not have",
    }


@pytest.mark.long("whole vocabularies are read")
def test_profit_is_revenue_less_cost_unless_the_cost_is_that_of_one_piece(tmp_path: Path) -> None:
    units, each_one = whole(2, 9), figures(5, 9, 2)
    revenue = [round(n * p * 2, 2) for n, p in zip(units, each_one, strict=True)]
    cost = [round(each * 0.7, 2) for each in revenue]
    found = metrics(tmp_path, "sales", {"units": units, "revenue": revenue, "cost": cost})
    assert found["profit"].type == "derived"
    assert (found["margin"].type, found["margin"].additive) == ("ratio", "none")
    pieces = metrics(tmp_path, "deals", {"units": units, "revenue": revenue, "cost": each_one})
    assert "profit" not in pieces


def named(model: SemanticModel) -> dict[str, Metric]:
    return {each.name: each for each in model.metrics}


def test_profit_where_another_table_says_what_a_piece_costs(tmp_path: Path) -> None:
    articles = list(range(1, 11))
    tables: dict[str, Columns] = {
        "orders": {
            "order_no": [f"A{n}" for n in range(ROWS)],
            "article_id": [CHANCE.choice(articles) for _ in range(ROWS)],
            "quantity": whole(1, 9),
            "unit_price": figures(10, 99, 2),
        },
        "articles": {"article_id": articles, "cost": figures(1, 9, 2)[:10]},
    }
    found = named(model_of(tmp_path, tables))
    assert found["profit"].description == "revenue - quantity * cost of articles"
    assert (found["margin"].type, found["margin"].dataset) == ("ratio", "orders")


@pytest.mark.long("whole vocabularies are read")
def test_the_price_paid_where_no_field_is_a_price(tmp_path: Path) -> None:
    columns: Columns = {"units": whole(1, 9), "revenue": figures(10, 900, 2)}
    assert metrics(tmp_path, "sales", columns)["price"].description == "revenue / units"
    priced: Columns = {**columns, "price": figures(1, 9, 2)}
    assert "revenue / units" not in metrics(tmp_path, "deals", priced)["price"].description


def test_the_total_of_a_figure_per_head(tmp_path: Path) -> None:
    columns: Columns = {"debtPerCapita": figures(100, 900, 1), "population": whole(1000, 99999)}
    found = metrics(tmp_path, "regions", columns)
    assert found["debt"].description == "debtPerCapita * population"
    assert found["debt"].additive == "not over time"


def test_what_recurs_each_month_recurs_twelve_times_a_year(tmp_path: Path) -> None:
    ends = ["2024-02-01" if n % 2 else "" for n in range(ROWS)]
    columns: Columns = {
        "mrr": figures(10, 90, 2), "start_date": ["2023-01-05"] * ROWS, "end_date": ends,
    }  # fmt: skip
    found = metrics(tmp_path, "contracts", columns)
    assert found["arr"].description == "mrr * 12 where there is no end_date"
