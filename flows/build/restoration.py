"""Building the graph of a run again, from what its journal recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from flows.build.builder import build_composed
from flows.build.input_names import inputs_of
from flows.build.own_code import recorded_code
from flows.build.plan import RunPlan
from flows.build.run_config import KNOWN
from flows.build.trust import Trust
from flows.build.walls import SANDBOX_MODE, is_off, not_typed
from flows.config.compose import revise
from flows.config.composition import Composed
from flows.config.overrides import COMMAND_LINE
from flows.config.secret import EnvSecret, check_secrets_kept
from flows.config.tree import Section, planted
from flows.core.editions import Edition
from flows.core.flow import Flow, walk
from flows.core.function_description import Function
from flows.core.human import Human
from flows.core.journal import load
from flows.core.rows import Row
from flows.core.values import Values
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
    that is off has to be typed again. Else it has the graphs from before the session was changed.
    `functions` are those that its start was given. Errors:
    `JournalError`; `ConfigError` if names are gone.
    """
    rows = load(folder, run_id)
    records = records_of(rows)
    if not records:
        raise JournalError(f"the journal in {folder} has no beginning")
    source = RecordSource(
        Place(f"the journal of {run_id or folder.name}"),
        folder,
        base=base,
        trust=trust if isinstance(trust, Trust) else Trust(trust),
        functions=functions,
    )
    *before, (_, last) = records
    past = tuple(
        _edition(source.plan(record, overrides, live=False), changed)
        for (_, record), changed in zip(() if anew else before, changes_of(rows), strict=False)
    )
    plan = source.plan(last, overrides, live=live, anew=anew)
    return replace(plan, runs_folder=folder if run_id else folder.parent, past=past)


def changes_of(rows: Sequence[Row]) -> list[Row]:
    """The changes of a session, in their order."""
    return [row for row in rows if row.kind == "change"]


def records_of(rows: Sequence[Row]) -> list[tuple[Row, Values]]:
    """What the graphs of a run were made of, each with its row: at the start, and after each change
    of the session; nothing for rows that are not those of a run."""
    if not rows or rows[0].kind != "start":
        return []
    return [(row, row.data()) for row in (rows[0], *changes_of(rows))]


def _edition(plan: RunPlan, change: Row) -> Edition:
    asked = tuple(change.data()["asked"])
    return Edition(flows_by_path(plan), change.seq, asked, plan.record)


def flows_by_path(plan: RunPlan) -> dict[str, Flow]:
    """All flows of a plan."""
    return {flow.path: flow for _, flow in walk(plan.flow)}


@dataclass(frozen=True)
class RecordSource:
    """Where records of what a run was made of come from, and what they are built with. `place` is
    that of all their values, `folder` that of the journal; `base` takes the place of the folder
    that relative paths start from."""

    place: Place
    folder: Path
    base: Path | None = None
    trust: Trust = field(default_factory=Trust)
    functions: Sequence[Function] = ()

    def plan(
        self,
        record: Values,
        overrides: Sequence[str] = (),
        *,
        live: bool = True,
        anew: bool = False,
        human: Human | None = None,
        origin: str = COMMAND_LINE,
    ) -> RunPlan:
        """The plan of a record after overrides, which were said at the `origin`; `human` is whoever
        is asked already. Errors: `ConfigError`."""
        spec = {**with_marks(record["spec"], record["secrets"]), "inputs": record["inputs"]}
        tree = planted(spec, self.place, literal=True)  # what its texts were resolved to
        assert isinstance(tree, Section)
        base = self.base or Path(record["base"])
        if overrides:
            given = inputs_of(base)
            tree = revise(tree, overrides, base, known=KNOWN, inputs_of=given, origin=origin)
        composed = Composed(tree, self.folder / "journal")
        if live:
            check_secrets_kept(composed.values)
        if anew and is_off(composed) and composed.place(SANDBOX_MODE) == self.place:
            raise not_typed(self.place)
        allowed = frozenset((key, address) for key, address in record.get("allowed", ()))
        code = recorded_code(record, self.trust.consents)
        trusted = replace(self.trust, journal=self.place, recorded=allowed, recorded_code=code)
        return build_composed(
            composed, base, trust=trusted, live=live, functions=self.functions, human=human
        )


def with_marks(values: Any, paths: Sequence[Sequence[str | int]]) -> Any:
    """The recorded config with its names of environment variables marked as such again."""
    for path in paths:
        holder = values
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = EnvSecret(holder[path[-1]])
    return values
