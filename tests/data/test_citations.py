"""Citations: every number of an answer points to where it comes from, or is flagged."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.core.observation import Preview
from flows.data.answers import cell_index, verifier
from flows.data.answers.citations import Citation, NamedResult, Traced
from flows.data.answers.verifier import cite
from flows.data.catalog import Catalog
from flows.data.query import run_query

AVERAGES = NamedResult(
    name="averages",
    columns=("region", "average", "people", "share"),
    rows=(
        ("North", 76.4163, 1318683096, 0.7642),
        ("South", 54.8061, 929539692, 0.1203),
        ("Far East", 70.7284, 3811953827, -0.0325),
    ),
    sql="SELECT region, AVG(x) FROM t WHERE year = 1997 AND size > 250 GROUP BY region LIMIT 40",
    total_rows=3,
)
COUNT = NamedResult("count", ("n",), ((142,),), "SELECT COUNT(*) AS n FROM t", 1)
DAYS = NamedResult(
    name="days",
    columns=("day", "amount", "label"),
    rows=(("2019-12-30", 20, "Class 9"), ("2018-01-01 00:00:00", 4, "Class 8")),
    sql="SELECT day, amount, label FROM d",
    total_rows=2,
)
CUT = NamedResult("cut", ("n",), tuple((1000 + n,) for n in range(50)), "SELECT n FROM c", None)


def only(answer: str, *results: NamedResult, question: str = "What?") -> Citation:
    (citation,) = cite(answer, results, question)
    assert answer[citation.start : citation.end] == citation.text
    return citation


@pytest.mark.parametrize(
    ("answer", "row", "column"),
    [
        ("It is 76.4163 in the North.", 0, "average"),
        ("It is 76.4 in the North.", 0, "average"),
        ("It is 76 in the North.", 0, "average"),
        ("The North has 1,318,683,096 people.", 0, "people"),
        ("The North has 1.32 billion people.", 0, "people"),
        ("The North has about 1,300,000,000 people.", 0, "people"),
        ("The North has 1,319 million people.", 0, "people"),
        ("The share of the North is 76.42%.", 0, "share"),
        ("The share of the North is 76.4 percent.", 0, "share"),
        ("The share of the South is 0.12.", 1, "share"),
        ("It changed by -3.25% in the Far East.", 2, "share"),
        ("It fell by 3.25% in the Far East.", 2, "share"),
        ("It is 70,73 in the Far East.", 2, "average"),
        ("| Far East | 70.73 |", 2, "average"),
        ("It is 54.81.", 1, "average"),
    ],
)
def test_a_number_points_to_its_cell(answer: str, row: int, column: str) -> None:
    found = only(answer, AVERAGES)
    assert (found.origin, found.result, found.row, found.column) == (
        "cell",
        "averages",
        row,
        column,
    )
    assert found.value == AVERAGES.rows[row][AVERAGES.columns.index(column)]
    assert found.sql == AVERAGES.sql


@pytest.mark.parametrize(
    "answer",
    [
        "It is 76.5 in the North.",
        "It is 76.41 in the North.",
        "The North has 1.33 billion people.",
        "The North has 1,300,000,000 people.",
        "The share is 77%.",
        "It rose by 21.6 from one to the other.",
        "It is -76.4 in the North.",
        "On 2019-12-31.",
    ],
)
def test_a_number_that_is_nowhere_is_flagged(answer: str) -> None:
    found = only(answer, AVERAGES, DAYS)
    assert (found.origin, found.result, found.value, found.sql) == ("none", None, None, None)


def test_a_number_of_the_question_of_the_query_and_of_rows() -> None:
    asked = only("Among the top 5.", AVERAGES, question="Which are the top five?")
    assert (asked.origin, asked.value, asked.result) == ("question", 5, None)
    literal = only("Only sizes over 250 count.", AVERAGES)
    assert (literal.origin, literal.value, literal.result) == ("query", 250, "averages")
    counted = only("There are 3 regions.", AVERAGES)
    assert (counted.origin, counted.value, counted.result) == ("rows", 3, "averages")


def test_rows_of_a_cut_result_are_not_a_count() -> None:
    assert only("There are 50 of them.", CUT).origin == "none"


def test_the_row_that_the_sentence_names_is_preferred() -> None:
    table = NamedResult("t", ("city", "n"), (("Rome", 7.5), ("Oslo", 7.5), ("Bern", 7.5)), "q", 3)
    answer = "Oslo has 7.5. In Bern it is 7.5 too, and Rome comes last with 7.5."
    assert [each.row for each in cite(answer, [table], "?")] == [1, 2, 0]
    assert [each.row for each in cite("Rome 7.5, Oslo 7.5 and Bern 7.5", [table], "?")] == [0, 1, 2]


def test_the_latest_of_equal_results_is_preferred() -> None:
    first = NamedResult("first", ("n",), ((142,),), "q1", 1)
    assert only("There are 142.", first, COUNT).result == "count"
    assert only("There are 142.", COUNT, first).result == "first"


def test_a_number_inside_a_name_points_to_the_name() -> None:
    found = only("Class 9 was best.", DAYS)
    assert (found.origin, found.row, found.column, found.value) == ("cell", 0, "label", "Class 9")


def test_dates_and_their_years_point_to_the_date() -> None:
    found = only("The last day is 2019-12-30.", DAYS)
    assert (found.origin, found.row, found.column) == ("cell", 0, "day")
    found = only("It began in 2018.", DAYS)
    assert (found.origin, found.row, found.value) == ("cell", 1, "2018-01-01 00:00:00")


def test_an_answer_without_numbers_has_no_citations() -> None:
    assert cite("Nothing to count. See Q3 and `LIMIT 5`.", [AVERAGES], "?") == ()
    assert only("There are 12.").origin == "none"


def test_a_preview_can_be_cited() -> None:
    preview = Preview(
        columns=("n",), types=("integer",), rows=((142,),), total_rows=142, sql="SELECT n FROM t"
    )
    found = only("It is 142.", NamedResult.of_preview("p", preview))
    assert (found.origin, found.value, found.sql) == ("cell", 142, "SELECT n FROM t")


@pytest.mark.parametrize(
    ("answer", "row", "column"),
    [
        ("The South has \u20ac929.5M.", 1, "people"),
        ("The South has 929.5m people.", 1, "people"),
        ("The South has 0.93bn people.", 1, "people"),
        ("The South has 929,539.7k people.", 1, "people"),
        ("Over there it is 54.81 km.", 1, "average"),
        ("Over there it is 54.81km, no more.", 1, "average"),
        ("The Far East changed by \u22123.25 %.", 2, "share"),
        ("In the North and South: 76-77 or so", 0, "average"),
    ],
)
def test_units_ranges_and_signs(answer: str, row: int, column: str) -> None:
    found = cite(answer, [AVERAGES], "?")[0]
    assert (found.origin, found.row, found.column) == ("cell", row, column)
    assert found.traced


@pytest.mark.parametrize(
    "answer",
    ["On 30 December 2019.", "On December 30th, 2019.", "On Dec 30, 2019.", "In December 2019.",
     "On 30.12.2019.", "On 12/30/2019."],
)  # fmt: skip
def test_a_date_in_words_is_one_number_and_points_to_its_cell(answer: str) -> None:
    found = only(answer, DAYS)
    assert (found.origin, found.row, found.column) == ("cell", 0, "day")
    assert found.text in answer


def test_another_date_in_words_is_flagged() -> None:
    assert only("On 29 December 2019.", DAYS).origin == "none"


def test_numbers_in_words_are_found_and_small_ones_are_not_flagged() -> None:
    table = NamedResult("t", ("n",), ((25,), (2_000_000,)), "q", 2)
    found = cite("Twenty-five of two million, in ninety years; the two of them.", [table], "?")
    assert [(each.text, each.origin) for each in found] == [
        ("Twenty-five", "cell"),
        ("two million", "cell"),
        ("ninety", "none"),
        ("two", "rows"),
    ]
    assert cite("One of the three is here.", [table], "?") == ()


def test_how_many_are_traced() -> None:
    found = cite("It is 76.4 in the North and 99 in the South.", [AVERAGES], "?")
    assert [each.traced for each in found] == [True, False]
    assert Traced.of(found) == Traced(numbers=2, traced=1, share=0.5)
    assert Traced.of(()).share is None


def test_what_is_known_is_not_looked_for() -> None:
    known = Citation(text="99", start=6, end=8, origin="cell", result="x", row=0, column="c")
    found = cite("It is 99 or 76.4.", [AVERAGES], "?", [known])
    assert [each.result for each in found] == ["x", "averages"]


@pytest.mark.long("a text with as many numbers as are looked at")
def test_no_more_than_so_many_numbers_and_cells_are_looked_at() -> None:
    rows = tuple((f"a{n}", float(n)) for n in range(cell_index.CELLS_READ))
    table = NamedResult("t", ("name", "value"), rows, "q", None)
    assert only("It is 12.", table).origin == "cell"
    assert only(f"It is {cell_index.CELLS_READ - 1}.", table).origin == "none"
    answer = "76.4 " * (verifier.NUMBERS_READ + 5)
    found = cite(answer, [AVERAGES], "?")
    assert [each.traced for each in found] == [True] * verifier.NUMBERS_READ + [False] * 5


@pytest.mark.parametrize(
    "answer",
    ["9" * 20_000, "1e99999", "1" + ",000" * 5000, "-" * 20_000 + "5", "`" * 20_001 + "5",
     "_" * 20_000 + "5", ". " * 10_000 + "5"],
    ids=["digits", "power", "thousands", "dashes", "ticks", "underscores", "sentences"],
)  # fmt: skip
def test_hostile_texts_are_read(answer: str) -> None:
    assert all(each.origin in ("none", "rows") for each in cite(answer, [AVERAGES], "?"))


@pytest.mark.long("data of some size, read and asked in workers")
def test_an_answer_from_a_real_query(catalog: Catalog, shop: Path) -> None:
    table = run_query(
        catalog,
        "SELECT region, avg(amount) AS mean FROM orders WHERE order_id < 5 GROUP BY region "
        "ORDER BY region",
        max_rows=10,
        timeout=10,
    )
    answer = "Of the first 4 orders, those of the North were worth 20.3 on average, 20 % more."
    first, mean, more = cite(answer, [NamedResult.of_table("r1", table)], "The first 4 orders?")
    assert (first.origin, first.value) == ("question", 4)
    assert (mean.origin, mean.column, mean.value) == ("cell", "mean", 20.25)
    assert (more.origin, more.text) == ("none", "20 %")
