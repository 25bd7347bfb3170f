"""What a decision writes down of a goal's parts, so that the next one need not find it out again.

A note holds what has changed since the note before: the order of the parts, by their ids, and each
part that is new or other than it was. What a command gave back is not in it: the turn after a reply
brings it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from flows.analysis.loop.goal import GoalPart, Progress, call_key

KEY: Final = "agenda"
_PART: Final = TypeAdapter(GoalPart)


class Note(BaseModel):
    """The part that was asked by this reply is `asked`; 0 is none. `goal` is the text that the
    parts are of, in the first note and where it is another than before: a word of it may have been
    learned meanwhile."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    goal: str = ""
    order: tuple[int, ...] = ()
    parts: tuple[dict[str, Any], ...] = ()
    asked: int = 0
    stop: bool = False


def number(progress: Progress) -> None:
    """Give an id to each part that has none yet."""
    last = max((part.id for part in progress.parts), default=0)
    for part in progress.parts:
        if not part.id:
            last += 1
            part.id = last


def note_of(progress: Progress, goal: str, before: Mapping[int, GoalPart]) -> dict[str, Any]:
    """What is to be written down of the parts of a goal; `before` are those that the notes hold
    already, none where they are of another text."""
    number(progress)
    order = [part.id for part in progress.parts]
    changed = [part for part in progress.parts if before.get(part.id) != replace(part, result=None)]
    note: dict[str, Any] = {
        "goal": "" if before else goal,
        "order": [] if order == list(before) else order,
        "parts": [_plain(part) for part in changed],
        "asked": progress.last.id if progress.last is not None else 0,
        "stop": progress.stop,
    }
    return {key: value for key, value in note.items() if value}


def read_note(reply: str) -> Note | None:
    """The note in a reply; None in one of another model."""
    try:
        return Note.model_validate(json.loads(reply)[KEY])
    except (json.JSONDecodeError, KeyError, TypeError, ValidationError):
        return None


def take_note(progress: Progress, note: Note, command: str, arguments: Mapping[str, Any]) -> bool:
    """Bring the progress to where it was when the note was written, with what it then called.

    False, and nothing is changed, when the notes before it are not all there.
    """
    known = {part.id: part for part in progress.parts}
    for plain in note.parts:
        part = _PART.validate_python(plain)
        old = known.get(part.id)
        known[part.id] = replace(part, result=old.result if old is not None else None)
    order = note.order or tuple(part.id for part in progress.parts)
    if any(each not in known for each in order):
        return False
    progress.parts = [known[each] for each in order]
    for part in progress.parts:
        if part.shared and part.result is None and part.shared in known:
            part.result = known[part.shared].result
    progress.last = known.get(note.asked)
    progress.stop = note.stop
    progress.calls.add(call_key(command, arguments))
    return True


def kept(progress: Progress) -> dict[int, GoalPart]:
    """The parts as a note holds them, in their order, to compare with later."""
    return {part.id: replace(part, result=None) for part in progress.parts if part.id}


def _plain(part: GoalPart) -> dict[str, Any]:
    """A part as plain data without what is as for any new part."""
    usual = GoalPart("")
    plain: dict[str, Any] = _PART.dump_python(replace(part, result=None), mode="json")
    return {
        key: value
        for key, value in plain.items()
        if key in ("text", "id") or value != getattr(usual, key)
    }
