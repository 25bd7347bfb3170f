"""What a step's outputs are about, told by their shape and not by the step's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeGuard

from pydantic import ValidationError

from flows.core.observation import Observation

_OBSERVATION_KEYS = frozenset(Observation.model_fields)
_DEPTH = 2


class ControllerChoice(NamedTuple):
    """What a controller chose, and why."""

    thought: str
    plan: str
    command: str
    arguments: Mapping[str, Any]


class Feedback(NamedTuple):
    """What a person said: words, the wish to end, or nothing because nobody was there."""

    text: str
    ended: str
    nobody: bool


class RecalledTexts(NamedTuple):
    """The texts that a memory gave, nearest first."""

    texts: tuple[str, ...]


Shape = Observation | ControllerChoice | Feedback | RecalledTexts


def read(outputs: Mapping[str, Any], inputs: Mapping[str, Any]) -> Shape | None:
    """What the outputs are about, when they hold no observation of the usual form."""
    found = decision(outputs) or feedback(outputs) or recalled(outputs, inputs)
    if found is None and (text := observed_text(outputs)) is not None:
        return Observation(kind="ok", text=text)
    return found


def recalled(outputs: Mapping[str, Any], inputs: Mapping[str, Any]) -> RecalledTexts | None:
    """What a memory gave; None when this was no reading of a memory."""
    found = outputs.get("retrieved")
    if inputs.get("operation") == "write" or not _is_sequence(found):
        return None
    texts = [each for item in found for each in (item if _is_sequence(item) else (item,))]
    return RecalledTexts(tuple(text for text in texts if isinstance(text, str) and text.strip()))


def decision(outputs: Mapping[str, Any]) -> ControllerChoice | None:
    command, arguments = outputs.get("command"), outputs.get("command_args")
    if not isinstance(command, str) or ("thought" not in outputs and arguments is None):
        return None
    return ControllerChoice(
        thought=_text(outputs.get("thought")) or _text(outputs.get("speak")),
        plan=_text(outputs.get("plan")),
        command=command,
        arguments=arguments if isinstance(arguments, Mapping) else {},
    )


def feedback(outputs: Mapping[str, Any]) -> Feedback | None:
    said = outputs.get("human_feedback", outputs.get("human_input"))
    if not isinstance(said, str):
        return None
    ended = outputs.get("EARLY_EXIT")
    return Feedback(said.strip(), _text(ended), outputs.get("nobody") is True)


def observation(outputs: object, depth: int = _DEPTH) -> Observation | None:
    """The first observation among the outputs, or in the mappings they hold."""
    found = as_observation(outputs)
    if found is not None or not isinstance(outputs, Mapping) or depth == 0:
        return found
    for value in outputs.values():
        found = observation(value, depth - 1)
        if found is not None:
            return found
    return None


def as_observation(value: object) -> Observation | None:
    if isinstance(value, Observation):
        return value
    if not isinstance(value, Mapping) or not {"kind", "text"} <= value.keys() <= _OBSERVATION_KEYS:
        return None
    try:
        return Observation.model_validate(value)
    except ValidationError:
        return None


def observed_text(outputs: Mapping[str, Any]) -> str | None:
    """An observation that is plain text, as flows of other packages return it."""
    inner = outputs.get("branch_output_data")
    found = outputs.get("observation")
    if isinstance(inner, Mapping) and found is None:
        texts = [value for value in inner.values() if isinstance(value, str) and value.strip()]
        found = inner.get("observation", texts[0] if texts else None)
    return found if isinstance(found, str) and found.strip() else None


def _is_sequence(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _text(value: object) -> str:
    """A text, or the lines of a list of texts: models write a plan either way."""
    if _is_sequence(value):
        return "\n".join(f"- {each}" for each in value if isinstance(each, str))
    return value.strip() if isinstance(value, str) else ""
