"""`flows new`: a small working folder to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.cli.arguments import AsJson

if TYPE_CHECKING:
    from flows.services.scaffold import Scaffold


def new(
    kind: Annotated[
        Literal["flow", "command", "project"], typer.Argument(help="What to begin with.")
    ],
    name: Annotated[
        str, typer.Argument(help="Its name, as of a Python module; the folder is called so too.")
    ],
    as_json: AsJson = False,
) -> int:
    """Write a small working folder to begin with, and its test.

    A flow is a class with its run file; a command is a typed function and an agent that calls it;
    a project is an agent with data, a command of its own and a README. Nothing is overwritten: a
    name that is there already is refused.

    Examples:

      flows new flow shout
      flows new command to_feet
      flows new project sales_agent

    Exit codes: 0 written; 2 a name that cannot be one, or that is there already.
    """
    from flows.services.scaffold import write_scaffold

    return show_scaffold(write_scaffold(kind, name, Path()), as_json=as_json)


def show_scaffold(made: Scaffold, *, as_json: bool) -> int:
    """Show the files that were written, and what to try; the exit code."""
    from flows.cli.output import write_json
    from flows.config.packages import missing_module

    if as_json:
        write_json(
            {
                "folder": str(made.folder),
                "files": [str(each) for each in made.files],
                "commands": list(made.commands),
            }
        )
        return 0
    for file in made.files:
        print(file)
    print("\nTry it:")
    for command in made.commands:
        print(f"  {command}")
    if missing_module(["pytest"]):
        print("\nIts test needs pytest: python -m pip install pytest")
    return 0
