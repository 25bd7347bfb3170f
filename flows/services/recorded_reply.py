"""What a recorded run came to, as a reply to the person who asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, get_args

from pydantic import ValidationError

from flows.core.events import Status
from flows.core.result import RunResult
from flows.core.rows import Row
from flows.library.csv_chat.conversation import SAY
from flows.library.csv_chat.reply import TurnReply
from flows.records.record import RunRecord
from flows.records.steps import flow_path
from flows.services.run_reply import RunReply, reply_of

_AS: Final[dict[str, Status]] = {"declined": "finished"}


def recorded_reply(record: RunRecord) -> RunReply:
    """The reply of a run, also of one that another process ran; that of a conversation that waits
    is its last turn. Errors: `JournalError` for a journal that cannot be read."""
    rows = record.place.rows() if record.status == "waiting" else ()
    return reply_of(recorded_result(record), last_turn(rows))


def recorded_result(record: RunRecord) -> RunResult:
    """The record as the result of its run. One that was interrupted is unfinished."""
    known: Status = record.status if record.status in get_args(Status) else "unfinished"  # type: ignore[assignment]
    return RunResult(
        record.place.run_id,
        _AS.get(record.status, known),
        record.outputs,
        record.spent.usage,
        record.spent.seconds,
        record.place.folder,
        record.artifacts,
        record.reason,
        questions=record.questions if record.status == "waiting" else (),
    )


def last_turn(rows: Sequence[Row]) -> TurnReply | None:
    """The turn of a conversation that was over last; None of a run that is none."""
    for row in reversed(rows):
        if row.kind == "outcome" and flow_path(row.address).rpartition("/")[2] == SAY:
            told = row.data().get("outputs", {}).get("reply")
            try:
                return TurnReply.model_validate(told)
            except ValidationError:  # another flow of that name
                return None
    return None
