"""The core of the sandbox as a user without rights, and where walls are missing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from flows.sandbox.keeper import ALL_LAYERS
from flows.sandbox.walls import LAYERS
from tests.sandbox import nobody

ROOT = Path(__file__).resolve().parents[2]


def told(layers: tuple[str, ...], *, as_nobody: bool) -> dict[str, Any]:
    import sys

    program = ("-m", "tests.sandbox.core_part", *layers)
    command = nobody.command(*program) if as_nobody else [sys.executable, *program]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def check_work(found: dict[str, Any]) -> None:
    """What has to come out wherever it runs."""
    assert found["result"] == ["ok", "hi\n", "2", None, 0, 0, 0]
    assert found["table"][4:] == [1, 0, 0]
    assert found["figure"][4:] == [0, 1, 0]
    assert found["file"][4:] == [0, 0, 1]
    assert found["error"][3] == "ZeroDivisionError"
    assert found["memory"][0] == "memory"
    assert found["timeout"][0] == "timeout"
    assert found["session"][2] == "1"


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
@pytest.mark.parametrize("layers", [ALL_LAYERS, LAYERS], ids=["all", "without bubblewrap"])
def test_a_user_without_rights_has_the_same_sandbox(layers: tuple[str, ...]) -> None:
    if reason := nobody.why_not():
        pytest.skip(reason)
    found = told(layers, as_nobody=True)
    check_work(found)
    for attempt in ("secret", "fork", "socket"):
        assert found[attempt][0] == "error", attempt


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
@pytest.mark.parametrize(
    "layers",
    [LAYERS, ("limits", "no_new_privs", "seccomp"), ("limits", "no_new_privs", "landlock")],
    ids=["without bubblewrap", "without landlock", "without filter"],
)
def test_code_runs_where_walls_are_missing(layers: tuple[str, ...]) -> None:
    found = told(layers, as_nobody=False)
    check_work(found)
    assert set(found["missing"]) == set(ALL_LAYERS) - set(layers)
