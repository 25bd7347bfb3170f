"""Building the graph of a run again, from what its journal recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from flows.build.builder import build_composed
from flows.build.own_code import recorded_code
from flows.build.plan import RunPlan
from flows.build.run_config import KNOWN
from flows.build.trust import Trust
from flows.build.walls import SANDBOX_MODE, is_off, not_typed
from flows.config.compose import revise
from flows.config.composition import Composed
from flows.config.secret import EnvSecret, check_secrets_kept
from flows.config.tree import Section, planted
from flows.core.function_description import Function
from flows.core.journal import load
from flows.errors import JournalError, Place


def recorded_plan(
    folder: Path,
    run_id: str | None = None,
    overrides: Sequence[str] = (),
    *,
    base: Path | None = None,
    trust: Trust | Sequence[str] = (),
    live: bool = True,
    anew: bool = False,
    functions: Sequence[Function] = (),
) -> RunPlan:
    """The plan of the run in the folder, or of that id in the journal that many share there.

    `overrides` change its recorded config. `base` takes the place of the folder that relative paths
    start from, where the run's own prompts are. Without `live` it can only be replayed: nothing
    outside is reached or has to be there. With `anew` it is for another run, for which a sandbox
    that is off has to be typed again. `functions` are those that its start was given. Errors:
    `JournalError`; `ConfigError` if names are gone.
    """
    rows = load(folder, run_id)
    if not rows or rows[0].kind != "start":
        raise JournalError(f"the journal in {folder} has no beginning")
    start = rows[0].data()
    spec = {**with_marks(start["spec"], start["secrets"]), "inputs": start["inputs"]}
    recorded = Place(f"the journal of {run_id or folder.name}")
    tree = planted(spec, recorded, literal=True)  # what its texts were resolved to
    assert isinstance(tree, Section)
    base = base or Path(start["base"])
    if overrides:
        tree = revise(tree, overrides, base, known=KNOWN)
    composed = Composed(tree, folder / "journal")
    if live:
        check_secrets_kept(composed.values)
    if anew and is_off(composed) and composed.place(SANDBOX_MODE) == recorded:
        raise not_typed(recorded)
    trusted = trust if isinstance(trust, Trust) else Trust(trust)
    allowed = frozenset((key, address) for key, address in start.get("allowed", ()))
    code = recorded_code(start, trusted.consents)
    trusted = replace(trusted, journal=recorded, recorded=allowed, recorded_code=code)
    plan = build_composed(composed, base, trust=trusted, live=live, functions=functions)
    return replace(plan, runs_folder=folder if run_id else folder.parent)


def with_marks(values: Any, paths: Sequence[Sequence[str | int]]) -> Any:
    """The recorded config with its names of environment variables marked as such again."""
    for path in paths:
        holder = values
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = EnvSecret(holder[path[-1]])
    return values
