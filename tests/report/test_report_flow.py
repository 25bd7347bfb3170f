"""The flow that writes the report, in a run: its files, and that a resumed run has the same."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from flows.runners.door import resume, run
from tests.library.world import SALES

TEXT = """\
_target_: sequential
name: Reporting
data: {sales: sales.csv}
input_interface: [sql, question, summary, answered]
output_interface: [report, files]
subflows_config:
  Ask: {_target_: query}
  Report: {_target_: analyst.report}
topology:
  - {goal: Ask, flow: Ask}
  - goal: Report
    flow: Report
    input_interface: {keys_to_select: [question, summary, answered]}
inputs:
  sql: SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY region
  question: What did each region sell?
  answered: answered
  summary: {text: "The north sold 14.5 and 9.", citations: %s}
"""
CITED = {"text": "14.5", "start": 15, "end": 19, "origin": "cell", "result": "result-NAME",
         "row": 1, "column": "total", "value": 14.5}  # fmt: skip
LOST = {"text": "9", "start": 24, "end": 25, "origin": "none"}


@pytest.fixture
def world(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    (folder / "sales.csv").write_text(SALES, encoding="utf-8")
    return folder


@pytest.mark.long("whole reports are made")
def test_a_run_keeps_its_report_in_four_forms(world: Path) -> None:
    file = world / "my.yaml"
    file.write_text(TEXT % "[]", encoding="utf-8")
    first = run(file)
    assert first.status == "finished", first.reason
    name = next(each.name for each in first.artifacts if each.what == "table")
    cited = json.dumps([{**CITED, "result": name}, LOST])
    file.write_text(TEXT % cited, encoding="utf-8")
    result = run(file)
    files = result.outputs["files"]
    assert sorted(files) == ["html", "ipynb", "json", "md"]
    page = (result.folder / files["html"]).read_text(encoding="utf-8")
    assert "1 of 2 numbers untraced" in page
    assert '<td class="n" id="t1-r2-c2" title="14.5"' in page
    digest = hashlib.sha256((world / "sales.csv").read_bytes()).hexdigest()
    for each in files.values():
        text = (result.folder / each).read_text(encoding="utf-8")
        assert digest in text
        assert "What did each region sell?" in text
    kept = next(each for each in result.artifacts if each.name == result.outputs["report"])
    assert (kept.what, kept.kind) == ("report", "html")
    assert all(each.state(result.folder) == "whole" for each in kept.files)
    read = json.loads((result.folder / files["json"]).read_text(encoding="utf-8"))
    assert read["report"]["cost"]["seconds"] > 0
    assert read["report"]["cost"]["dollars"] == 0
    again = resume(result.run_id)
    assert again.outputs == result.outputs
    assert (again.folder / files["html"]).read_text(encoding="utf-8") == page
