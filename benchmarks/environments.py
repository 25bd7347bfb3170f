"""The peers' environments: one venv for each requirements file, made on first use and kept."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

_INSTALL_SECONDS = 1200


class EnvironmentNotMade(Exception):
    """A venv or its packages could not be made; the message ends with pip's own last words."""


def interpreter_for(requirements: Path, folder: Path) -> Path:
    """The Python of `folder`'s environment with exactly these requirements, made if not there.

    The file names every package with its version, dependencies of dependencies too, and pip is
    told to add nothing of its own (`--no-deps`). An environment of an older state of the file, or
    of another Python, is made anew.
    """
    home = folder / requirements.stem
    stamp = home / "made-from"
    python = home / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    wanted = f"{sys.version}\n{hashlib.sha256(requirements.read_bytes()).hexdigest()}\n"
    if stamp.is_file() and stamp.read_text() == wanted and python.exists():
        return python
    print(f"making the environment of {requirements.name} ...", file=sys.stderr, flush=True)
    shutil.rmtree(home, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(home)])
    pip = [str(python), "-m", "pip", "--disable-pip-version-check"]
    _run([*pip, "install", "--quiet", "--no-deps", "--requirement", str(requirements)])
    stamp.write_text(wanted)
    return python


def version_of(package: str, python: Path) -> str | None:
    """The installed version of a distribution as that interpreter sees it; None when it is not."""
    code = (
        "import importlib.metadata as m, sys\n"
        "print(next((d.version for d in m.distributions(name=sys.argv[1])), ''))"
    )
    done = subprocess.run(
        [str(python), "-c", code, package], capture_output=True, text=True, timeout=60, check=True
    )
    return done.stdout.strip() or None


def _run(command: list[str]) -> None:
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
    )
    if done.returncode != 0:
        last = "\n".join(done.stderr.strip().splitlines()[-8:])
        raise EnvironmentNotMade(f"{' '.join(command)}\nended with {done.returncode}:\n{last}")
