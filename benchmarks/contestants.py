"""Who takes part in a comparison, and one measured run of one of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from environments import interpreter_for, version_of

Role = Literal["floor", "ours", "peer"]
Fact = str | int | float
Setting = Mapping[str, Fact]  # options that a driver is given: {"rounds": 5} is --rounds 5
_RUN_SECONDS = 1800


class RunFailed(Exception):
    """A driver did not end well, or did not do the work; the message says which and how."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """A framework (or none) and the driver that does the workload in it."""

    name: str
    title: str
    driver: Path
    arguments: tuple[str, ...]
    requirements: Path | None
    package: str | None
    role: Role


@dataclass(frozen=True, slots=True)
class Sample:
    """One measured run: seconds of processor and of wall time, for `steps` steps.

    `check` is the fingerprint of the final state; `facts` is what else the driver saw, by name.
    """

    cpu_s: float
    wall_s: float
    steps: int
    check: str
    facts: Mapping[str, Fact] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ready:
    """A contestant with the interpreter that runs it and the version that this one has."""

    contestant: Contestant
    python: Path
    version: str | None


def read_contestants(folder: Path, benchmark: str) -> list[Contestant]:
    """The contestants that `<benchmark>.toml` in the folder lists, in its order."""
    entries = tomllib.loads((folder / f"{benchmark}.toml").read_text())
    return [
        Contestant(
            name=name,
            title=entry.get("title", name),
            driver=folder / entry["driver"],
            arguments=tuple(entry.get("arguments", ())),
            requirements=folder / entry["requirements"] if "requirements" in entry else None,
            package=entry.get("package"),
            role=entry.get("role", "peer"),
        )
        for name, entry in entries.items()
    ]


def make_ready(contestant: Contestant, environments: Path) -> Ready:
    """Make the contestant's environment in that folder. Raises EnvironmentNotMade."""
    needs = contestant.requirements
    python = interpreter_for(needs, environments) if needs else Path(sys.executable)
    version = version_of(contestant.package, python) if contestant.package else None
    return Ready(contestant, python, version)


def run_once(ready: Ready, setting: Setting) -> Sample:
    """One run of the driver in a fresh process and an empty folder. Raises RunFailed."""
    contestant = ready.contestant
    command = [str(ready.python), str(contestant.driver.resolve())]
    for option, value in setting.items():
        command += [f"--{option}", str(value)]
    command += contestant.arguments
    with tempfile.TemporaryDirectory() as scratch:
        try:
            done = subprocess.run(
                command,
                cwd=scratch,
                env=clean_environment(),
                capture_output=True,
                text=True,
                timeout=_RUN_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RunFailed(f"no end after {_RUN_SECONDS} s") from None
    if done.returncode != 0:
        last = "\n".join(done.stderr.strip().splitlines()[-12:])
        raise RunFailed(f"the driver ended with {done.returncode}:\n{last}")
    return _read_sample(done.stdout)


def _read_sample(text: str) -> Sample:
    lines = text.strip().splitlines()
    try:
        return Sample(**json.loads(lines[-1]))
    except (IndexError, TypeError, json.JSONDecodeError):
        shown = lines[-1] if lines else "nothing"
        raise RunFailed(
            f"expected one JSON line with cpu_s, wall_s, steps and check; got {shown}"
        ) from None


def clean_environment() -> dict[str, str]:
    """This process's variables without what would lead a driver out of its own environment."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("PYTHON", "LANGSMITH_", "LANGCHAIN_", "FLOWS_"))
    }
    return kept | {"LANGSMITH_TRACING": "false", "HF_HUB_OFFLINE": "1"}
