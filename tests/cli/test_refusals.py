"""A refusal says what is true: what was understood, what was not, and what can be asked instead."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.cli.inside import inside


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Staff by themselves, and orders of customers."""
    folder, dice = tmp_path_factory.mktemp("refusals"), random.Random(3)
    teams = ("Sales", "Research", "Support", "Finance")
    staff = ["employee_id,department,salary,experience,hired_on"]
    for n in range(1, 121):
        years = dice.randint(0, 30)
        pay = round(30_000 + years * 1_200 + dice.gauss(0, 4_000))
        day = f"20{dice.randint(10, 24)}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"
        staff.append(f"{n},{dice.choice(teams)},{pay},{years},{day}")
    orders = ["order_id,customer_id,ordered_on,product,quantity,price"]
    for n in range(1, 151):
        day = f"202{dice.randint(2, 4)}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"
        what = dice.choice(("Lamp", "Chair", "Desk", "Sofa"))
        row = (n, dice.randint(1, 40), day, what, dice.randint(1, 9), dice.randint(10, 400))
        orders.append(",".join(map(str, row)))
    customers = ["customer_id,name,city"]
    customers += [f"{n},Firm {n},{dice.choice(('Oslo', 'Rome', 'Paris'))}" for n in range(1, 41)]
    for name, lines in (("staff", staff), ("orders", orders), ("customers", customers)):
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return folder


def asked(folder: Path, question: str, *tables: str) -> dict[str, Any]:
    data = [f"--data={name}.csv" for name in tables or ("staff", "orders", "customers")]
    found: dict[str, Any] = inside("ask", question, *data, "--json", cwd=folder).json()
    return found


@pytest.mark.parametrize(
    ("question", "said", "never"),
    [
        ("Sum of city", "it takes the sum of city, which holds texts", "DuckDB"),
        ("Average price on 31 February 2023", "2023-02-31 is no day of the calendar", "DuckDB"),
        ("Correlation between product and city", "city of customers", "not understood: 'city'"),
        ("What is the standard deviation of product?", "product of orders", "not understood"),
        ("Salary growth month over month of the Marketing department", "Marketing", "line "),
        ("How many orders per department", "Nothing ties 'orders'", "answered"),
        ("How many employees are left-handed?", "'handed'", "of 1)"),
        ("Is the salary of Sales higher than that of Marketing?", "'Marketing'", "1000000"),
        ("Who is the CEO?", "What there is: ", "What I can answer"),
        ("asdf qwer zxcv", "department, salary", "What I can answer"),
    ],
)
def test_the_reason_is_the_true_one(folder: Path, question: str, said: str, never: str) -> None:
    found = asked(folder, question)
    assert found["status"] == "abstained"
    assert said.casefold() in found["answer"].casefold()
    assert never not in found["answer"]


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize(
    "question",
    [
        "Salary by department in 1875",
        "Orders with quantity above 1000000",
        "Orders between 2024-05-01 and 2024-01-01",
        "What is the average price of orders with quantity above 1000000?",
    ],
)
def test_an_empty_result_is_never_answered(folder: Path, question: str) -> None:
    found = asked(folder, question)
    assert found["status"] in ("partly", "abstained"), found["answer"]
    if found["status"] == "partly":
        assert "empty" in [each["code"] for each in found["warnings"]]


def test_nothing_found_is_said_on_the_screen(folder: Path) -> None:
    ended = inside("ask", "Orders with quantity above 1000000", "--data=orders.csv", cwd=folder)
    assert (ended.code, "── Nothing found ──" in ended.out) == (0, True)


@pytest.mark.long("whole runs of the command")
def test_what_is_offered_is_answered(folder: Path) -> None:
    text = asked(folder, "What is the weather in Oslo?")["answer"]
    offered = text.partition("What I can answer: ")[2].split('"')[1::2]
    assert offered
    for each in offered:
        assert asked(folder, each)["status"] == "answered"


@pytest.mark.long("whole runs of the command")
def test_a_study_that_leaves_words_out_is_answered_in_part(folder: Path) -> None:
    whole = asked(folder, "Analyze salary vs experience across departments", "staff")
    assert (whole["status"], len(whole["rows"])) == ("answered", 4)
    part = asked(folder, "Analyze salary vs experience across departments by shoe size", "staff")
    assert (part["status"], part["rows"]) == ("partly", whole["rows"])
    assert part["confidence"] <= 0.65 < whole["confidence"]
    assert "'shoe', 'size'" in next(e["text"] for e in part["warnings"])


@pytest.mark.long("whole runs of the command")
def test_values_that_are_set_against_each_other_are_compared(folder: Path) -> None:
    found = asked(folder, "Analyze Sales vs Research salary", "staff")
    assert "p_value" in found["columns"], found["columns"]


@pytest.mark.long("whole runs of the command")
def test_a_traced_number_is_no_sure_one(folder: Path) -> None:
    """That a number stands in a cell and that the question was understood are told apart."""
    question = "Analyze salary vs experience across departments by shoe size"
    found = asked(folder, question, "staff")
    assert found["traced"]["traced"] == found["traced"]["numbers"] > 0
    assert found["confidence"] <= 0.65
    screen = inside("ask", question, "--data=staff.csv", cwd=folder).out
    assert "Sure       65%, of how the question is read" in screen
    assert "traced to their source, by a reading that is 65% sure" in screen
