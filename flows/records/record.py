"""What a reader wants to know about a run, from its rows: also while it runs, and of damaged ones.

A run's status is what its last `end` row says, if nothing began after it; else it is `running` when
a process holds its journal, and `interrupted` when none does, or when its last row says that it was
stopped. One that finished and says that its
question cannot be answered is `declined`.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from sqlite3 import Connection
from typing import Any, Literal, NamedTuple, get_args

from pydantic_core import to_jsonable_python

from flows.core.artifacts import Artifact
from flows.core.chat import Usage
from flows.core.events import Status
from flows.core.file_lock import is_held
from flows.core.history import History, read_history
from flows.core.human import Answer
from flows.core.journal import read_rows
from flows.core.limits import Limits
from flows.core.result import OpenQuestion, iso_time
from flows.core.row_log import LOG, LogIndex
from flows.core.rows import Row
from flows.core.store import FILE
from flows.errors import JournalError
from flows.records.lookup import RunPlace, reading
from flows.records.session_changes import SessionChange, session_changes
from flows.records.steps import StepRecord, read_steps

Standing = Literal[Status, "declined", "running", "interrupted", "damaged"]
STANDINGS: tuple[str, ...] = (*get_args(Status), "declined", "running", "interrupted", "damaged")
# What the outputs of `ask` and `analyst` say of a question that the data cannot answer.
_DECLINED = ("abstained", "unanswered")


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What a person said to the question of a step, in seconds since 1970."""

    id: str
    step: str
    answer: Answer
    at: float

    def as_json(self) -> dict[str, Any]:
        """Plain data for `--json`."""
        said = {"kind": self.answer.kind, "text": self.answer.text}
        return {"id": self.id, "step": self.step, **said, "answered": iso_time(self.at)}


class Spent(NamedTuple):
    """What a run used. `seconds` is the time that it ran, `rounds` is known of runs that ended.

    `usage` holds the calls that may have been billed, `held_tokens` and `held_cost` (dollars) what
    these may have cost at most; `under_way` are calls whose reply a running process waits for.
    """

    usage: Usage = Usage()
    seconds: float = 0.0
    rounds: int | None = None
    under_way: int = 0
    held_tokens: int = 0
    held_cost: float = 0.0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as it is recorded. `ended` is in seconds since 1970, `epochs` counts its first start
    and each resume. Of a `damaged` one there is only the `reason`."""

    place: RunPlace
    status: Standing
    reason: str = ""
    title: str = ""
    ended: float | None = None
    epochs: int = 0
    inputs: Mapping[str, Any] = field(default_factory=dict)
    outputs: Mapping[str, Any] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    spent: Spent = field(default_factory=Spent)
    questions: tuple[OpenQuestion, ...] = ()
    answers: tuple[GivenAnswer, ...] = ()
    changes: tuple[SessionChange, ...] = ()
    steps: tuple[StepRecord, ...] = ()
    artifacts: tuple[Artifact, ...] = ()

    @property
    def goes_on(self) -> bool:
        """Whether there is something left that `flows resume` would do."""
        return self.status in ("waiting", "failed", "interrupted")

    def as_json(self, *, steps: bool = True) -> dict[str, Any]:
        """Plain data for `--json`."""
        spent = {**self.spent._asdict(), "seconds": round(self.spent.seconds, 3)}
        usage = {**self.spent.usage.model_dump(), **spent}
        del usage["usage"]
        return {
            "run_id": self.place.run_id,
            "status": self.status,
            "reason": self.reason,
            "title": self.title,
            "started": iso_time(self.place.began),
            "ended": None if self.ended is None else iso_time(self.ended),
            "epochs": self.epochs,
            "inputs": to_jsonable_python(dict(self.inputs), fallback=str),
            "outputs": to_jsonable_python(dict(self.outputs), fallback=str),
            "limits": self.limits.model_dump(),
            "usage": usage,
            "questions": [each.as_json() for each in self.questions],
            "answers": [each.as_json() for each in self.answers],
            "changes": [each.as_json() for each in self.changes],
            **({"steps": [each.as_json() for each in self.steps]} if steps else {}),
            "artifacts": [each.model_dump() for each in self.artifacts],
            "folder": str(self.place.folder),
        }


def records_of(places: Iterable[RunPlace]) -> Iterator[RunRecord]:
    """The runs at the places, each read when it is wanted; a journal that many share is opened
    once. One that cannot be read is a `damaged` run with the reason."""
    with ExitStack() as stack:
        shared: dict[Path, tuple[Connection, LogIndex]] = {}
        for place in places:
            try:
                if place.shared and place.journal not in shared:
                    connection = stack.enter_context(reading(place.journal))
                    shared[place.journal] = connection, LogIndex(place.journal / LOG)
                yield read_record(place, _rows(place, shared))
            except JournalError as error:
                yield RunRecord(place, "damaged", str(error))


def _rows(place: RunPlace, shared: Mapping[Path, tuple[Connection, LogIndex]]) -> list[Row]:
    if not place.shared:
        return place.rows()
    connection, log = shared[place.journal]
    return read_rows(connection, place.journal / FILE, place.number, log)


def read_record(place: RunPlace, rows: Sequence[Row]) -> RunRecord:
    """What the rows tell. Errors: `JournalError` when they are not those of a run."""
    if not rows or rows[0].kind != "start":
        return RunRecord(place, _without_end(place, rows), "its journal has no beginning")
    try:
        return _read(place, rows)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise JournalError(f"{place.journal / FILE} holds what no run writes: {error!r}") from error


def _without_end(place: RunPlace, rows: Sequence[Row]) -> Standing:
    stopped = rows and rows[-1].kind == "stop"
    return "running" if not stopped and is_held(place.journal) else "interrupted"


def _read(place: RunPlace, rows: Sequence[Row]) -> RunRecord:
    past = read_history(rows)
    last = max(number for number, row in enumerate(rows) if row.kind == "start")
    start = rows[last].data()
    end = next((row for row in reversed(rows[last:]) if row.kind == "end"), None)
    body = end.data() if end is not None else {}
    status: Standing = _ended(body) if end is not None else _without_end(place, rows)
    steps = read_steps(rows)
    held = past.held_tokens, past.held_cost
    spent = Spent(past.usage, past.used_seconds, body.get("rounds"), 0, *held)
    return RunRecord(
        place=place,
        status=status,
        reason=body.get("reason", ""),
        title=start["spec"].get("name") or "flow",
        ended=end.at if end is not None else None,
        epochs=past.epoch,
        inputs=_shown_inputs(start),
        outputs=body.get("outputs", {}),
        limits=Limits.model_validate(start.get("limits") or start["spec"].get("limits") or {}),
        questions=tuple(OpenQuestion.of(row) for row in past.open_questions()),
        answers=tuple(_answer(row) for row in past.answers.values()),
        changes=tuple(session_changes(rows)),
        steps=steps,
        artifacts=tuple({each.name: each for step in steps for each in step.artifacts}.values()),
        spent=_under_way(past, rows, last) if status == "running" else spent,
    )


def _ended(body: Mapping[str, Any]) -> Standing:
    said = body.get("outputs", {}).get("status")
    status: Standing = body["status"]
    return "declined" if status == "finished" and said in _DECLINED else status


def _under_way(past: History, rows: Sequence[Row], last: int) -> Spent:
    """What a running process used. Of calls since its start the reply may still come."""
    lost = read_history(rows[: last + 1])
    billed = lost.usage.possibly_billed
    usage = past.usage.model_copy(update={"possibly_billed": billed})
    told = next(row.at for row in reversed(rows) if row.kind in ("start", "outcome", "failure"))
    seconds = past.used_seconds + max(0.0, time.time() - told)
    calls = past.usage.possibly_billed - billed
    return Spent(usage, seconds, None, calls, lost.held_tokens, lost.held_cost)


def _answer(row: Row) -> GivenAnswer:
    return GivenAnswer(row.digest, row.address, Answer.model_validate_json(row.body), row.at)


def _shown_inputs(start: Mapping[str, Any]) -> Mapping[str, Any]:
    """The inputs of a run without the private keys of its flow."""
    hidden = start.get("private_keys", ())
    return {key: each for key, each in start["inputs"].items() if key not in hidden}
