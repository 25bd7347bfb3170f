"""The benchmarks of functions: their search, and an interpreter over a made company."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.test_benchmarks import run

LONG = pytest.mark.long("the benchmark itself")
GARMENTS = ("tuning", "--company", "garments")
REGISTRY = (
    ("get_weather", "The weather of a city."),
    ("send_letter", "Send a letter to somebody."),
    ("list_orders", "The orders of a customer."),
)
QUERIES = (
    ("What is the weather in Oslo?", "get_weather"),
    ("Write a letter to Ada", "send_letter"),
    ("Which orders has Ada?", "list_orders"),
)


@LONG
def test_the_search_is_measured_beside_plain_methods(tmp_path: Path) -> None:
    functions = [{"name": name, "description": text} for name, text in REGISTRY]
    queries = [{"query": text, "functions": [name]} for text, name in QUERIES]
    for name, rows in (("registry", functions), ("queries", queries)):
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    done = run("functions.py", str(tmp_path), "--many", "1500")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^index, by words( +1\.000){6}$", done.stdout, re.MULTILINE), done.stdout
    assert "1,500" in done.stdout
    added, there = re.findall(r"gone on: ([\d,]+) added, ([\d,]+) were there", done.stdout)[0]
    assert int(added.replace(",", "")) + int(there.replace(",", "")) == 1_500


@LONG
def test_random_functions_answer_nothing_and_found_ones_do(tmp_path: Path) -> None:
    found = run("interpreter.py", *GARMENTS, "--only", "customer_city")
    assert found.returncode == 0, found.stderr
    assert "calls outside the stack  0" in found.stdout
    assert _right(found.stdout) > 0
    drawn = run("interpreter.py", *GARMENTS, "--only", "customer_city", "--random")
    assert drawn.returncode == 0, drawn.stderr
    assert _right(drawn.stdout) == 0


def _right(text: str) -> int:
    return int(re.findall(r"right answer +(\d+) of 4", text)[0])
