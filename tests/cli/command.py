"""Running the real commands, as a person at a shell would."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.cli.fork_server import ForkServer

PROJECT = Path(__file__).resolve().parents[2]
RUN_PY = PROJECT / "run.py"
SECONDS = 300.0  # that a command may take on a machine with other work


def environment(**more: str) -> dict[str, str]:
    """The environment of a person without keys or colours."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OPENAI_", "LANGSMITH_", "LANGCHAIN_", "PYTEST_"))
    }
    return {**kept, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONUTF8": "1", **more}


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    def json(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        found: dict[str, Any] = json.loads(self.out)
        return found


def run_py(
    *arguments: str, cwd: Path, stdin: str | None = None, env: dict[str, str] | None = None
) -> Ended:
    """`python run.py ...` in a folder. Without `stdin` the standard input is empty."""
    return python(str(RUN_PY), *arguments, cwd=cwd, stdin=stdin, env=env)


def flows(
    *arguments: str, cwd: Path, stdin: str | None = None, env: dict[str, str] | None = None
) -> Ended:
    """`flows ...` in a folder."""
    return python("-m", "flows", *arguments, cwd=cwd, stdin=stdin, env=env)


def python(
    *arguments: str, cwd: Path, stdin: str | None = None, env: dict[str, str] | None = None
) -> Ended:
    """`python ...`: forked from a process that has imported the product, where that is the same."""
    given, written = env or environment(), stdin or ""
    is_product = arguments[:2] == ("-m", "flows") or arguments[0].endswith(".py")
    if is_product and fork_server().can_run(given, written):
        done = fork_server().run(
            arguments, cwd=cwd, stdin=written, environment=given, timeout=SECONDS
        )
    else:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd,
            input=written,
            env=given,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    return Ended(done.returncode, done.stdout, done.stderr)


@functools.cache
def fork_server() -> ForkServer:
    """The one of this process; it ends when this process does."""
    return ForkServer(environment())
