"""`flows init`: a first run file, the demo, and what editors read them with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import AsJson
from flows.cli.new import show_scaffold


def init(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="Where; it is made if it is not there.")
    ] = Path(),
    as_json: AsJson = False,
) -> int:
    """Write a run file over the data of a folder, the demo, and the schema for editors.

    The run file, flows.yaml, is what flows run, check, graph and config take without a file, here
    and in all folders below. It names the data files that lie in the folder, or the demo's data
    where there are none. Nothing is overwritten.

    Examples:

      flows init
      flows init sales

    Exit codes: 0 written; 2 one of the files is there already, or cannot be written.
    """
    import json

    from flows.build.names import builtin_registry
    from flows.cli.schema import run_schema
    from flows.config.places import project_configs
    from flows.services.start import write_start

    configs = project_configs()
    made = configs / "schema" / "run.schema.json" if configs is not None else None
    if made is not None and made.is_file():
        schema = made.read_text(encoding="utf-8")
    else:
        schema = json.dumps(run_schema(builtin_registry(())), indent=1, ensure_ascii=False) + "\n"
    return show_scaffold(write_start(folder, schema), as_json=as_json)
