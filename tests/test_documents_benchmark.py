"""The benchmark of long documents: what it writes, and what it calls right."""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

import pytest

from tests.test_benchmarks import run

BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from documents import Found, score_document  # noqa: E402
from long_documents.formats import Value, written  # noqa: E402
from long_documents.writing import Document, trades  # noqa: E402


@pytest.mark.long("takes a process, a file or a run of its own")
@pytest.mark.parametrize("half", ["tuning", "held"])
def test_every_value_stands_in_its_document(half: str) -> None:
    made = list(trades(half))
    assert len(made) >= 4
    assert sum(len(each.values) for trade in made for each in trade.documents) >= 200
    for document in (each for trade in made for each in trade.documents):
        assert not re.search(r"\{[a-z_]+(?::|\})|^::", document.text, re.MULTILINE), document.name
        for name, said in document.said.items():
            assert all(each in document.text for each in said), (document.name, name)
    again, other = list(trades(half)), list(trades(half, draw=1))
    assert [each.documents for each in again] == [each.documents for each in made]
    assert [each.documents for each in other] != [each.documents for each in made]


@pytest.mark.parametrize(
    ("value", "form", "text"),
    [
        (210, "words", "two hundred and ten"),
        (45, "Words", "Forty-five"),
        (8.5, "words", "eight and a half"),
        (1200, "words", "one thousand two hundred"),
        (12500, ",", "12,500"),
        (12.5, "comma", "12,5"),
        (14.5, "*10", "145"),
        (41.5, "*1000,", "41,500"),
        (date(2024, 3, 22), "Dth of Month Y", "22nd of March 2024"),
        (date(2024, 3, 22), "D.M.Y", "22.03.2024"),
        (date(2024, 3, 22), "D-Mon-YY", "22-Mar-24"),
        (["Black", "Sand", "Navy"], "and", "Black, Sand and Navy"),
        (False, "x/ ", " "),
    ],
)
def test_how_values_are_written(value: Value, form: str, text: str) -> None:
    assert written(value, form)[0] == text


def test_what_is_right_and_what_is_wrong_and_sure() -> None:
    document = Document(
        "a.md", "Weight: 210 g\n\nSeason: FW24", {"weight": 210}, {"weight": {"210"}}
    )

    def score(weight: str, quote: str, *conflicting: str, season: str = "") -> str:
        record = {"a.md": {"weight": weight, "season": season}}
        quotes = {("a.md", "weight"): [(weight, quote)]} if quote else {}
        found = Found(record, quotes, conflicting)
        return score_document(document, found, ["weight", "season"]).line().partition(";")[0]

    assert score("210.0", "Weight: 210 g") == (
        "1/1 right, 1/1 with passage, 0 wrong and sure, 0 told as one of several, 0 missed"
    )
    assert "1/1 right, 0/1 with passage" in score("210.0", "It is 210 g")
    assert "1/1 right, 0/1 with passage" in score("210.0", "Season: FW24")
    assert "0/1 right, 0/0 with passage, 1 wrong and sure" in score("21", "Weight: 210 g")
    assert "0 wrong and sure, 1 told as one of several" in score(
        "21", "Weight: 210 g", "a.md: weight is 21 or 210"
    )
    assert "0 told as one of several, 1 missed" in score("", "")
    assert "1 wrong and sure" in score("210", "Weight: 210 g", season="FW24")


@pytest.mark.long("the benchmark itself")
def test_the_benchmark_runs() -> None:
    done = run("documents.py", "tuning", "--only", "coffee")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^tuning +\d+/54 right", done.stdout, re.MULTILINE), done.stdout
    refused = run("documents.py", "held", "--show", "3")
    assert refused.returncode == 1
    assert "nobody looks" in refused.stderr
