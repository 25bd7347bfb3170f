"""Building the graph of a run again, from what its journal recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from flows.build.builder import build_composed
from flows.build.plan import Plan
from flows.config.composed import Composed
from flows.config.secret import EnvSecret
from flows.config.tree import Section, planted
from flows.core.journal import load
from flows.errors import JournalError, Place


def recorded_plan(folder: Path, *, trust: Sequence[str] = ()) -> Plan:
    """The plan of a recorded run. Errors: `JournalError`, or `ConfigError` if names are gone."""
    rows = load(folder)
    if not rows or rows[0].kind != "start":
        raise JournalError(f"the journal in {folder} has no beginning")
    start = rows[0].data()
    spec = with_marks(start["spec"], start["secrets"])
    tree = planted(spec, Place(f"the journal of {folder.name}"))
    if not isinstance(tree, Section):
        raise JournalError(f"the journal in {folder} holds no config")
    composed = Composed(tree, folder / "journal")
    plan = build_composed(composed, Path(start["base"]), trust=trust)
    return replace(plan, inputs=start["inputs"], runs_folder=folder.parent)


def with_marks(values: Any, paths: Sequence[Sequence[str | int]]) -> Any:
    """The recorded config with its names of environment variables marked as such again."""
    for path in paths:
        holder = values
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = EnvSecret(holder[path[-1]])
    return values
