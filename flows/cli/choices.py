"""`flows choices`: what was chosen where a question was asked back, and taking it back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from flows.cli.arguments import AsJson


def choices(
    forget: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBER|QUESTION",
            help="Take a choice back, by its number or its question; may be given more than once.",
        ),
    ] = None,
    forget_all: Annotated[bool, typer.Option("--forget-all", help="Take all back.")] = False,
    glossary: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The glossary beside which they are kept.",
                     show_default=".flows/glossary.csv"),
    ] = None,
    as_json: AsJson = False,
) -> int:  # fmt: skip
    """List what you chose where a question was asked back, or take it back.

    flows ask and flows chat remember the choice, and do not ask the same question back again. One
    that is taken back is asked back again.

    Examples:

      flows choices
      flows choices --forget 2
      flows choices --forget "What is the average price?"
      flows choices --forget-all

    Exit codes: 0; 2 wrong usage, or a choice that is not there.
    """
    from flows.cli.output import write_json
    from flows.semantics.readings import Readings
    from flows.services.request import GLOSSARY
    from flows.ui.choices import show_choices
    from flows.ui.console import make_console

    readings = Readings.beside(glossary or GLOSSARY)
    known = [each.question for each in readings.choices()]
    taken = known if forget_all else [named(each, known) for each in forget or ()]
    for each in taken:
        readings.forget(each)
    found = readings.choices()
    if as_json:
        plain: list[dict[str, Any]] = [
            each.model_dump(mode="json", include={"question", "means", "request"}) for each in found
        ]
        write_json({"choices": plain, "forgotten": taken})
    else:
        show_choices(make_console(), found, taken, readings.path)
    return 0


def named(said: str, known: list[str]) -> str:
    """The question of the choice with a number or a question. Errors: `UsageError`."""
    from flows.errors import UsageError
    from flows.semantics.readings import folded

    if said.isdecimal() and 1 <= int(said) <= len(known):
        return known[int(said) - 1]
    for each in known:
        if folded(each) == folded(said):
            return each
    there = f"1 to {len(known)}, or a question that `flows choices` lists" if known else "none"
    raise UsageError(f"there is no choice {said!r}\nthere are: {there}")
