"""An answer that leaves words of the question out says so by its status, everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.core.observation import Caution
from flows.library.ask.outputs import AskOutputs, joined
from flows.library.ask.proposal import Proposal
from tests.cli.inside import inside

ASKED = "How many workers in the paint section are left-handed?"
WHOLE = "How many workers are in the paint section?"
# Else it is declined: a reading that leaves a word of content out is not likely enough.
ANY = ("answer_above=0", "ask_above=0")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = (f"{n},{('mill', 'paint', 'press')[n % 3]},{900 + n * 7}" for n in range(1, 31))
    lines = ["worker_id,section,wage", *rows]
    (tmp_path / "workers.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


@pytest.mark.long("whole runs of the command")
def test_a_word_that_nothing_stands_for_makes_it_partly(folder: Path) -> None:
    ended = inside("ask", ASKED, *ANY, "--data", "workers.csv", "--json", cwd=folder)
    found = ended.json()
    assert (ended.code, found["status"], found["rows"]) == (0, "partly", [[10]])
    assert found["confidence"] < 0.7
    assert "handed" in next(e["text"] for e in found["warnings"] if e["code"] == "not_understood")
    whole = inside("ask", WHOLE, "--data", "workers.csv", "--json", cwd=folder).json()
    assert (whole["status"], whole["rows"]) == ("answered", [[10]])


def test_unless_it_is_asked_for_it_is_declined_with_the_word(folder: Path) -> None:
    ended = inside("ask", ASKED, "--data", "workers.csv", "--json", cwd=folder)
    found = ended.json()
    assert (ended.code, found["status"], found["rows"]) == (1, "abstained", [])
    assert "'handed'" in found["answer"]


def test_the_screen_says_that_it_is_answered_in_part(folder: Path) -> None:
    ended = inside("ask", ASKED, *ANY, "--data", "workers.csv", cwd=folder)
    assert "── Answered in part ──" in ended.out
    assert "Not understood and left out" in ended.out


@pytest.mark.long("whole runs of the command")
def test_an_evaluation_judges_it_like_any_answer(folder: Path) -> None:
    case = {"question": ASKED, "data": ["workers.csv"], "rows": [[10]]}
    (folder / "cases.jsonl").write_text(json.dumps(case) + "\n")
    ended = inside("eval", "cases.jsonl", *ANY, cwd=folder)
    assert ended.code == 0, ended.err
    report = json.loads((folder / "evaluation" / "report.json").read_text())
    assert report["right"] == 1


@pytest.mark.long("whole runs of the command")
def test_a_conversation_goes_on_from_it(folder: Path) -> None:
    said = f"{ASKED}\nand in the mill section?\n"
    unsure = [f"{flow}.ask_above=0" for flow in ("Clarifier", "Analyst")]
    ended = inside("chat", "workers.csv", *unsure, "--json", cwd=folder, stdin=said)
    first, second = (json.loads(line) for line in ended.out.splitlines()[:2])
    assert first["status"] == "partly"
    assert second["rows"] == [[10]]


def test_of_several_questions_one_that_stays_open_makes_it_partly() -> None:
    one = AskOutputs(status="answered", answer="It is 3.", confidence=0.9)
    other = AskOutputs(status="abstained", answer="No.", confidence=0.9, explanation="the tides")
    both = joined(Proposal(confidence=0.9), [one.__dict__, other.__dict__])
    assert both["status"] == "partly"
    assert Caution(code="partly", text="Not answered: the tides.") in both["warnings"]
    assert joined(Proposal(confidence=0.9), [one.__dict__])["status"] == "answered"
    assert joined(Proposal(confidence=0.9), [other.__dict__])["status"] == "abstained"
