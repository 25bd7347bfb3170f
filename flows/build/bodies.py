"""A model made for the bytes of its requests alone: without secrets, and never asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from flows.build.names import builtin_registry
from flows.build.run_config import SUBFLOWS
from flows.build.services import TARGET
from flows.config.secret import EnvSecret
from flows.core.chat import ChatModel
from flows.errors import ConfigError

# The key of a model that hands its requests on, for the one that it hands them to.
_INNER: Final = ("model", "then")


def config_path(spec: Mapping[str, Any], flow: str) -> tuple[str, ...]:
    """Where the config describes the flow at a path, or the one above that made it."""
    here: tuple[str, ...] = ()
    for name in flow.split("/"):
        below = (*here, SUBFLOWS, name)
        if not isinstance(value_at(spec, below), Mapping):
            break
        here = below
    return here


def model_path(spec: Mapping[str, Any], flow: str) -> tuple[str, ...]:
    """Where the config describes the model of the flow at a path: its own or the run's; of one
    that hands its requests on to another, that other one."""
    path = (*config_path(spec, flow), "model")
    if not isinstance(value_at(spec, path), Mapping):
        path = ("model",)
    while key := next((k for k in _INNER if isinstance(value_at(spec, (*path, k)), Mapping)), ""):
        path = (*path, key)
    return path


def value_at(spec: Mapping[str, Any], path: Sequence[str]) -> Any:
    """The value at a config path; None where there is none."""
    value: Any = spec
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def body_model(values: Mapping[str, Any], trust: Sequence[str] = ()) -> ChatModel:
    """The model of a config section, for its `body` alone. Errors: `ConfigError`."""
    registry = builtin_registry(trust)
    target = str(values.get(TARGET, ""))
    found = registry.find("model", target)
    maker: Any = registry.resolve("model", target)
    own = {key: each for key, each in values.items() if key != TARGET}
    given = {**found.values, **_without_secrets(own)}
    config = getattr(maker, "Config", None)
    model = maker() if config is None else maker(config.model_validate(given))
    if not isinstance(model, ChatModel):
        raise ConfigError(f"{target} is no chat model")
    return model


def _without_secrets(values: Any) -> Any:
    if isinstance(values, Mapping):
        return {
            key: _without_secrets(each)
            for key, each in values.items()
            if not isinstance(each, EnvSecret)
        }
    return values
