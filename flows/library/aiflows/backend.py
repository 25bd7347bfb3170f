"""`LiteLLMBackend` for classes that were written for aiflows.

What such a class asks a model goes through the run's own door: each call is a step below the
class's own, claimed from the budgets, recorded, counted. litellm is not needed.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, is_dataclass
from math import inf
from typing import Any

from flows.errors import ConfigError
from flows.library.aiflows.door import DOOR, BackendMessage, ask_backend
from flows.models.litellm import LiteLLMConfig, LiteLLMModel


class LiteLLMBackend:
    """A model, called with `messages` and settings of a call. Errors: `ConfigError` for a setting
    that there is not, and outside of a run."""

    def __init__(self, api_infos: Any = None, model_name: Any = "gpt-3.5-turbo", **params: Any):
        given = api_infos if isinstance(api_infos, list | tuple) else [api_infos]
        infos = [
            asdict(each) if is_dataclass(each) and not isinstance(each, type) else each
            for each in given
            if each not in (None, "???")
        ]
        self.model_name = model_name
        self.params = {"api_infos": infos or None, "model_name": model_name, **params}
        self._config({})

    def __call__(self, *, messages: Sequence[Mapping[str, Any]], **params: Any) -> list[Any]:
        """The reply, as a list of one message."""
        door = DOOR.get()
        if door is None:
            raise ConfigError("a backend is called by the run of a class, and by nothing else")
        said = tuple(
            BackendMessage(role=each["role"], content=str(each["content"])) for each in messages
        )
        config, own = self._config(params), door.own
        shared = (LiteLLMModel, repr({**self.params, **params}))  # of the run, for keys in turn
        backend = door.run.session.hold(shared, lambda: LiteLLMModel(config))
        at_hand = backend.filled or own is None or (backend.answers and own.free)
        text = ask_backend(door, backend if at_hand or not own else own, said, params)
        return [{"role": "assistant", "content": text}]

    def _config(self, params: Mapping[str, Any]) -> LiteLLMConfig:
        try:
            return LiteLLMConfig.model_validate({**self.params, **params})
        except ValueError as error:
            raise ConfigError(f"LiteLLMBackend: {error}") from error


def most_backend_calls(made: object) -> float:
    """How often an object of a class may ask a model: a class that has a backend, or whose module
    knows of one, as often as it likes."""
    held = (*vars(sys.modules[type(made).__module__]).values(), *vars(made).values())
    has = any(each is LiteLLMBackend or isinstance(each, LiteLLMBackend) for each in held)
    return inf if has else 0
