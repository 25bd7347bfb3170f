"""The page that follows one question is as the code makes it."""

from __future__ import annotations

import runpy
from pathlib import Path

PROJECT = Path(__file__).parent.parent


def test_the_page_is_what_the_code_makes_of_the_question() -> None:
    page = runpy.run_path(str(PROJECT / "docs" / "question_page.py"))["question_page"]()
    written = (PROJECT / "docs" / "question.md").read_text(encoding="utf-8")
    assert page == written, "run: python docs/generate.py"
    assert "it fits" in page
    assert "equal to the request" in page
