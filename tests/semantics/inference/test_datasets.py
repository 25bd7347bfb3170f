"""What a row is, what tells rows apart, names and dates them, and what each field is for."""

from __future__ import annotations

import random
import string
from collections.abc import Mapping
from datetime import date, timedelta
from pathlib import Path

import pandas
import pytest

from flows.data.tables import Column, Table
from flows.semantics.inference.nouns import noun_of, plural, singular
from flows.semantics.inference.scales import ordered
from tests.semantics.inference.tables import Columns, fields, model_of, model_of_sources, only

ROWS = 40
CHANCE = random.Random(8)
DAYS = [(date(2024, 1, 1) + timedelta(days=3 * at)).isoformat() for at in range(ROWS)]


def table(name: str, *columns: str, source: str = "data") -> Table:
    made = tuple(
        Column(name=each, type="integer", role="id", rows=9, missing=0, distinct=9)
        for each in columns
    )
    return Table(source=source, name=name, dialect="duckdb", rows=9, columns=made)


@pytest.mark.parametrize(
    ("name", "noun", "rows"),
    [
        ("tbl_Orders_2024", "order", "orders"),
        ("orders", "order", "orders"),
        ("ORDER_ITEMS", "order item", "order items"),
        ("stg_raw_shipments_v2", "shipment", "shipments"),
        ("dim_categories", "category", "categories"),
        ("people", "person", "people"),
        ("addresses", "address", "addresses"),
        ("branches", "branch", "branches"),
        ("houses", "house", "houses"),
        ("LabResults", "lab result", "lab results"),
        ("data", "row", "rows"),
        ("Sheet1", "row", "rows"),
        ("df_final_v3", "row", "rows"),
        ("2024", "row", "rows"),
        ("usage", "usage record", "usage records"),
        ("titanic", "row", "rows"),
    ],
)
def test_a_row_is_called_as_the_table_says(name: str, noun: str, rows: str) -> None:
    assert noun_of(table(name, "n"))[:2] == (noun, rows)


def test_a_singular_is_believed_when_a_column_or_another_table_says_so() -> None:
    assert noun_of(table("Customer", "CustomerId"))[0] == "customer"
    assert noun_of(table("Rechnungen", "Rechnung"))[:2] == ("rechnung", "rechnungen")
    assert noun_of(table("zebra", "n"))[0] == "row"
    assert noun_of(table("zebra", "n"))[2] == ("zebra", "zebras")


def test_a_sheet_is_called_by_its_own_name_or_by_its_file() -> None:
    assert noun_of(table("crm_Invoices", "n", source="crm"))[0] == "invoice"
    assert noun_of(table("invoices_Sheet1", "n", source="invoices"))[0] == "invoice"


@pytest.mark.parametrize("one", ["city", "box", "bus", "day", "wife", "match", "series", "movie"])
def test_plurals_and_singulars_belong_together(one: str) -> None:
    assert singular(plural(one)) == one


@pytest.mark.parametrize(
    ("values", "right"),
    [
        (("High", "low", "Medium"), ("low", "Medium", "High")),
        (("Q3", "Q1", "Q2"), ("Q1", "Q2", "Q3")),
        (("65+", "<18", "18-25", "26-64"), ("<18", "18-25", "26-64", "65+")),
        (("Tier 2", "Tier 10", "Tier 1"), ("Tier 1", "Tier 2", "Tier 10")),
        (("Tue", "Mon", "Sun"), ("Mon", "Tue", "Sun")),
        (("S7", "S1"), ()),
        (("North", "South"), ()),
        (("Low", "High", "Unknown"), ()),
    ],
)
def test_categories_that_have_an_order(values: tuple[str, ...], right: tuple[str, ...]) -> None:
    assert ordered(values) == right


VISITS: dict[str, list[object]] = {
    "visit": list(range(7000, 7000 + ROWS)),
    "Unnamed: 0": list(range(ROWS)),
    "made": list(DAYS),
    "country": [("Chile", "Peru")[at % 2] for at in range(ROWS)],
    "paid": [("ja", "nein")[at % 2] for at in range(ROWS)],
    "member": [at % 2 for at in range(ROWS)],
    "month": [at % 12 + 1 for at in range(ROWS)],
    "start_time": [f"{at % 24}{at % 6}5".lstrip("0") for at in range(ROWS)],
    "zip": [10115 + 7 * at for at in range(ROWS)],
    "latitude": [round(CHANCE.uniform(-50, 50), 4) for _ in range(ROWS)],
    "length_km": [round(CHANCE.uniform(1, 9), 2) for _ in range(ROWS)],
    "remark": [CHANCE.choice(string.ascii_letters) * 90 + str(at) for at in range(ROWS)],
    "ticket": [f"T-{at:04d}" for at in range(ROWS)],
}
ROLES = {
    "visit": "identifier", "Unnamed: 0": "identifier", "made": "time", "country": "place",
    "paid": "flag", "member": "flag", "month": "category", "start_time": "category",
    "zip": "place", "latitude": "place", "length_km": "measure", "remark": "text",
    "ticket": "identifier",
}  # fmt: skip


def test_fields_have_the_roles_that_people_give_them(tmp_path: Path) -> None:
    dataset = only(model_of(tmp_path, {"visits": VISITS}))
    assert {each.name: each.role for each in dataset.fields} == ROLES
    assert fields(dataset)["length_km"].unit == "km"
    assert dataset.key == ("visit",)
    assert dataset.time == "made"


def test_the_main_time_is_the_one_that_dates_a_row(tmp_path: Path) -> None:
    later = [each.replace("2024", "2025") for each in DAYS]
    made: dict[str, Columns] = {
        "orders": {"delivered": later, "updated_at": later, "order_date": DAYS},
        "loans": {"born": [1950 + at for at in range(ROWS)], "due": later},
        "songs": {"title": [f"s {at}" for at in range(ROWS)], "n": [1] * ROWS},
        "trips": {"coming_date": later, "going_date": DAYS},
    }
    model = model_of(tmp_path, made)
    times = {each.name: each.time for each in model.datasets}
    assert times == {"orders": "order_date", "loans": "due", "songs": "", "trips": "going_date"}


def test_two_fields_tell_rows_apart_where_a_figure_hides_them(tmp_path: Path) -> None:
    columns: Columns = {
        "country": [f"c{at // 4}" for at in range(ROWS)],
        "year": [2020 + at % 4 for at in range(ROWS)],
        "inhabitants": [CHANCE.randint(10**5, 10**7) for _ in range(ROWS)],
    }
    assert only(model_of(tmp_path, {"census": columns})).key == ("country", "year")


def test_a_label_names_a_row_to_people(tmp_path: Path) -> None:
    staff: Columns = {
        "id": list(range(ROWS)),
        "title": [("Clerk", "Head")[at % 2] for at in range(ROWS)],
        "full_name": [f"Ann {at}" for at in range(ROWS)],
        "email": [f"a{at}@x.org" for at in range(ROWS)],
    }
    books: Columns = {"id": list(range(ROWS)), "title": [f"Book {at}" for at in range(ROWS)]}
    model = model_of(tmp_path, {"clerks": staff, "books": books})
    assert [each.label for each in model.datasets] == ["full_name", "title"]


SALES: dict[str, list[object]] = {
    "region": ["North", "South", "West", "Total"],
    "amount": [10, 20, 30, 60],
}


@pytest.mark.parametrize(
    ("columns", "totals"),
    [
        (SALES, (("region", ("Total",)),)),
        ({**SALES, "region": ["North", "South", "West", "Summe"]}, (("region", ("Summe",)),)),
        ({**SALES, "amount": [10, 20, 30, None]}, (("region", ("Total",)),)),
        ({**SALES, "amount": [10, 20, 30, 55]}, ()),  # no sum, whatever it is called
        ({**SALES, "region": ["North", "South", "West", "East"]}, ()),  # a sum by chance
    ],
)
def test_rows_that_are_sums_of_others_are_known(
    tmp_path: Path, columns: Mapping[str, list[object]], totals: object
) -> None:
    dataset = only(model_of(tmp_path, {"sales": columns}))
    assert dataset.totals == totals
    left_out = [value for _, values in dataset.totals for value in values]
    assert not set(left_out) & set(fields(dataset)["region"].values)


@pytest.mark.long("whole vocabularies are read")
def test_a_total_among_days_and_among_many_names_is_left_out(tmp_path: Path) -> None:
    paid = [CHANCE.randint(100, 900) for _ in range(80)]
    days = [f"2024-{month:02}-01" for month in range(1, 13)]
    by_day: dict[str, list[object]] = {
        "begun": [*days, "Total"],
        "amount": [*paid[:12], sum(paid[:12])],
    }
    dataset = only(model_of(tmp_path, {"months": by_day}))
    assert dataset.totals == (("begun", ("Total",)),)
    assert (dataset.time, fields(dataset)["begun"].type) == ("begun", "date")

    names = [f"Thing {each}" for each in range(80)]
    by_name: dict[str, list[object]] = {
        "thing": [*names, "Grand total"],
        "amount": [*paid, sum(paid)],
    }
    assert only(model_of(tmp_path, {"things": by_name})).totals == (("thing", ("Grand total",)),)
    by_name = {"film": [*names, "Total Recall"], "earned": [*paid, None]}
    assert only(model_of(tmp_path, {"films": by_name})).totals == ()


def test_an_empty_total_is_left_out_of_groups_that_another_table_describes(tmp_path: Path) -> None:
    teams = ["Oak", "Elm", "Ash", "Fir"]
    plan: dict[str, list[object]] = {
        "team": [*teams * 3, "Total"],
        "term": [*[f"T{n // 4}" for n in range(12)], None],
        "cost": [*range(12), None],
    }
    model = model_of(tmp_path, {"plan": plan, "teams": {"team": teams, "people": [3, 4, 5, 6]}})
    assert [each.fields for each in model.relationships] == [("team",)]
    (found,) = [each for each in model.datasets if each.name == "plan"]
    assert found.totals == (("team", ("Total",)),)


def test_totals_of_totals_are_known_in_both_directions(tmp_path: Path) -> None:
    cells = {(r, p): CHANCE.randint(1, 99) for r in ("N", "S") for p in ("Tea", "Milk")}
    rows = [(r, p, n) for (r, p), n in cells.items()]
    rows += [(r, "All", sum(n for (at, _), n in cells.items() if at == r)) for r in ("N", "S")]
    rows += [("All", p, sum(n for (_, of), n in cells.items() if of == p)) for p in ("Tea", "Milk")]
    rows += [("All", "All", sum(cells.values()))]
    region, product, sold = ([row[at] for row in rows] for at in range(3))
    found = only(model_of(tmp_path, {"t": {"area": region, "item": product, "sold": sold}}))
    assert dict(found.totals) == {"area": ("All",), "item": ("All",)}


@pytest.mark.long("whole vocabularies are read")
@pytest.mark.parametrize("seed", range(3))
def test_any_names_and_values_give_a_model(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    odd = ["count", "top", "2024", "order", "select", 'a "b"', "größe", "x y", "-", "日本", "Total"]
    values = ["", "n/a", "-1", "1,5", "Total", "01/02/2024", "$5", "x" * 300, "\U0001f600", "'"]
    tables = {f"t{at}": chance.sample(odd, chance.randint(1, len(odd))) for at in range(4)}
    for name, columns in tables.items():
        frame = pandas.DataFrame({each: chance.choices(values, k=20) for each in columns})
        frame.to_parquet(tmp_path / f"{name}.parquet")
    model = model_of_sources(tmp_path, {name: f"{name}.parquet" for name in tables})
    assert [each.name for each in model.datasets] == list(tables)
    names = [each.name for each in model.metrics]
    assert len(names) == len(set(names))
    for dataset in model.datasets:
        held = {each.name for each in dataset.fields}
        assert held.issuperset((*dataset.key, *filter(None, (dataset.label, dataset.time))))
        assert len(held) == len(dataset.fields)
