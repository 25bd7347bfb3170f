"""The wordings of the benchmarks' companies stay out of the lexicons of flows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.test_benchmarks import run

# Of the words by which a company's questions speak of functions and fields, general English may
# explain up to so many, and not many more for a tuning company than for the one held back.
MOST_EXPLAINED = 0.60
MOST_AHEAD = 0.20
TRADE_WORDS = "jab jabs: vaccination"


@pytest.mark.long("each wording of each company is read")
def test_lexicons_explain_few_of_the_words_that_companies_are_asked_in(tmp_path: Path) -> None:
    file = tmp_path / "entries.txt"
    file.write_text(TRADE_WORDS)
    done = run("interpreter_words.py", "--json", "--lexicon", str(file))
    assert done.returncode == 0, done.stderr
    found = {each["company"]: each for each in json.loads(done.stdout)}
    assert "jab" in found["vet"]["explained"]
    assert "limping" in set(found["vet"]["foreign"]) - set(found["vet"]["explained"])
    held = max(each["share"] for each in found.values() if each["half"] == "held")
    for name, each in found.items():
        told = f"{name}: lexicons of flows explain {each['share']:.0%}: {each['explained']}"
        assert each["share"] <= MOST_EXPLAINED, told
        assert each["share"] - held <= MOST_AHEAD, f"{told}, of the held company {held:.0%}"
