"""`flows convert`: a file of aiflows as a run file of ours."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import Overrides, Trust


def convert(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file of aiflows 0.1.7.")],
    overrides: Overrides = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", help="The file to write; without it the text is printed.", metavar="FILE"
        ),
    ] = None,
    trust: Trust = None,
) -> int:
    """Write a file of aiflows as a run file of ours, which gives the same outputs.

    The wrapper and the launcher's interfaces are taken up, default configs laid out, dotted names
    become ours, and backends the model of the run. What has to stay one of aiflows' flows, because
    ours does something else there, is told on stderr with its line. The new file is checked before
    it is written; what has no form of ours at all ends it, and then nothing is written.

    Examples:

      flows convert agent.yaml
      flows convert agent.yaml -o mine.yaml

    Exit codes: 0 it is written; 2 the file is wrong, or cannot be converted.
    """
    from flows.build.trust import Trust as Trusted
    from flows.cli.compat import refuse_ours
    from flows.cli.reserved_stdout import reserved_stdout
    from flows.runners.conversion import convert_file
    from flows.ui.terminal_text import clean

    refuse_ours(file)
    trusted = Trusted(trust or (), refuse=False)
    with reserved_stdout():
        text, converted = convert_file(file, overrides or (), out, trusted)
    if out is None:
        print(text, end="")
    for each in converted.kept:
        line = f"note: {each.place}: {f'{each.path}: ' if each.path else ''}{each.why}"
        print(clean(line, keep_newlines=False), file=sys.stderr)
    if out is not None:
        print(f"Written: {out}")
    return 0
