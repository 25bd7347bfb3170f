"""What data mean is what is asked of them: money as text, totals, identifiers, computed figures."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.semantics.model import Metric
from flows.semantics.models import SemanticModels
from flows.semantics.query import Aggregate, Arithmetic, FieldRef
from flows.semantics.tables import meant

RECEIPTS = "receipt;paid_at;branch;price;weight;rebate\n" + "".join(
    f"R-{number:03};{1 + number % 28:02}/{1 + number % 3:02}/2024 14:{number % 60:02};"
    f"{('Graz', 'Wien', 'wien ')[number % 3]};€{number}.50;"
    f"{'n/a' if number % 10 == 0 else '1.234,56'};{('12 %', '5 %', 'n/a')[number % 3]}\n"
    for number in range(1, 61)
)
DELIVERIES = "delivery,zip,year,depot,kilos,price,count_of_boxes,fee\n" + "".join(
    f"{1000 + number * 37 % 8999},{(8010, 4020, 1010)[number % 3]},{2021 + number % 4},"
    f"{('north', 'south')[number % 2]},{number % 9},{2 + number % 5}.5,{1 + number % 6},"
    f"{number % 7}.25\n"
    for number in range(1, 61)
)
SHIPMENTS = "region,month,turnover\n" + "".join(
    f"{region},{month},{amount}\n"
    for month in range(1, 5)
    for region, amount in (("East", 10 * month), ("West", 5 * month), ("Total", 15 * month))
)

VILLAGES = "village,german,italian,ladin,wine,fair_date\n" + "".join(
    f"{name},{german},{italian},{100 - german - italian},{number}.5,{day}/2023\n"
    for number, (name, german, italian, day) in enumerate(
        [
            ("Eggen ", 20, 50, "08/30"),
            ("Brixen", 24, 40, "09/12"),
            ("Corvara", 4, 6, "12/08"),
            ("Bozen", 25, 60, "08/30"),
            ("Terlan", 32, 30, "10/25"),
        ]
    )
)


class Desk:
    """Someone who asks questions about one file."""

    def __init__(self, folder: Path, name: str, text: str) -> None:
        (folder / f"{name}.csv").write_text(text)
        self.catalog = Catalog({name: f"{name}.csv"}, folder)

    def propose(self, question: str) -> dict[str, Any]:
        model = SemanticModels(self.catalog).model()
        tables = meant(self.catalog.tables(), model)
        return Analyst(tables, model, answer_above=0.4, ask_above=0.2).propose(question)

    def request(self, question: str) -> dict[str, Any]:
        request: dict[str, Any] = self.propose(question)["request"]
        return request

    def ask(self, question: str) -> tuple[list[tuple[object, ...]], list[str]]:
        """The rows of the answer and what is said beside it; no rows without an answer."""
        made = self.propose(question)
        said = [each["text"] for each in made["warnings"]]
        if made["sql"] is None:
            return [], said
        return list(run_query(self.catalog, made["sql"], max_rows=99, timeout=30.0).rows), said


@pytest.fixture
def receipts(tmp_path: Path) -> Desk:
    return Desk(tmp_path, "receipts", RECEIPTS)


@pytest.fixture
def villages(tmp_path: Path) -> Desk:
    return Desk(tmp_path, "villages", VILLAGES)


@pytest.fixture
def deliveries(tmp_path: Path) -> Desk:
    return Desk(tmp_path, "deliveries", DELIVERIES)


@pytest.mark.long("whole analyses over their data")
def test_money_percentages_and_commas_are_numbers(receipts: Desk) -> None:
    prices = [number + 0.5 for number in range(1, 61)]
    assert receipts.ask("What is the average price?")[0] == [(pytest.approx(sum(prices) / 60),)]
    assert receipts.ask("What is the maximum price?")[0] == [(60.5,)]
    assert receipts.ask("What is the average weight?")[0] == [(pytest.approx(1234.56),)]
    assert receipts.ask("How many receipts have a rebate of more than 10?")[0] == [(20,)]


def test_dates_as_text_make_months(receipts: Desk) -> None:
    rows, _ = receipts.ask("total price per month")
    months = {row[-2]: row[-1] for row in rows}
    expected = {month: sum(n + 0.5 for n in range(1, 61) if 1 + n % 3 == month)
                for month in (1, 2, 3)}  # fmt: skip
    assert [expected[each] for each in sorted(expected)] == list(months.values())


@pytest.mark.long("whole analyses over their data")
def test_plain_rows_show_what_stands_in_the_data(receipts: Desk, villages: Desk) -> None:
    assert receipts.ask("Show the price and the paid at of receipt R-007") == (
        [("€7.50", "08/02/2024 14:07")], []
    )  # fmt: skip
    assert ("Eggen ",) in villages.ask("List the distinct villages")[0]


def test_percentages_as_text_make_groups(receipts: Desk) -> None:
    rows, _ = receipts.ask("How many receipts are there per rebate level?")
    assert sorted(rows, key=str) == [(12, 20), (5, 20), (None, 20)]


def test_parts_of_a_hundred_are_percentages(villages: Desk) -> None:
    assert sorted(villages.ask("Which villages have a ladin percentage above 35?")[0]) == [
        ("Brixen",), ("Corvara",), ("Terlan",)
    ]  # fmt: skip
    assert villages.ask("Which villages have a wine percentage above 35?")[0] == []


def test_a_day_is_found_however_the_data_write_it(villages: Desk) -> None:
    found, _ = villages.ask("Which villages have a fair date of 08/30/2023?")
    assert sorted(str(row[0]) for row in found) == ["Bozen", "Eggen "]


def test_what_is_different_is_not_tested_for_differences(villages: Desk) -> None:
    assert len(villages.ask("What are the different germans?")[0]) == 5


def test_month_over_month_joins_the_days_of_a_month(receipts: Desk) -> None:
    request = receipts.request("month over month change in weight, percent")
    assert request["metrics"][0]["function"] == "sum"
    assert [each["grain"] for each in request["by"]] == ["month"]
    assert [each["operation"] for each in request["transforms"]] == ["growth"]


@pytest.mark.long("whole analyses over their data")
def test_spellings_of_a_category_are_one(receipts: Desk) -> None:
    assert [row[0] for row in receipts.ask("total price by branch")[0]] == ["Graz", "Wien"]


def test_rows_of_totals_are_left_out_and_that_is_said(tmp_path: Path) -> None:
    rows, said = Desk(tmp_path, "shipments", SHIPMENTS).ask("What is the total turnover?")
    assert rows == [(150,)]
    assert any("Total" in each and "left out" in each for each in said)


@pytest.mark.long("whole analyses over their data")
def test_how_many_counts_rows_and_adds_no_numbers_up(deliveries: Desk) -> None:
    assert deliveries.ask("How many deliveries are there?")[0] == [(60,)]
    per_depot = deliveries.ask("How many deliveries per depot?")[0]
    assert per_depot == [("north", 30), ("south", 30)]
    assert deliveries.ask("What is the average zip?")[0] == []


@pytest.mark.long("whole analyses over their data")
def test_figures_of_two_columns_are_computed_or_asked_back(deliveries: Desk) -> None:
    rows, _ = deliveries.ask("What is the total of kilos times price per depot?")
    made = {"north": 0.0, "south": 0.0}
    for number in range(1, 61):
        made[("north", "south")[number % 2]] += number % 9 * (2.5 + number % 5)
    assert rows == [(depot, pytest.approx(total)) for depot, total in made.items()]
    assert deliveries.ask("What is the fee percentage?")[0] == []
    assert deliveries.ask("How many deliveries have more than 5 kilos?")[0] == [
        (sum(number % 9 > 5 for number in range(1, 61)),)
    ]


def test_the_highest_in_each_group_is_that_of_each(deliveries: Desk) -> None:
    rows, _ = deliveries.ask("Which year has the highest kilos in each depot?")
    assert [row[0] for row in rows] == ["north", "south"]


@pytest.mark.parametrize("noun", ["orders", "counts", "totals"])
def test_the_plural_of_a_table_is_its_rows_and_no_column_of_its_stem(
    tmp_path: Path, noun: str
) -> None:
    """`ordered` is like `orders`, which is also what to do with rows."""
    alike = f"{noun[:-1]}ed"
    rows = "".join(f"{n},2024-03-0{1 + n % 5},{n}.5\n" for n in range(1, 13))
    desk = Desk(tmp_path, noun, f"number,{alike},weight_kg\n{rows}")
    assert desk.ask(f"How many {noun} are there?")[0] == [(12,)]
    assert desk.ask(f"How many {noun} weigh more than 5 kg?")[0] == [(8,)]


@pytest.fixture
def ferry(tmp_path: Path) -> Desk:
    """Sales of which the dearest is of one port and most of the money of the other."""
    sold = [("Bergen", 3 + n % 17, 5 + n * 37 % 90 / 10) for n in range(1, 80)]
    sold += [("Kiel", 1 + n % 3, 1 + n % 20 / 10) for n in range(1, 40)] + [("Kiel", 40, 40.5)]
    rows = "".join(f"{n},{port},{('car', 'bus')[n % 2]},{many},{price},{n % 7}.5\n"
                   for n, (port, many, price) in enumerate(sold, 1))  # fmt: skip
    head = "sale_id,port,vehicle,quantity,unit_price,weight"
    return Desk(tmp_path, "ferry_sales", f"{head}\n{rows}")


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which port has the highest revenue?", "Bergen"),
        ("Which port has the lowest revenue?", "Kiel"),
        ("Which port has the highest revenue for each vehicle?", "Bergen"),
    ],
)
def test_a_group_is_first_by_all_of_what_adds_up_and_not_by_its_highest_row(
    ferry: Desk, question: str, first: str
) -> None:
    assert first in ferry.ask(question)[0][0]
    assert ferry.request(question)["rank"]["by"][0]["by"] == {"kind": "metric", "metric": "revenue"}


def test_one_row_is_first_by_its_own(ferry: Desk) -> None:
    assert ferry.ask("Which sale id has the highest revenue?")[0] == [(119,)]


def test_what_a_percentage_may_be_of_are_requests(ferry: Desk) -> None:
    options = ferry.propose("What is the average weight percentage?")["clarify"]["options"]
    assert len(options) == 3
    assert all(each["request"]["kind"] == "query" for each in options)


def test_a_figure_of_many_rows_is_not_asked_of_each(receipts: Desk) -> None:
    model = SemanticModels(receipts.catalog).model()
    [dataset] = model.datasets
    numbers = [each.name for each in dataset.fields if each.role == "measure"][:2]
    sums = [
        Aggregate(function="sum", of=FieldRef(dataset=dataset.name, field=name)) for name in numbers
    ]
    ratio = Metric(
        name="zorb rate",
        dataset=dataset.name,
        definition=Arithmetic(operator="/", left=sums[0], right=sums[1]),
        additive="none",
    )
    model = model.model_copy(update={"metrics": (*model.metrics, ratio)})
    analyst = Analyst(meant(receipts.catalog.tables(), model), model)
    assert analyst.propose("What is the zorb rate?")["sql"] is not None
    made = analyst.propose(f"List the zorb rate and {numbers[0]} of all {dataset.plural}")
    assert "rate is a figure of many rows, and no row has it" in made["cannot"]


def test_dates_without_repeats_are_shown_as_the_data_have_them(tmp_path: Path) -> None:
    days = ["30.08.2023", "12.09.2023", "08.12.2023", "30.08.2023", "25.10.2023"]
    with closing(sqlite3.connect(tmp_path / "fairs.db")) as database, database:
        database.execute("CREATE TABLE fairs (fair INTEGER PRIMARY KEY, held TEXT)")
        database.executemany("INSERT INTO fairs (held) VALUES (?)", [(each,) for each in days])
    catalog = Catalog({"fairs": "fairs.db"}, tmp_path)
    model = SemanticModels(catalog).model()
    sql = Analyst(meant(catalog.tables(), model), model).propose("List the different held")["sql"]
    rows = run_query(catalog, sql, max_rows=10, timeout=30).rows
    assert [each[0] for each in rows] == ["30.08.2023", "12.09.2023", "25.10.2023", "08.12.2023"]


def test_a_word_for_rows_that_a_field_is_called_is_the_field(tmp_path: Path) -> None:
    """The file is called as one of its columns: `glim` is the column, and no rows are counted."""
    lines = "".join(f"{area},{n}\n" for n, area in enumerate(["North", "South", "East"] * 4))
    (tmp_path / "glim_2024.csv").write_text("area,glim\n" + lines, encoding="utf-8")
    catalog = Catalog({"glim_2024": "glim_2024.csv"}, tmp_path)
    model = SemanticModels(catalog).model()
    assert "glim" in model.datasets[0].words
    analyst = Analyst(meant(catalog.tables(), model), model)
    made = analyst.propose("how many areas were over glim, on glim and under glim")
    assert made["sql"] is None or made["confidence"] < 0.7
    assert 'SUM("glim")' in analyst.propose("total glim by area")["sql"]


def test_what_adds_up_is_what_the_model_says(tmp_path: Path) -> None:
    """Nobody would guess it of a glim; a cost would be added up, and a person may say otherwise."""
    lines = "".join(f"{area},{n % 7 + 20}.5,{n % 5}\n" for n, area in enumerate("NSEW" * 9))
    (tmp_path / "visits.csv").write_text("area,glim,cost\n" + lines, encoding="utf-8")
    catalog = Catalog({"visits": "visits.csv"}, tmp_path)
    model = SemanticModels(catalog).model()

    def asked(question: str, **additive: str) -> str:
        told = tuple(
            each.model_copy(update={"additive": additive[each.name], "inferred": False})
            if each.name in additive
            else each
            for each in model.metrics
        )
        mended = model.model_copy(update={"metrics": told})
        sql = Analyst(meant(catalog.tables(), mended), mended).propose(question)["sql"]
        assert isinstance(sql, str)
        return sql

    assert 'SUM("glim")' in asked("glim by area", glim="all")
    assert 'AVG("glim")' in asked("glim by area", glim="none")
    assert 'SUM("cost")' in asked("cost by area")
    assert 'AVG("cost")' in asked("cost by area", cost="none")


@pytest.mark.parametrize(
    ("question", "made", "said"),
    [
        ("glim by area", "SUM", ["glim is summed up: say average where that is meant."]),
        ("average glim by area", "AVG", []),
        ("total glim by area", "SUM", []),
        ("amount by area", "SUM", []),
        ("visitors by area", "SUM", ["visitors is summed up: say average where that is meant."]),
        ("price by area", "AVG", []),
        ("rating by area", "AVG", []),
        ("age by area", "AVG", []),
        ("What is the temperature per area?", "AVG", []),
    ],
)
def test_whether_a_figure_is_summed_up_is_known_or_said(
    question: str, made: str, said: list[str], tmp_path: Path
) -> None:
    """Amounts are summed, prices, rates and ages are averaged, and of others it is said."""
    names = ("glim", "amount", "visitors", "price", "rating", "age", "temperature")
    lines = "".join(
        ",".join([area, *(str(n * (k + 3) % 17 + 20.5) for k, _ in enumerate(names))]) + "\n"
        for n, area in enumerate("NSEW" * 9)
    )
    proposal = Desk(tmp_path, "visits", f"area,{','.join(names)}\n{lines}").propose(question)
    assert f"{made}(" in proposal["sql"]
    found = [each["text"] for each in proposal["warnings"] if each["code"] == "assumed"]
    assert found == said


def test_a_metric_alone_is_its_figure_unless_each_row_is_asked_for(tmp_path: Path) -> None:
    lines = "".join(f"{n},2024-{n % 12 + 1:02}-05,{n % 5 + 1},{n % 3 + 10}.5\n" for n in range(40))
    header = "order_id,sold,quantity,unit_price\n"
    (tmp_path / "orders.csv").write_text(header + lines, encoding="utf-8")
    catalog = Catalog({"orders": "orders.csv"}, tmp_path)
    model = SemanticModels(catalog).model()
    analyst = Analyst(meant(catalog.tables(), model), model)
    asked = ("revenue in March 2024", "What was the turnover of all orders in March 2024?")
    for question in asked:
        assert "SUM(" in analyst.propose(question)["sql"], question
    assert "SUM(" not in analyst.propose("List the revenue of each order in March 2024")["sql"]
