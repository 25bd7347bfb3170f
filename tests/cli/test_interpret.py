"""`flows interpret`: questions answered with functions of a person's own, by real processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import flows
from tests.cli.inside import inside

SHOP = '''\
import os
import signal
from pathlib import Path


def get_order(order: str) -> dict[str, str]:
    """The status, the customer and the total of one order, by its number.

    Args:
        order: the number of an order, such as KT-2011
    """
    with open("called.txt", "a") as file:
        file.write("get_order\\n")
    return {"order": order, "status": "sewing", "customer": "Marlow"}


def get_customer(name: str) -> dict[str, str]:
    """The city of a customer, and since when we know them.

    Args:
        name: the name of a customer
    """
    with open("called.txt", "a") as file:
        file.write("get_customer\\n")
    if Path("kill").exists():
        Path("kill").unlink()
        os.kill(os.getpid(), signal.SIGKILL)
    return {"name": name, "city": "Lyon"}
'''
GIVEN = ("--functions", "shop", "--trust", "shop")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


@pytest.mark.long("whole runs of the command")
def test_a_question_is_answered_with_functions_of_ones_own(folder: Path) -> None:
    shown = inside("interpret", "What is the status of order KT-2011?", *GIVEN, cwd=folder)
    assert shown.code == 0, shown.err
    assert "Sources    sewing  /status of call 1, shop/get_order" in shown.out
    assert "get_order(order='KT-2011')" in shown.out
    found = inside("interpret", "What is the status of order KT-2011?", *GIVEN, "--json",
                   "--user", "ada", cwd=folder)  # fmt: skip
    assert found.json()["functions"] == ["shop/get_order"]
    stats = inside("functions", "stats", "--user", "ada", "--json", cwd=folder).json()
    (only,) = stats["functions"]
    assert (only["function"], only["responses"]) == ("shop/get_order", 1)
    assert "shop/get_order" in inside("functions", "stats", cwd=folder).out
    none = inside("interpret", "How warm is it in Lyon?", *GIVEN, "--json", cwd=folder)
    assert (none.code, none.json()["status"]) == (1, "abstained")
    assert none.json()["lacks"]


def test_what_is_written_wrong_is_told(folder: Path) -> None:
    untrusted = inside("interpret", "Status of order KT-2011?", "--functions", "shop", cwd=folder)
    assert untrusted.code == 2
    assert "shop" in untrusted.err
    assert inside("interpret", cwd=folder).code == 2
    (folder / "my.yaml").write_text("_target_: sequential\n")
    other = inside("interpret", "Status of order KT-2011?", "my.yaml", "--json", cwd=folder)
    assert other.code == 2
    several = inside("interpret", "Status", "of", "KT-2011", cwd=folder)
    assert "stand in quotes" in several.err


@pytest.mark.parametrize(
    "said",
    [
        "What is the status of order KT-2011?",
        "question=What is the status of order KT-2011?",
        "inputs.question=What is the status of order KT-2011?",
        "Is 1 = 2, and what is the status of order KT-2011?",
    ],
)
def test_a_run_file_takes_its_question_as_any_other_takes_its_goal(folder: Path, said: str) -> None:
    (folder / "my.yaml").write_text(
        "defaults: [interpreter, _self_]\n"
        "functions: {sources: {shop: {_target_: functions.python, modules: [shop]}}}\n"
    )
    done = inside("run", "my.yaml", said, "max_turns=5", "--trust", "shop", "--json", cwd=folder)
    assert done.code == 0, done.err
    assert "sewing" in done.json()["outputs"]["answer"]


def test_a_text_in_words_is_for_the_one_input_that_takes_it(folder: Path) -> None:
    none = inside("run", "documents", "What is it?", cwd=folder)
    assert none.code == 2
    assert "documents takes no text; give its inputs as NAME=VALUE" in none.err
    twice = inside("run", "interpreter", "What is it?", "And that?", cwd=folder)
    assert twice.code == 2
    assert "one text can be given in words: 'What is it?', or 'And that?'" in twice.err
    (folder / "two.yaml").write_text(
        "_target_: sequential\ninput_interface: {first: str, second: str, many: int}\n"
        "output_interface: [first]\n"
    )
    several = inside("run", "two.yaml", "What is it?", cwd=folder)
    assert several.code == 2
    assert 'two.yaml takes several texts; say which, as first="..."' in several.err


@pytest.mark.long("whole runs of the command")
def test_a_killed_run_goes_on_with_the_same_calls(folder: Path) -> None:
    (folder / "kill").touch()
    asked = "Which city does the customer of order KT-2011 live in?"
    killed = flows("interpret", asked, *GIVEN, "--json", cwd=folder)
    assert killed.code == -9
    called = folder / "called.txt"
    assert called.read_text().split() == ["get_order", "get_customer"]

    # A call that has begun is not made again by itself: it may have changed something.
    waits = flows("resume", "last", "--trust", "shop", "--json", cwd=folder)
    assert waits.code == 75, waits.err
    assert called.read_text().split() == ["get_order", "get_customer"]
    done = flows("resume", "last", "--answer", "again", "--trust", "shop", "--json", cwd=folder)
    outputs = done.json()["outputs"]
    assert "Lyon" in outputs["answer"], done.err
    assert called.read_text().split() == ["get_order", "get_customer", "get_customer"]
    again = flows("replay", "last", "--json", cwd=folder)
    assert json.loads(again.out)["outputs"]["answer"] == outputs["answer"]
