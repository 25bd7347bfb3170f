"""What docs/ask.md and docs/eval.md say beside their commands, which tests/test_pages.py runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from flows.build.builder import build
from flows.evaluation.expectations import expected_of
from flows.library.ask.answer import EXPLAINED, KEYS
from flows.library.ask.config import AskConfig
from tests.cli.command import PROJECT
from tests.cli.inside import inside
from tests.pages import Page

ASK = (PROJECT / "docs" / "ask.md").read_text(encoding="utf-8")
EVAL = (PROJECT / "docs" / "eval.md").read_text(encoding="utf-8")


def shown(language: str, page: str) -> list[str]:
    return re.findall(rf"```{language}\b[^\n]*\n(.*?)```", page, re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("ask.md", "eval.md"):
        Page(PROJECT / "docs" / name).write_files(tmp_path)
    return tmp_path


@pytest.mark.long("each case of the page is answered")
@pytest.mark.parametrize("cases", ["cases.jsonl", "cases.yaml"])
def test_the_cases_of_the_page_are_right(folder: Path, cases: str) -> None:
    found = inside("eval", cases, "--json", cwd=folder).json()
    assert {each["verdict"] for each in found["cases_judged"]} == {"right"}


def test_the_business_questions_of_the_page_can_be_judged() -> None:
    lines = [json.loads(each) for each in shown("json", EVAL)[1].splitlines() if each]
    assert lines
    for line in lines:
        assert [expected_of(each) for each in line["findings"]]


def test_the_keys_of_the_page_are_those_of_the_object() -> None:
    table = ASK[ASK.index("| key |") : ASK.index("`--explain` adds")]
    firsts = [line.split("|")[1] for line in table.splitlines()[2:] if line.startswith("|")]
    named = [name for first in firsts for name in re.findall(r"`(\w+)`", first)]
    assert named == list(KEYS)
    assert all(f"`{each}`" in ASK for each in EXPLAINED)


def test_the_defaults_of_the_page_hold() -> None:
    config = AskConfig()
    assert f"`answer_above` ({config.answer_above})" in ASK
    assert f"`ask_above` ({config.ask_above})" in ASK
    assert f"({config.max_rows:,})" in ASK
    shipped = yaml.safe_load((PROJECT / "configs" / "ask.yaml").read_text())
    assert shipped["answer_above"] == config.answer_above
    assert shipped["ask_above"] == config.ask_above


def test_the_run_file_of_the_page_is_one(folder: Path) -> None:
    [text] = shown("yaml", ASK)
    (folder / "mine.yaml").write_text(text)
    plan, _ = build(folder / "mine.yaml")
    plan.check_inputs()
    assert json.loads(json.dumps(plan.inputs))["question"].endswith("region?")
