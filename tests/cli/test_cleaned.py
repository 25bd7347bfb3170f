"""What was cleaned of the columns that an answer rests on is said beside it, and nothing else."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.inside import inside

LODGINGS = """\
stay;arrival;hut;price;share;guests;paid;weight
1;03.01.2024;Upper;1.200,50 €;5%;3;yes;12 kg
2;04.01.2024;upper;800,00 €;10%;n/a;Yes;3 kg
3;15.01.2024;Lower;n/a;0%;5;no;n/a
4;20.01.2024;LOWER;99,90 €;2,5%;2;NO;7,5 kg
4;20.01.2024;LOWER;99,90 €;2,5%;2;NO;7,5 kg
5;21.02.2024;Mill;10,00 €;5%;7;y;1 kg
6;22.02.2024;Mill;20,00 €;unknown;1;n;2 kg
Total;;;2.230,30 €;;20;;
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lodgings.csv").write_text(LODGINGS, encoding="utf-8")
    return tmp_path


def said(question: str, folder: Path, file: str = "lodgings.csv") -> dict[str, list[str]]:
    """The warnings of the answer, by what they are about."""
    ended = inside("ask", question, "--data", file, "--json", cwd=folder)
    assert ended.code == 0, ended.err
    told: dict[str, list[str]] = {}
    for each in ended.json()["warnings"]:
        told.setdefault(each["code"], []).append(each["text"])
    return told


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize(
    ("question", "cleaned"),
    [
        (
            "total price by hut",
            [
                "price: 'n/a' counts as missing; texts are read as numbers in EUR "
                "(1.234,5 is 1234.5).",
                "hut: 'Lower' counts as 'LOWER'; 'upper' counts as 'Upper'.",
            ],
        ),
        (
            "average share",
            ["share: 'unknown' counts as missing; texts are read as percentages (2,5 is 2.5)."],
        ),
        ("average guests", ["guests: 'n/a' counts as missing."]),
        (
            "sum of weight by month",
            [
                "weight: 'n/a' counts as missing; texts are read as numbers in kg (2,5 is 2.5).",
                "arrival: texts are read as dates (day.month.year).",
            ],
        ),
        (
            "how many rows are paid",
            ["paid: 'NO' and 'n' count as 'no'; 'Yes' and 'y' count as 'yes'."],
        ),
        ("how many rows are there", None),
    ],
)
def test_the_cleaning_of_the_columns_of_an_answer_is_said(
    question: str, cleaned: list[str] | None, folder: Path
) -> None:
    assert said(question, folder).get("cleaned") == cleaned


@pytest.mark.long("whole runs of the command")
def test_copies_and_totals_are_said(folder: Path) -> None:
    told = said("total price", folder)
    assert told["copies"] == [
        "In lodgings 1 row is an exact copy of another and is counted as well."
    ]
    assert told["totals"] == ["Rows of lodgings whose stay is 'Total' are sums, and left out."]
    assert "copies" not in said("maximum price", folder)


def test_equal_rows_that_nothing_names_are_no_copies(tmp_path: Path) -> None:
    (tmp_path / "tips.csv").write_text("table,tip\n" + "inner,2.5\nouter,3.1\nouter,4\n" * 4)
    assert "copies" not in said("total tip", tmp_path, "tips.csv")


@pytest.mark.long("whole runs of the command")
def test_the_screen_says_it_in_one_place(folder: Path) -> None:
    ended = inside("ask", "total price by hut", "--data", "lodgings.csv", cwd=folder)
    assert ended.out.count("Cleaned  ") == 1
    words = " ".join(ended.out.split())
    assert "Cleaned price: 'n/a' counts as missing; texts are read as numbers in EUR" in words
    assert words.count("counts as 'LOWER'") == 1


@pytest.mark.long("whole runs of the command")
def test_the_columns_of_a_database_are_said_as_well(tmp_path: Path) -> None:
    rows = [(n, f"${n},{100 + n}.50", f"{1 + n % 12:02}/{12 + n % 15:02}/2024",
             -99 if n % 9 == 0 else n % 7) for n in range(1, 40)]  # fmt: skip
    with closing(sqlite3.connect(tmp_path / "moor.sqlite")) as database, database:
        database.execute(
            "CREATE TABLE berths (id INTEGER PRIMARY KEY, fee TEXT, day TEXT, crew INTEGER)"
        )
        database.executemany("INSERT INTO berths VALUES (?, ?, ?, ?)", rows)
    assert said("total fee by month", tmp_path, "moor.sqlite")["cleaned"] == [
        "fee: texts are read as numbers in USD.", "day: texts are read as dates (month/day/year)."
    ]  # fmt: skip
    assert said("average crew", tmp_path, "moor.sqlite")["cleaned"] == [
        "crew: -99 counts as missing."
    ]


@pytest.mark.long("whole runs of the command")
def test_a_row_that_is_shown_as_it_stands_is_not_said_to_be_cleaned(folder: Path) -> None:
    assert "cleaned" not in said("Show the price and hut of stay 6", folder)


@pytest.mark.long("whole runs of the command")
def test_a_conversation_says_it_too(folder: Path) -> None:
    ended = inside("chat", "lodgings.csv", "--json", cwd=folder, stdin="total price by hut\n")
    warnings = json.loads(ended.out.splitlines()[0])["warnings"]
    assert [each["text"][:6] for each in warnings if each["code"] == "cleaned"] == [
        "price:", "hut: '"
    ]  # fmt: skip
