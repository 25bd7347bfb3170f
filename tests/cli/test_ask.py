"""`flows ask`: one question over data."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pexpect
import pytest

from flows.library.ask.answer import EXPLAINED, KEYS
from tests.cli.command import environment, flows
from tests.cli.farm import AVERAGE, farm, two_prices
from tests.cli.inside import inside


@pytest.mark.long("whole runs of the command")
def test_an_answer_with_all_that_it_rests_on(tmp_path: Path) -> None:
    farm(tmp_path)
    ended = inside("ask", AVERAGE, "--data", "farm.db", cwd=tmp_path)
    assert ended.code == 0, ended.err
    for expected in ("── Answer ──", "Jersey", "16.5", 'AVG("milk")', "Sure", "runs/"):
        assert expected in ended.out
    assert "3 of 3 numbers traced to their source, by a reading that is " in ended.out


def test_a_refusal_does_not_say_how_sure_it_is(tmp_path: Path) -> None:
    farm(tmp_path)
    ended = inside("ask", "What is the meaning of life?", "--data", "farm.db", cwd=tmp_path)
    assert ended.code == 1, ended.err
    assert "── I cannot answer this ──" in ended.out
    assert "Sure" not in ended.out
    assert "%" not in ended.out


@pytest.mark.long("whole runs of the command")
def test_json_has_all_keys_and_explains_the_words(tmp_path: Path) -> None:
    farm(tmp_path)
    ended = inside("ask", AVERAGE, "--data", "herd=farm.db", "--json", "--explain", cwd=tmp_path)
    found = ended.json()
    assert set(found) == {*KEYS, "explanation", "words", "request"}
    assert found["status"] == "answered"
    assert sorted(found["rows"]) == [["Angler", 15.5], ["Jersey", 16.5], ["Simmental", 14.5]]
    milk = next(each for each in found["words"] if each["text"] == "milk")
    assert AVERAGE[milk["start"] : milk["end"]] == "milk"
    [average] = found["request"]["metrics"]
    assert (average["function"], average["of"]["field"]) == ("average", "milk")
    assert [AVERAGE[start:end] for start, end in average["of"]["spans"]] == ["milk"]
    shown = inside("show", found["run_id"], cwd=tmp_path)
    assert shown.code == 0
    assert AVERAGE in shown.out


@pytest.mark.long("whole runs of the command")
def test_the_request_is_shown_with_the_words_of_its_parts(tmp_path: Path) -> None:
    farm(tmp_path)
    ended = inside("ask", AVERAGE, "--data", "farm.db", "--explain", cwd=tmp_path)
    told = ended.out[ended.out.index("Request") :]
    for line in ("kind: query", "function: average", "words: milk", "field: milk"):
        assert line in told


FIRST_OF_EACH = """kind,thing,worth
red,cup,3
red,jug,9
red,pot,5
blue,cup,8
blue,jug,2
blue,pot,7
"""


def test_what_only_the_exact_language_says_is_answered(tmp_path: Path) -> None:
    (tmp_path / "wares.csv").write_text(FIRST_OF_EACH)
    question = "for each kind the top 2 thing by total worth"
    ended = inside("ask", question, "--data", "wares.csv", "--json", cwd=tmp_path)
    assert ended.json()["rows"] == [
        ["blue", "cup", 8], ["blue", "pot", 7], ["red", "jug", 9], ["red", "pot", 5],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "there is no question"),
        (("  ", "--data", "farm.db"), "there is no question"),
        (("How many cows?",), "there is no data to ask"),
        (("How many cows?", "--data", "barn.db"), "did you mean farm.db"),
        (("How many cows?", "--data", "notes.db"), "not a SQLite or DuckDB database"),
        (("How many cows?", "--data", "farm.db", "--model", "ofline"), "did you mean: offline"),
        (("How many cows?", "--data", "farm.db", "--chart", "c.svg"), "ends in .html"),
        (("How many cows?", "--data", "farm.db", "--batch", "b.jsonl"), "with --batch"),
        (("How many cows?", "--data", "farm.db", "answer_abov=1"), "did you mean: answer_above"),
    ],
)
def test_wrong_usage_is_told(tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    farm(tmp_path)
    (tmp_path / "notes.db").write_text("no database")
    ended = flows("ask", *arguments, cwd=tmp_path)
    assert ended.code == 2
    assert told in ended.err
    assert ended.out == ""


def test_a_fault_is_a_json_object_too(tmp_path: Path) -> None:
    ended = flows("ask", "How many?", "--data", "none.db", "--json", cwd=tmp_path)
    assert ended.code == 2
    assert set(ended.json()) == set(KEYS)
    assert "there is no file" in ended.json()["reason"]


def test_usage_that_no_command_takes_is_an_object_too(tmp_path: Path) -> None:
    ended = inside("ask", "-5 cows?", "--data", "none.db", "--json", "--explain", cwd=tmp_path)
    assert ended.code == 2
    assert set(ended.json()) == {*KEYS, *EXPLAINED}
    assert "no such option" in ended.json()["reason"]


def test_faults_name_what_was_typed_and_no_override_made_of_it(tmp_path: Path) -> None:
    farm(tmp_path)
    ended = inside("ask", "How many?", "--data", "gone.db", cwd=tmp_path)
    assert ended.err.startswith("error: --data gone.db: source 'gone': there is no file")
    command = ("ask", "How many?", "--data", "farm.db", "answer_above=7")
    told = "error: command line, override 1 (answer_above=7): "
    assert inside(*command, cwd=tmp_path).err.startswith(told)


def test_a_chart_that_cannot_be_written_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    farm(tmp_path)
    (tmp_path / "taken.html").mkdir()
    ended = inside(
        "ask", AVERAGE, "--data", "farm.db", "--chart", "taken.html", "--json", cwd=tmp_path
    )
    assert ended.code == 2
    assert ended.json()["reason"] == "taken.html cannot be written: it is a folder"
    assert not (tmp_path / "runs").exists()


@pytest.mark.long("whole runs of the command")
def test_of_a_very_long_question_little_is_said_again(tmp_path: Path) -> None:
    farm(tmp_path)
    many = " ".join(f"zork{n}" for n in range(60))
    for question, told in (("zork " * 10_000, "10000 words"), (many, "zork")):
        found = inside("ask", question, "--data", "farm.db", "--json", cwd=tmp_path).json()
        assert found["status"] == "abstained"
        assert told in found["answer"]
        assert len(found["answer"]) < 1500


def test_what_cannot_be_answered_is_said(tmp_path: Path) -> None:
    farm(tmp_path)
    ended = inside("ask", "Why is the sky blue?", "--data", "farm.db", "--json", cwd=tmp_path)
    assert ended.code == 1
    found = ended.json()
    assert (found["status"], found["rows"]) == ("abstained", [])
    assert "sky" in found["answer"]


@pytest.mark.long("whole runs of the command")
def test_a_question_back_waits_for_its_answer_and_is_remembered(tmp_path: Path) -> None:
    two_prices(tmp_path)
    question = ("ask", "What is the average price?", "--data", "prices.db", "--json")
    waiting = inside(*question, cwd=tmp_path)
    assert waiting.code == 75
    found = waiting.json()
    assert found["status"] == "clarify"
    options = [each["label"] for each in found["clarification"]["options"]]
    number = 1 + next(n for n, label in enumerate(options) if "meals" in label)
    resumed = inside("resume", found["run_id"], "--answer", str(number), "--json", cwd=tmp_path)
    assert resumed.json()["outputs"]["answer"] == "The average price is 59.5."
    again = inside(*question, cwd=tmp_path)
    assert again.code == 0
    assert again.json()["rows"] == [[59.5]]
    [said] = again.json()["warnings"]
    assert (said["code"], "average price of meals" in said["text"]) == ("glossary", True)


@pytest.mark.long("whole runs of the command")
def test_a_choice_between_tables_is_not_taken_over_to_data_without_them(tmp_path: Path) -> None:
    two_prices(tmp_path)
    question = "What is the average price?"
    waiting = inside("ask", question, "--data", "prices.db", "--json", cwd=tmp_path).json()
    labels = [each["label"] for each in waiting["clarification"]["options"]]
    number = 1 + next(n for n, label in enumerate(labels) if "meals" in label)
    assert inside("resume", waiting["run_id"], "--answer", str(number), cwd=tmp_path).code == 0
    (tmp_path / "shop.csv").write_text("item,price\nhat,2\ncap,4\ntie,9\n")
    other = inside("ask", question, "--data", "shop.csv", "--json", cwd=tmp_path).json()
    assert (other["rows"], other["warnings"]) == ([[5.0]], [])


@pytest.mark.long("whole runs of the command")
def test_a_person_at_the_terminal_chooses(tmp_path: Path) -> None:
    two_prices(tmp_path)
    child = pexpect.spawn(
        sys.executable,
        ["-m", "flows", "ask", "What is the average price?", "--data", "prices.db"],
        cwd=str(tmp_path),
        env=environment(TERM="xterm"),
        encoding="utf-8",
        timeout=60,
        dimensions=(50, 100),
    )
    try:
        child.expect("Which of these do you mean")
        child.expect("A number, or the question in other words")
        child.send("1\r")
        child.expect("The average price is")
        child.expect(pexpect.EOF)
        child.wait()
        assert child.exitstatus == 0
    finally:
        child.close(force=True)


@pytest.mark.long("whole runs of the command")
def test_charts_in_each_form_hold_the_same_cells(tmp_path: Path) -> None:
    farm(tmp_path)
    question = ("ask", AVERAGE, "--data", "farm.db", "--json", "--chart")
    found = inside(*question, "c.json", cwd=tmp_path).json()
    figure = json.loads((tmp_path / "c.json").read_text())
    assert figure == found["chart"]["figure"]
    [trace] = figure["data"]
    assert dict(zip(trace["x"], trace["y"], strict=True)) == {
        "Angler": 15.5, "Jersey": 16.5, "Simmental": 14.5,
    }  # fmt: skip
    assert inside(*question, "c.html", cwd=tmp_path).code == 0
    assert "Plotly.newPlot" in (tmp_path / "c.html").read_text()
    assert inside(*question, "c.png", cwd=tmp_path).code == 0
    assert (tmp_path / "c.png").read_bytes().startswith(b"\x89PNG")


def test_a_result_that_no_chart_fits_says_so(tmp_path: Path) -> None:
    farm(tmp_path)
    asked = ("ask", "How many cows are there?", "--data", "farm.db", "--json", "--chart", "c.png")
    found = inside(*asked, cwd=tmp_path).json()
    assert (found["status"], found["rows"], found["chart"]) == ("answered", [[30]], None)
    assert [each["code"] for each in found["warnings"]] == ["no_chart"]
    assert not (tmp_path / "c.png").exists()
