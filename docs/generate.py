"""Writes the pages that are made from the code: `python docs/generate.py`."""

from __future__ import annotations

import os
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from flows.cli.app import COMMANDS, run_app

DOCS = Path(__file__).parent
COLUMNS = "90"
HEAD = """# Commands

Made by `python docs/generate.py` from the help pages of the commands; do not edit it by hand.
"""


def commands_page() -> str:
    """The help pages of `flows` and of all its commands."""
    names = [command.__name__ for command in COMMANDS]
    sections = [section("flows", help_of())]
    sections += [section(f"flows {name}", help_of(name)) for name in names]
    return "\n".join([HEAD, *sections])


def help_of(*words: str) -> str:
    """What `flows WORDS --help` prints to a pipe."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = COLUMNS
    printed = StringIO()
    try:
        with redirect_stdout(printed):
            run_app([*words, "--help"])
    finally:
        if before is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = before
    lines = (line.rstrip() for line in printed.getvalue().strip().splitlines())
    return "\n".join(lines)


def section(title: str, text: str) -> str:
    return f"## {title}\n\n```text\n{text}\n```\n"


if __name__ == "__main__":
    (DOCS / "commands.md").write_text(commands_page(), encoding="utf-8")
