"""`flows show-flow`: what a flow does, takes, gives, and is told by its config."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import AsJson, Trust


def show_flow(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="As a _target_ has it: sql, ./shout.py:Shout, aiflows.base_flows.CircularFlow, "
            "flow_modules.me.MyModule.MyFlow. All flows without it.",
            show_default=False,
        ),
    ] = None,
    trust: Trust = None,
    as_json: AsJson = False,
) -> int:
    """Show what a flow does, takes, gives, its keys, and the card beside it.

    A card is the README.md in the package of a flow, as modules of the FlowVerse have one. A file
    that is not trusted is read, and not run.

    Examples:

      flows show-flow
      flows show-flow sql
      flows show-flow ./shout.py:Shout
      flows show-flow flow_modules.me.MyModule.MyFlow --trust flow_modules

    Exit codes: 0 shown; 2 there is no such flow, or it cannot be a step.
    """
    from dataclasses import asdict

    from flows.cli.output import write_json
    from flows.cli.reserved_stdout import reserved_stdout
    from flows.services.flow_card import flow_card, list_flows
    from flows.ui.console import make_console
    from flows.ui.flow_card import show_flow_card, show_flows

    if name is None:
        flows = list(list_flows())
        if as_json:
            write_json({"flows": [{"name": each, "text": text} for each, text in flows]})
        else:
            show_flows(make_console(), flows)
        return 0
    with reserved_stdout():
        card = flow_card(name, trust or (), Path())
    if as_json:
        write_json({**asdict(card), "defaults": card.defaults and str(card.defaults)})
    else:
        show_flow_card(make_console(), card)
    return 0
