"""What docs/analyse.md says beside its commands, which tests/test_pages.py runs."""

from __future__ import annotations

import re

from flows.services.analysis_answer import KEYS
from flows.services.report_files import REPORTS
from tests.cli.command import PROJECT

PAGE = (PROJECT / "docs" / "analyse.md").read_text(encoding="utf-8")


def test_the_keys_and_endings_of_the_page_are_those_that_there_are() -> None:
    table = PAGE[PAGE.index("| key |") : PAGE.index("| exit code |")]
    firsts = [line.split("|")[1] for line in table.splitlines()[2:] if line.startswith("|")]
    assert [name for first in firsts for name in re.findall(r"`(\w+)`", first)] == list(KEYS)
    assert all(f"`.{each}`" in PAGE for each in REPORTS)
