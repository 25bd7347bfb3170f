"""What was chosen where a question was asked back: seen, taken back, asked back again."""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pexpect
import pytest

from flows.semantics.query import Query
from flows.semantics.readings import Readings
from tests.cli.command import environment
from tests.cli.inside import inside

ASKED = "What is the average price?"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "prices.db") as database:
        for table, prices in (("meals", (50, 69)), ("rooms", (80, 120, 100))):
            database.execute(f"CREATE TABLE {table} (name TEXT, price REAL)")
            rows = [(f"{table} {n}", price) for n, price in enumerate(prices)]
            database.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)
    database.close()
    return tmp_path


def talk(folder: Path, command: str, *arguments: str) -> pexpect.spawn[str]:
    return pexpect.spawn(
        sys.executable, ["-m", "flows", command, *arguments], cwd=str(folder),
        env=environment(TERM="xterm"), encoding="utf-8", timeout=60, dimensions=(50, 120),
    )  # fmt: skip


@pytest.mark.long("whole runs of the command")
def test_a_choice_at_the_terminal_is_listed_and_taken_back(folder: Path) -> None:
    child = talk(folder, "ask", ASKED, "--data", "prices.db")
    try:
        child.expect("Which of these do you mean")
        child.expect(r"2 +average price of rooms|1 +average price of rooms")
        number = str(child.after).split()[0]
        child.expect("A number, or the question in other words")
        child.send(f"{number}\r")
        child.expect("The average price is 100")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    listed = inside("choices", cwd=folder)
    assert (listed.code, ASKED in listed.out) == (0, True)
    assert "means: average price of rooms" in listed.out
    [known] = inside("choices", "--json", cwd=folder).json()["choices"]
    assert (known["question"], known["request"]["dataset"]) == (ASKED, "rooms")
    taken = inside("choices", "--forget", "1", cwd=folder)
    assert (taken.code, f"Taken back: {ASKED}" in taken.out) == (0, True)
    assert "Nothing is remembered" in inside("choices", cwd=folder).out
    again = inside("ask", ASKED, "--data", "prices.db", "--json", cwd=folder)
    assert (again.code, again.json()["status"]) == (75, "clarify")


@pytest.mark.long("whole runs of the command")
def test_each_option_is_answered_exactly_as_it_was_offered(folder: Path) -> None:
    waiting = inside("ask", ASKED, "--data", "prices.db", "--json", cwd=folder).json()
    options = waiting["clarification"]["options"]
    assert 2 <= len(options) <= 4
    answers = {"meals": 59.5, "rooms": 100.0}
    for number, option in enumerate(options, 1):
        inside("choices", "--forget-all", cwd=folder)
        back = inside("ask", ASKED, "--data", "prices.db", "--json", cwd=folder).json()
        ended = inside("resume", back["run_id"], "--answer", str(number), "--json", cwd=folder)
        outputs = ended.json()["outputs"]
        assert outputs["request"] == option["request"]
        assert outputs["table"]["rows"] == [[answers[option["request"]["dataset"]]]]


def test_readings_that_agree_are_not_asked_back(folder: Path) -> None:
    with sqlite3.connect(folder / "prices.db") as database:
        database.execute("DELETE FROM rooms")
        database.execute("INSERT INTO rooms SELECT * FROM meals")
    database.close()
    ended = inside("ask", ASKED, "--data", "prices.db", "--json", cwd=folder).json()
    assert (ended["status"], ended["rows"]) == ("answered", [[59.5]])


@pytest.mark.long("whole runs of the command")
def test_a_choice_in_a_conversation_is_remembered_and_taken_back(folder: Path) -> None:
    (folder / ".flows").mkdir()
    (folder / ".flows" / "glossary.csv").write_text("keyword,keyword_in_the_data,entity\n")
    child = talk(folder, "chat", "prices.db")
    try:
        child.expect(">")
        child.sendline(ASKED)
        child.expect("average price of meals")
        child.expect(">")
        child.sendline("1")
        child.expect("average price is")
        child.sendline("q")
        child.expect(pexpect.EOF)
    finally:
        child.close(force=True)
    assert ASKED in inside("choices", cwd=folder).out
    taken = inside("choices", "--forget", ASKED.lower(), "--json", cwd=folder).json()
    assert taken == {"choices": [], "forgotten": [ASKED]}


def test_what_is_not_there_cannot_be_taken_back(folder: Path) -> None:
    ended = inside("choices", "--forget", "3", cwd=folder)
    assert (ended.code, "there is no choice '3'" in ended.err) == (2, True)


def test_the_other_choices_stay_as_a_person_wrote_them(tmp_path: Path) -> None:
    path = tmp_path / "words.readings.yaml"
    own = "---\n# mine\nquestion: Which meals?\nrequest: {kind: query, dataset: meals}\n"
    path.write_text(own)
    readings = Readings(path)
    assert readings.learn("Which?", Query(dataset="shops"), "the shops")
    assert readings.forget("which")
    assert path.read_text() == own
    assert not readings.forget("which")
    assert [each.question for each in readings.choices()] == ["Which meals?"]
