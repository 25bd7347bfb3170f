"""The first example of docs/serve.md, as it stands there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import PROJECT, environment
from tests.pages import Page


@pytest.mark.long("the real command, asked by curl")
def test_the_example_of_the_page_gives_the_total(tmp_path: Path) -> None:
    (shell,) = (
        each for each in Page(PROJECT / "docs" / "serve.md").blocks if each.language == "sh"
    )
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", shell.text], cwd=tmp_path, env=environment(PATH=path),
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["status"] == "finished", done.stderr
    assert "300" in found["outputs"]["answer"]
