"""`flows graph`: a run file's flows as a Mermaid flowchart."""

from __future__ import annotations

from flows.cli.arguments import Overrides, RunFile, Trust, split_arguments


def graph(file: RunFile = None, overrides: Overrides = None, trust: Trust = None) -> int:
    """Print the flows of a run file as a Mermaid flowchart.

    Nothing is run. Subflows stand inside the flow that calls them. Arrows are the steps, with
    their goals; a dotted arrow goes back to the first step of the next round.

    Examples:

      flows graph my.yaml > my.mmd
      flows graph Executor.sql=describe

    Exit codes: 0 it is printed; 2 the file or an override is wrong.
    """
    from flows.build.builder import build
    from flows.build.trust import Trust as Trusted
    from flows.cli.mermaid import flowchart

    path, changes = split_arguments(file, overrides)
    plan, _ = build(path, changes, trust=Trusted(trust or (), refuse=False))
    print(flowchart(plan.flow), end="")
    return 0
