"""Running a command in this process, where starting one for each case would take too long."""

from __future__ import annotations

from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from flows.cli.app import run_app
from tests.cli.command import Ended


def inside(*arguments: str, cwd: Path) -> Ended:
    """`flows ...` in a folder, without a terminal."""
    out, err = StringIO(), StringIO()
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        code = run_app(arguments)
    return Ended(code, out.getvalue(), err.getvalue())


CHAIN = """\
_target_: sequential
name: Chain
input_interface: [answer]
subflows_config:
  first: {_target_: finish}
  second: {_target_: finish, description: The second.}
topology:
  - {goal: Begin, flow: first}
  - {goal: "Go on: \\"now\\"", flow: second}
"""


def write(folder: Path, text: str, name: str = "my.yaml") -> str:
    """Write a run file and return its name."""
    (folder / name).write_text(text, encoding="utf-8")
    return name
