"""What a step came to, as the text of a journal row, and back."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from pydantic_core import from_json, to_json

from flows import errors
from flows.config.redaction import redact_pieces
from flows.core.artifacts import Artifact
from flows.core.chat import Usage
from flows.core.flow import AtomicFlow, Ports
from flows.errors import (
    CheckError,
    FlowsError,
    LimitReached,
    PortError,
    ReplayDiffers,
    SessionChanged,
    StepError,
    StepFailed,
    Waiting,
)

_NOT_OF_A_TEXT = (CheckError, LimitReached, ReplayDiffers, SessionChanged, StepFailed, Waiting)

MOST_DIGITS: Final = 4_300  # of an integer that readers of JSON take, Python's own among them
_TOO_LONG: Final = re.compile(rf"\d{{{MOST_DIGITS + 1}}}")


def outcome_text(
    flow: AtomicFlow, result: Ports, used: float, usage: Usage | None, saved: Sequence[Artifact],
    inputs: Ports | None = None,
) -> str:  # fmt: skip
    """The outputs of a step, what it cost, what it saved; its `inputs`, where they are kept.
    `used` is the run's seconds so far.

    Errors: `PortError` for outputs that could not be read again.
    """
    outputs = flow.dump_outputs(result, by_alias=True).decode()
    if len(outputs) > MOST_DIGITS and _TOO_LONG.search(outputs):
        _check_readable(flow, outputs)
    if usage is None and not saved and inputs is None:  # nearly every step, and on the hot path
        return f'{{"outputs":{outputs},"used":{used}}}'
    rest: dict[str, object] = {"used": used}
    if usage is not None:
        rest["usage"] = usage
    if saved:
        rest["saved"] = saved
    if inputs is not None:
        rest["inputs"] = inputs
    return f'{{"outputs":{outputs},{to_json(rest).decode()[1:]}'


def _check_readable(flow: AtomicFlow, outputs: str) -> None:
    """Errors: `PortError` for an integer that is too long; so many digits of a text are none."""
    try:
        from_json(outputs)
    except ValueError as error:
        raise PortError(
            f"{flow.name}: an integer of more than {MOST_DIGITS:,} digits cannot be recorded; "
            "return it as a text"
        ) from error


def body_digest(body: bytes) -> str:
    """The digest of what was sent to a model."""
    return blake2b(body, digest_size=12).hexdigest()


def failure_text(
    error: BaseException, used: float, usage: Usage | None, inputs: Ports | None = None
) -> str:
    """`error` is the nearest class of `flows.errors` that is made of a text, `type` its name."""
    known = (each for each in type(error).__mro__ if vars(errors).get(each.__name__) is each)
    plain = (each for each in known if each not in _NOT_OF_A_TEXT)
    body: dict[str, object] = {
        "error": next(plain, StepError).__name__,
        "type": type(error).__name__,
        "message": redact_pieces(str(error)),
        "used": used,
    }
    if usage is not None:
        body["usage"] = usage
    if inputs is not None:
        body["inputs"] = inputs
    return to_json(body).decode()


def recorded_error(body: Mapping[str, Any]) -> FlowsError:
    """A recorded failure as an error of the same name and text, caught by the same handlers."""
    known: type[FlowsError] = getattr(errors, body["error"])
    kind: Callable[[str], FlowsError] = known
    if body["type"] != body["error"]:
        kind = type(body["type"], (known,), {})
    return kind(body["message"])
