"""The events of a run as JSON, a line each, for programs that follow it."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

from pydantic_core import to_json

from flows.config.redaction import redact
from flows.core.events import Event, ModelCalled
from flows.errors import UsageError

STDOUT = "-"
# Of a value that has no form in JSON, so much of what it says of itself.
_SHOWN_CHARACTERS = 1_000
# Of a circle, of half a character, and of what raises when it is asked.
_NO_FORM = (ValueError, TypeError, RecursionError)


def name_of(kind: type) -> str:
    """The name of a kind of events: that of `StepFinished` is `step_finished`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


NAMES: dict[type, str] = {kind: name_of(kind) for kind in get_args(Event)}


class EventLines:
    """A listener that appends each event to a file as one line, at once.

    A file is made for its owner alone; `-` is standard output. What goes wrong while the run goes
    on ends the lines and not the run: `tell` gets one sentence. Errors at the beginning:
    `UsageError` when the file cannot be written.
    """

    def __init__(self, path: str, tell: Callable[[str], None]) -> None:
        self.path = path
        self._tell = tell
        self._file: int | None = _open(path)

    def __call__(self, event: Event) -> None:
        if self._file is None:
            return
        try:
            _write(self._file, line_of(event).encode() + b"\n")
        except OSError as error:  # such as a full disk, or a pipe that nobody reads any more
            self.close()
            self._tell(f"No more events are written to {self.path}: {error.strerror}.")

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)


def line_of(event: Event) -> str:
    """The event as JSON without a line break: its name, its fields, and `at`, when it was written.

    Bytes are base64, sets are lists, and numbers that JSON does not have are texts.
    """
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    fields = event._asdict()
    if isinstance(event, ModelCalled) and not event.tool_calls:
        del fields["tool_calls"]  # most models call nothing
    return json_of({"event": NAMES[type(event)], **fields, "at": at})


def json_of(fields: Mapping[str, Any] | Sequence[Any]) -> str:
    """Any values as JSON, without secrets; one that has no form is what it says of itself."""
    try:
        return redact(_json(fields))
    except _NO_FORM:
        pass  # which of them it is, is not said
    if isinstance(fields, Mapping):
        return redact(json.dumps({str(name): _plain(value) for name, value in fields.items()}))
    return redact(json.dumps([_plain(value) for value in fields]))


def _json(value: Any) -> str:
    text = to_json(value, bytes_mode="base64", inf_nan_mode="strings", serialize_unknown=True)
    return text.decode()


def _plain(value: Any) -> Any:
    try:
        return json.loads(_json(value))
    except _NO_FORM:
        return repr(value)[:_SHOWN_CHARACTERS]


def _open(path: str) -> int:
    if path == STDOUT:
        if sys.stdout is None:
            raise UsageError("there is no standard output that events could be written to")
        return os.dup(1)
    try:
        file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"events cannot be written to {path}: {why}") from error
    if _is_cut(Path(path)):
        _write(file, b"\n")
    return file


def _is_cut(path: Path) -> bool:
    """Whether a file ends within a line, as a full disk leaves it."""
    if not path.is_file() or not path.stat().st_size or not os.access(path, os.R_OK):
        return False
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() != b"\n"


def _write(file: int, content: bytes) -> None:
    """All of it: a pipe may take a part."""
    while content:
        content = content[os.write(file, content) :]
