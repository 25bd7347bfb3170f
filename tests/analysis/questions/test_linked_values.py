"""Values as they are written in questions: begun, in one word, misspelled; and what rows sell."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.data.catalog import Catalog
from flows.semantics.inference.model import infer_model
from tests.analysis.questions.couriers import Couriers, word


@pytest.fixture(scope="module", params=[8, 31])
def stalls(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Couriers]:
    folder: Path = tmp_path_factory.mktemp("stalls")
    dice = random.Random(request.param)
    maker, other = word(dice, 4), word(dice, 4)
    makers = [maker, f"{maker} Works", other, f"Port {word(dice, 4)}"]
    goods = [(f"G{n:02}", f"{word(dice)} {kind}", makers[n % 4])
             for n, kind in enumerate(["Lamp", "Chair", "Shelf"] * 4)]  # fmt: skip
    regions = ["North", "South"]
    buyers = [(n + 1, word(dice, 5), regions[n % 2], f"Town{n % 3}") for n in range(12)]
    sales = [(n + 1, dice.choice(goods[:9])[0], dice.randint(1, 9), dice.randint(1, 9),
              round(dice.uniform(2, 9), 2)) for n in range(150)]  # fmt: skip
    frames = {
        "products": pd.DataFrame(goods, columns=["sku", "product_name", "maker"]),
        "customers": pd.DataFrame(buyers, columns=["customer_id", "name", "region", "town"]),
        "sales": pd.DataFrame(
            sales, columns=["sale_id", "sku", "customer_id", "quantity", "unit_price"]
        ),
    }
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    with Catalog({name: f"{name}.csv" for name in frames}, folder) as catalog:
        tables = catalog.tables()
        yield Couriers(frames, catalog, Analyst(tables, infer_model(tables)))


def joined(stalls: Couriers) -> pd.DataFrame:
    sales = stalls.frames["sales"].merge(stalls.frames["products"], on="sku")
    return sales.merge(stalls.frames["customers"], on="customer_id")


def test_a_word_that_values_begin_with_means_all_of_them(stalls: Couriers) -> None:
    maker = stalls.frames["products"].maker[0]
    expected = joined(stalls).maker.str.startswith(maker).sum()
    assert stalls.rows(f"how many sales were of {maker} products?") == [(expected,)]


def test_a_name_of_two_words_written_as_one(stalls: Couriers) -> None:
    maker = stalls.frames["products"].maker[3]
    expected = (joined(stalls).maker == maker).sum()
    assert stalls.rows(f"how many sales of {maker.replace(' ', '')} products") == [(expected,)]


def test_a_name_of_two_words_of_which_one_is_misspelled(stalls: Couriers) -> None:
    name = stalls.frames["products"].product_name[1]
    first, second = name.lower().split()
    wrong = f"{first[:2]}{first[3:]} {second}"
    expected = (joined(stalls).product_name == name).sum()
    assert stalls.rows(f"how many sales of {wrong} were there") == [(expected,)]


def test_how_many_were_sold_is_an_amount(stalls: Couriers) -> None:
    sold = joined(stalls)
    chosen = sold[sold.product_name.str.endswith("Chair") & (sold.region == "South")]
    asked = "how many chairs were sold to customers in the south?"
    assert stalls.rows(asked) == [(chosen.quantity.sum(),)]


def test_the_row_of_a_code(stalls: Couriers) -> None:
    first = stalls.frames["products"].iloc[0]
    found = stalls.rows(f"what's the maker of the product with code {first.sku}?")
    assert found == [(first.maker,)]


def test_so_many_of_each_group(stalls: Couriers) -> None:
    counts = joined(stalls).groupby(["region", "sku"]).size()
    found = stalls.rows("for each region, the 2 products with the most sales")
    most = counts.groupby("region").nlargest(2).droplevel(0).groupby("region").sum()
    assert len(found) == 4
    assert {region: sum(row[-1] for row in found if row[0] == region)
            for region in most.index} == most.to_dict()  # fmt: skip


def test_where_the_first_lives(stalls: Couriers) -> None:
    customers = stalls.frames["customers"].set_index("name")
    ((name, town, _),) = stalls.rows(
        "who is the customer with the most sales and where does he live?"
    )
    assert customers.town[name] == town


def test_an_average_per_row_is_that_of_all_rows(stalls: Couriers) -> None:
    sold = joined(stalls)
    found = stalls.rows("average quantity per sale of customers in the north")
    assert found[0][0] == pytest.approx(sold[sold.region == "North"].quantity.mean())


def test_the_figure_by_which_something_is_judged(stalls: Couriers) -> None:
    amounts = joined(stalls).groupby(["region", "maker"]).quantity.sum()
    found = stalls.rows("favourite maker in each region, judged by products sold")
    assert {row[0]: row[-1] for row in found} == amounts.groupby("region").max().to_dict()
