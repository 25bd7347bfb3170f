"""How often a chat of aiflows has its backend try: keys of the chat there, of the backend here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel

from flows.core.values import Values

MOST_TRIES: Final = 20
# What a chat says of the tries of its backend, by the backend's own keys for it.
TRIES: Final = {"n_api_retries": "attempts", "wait_time_between_retries": "wait_max"}


def with_tries(config: type[BaseModel], given: Values) -> Values:
    """The keys of a flow, where its backend has those that the chat says of its tries, or that a
    chat has without saying so."""
    backend = given.get("backend")
    if not TRIES.keys() <= config.model_fields.keys() or not isinstance(backend, Mapping):
        return given
    tries = {
        own: given.get(key, config.model_fields[key].default)
        for key, own in TRIES.items()
        if own not in backend
    }
    if isinstance(tries.get("attempts"), int):
        tries["attempts"] = min(max(tries["attempts"], 1), MOST_TRIES)
    is_theirs = str(backend.get("_target_")).endswith(("LiteLLMBackend", "model.litellm"))
    return {**given, "backend": {**backend, **tries}} if is_theirs else given
