"""The changes that a person made to the config of a running session, as its rows tell them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flows.core.result import iso_time
from flows.core.rows import Row
from flows.records.differences import Difference, differences


@dataclass(frozen=True, slots=True)
class SessionChange:
    """A change: the command `said` it, at the questions of the steps `asked`. `row` holds the
    config after it, `before` the one that it took the place of."""

    row: Row
    before: Row
    said: str
    asked: tuple[str, ...]
    undo: bool

    @property
    def differences(self) -> tuple[Difference, ...]:
        """What it changed; secrets are hidden."""
        return differences(_config(self.before), _config(self.row))

    def as_json(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        found = [
            {"key": each.key, "before": each.one, "after": each.other} for each in self.differences
        ]
        head = {"said": self.said, "asked": list(self.asked), "undo": self.undo}
        return {**head, "changed": iso_time(self.row.at), "differences": found}


def session_changes(rows: Sequence[Row]) -> list[SessionChange]:
    """All changes of a session in their order, those that were taken back too."""
    from flows.build.restoration import (
        changes_of,
    )  # here: it builds flows, and most runs have no change

    found = changes_of(rows)
    return [_read(row, before) for row, before in zip(found, (*rows[:1], *found), strict=False)]


def stack_of(rows: Sequence[Row]) -> list[SessionChange]:
    """The changes that hold: those that were not taken back."""
    held: list[SessionChange] = []
    for each in session_changes(rows):
        if each.undo:
            held.pop()
        else:
            held.append(each)
    return held


def _read(row: Row, before: Row) -> SessionChange:
    body = row.data()
    return SessionChange(row, before, body["said"], tuple(body["asked"]), body["undo"])


def _config(row: Row) -> dict[str, Any]:
    from flows.build.restoration import with_marks

    body = row.data()
    return {**with_marks(body["spec"], body["secrets"]), "inputs": body["inputs"]}
