"""`flows runs`: the runs that there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import AsJson


def runs(
    folder: Annotated[Path, typer.Option("--runs", help="The folder of run folders.")] = Path(
        "runs"
    ),
    status: Annotated[
        list[str] | None,
        typer.Option(help="Only runs of that status; may be given more than once."),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many at most, the newest first.")] = 20,
    as_json: AsJson = False,
) -> int:
    """List the runs, the newest first.

    A run is running, or came to an end: finished, declined (it says that the data cannot answer),
    unfinished (a limit was reached), degraded (all its commands failed, a model's reply stayed cut,
    or files of it are gone) or failed. It is waiting when a person's answer is needed, interrupted
    when its process was stopped, and damaged when its journal cannot be read.

    Examples:

      flows runs
      flows runs --status waiting --status interrupted
      flows runs --json --limit 1000

    Exit codes: 0; 2 wrong usage.
    """
    from itertools import islice

    from flows.cli.output import write_json
    from flows.records.record_cache import newest_records
    from flows.ui.console import make_console
    from flows.ui.runs import show_runs

    wanted = known_statuses(status or ())
    found = (each for each in newest_records(folder) if not wanted or each.status in wanted)
    records = list(islice(found, limit + 1))
    shown, more = records[:limit], len(records) > limit
    if as_json:
        write_json({"runs": [each.as_json(steps=False) for each in shown], "more": more})
    else:
        show_runs(make_console(), shown, runs=folder, more=more)
    return 0


def known_statuses(given: list[str] | tuple[str, ...]) -> frozenset[str]:
    """The statuses that were asked for. Errors: `UsageError` for one that no run can have."""
    from flows.errors import UsageError, nearest
    from flows.records.record import STANDINGS

    for each in given:
        if each not in STANDINGS:
            meant = nearest(each, STANDINGS)
            hint = f"\ndid you mean: {meant}" if meant else ""
            allowed = ", ".join(STANDINGS)
            raise UsageError(f"there is no status {each!r}{hint}\nallowed: {allowed}")
    return frozenset(given)
