"""Installs into a virtual environment: `python requirements/install.py ENVIRONMENT ARGUMENT ...`.

The arguments are those of `pip install`. uv installs in a fraction of pip's time; it is a wheel
like any other, and pip fetches it. Where uv cannot be had, or fails, pip installs. Both take the
index that pip's own configuration names: uv does not read it, so it gets that as options.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

# Settings of pip and the options of uv that mean the same: with one value, with several, without.
ONE = {"index-url": "--default-index", "cert": "--cert"}
MANY = {
    "extra-index-url": "--index",
    "find-links": "--find-links",
    "trusted-host": "--allow-insecure-host",
}
FLAGS = {"no-index": "--no-index"}
SECTIONS = ("global", "install", ":env:")  # each outweighs the ones before it
UV = "uv>=0.9,<1"


def main(arguments: list[str]) -> int:
    """Install by uv, else by pip; returns the exit code."""
    environment, *wanted = arguments
    python = str(Path(environment, "bin", "python").absolute())
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    uv = find_uv(pip, Path(python).with_name("uv"))
    if uv is not None:
        command = [uv, "pip", "install", "--quiet", "--python", python]
        done = subprocess.run([*command, *options(settings(pip_configuration(pip))), *wanted])
        if done.returncode == 0:
            return 0
        print("uv could not install this; pip tries", file=sys.stderr)
    return subprocess.run([*pip, "install", "--quiet", "--no-compile", *wanted]).returncode


def find_uv(pip: list[str], program: Path) -> str | None:
    """The path of uv in the environment, fetched if need be; None where it cannot be had."""
    if not program.exists():
        fetch = [
            *pip,
            "install",
            "--quiet",
            "--no-deps",
            "--no-compile",
            "--only-binary",
            ":all:",
            UV,
        ]
        subprocess.run(fetch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return str(program) if program.exists() else None


def pip_configuration(pip: list[str]) -> str:
    """What `pip config list` prints: a setting a line, `section.name='value'`."""
    command = [*pip, "config", "list"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def settings(listing: str) -> dict[str, str]:
    """The settings of `pip install` by name, where one section outweighs another."""
    found: dict[str, dict[str, str]] = {}
    for line in listing.splitlines():
        parts = re.fullmatch(r"(.+?)\.([a-z-]+)=(['\"].*)", line)
        if parts is not None:
            found.setdefault(parts[1], {})[parts[2]] = ast.literal_eval(parts[3])
    return {name: value for each in SECTIONS for name, value in found.get(each, {}).items()}


def options(given: dict[str, str]) -> list[str]:
    """pip's settings as options of uv; as with pip, all indexes count alike."""
    made = ["--index-strategy", "unsafe-best-match"]
    for name, option in ONE.items():
        if name in given:
            made += [option, given[name]]
    for name, option in MANY.items():
        made += [word for each in given.get(name, "").split() for word in (option, each)]
    made += [option for name, option in FLAGS.items() if is_on(given.get(name, ""))]
    return made


def is_on(value: str) -> bool:
    """Whether pip takes the text of a setting for yes."""
    return value.lower() in ("1", "y", "yes", "t", "true", "on")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
