"""aimock, an OpenAI-speaking server that nobody here wrote, as a process on a free loopback port.

It is looked for in the folder that FLOWS_AIMOCK names, or in `.venv/aimock/node_modules`.
"""

from __future__ import annotations

import json
import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
_PROGRAM = Path("@copilotkit") / "aimock" / "dist" / "cli.js"


def missing_aimock() -> str:
    """Why aimock cannot be started, or an empty text."""
    if shutil.which("node") is None:
        return "node is not installed"
    if _program() is None:
        return "aimock is in neither FLOWS_AIMOCK nor .venv/aimock/node_modules"
    return ""


def _program() -> Path | None:
    named = os.environ.get("FLOWS_AIMOCK")
    folder = Path(named) if named else PROJECT / ".venv" / "aimock"
    for root in (folder, folder / "node_modules"):
        if (root / _PROGRAM).is_file():
            return root / _PROGRAM
    return None


@contextmanager
def aimock(folder: Path, fixtures: list[dict[str, Any]], *options: str) -> Iterator[str]:
    """The base URL of a server that answers by `fixtures` (`{match, response}`)."""
    program = _program()
    assert program is not None, missing_aimock()
    file = folder / "aimock-fixtures.json"
    file.write_text(json.dumps({"fixtures": fixtures}), encoding="utf-8")
    command = ["node", str(program), "-p", "0", "-f", str(file), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        yield f"{_address(process)}/v1"
    finally:
        process.terminate()
        process.wait(10)
        if process.stdout is not None:
            process.stdout.close()


def _address(process: subprocess.Popen[bytes]) -> str:
    assert process.stdout is not None
    end, said = time.monotonic() + 20, b""
    while time.monotonic() < end:
        if select.select([process.stdout], [], [], 0.2)[0]:
            read = os.read(process.stdout.fileno(), 4096)
            assert read, f"aimock ended: {said.decode(errors='replace')}"
            said += read
        found = re.search(rb"listening on (http://[\w.:]+)", said)
        if found:
            return found[1].decode()
    raise AssertionError(f"aimock did not start: {said.decode(errors='replace')}")
