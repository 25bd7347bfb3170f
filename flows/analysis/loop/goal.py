"""The parts of a goal and what became of each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from flows.analysis.language.words import split_identifier
from flows.core.observation import Observation
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart

Status = Literal["open", "asked", "done", "failed", "replaced"]
Kind = Literal[
    "unknown", "question", "describe", "search", "study", "profile", "agent", "documents", "command"
]


@dataclass
class GoalPart:
    """One question of the goal or of a person. `asked` is the command's text that stood for it.

    `result` is the observation that answered it, or that of the part whose id is `shared`; `why`
    says why it has none, and `unread` that it could not be read over the tables. `prepared` says
    that a question was put before it. `request` is what its command's text was read as, `how` that
    in words; `settled` says that the request stands for the part, whatever its text. `id` tells it
    from other parts of its goal; 0 until it stands among them. `lacking` is the argument of a
    command that nothing fills, `given` what a person said for such arguments.
    """

    text: str
    status: Status = "open"
    kind: Kind = "unknown"
    command: str = ""
    asked: str = ""
    tries: int = 0
    result: Observation | None = None
    why: str = ""
    origin: str = "the goal"
    forced: str = ""
    unread: bool = False
    prepared: bool = False
    shared: int = 0
    request: Query | Analysis | Chart | None = None
    how: str = ""
    settled: bool = False
    id: int = 0
    lacking: str = ""
    given: dict[str, str] = field(default_factory=dict)


@dataclass
class Progress:
    """All parts in their order, the calls made so far, and what a person said last: whether they
    are there (`human`), and whether what they said could not be read (`unread`).

    `tables` and `model` are what their requests are about.
    """

    parts: list[GoalPart]
    tables: Sequence[Table]
    model: SemanticModel
    calls: set[str] = field(default_factory=set)
    stop: bool = False
    remarks: list[str] = field(default_factory=list)
    last: GoalPart | None = None
    human: bool = False
    unread: bool = False

    @cached_property
    def nouns(self) -> dict[str, str]:
        """The words that may follow `that`, and the columns that they name."""
        names = [column.name for table in self.tables for column in table.columns]
        return {
            word: name for name in names for word in (" ".join(split_identifier(name)),
                                                      name.casefold())
        }  # fmt: skip

    def next_open(self) -> GoalPart | None:
        return next((part for part in self.parts if part.status == "open"), None)

    def last_answered(self, before: GoalPart | None = None) -> GoalPart | None:
        """The latest part that a table answered, among those before another one."""
        end = self.parts.index(before) if before in self.parts else len(self.parts)
        done = [p for p in self.parts[:end] if p.kind == "question" and p.status == "done"]
        return done[-1] if done else None

    def last_table(self, before: GoalPart) -> GoalPart | None:
        """The latest part before another one whose result is a table that the run has kept."""
        for part in reversed(self.parts[: self.parts.index(before)]):
            table = part.result.table if part.result is not None else None
            if part.status in ("done", "replaced") and table is not None and table.artifact:
                return part
        return None

    def insert_before(self, part: GoalPart, new: GoalPart) -> None:
        self.parts.insert(self.parts.index(part), new)

    def insert_after_last(self, part: GoalPart) -> None:
        """Put a new part where it is the next one to be dealt with."""
        done = [i for i, each in enumerate(self.parts) if each.status != "open"]
        self.parts.insert(done[-1] + 1 if done else 0, part)

    def was_called(self, command: str, arguments: Mapping[str, Any]) -> bool:
        return call_key(command, arguments) in self.calls


def call_key(command: str, arguments: Mapping[str, Any]) -> str:
    """What tells two calls apart; another full stop or capital does not."""
    plain = {k: same_words(v) if isinstance(v, str) else v for k, v in arguments.items()}
    return json.dumps([command, plain], sort_keys=True, default=str)


def same_words(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" ?.!")


def observe(progress: Progress, observation: Observation | None) -> None:
    """Give the observation to the part that was asked last."""
    part = progress.last
    if observation is None or part is None or part.status != "asked":
        return
    if observation.kind == "error":
        part.status, part.why = "failed", observation.text
    elif observation.kind == "empty" and part.kind in ("search", "documents"):
        part.status, part.why = "failed", observation.text or "the search found nothing"
        part.result = observation
    else:
        part.status, part.result = "done", observation


def tables_of(values: Sequence[Table | Mapping[str, Any]]) -> tuple[Table, ...]:
    """Tables that came as values or, through the journal, as plain data."""
    return tuple(v if isinstance(v, Table) else Table.model_validate(v) for v in values)


def observation_of(value: Observation | Mapping[str, Any] | None) -> Observation | None:
    if value is None or isinstance(value, Observation):
        return value
    return Observation.model_validate(dict(value)) if value else None
