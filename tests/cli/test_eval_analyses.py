"""`flows eval` over questions for the analyst team: what it finds, held beside what is expected."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.farm import jsonl
from tests.cli.inside import inside

HOSTILE = "<script>alert('x')</script>"
DRIVERS = {
    "id": "milk",
    "question": "What drives milk?",
    "data": ["cows.csv"],
    "difficulty": "drivers",
    "findings": [
        {"driver": "feed_kg", "among": 2},
        {"direction": "walk_hours", "sign": "-", "of": "milk"},
        {"no_driver": "ear_tag", "among": 2},
    ],
}


def cows(folder: Path) -> None:
    """Milk rises with feed and falls with the hours of the way; the ear tag says nothing."""
    random = np.random.default_rng(5)
    feed, walk = random.normal(12, 3, 300).round(2), random.normal(4, 1, 300).round(2)
    milk = (10 + 1.5 * feed - 2 * walk + random.normal(0, 0.8, 300)).round(2)
    tags = random.integers(100, 999, 300)
    lines = [f"{t},{f},{w},{m}" for t, f, w, m in zip(tags, feed, walk, milk, strict=True)]
    text = "\n".join(["ear_tag,feed_kg,walk_hours,milk", *lines])
    (folder / "cows.csv").write_text(text + "\n")


@pytest.fixture
def report(tmp_path: Path) -> dict[str, Any]:
    cows(tmp_path)
    wrong = {**DRIVERS, "id": "wrong", "findings": [{"driver": "ear_tag", "among": 1},
                                                    {"says": HOSTILE}]}  # fmt: skip
    broken = {**DRIVERS, "id": "broken", "findings": [{"driver": "a", "amon": 3}]}
    gone = {**DRIVERS, "id": "gone", "data": ["gone.csv"]}
    jsonl(tmp_path / "cases.jsonl", [DRIVERS, wrong, DRIVERS, broken, gone])
    ended = inside("eval", "cases.jsonl", "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "right" in ended.err  # each verdict is shown when it is there
    found: dict[str, Any] = ended.json()
    return found


@pytest.mark.long("a team of agents works on a question, in the sandbox")
def test_verdicts_figures_and_pages(report: dict[str, Any], tmp_path: Path) -> None:
    judged = report["cases_judged"]
    verdicts = [each["verdict"] for each in judged]
    assert verdicts == ["right", "wrong", "invalid", "invalid", "failed"]
    assert [bool(each["missing"]) for each in judged[1]["findings"]] == [True, True]
    assert "another case has the id" in judged[2]["reason"]
    assert "`amon` of a finding" in judged[3]["reason"]
    assert "gone.csv" in judged[4]["reason"]
    assert (report["cases"], report["right"], report["invalid"]) == (3, 1, 2)
    assert report["numbers"] > 0
    assert report["traced_share"] == 1
    assert report["by_difficulty"]["drivers"]["cases"] == 3
    assert json.loads((tmp_path / "evaluation" / "report.json").read_text()) == report
    page = (tmp_path / "evaluation" / "report.html").read_text()
    assert "Content-Security-Policy" in page
    assert "<script" not in page
    assert "&lt;script&gt;alert" in page


@pytest.mark.long("a team of agents works on a question, in the sandbox")
def test_golden_analyses_have_to_stay_right(tmp_path: Path) -> None:
    cows(tmp_path)
    jsonl(tmp_path / "cases.jsonl", [DRIVERS])
    command = ("eval", "cases.jsonl", "--golden", "golden.json")
    shown = inside(*command, cwd=tmp_path)
    assert shown.code == 0, shown.err
    assert "100.0%" in shown.out
    jsonl(tmp_path / "cases.jsonl", [{**DRIVERS, "findings": [{"says": "sheep"}]}])
    worse = inside(*command, cwd=tmp_path)
    assert worse.code == 1
    assert "right before and not now: milk" in worse.out


@pytest.mark.long("whole runs of the command")
def test_files_that_cannot_be_asked(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("\n")
    empty = inside("eval", "empty.jsonl", cwd=tmp_path)
    assert empty.code == 2
    assert "holds no case" in empty.err
    jsonl(tmp_path / "cases.jsonl", [DRIVERS])
    exact = inside("eval", "cases.jsonl", "--exact", cwd=tmp_path)
    assert exact.code == 2
    assert "--exact is about rows" in exact.err
    jsonl(tmp_path / "mixed.jsonl", [{**DRIVERS, "data": ["no.csv"]}, {"question": "How many?"}])
    mixed = inside("eval", "mixed.jsonl", "--data", "no.csv", "--json", cwd=tmp_path).json()
    assert [each["verdict"] for each in mixed["cases_judged"]] == ["failed", "invalid"]


@pytest.mark.long("a team of agents works on a question, in the sandbox")
def test_ctrl_c_keeps_the_verdicts_so_far(tmp_path: Path) -> None:
    cows(tmp_path)
    jsonl(tmp_path / "cases.jsonl", [{**DRIVERS, "id": number} for number in range(30)])
    command = [sys.executable, "-m", "flows", "eval", "cases.jsonl", "--golden", "golden.json"]
    process = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(0.5)  # the next one is at work
    process.send_signal(signal.SIGINT)
    rest, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert first.startswith("right")
    assert "stopped before the end" in rest
    report = json.loads((tmp_path / "evaluation" / "report.json").read_text())
    assert report["stopped"] is True
    assert 1 <= len(report["cases_judged"]) < 30
    assert report["cases_judged"][0]["verdict"] == "right"
    assert not (tmp_path / "golden.json").exists()
