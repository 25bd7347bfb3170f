"""The arguments and options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.errors import UsageError

DEFAULT_FILE = "demo.yaml"

RunFile = Annotated[
    str | None,
    typer.Argument(
        metavar="FILE", help=f"A run file; {DEFAULT_FILE} without one.", show_default=False
    ),
]
Overrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="OVERRIDE",
        help="goal='...' data.NAME=PATH human=never Executor.sql.max_rows=50 "
        "Controller.model=openai ~Executor.ddg_search",
        show_default=False,
    ),
]
RunId = Annotated[
    str, typer.Argument(metavar="RUN", help="A run's id, the beginning of one, or last.")
]
RecordedOverrides = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="OVERRIDE",
        help="A change of the recorded config: as those of flows run.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")]
Events = Annotated[
    str | None,
    typer.Option(
        "--events",
        help="Append each event of the run to a file, as a line of JSON; - is stdout, and progress "
        "goes to stderr.",
        metavar="FILE",
    ),
]
Trust = Annotated[
    list[str] | None,
    typer.Option(help="A package whose dotted names a _target_ may use.", metavar="PACKAGE"),
]


def split_arguments(file: str | None, overrides: list[str] | None) -> tuple[Path, list[str]]:
    """The run file and the overrides; what stands where the file does may be an override too.

    Errors: `UsageError` when no file is named, and the one that is taken then is not here.
    """
    if file is not None and not is_override(file):
        return Path(file), overrides or []
    if not Path(DEFAULT_FILE).exists():
        raise UsageError(
            f"there is no {DEFAULT_FILE} here, which is taken when no run file is named\n"
            "name one; its shortest form is the line: defaults: [autogpt, _self_]"
        )
    return Path(DEFAULT_FILE), [each for each in (file, *(overrides or ())) if each is not None]


def is_override(argument: str) -> bool:
    """Whether an argument is an override and not the name of a file."""
    return "=" in argument or argument.startswith(("~", "+"))
