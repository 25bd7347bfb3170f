"""`flows export`: a folder to hand on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import AsJson, RunId


def export(
    run_id: RunId,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where to write it: a new folder or an empty one.")
    ],
    force: Annotated[
        bool,
        typer.Option(
            "--force",
            help="Also into a folder that is not empty: an earlier export is replaced, anything "
            "else is moved aside.",
        ),
    ] = False,
    runs: Annotated[Path, typer.Option(help="The folder of run folders.")] = Path("runs"),
    as_json: AsJson = False,
) -> int:
    """Write what a run was asked, answered and made into a folder to hand on.

    The artifacts are in tables/, figures/, code/, models/, reports/ and files/. index.html lists
    each with its origin: the query or code, the hashes of what it was made from, the step and the
    time; and the answer with the cell behind each of its numbers. It opens offline; of a
    conversation report.html has the answers. origin.json says the same for programs. The journal
    is not in it. A text in a CSV that a spreadsheet would take for a formula has an apostrophe
    before it.

    A run that waits or was stopped can be exported too. A file that is gone, or was changed after
    it was written, is left out and named.

    Examples:

      flows export last handover
      flows export 20260102-150405-a1b2c3 handover --force

    Exit codes: 0; 2 no such run, or a folder that cannot be written; 4 when its journal is damaged.
    """
    from flows.cli.output import write_json
    from flows.errors import JournalError
    from flows.records.lookup import find_run
    from flows.records.record import records_of
    from flows.services.export import PAGE
    from flows.services.export import export as write_export
    from flows.ui.terminal_text import one_line

    [record] = records_of([find_run(runs, run_id)])
    if record.status == "damaged":
        raise JournalError(f"the run cannot be exported: {record.reason}")
    done = write_export(record, folder, force=force)
    for left in done.left_out:
        print(f"{one_line(left.file.path, 300)}: {left.state}, left out", file=sys.stderr)
    if done.moved is not None:
        print(f"what stood there is now in {done.moved}", file=sys.stderr)
    if as_json:
        made = [each.as_json() for each in done.artifacts]
        write_json({"folder": str(folder), "run_id": record.place.run_id, "artifacts": made})
    else:
        print(folder / PAGE)
    return 0
