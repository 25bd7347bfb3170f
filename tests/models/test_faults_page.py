"""`docs/faults.md` says what the rows say that the tests of faults and replies run."""

from __future__ import annotations

import runpy

from tests.cli.command import PROJECT
from tests.library import cut_rows, reply_rows
from tests.models import fault_rows, form_rows


def test_the_page_of_the_faults_is_up_to_date() -> None:
    made = runpy.run_path(str(PROJECT / "docs" / "generate.py"))["faults_page"]()
    written = (PROJECT / "docs" / "faults.md").read_text(encoding="utf-8")
    assert made == written, "run: python docs/generate.py"
    pages = (fault_rows, form_rows, cut_rows, reply_rows)
    names = [row.name for page in pages for row in page.ROWS]
    assert all(f"| {name} | " in written for name in names)
    lines = [line for line in written.splitlines() if line.startswith("| ")]
    assert len(lines) == len(set(lines)) == len(names) + 5
