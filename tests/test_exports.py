"""What `import flows` offers, and what it costs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import flows

HEAVY = (
    "hydra", "pydantic", "openai", "duckdb", "pandas", "plotly", "langchain", "langchain_core",
    "chromadb", "rich", "sqlglot", "typer", "prompt_toolkit",
    "onnxruntime", "tokenizers",
)  # fmt: skip


def test_the_names_are_a_short_sorted_list() -> None:
    assert flows.__all__ == sorted(flows.__all__)
    named = [name for name in flows.__all__ if name != "__version__"]
    assert [getattr(flows, name).__name__ for name in named] == named


def test_importing_it_loads_nothing_heavy() -> None:
    code = f"import flows, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.long("takes a process, a file or a run of its own")
def test_a_run_file_runs_from_python(tmp_path: Path) -> None:
    (tmp_path / "trees.csv").write_text("kind,height\noak,20\nelm,30\n")
    (tmp_path / "my.yaml").write_text(
        f"defaults: [autogpt, override human: never, _self_]\nruns: {tmp_path}/runs\n"
        f"memory: {{folder: {tmp_path}/memory}}\ndata: {{trees: trees.csv}}\n"
    )
    result = flows.run(tmp_path / "my.yaml", ["goal=How many rows does trees have?"])
    assert result.status == "finished"
    assert "2" in result.outputs["answer"]
    again = flows.resume(result.run_id, runs=tmp_path / "runs")
    assert again.outputs["answer"] == result.outputs["answer"]
