"""What docs/data.md says beside its commands, which tests/test_pages.py runs."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from flows.build.builder import build
from tests.cli.command import PROJECT
from tests.cli.inside import inside
from tests.pages import Page

PAGE = Page(PROJECT / "docs" / "data.md")


def test_the_question_is_read_as_the_page_says(tmp_path: Path) -> None:
    PAGE.write_files(tmp_path)
    asked, read_as = re.findall(r"`(What are the sales of [^`]+\?)`", PAGE.text)
    key = next(each.text for each in PAGE.blocks if each.text.startswith("glossary:"))
    text = f"_target_: glossary\nname: Read\n{key}{yaml.safe_dump({'inputs': {'question': asked}})}"
    (tmp_path / "read.yaml").write_text(text)
    plan, _ = build(tmp_path / "read.yaml")
    assert plan.inputs == {"question": asked}
    ended = inside("run", "read.yaml", "--json", cwd=tmp_path)
    assert ended.json()["outputs"]["question"] == read_as
